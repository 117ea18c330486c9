//! Decoding and encoding of Triple Triad messages.

mod card;
mod description;
mod fast_path;
mod hidden_pool;
mod opening;
mod rules;
mod state;
mod trade;

pub use self::trade::{read_trade, write_settlement};
use self::{
    fast_path::{scan_as, write_diagram},
    hidden_pool::read_hidden_pool,
    opening::read_opening,
    rules::read_rules,
    state::{read_diagram, read_game, setup_error_code},
};
use super::{
    Form, Path, State, Violations, WireGame,
    common::{read_player, read_required_square, write_ended, write_in_progress, write_player, write_scores},
    proto,
    refusal::breach,
    state::read_state_with,
    suggest_move::TRIPLE_TRIAD_POOL,
};
use crate::engine::triple_triad::HiddenPool;
use crate::games::{
    GameId, Player, StateOrView,
    triple_triad::{
        Arrival, Capture, CaptureRule, Diagram, Ending, Event, IllegalMove, Move, Opening, Outcome, Rules,
        SetupError, TripleTriad, View,
    },
};

const GAME: GameId = GameId::TripleTriad;
const NAME: &str = GAME.name();

impl WireGame for TripleTriad {
    type State = proto::TripleTriadState;

    fn describe(request: proto::ListGamesRequest) -> proto::GameDescription {
        description::describe(request.include_cards)
    }

    fn scan_state(wire: &[u8]) -> Option<StateOrView<Self>> {
        scan_as(wire)
    }

    fn read_state(
        state: &proto::TripleTriadState,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<StateOrView<Self>> {
        read_game(state, at, violations)
    }

    fn setup_error_code(error: &SetupError) -> proto::ErrorReason {
        setup_error_code(*error)
    }

    fn read_move(mv: &proto::r#move::Kind, at: &Path<'_>, violations: &mut Violations) -> Option<Move> {
        let proto::r#move::Kind::TripleTriad(mv) = mv else {
            violations.game_mismatch(at, "move", GAME);
            return None;
        };
        let at = at.field(NAME);
        if mv.card_id.is_none() {
            violations.required(&at.field("card_id"));
        }
        let square = read_required_square(mv.square, &at.field("square"), violations);
        Some(Move { card: mv.card_id?, square: square? })
    }

    fn read_rules(
        rules: &proto::rule_set::Kind,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<Rules> {
        let proto::rule_set::Kind::TripleTriad(rules) = rules else {
            violations.game_mismatch(at, "rule set", GAME);
            return None;
        };
        read_rules(rules, &at.field(NAME), violations)
    }

    fn read_opening(
        setup: Option<&proto::new_game_request::Setup>,
        rules: Option<&Rules>,
        violations: &mut Violations,
    ) -> Option<Opening> {
        let default = proto::TripleTriadSetup::default();
        let setup = match setup {
            Some(proto::new_game_request::Setup::TripleTriad(setup)) => setup,
            _ => &default,
        };
        read_opening(setup, rules.copied(), &Path::root(NAME), violations)
    }

    fn read_viewer(viewer: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Player> {
        read_player(viewer, at, violations)
    }

    fn read_board(
        request: &proto::ResolveCapturesRequest,
        violations: &mut Violations,
    ) -> Option<(Arrival, Form)> {
        let state = request.state.as_ref();
        let diagram = read_state_with::<Self, _>(
            state,
            &Path::root("state"),
            violations,
            scan_as,
            read_diagram,
            Diagram::parse,
        );
        let at = Path::root("arrived_at");
        let square = read_required_square(request.arrived_at, &at, violations)?;
        let arrival = diagram.map(|(diagram, form)| (Arrival::new(diagram, square), form));
        if matches!(arrival, Some((None, _))) || !Arrival::is_on_board(square) {
            violations.add(&at, proto::ErrorReason::NothingThere, format!("there is no card at {square}"));
        }
        arrival.and_then(|(arrival, form)| Some((arrival?, form)))
    }

    fn read_assumption(
        request: &proto::SuggestMoveRequest,
        known: Option<&StateOrView<Self>>,
        violations: &mut Violations,
    ) -> Option<HiddenPool> {
        read_hidden_pool(request.triple_triad_pool.as_ref(), known, &TRIPLE_TRIAD_POOL, violations)
    }

    fn write_state(&self) -> Vec<u8> {
        write_diagram(&self.diagram())
    }

    fn write_move(mv: &Move) -> proto::r#move::Kind {
        proto::r#move::Kind::TripleTriad(proto::TripleTriadMove {
            card_id: Some(mv.card),
            square: Some(mv.square.into()),
        })
    }

    fn write_event(event: Event) -> proto::Event {
        let kind = match event {
            Event::Placed { player, card, square } => proto::event::Kind::Placed(proto::Placed {
                player: proto::Player::from(player).into(),
                square: Some(square.into()),
                card_id: Some(card.id()),
            }),
            Event::Captured(capture) => proto::event::Kind::Captured(Self::write_capture(capture)),
        };
        proto::Event { kind: Some(kind) }
    }

    fn write_outcome(outcome: Outcome) -> proto::Outcome {
        use proto::{EndReason, GameResult};
        let ended = |result, winner: Option<Player>| {
            write_ended(result, EndReason::BoardFull, winner.map(Into::into), outcome.to_string())
        };
        let written = match outcome.ending {
            None => write_in_progress(outcome.next_player.map(write_player).into_iter().collect()),
            Some(Ending::Won { winner }) => ended(GameResult::WinnerDetermined, Some(winner)),
            Some(Ending::Draw) => ended(GameResult::Draw, None),
            Some(Ending::SuddenDeath) => ended(GameResult::SuddenDeathContinue, None),
            Some(Ending::FinalDraw) => ended(GameResult::FinalDraw, None),
        };
        let detail = proto::TripleTriadOutcome { sudden_death_count: Some(outcome.drawn_rounds.into()) };
        proto::Outcome {
            scores: write_scores(outcome.scores),
            detail: Some(proto::outcome::Detail::TripleTriad(detail)),
            ..written
        }
    }

    fn write_capture(capture: Capture) -> proto::Capture {
        let rule = |rule| {
            i32::from(match rule {
                CaptureRule::Basic => proto::TripleTriadCaptureRule::Basic,
                CaptureRule::Same => proto::TripleTriadCaptureRule::Same,
                CaptureRule::SameWall => proto::TripleTriadCaptureRule::SameWall,
                CaptureRule::Plus => proto::TripleTriadCaptureRule::Plus,
                CaptureRule::Combo => proto::TripleTriadCaptureRule::Combo,
            })
        };
        proto::Capture {
            explanation: capture.to_string(),
            kind: Some(proto::capture::Kind::TripleTriad(proto::TripleTriadCapture {
                card_id: capture.card.id(),
                square: Some(capture.square.into()),
                by_card_id: capture.by.id(),
                by_square: Some(capture.by_square.into()),
                rules: capture.rules.each().map(rule).collect(),
                rank: Some(capture.rank.into()),
                taken_rank: Some(capture.taken_rank.into()),
                sum: capture.sum().map(Into::into),
                wave: Some(capture.wave.into()),
            })),
        }
    }

    fn write_board(board: &Arrival, form: Form) -> State {
        let diagram = board.diagram();
        form.write::<Self>(|| write_diagram(diagram), || diagram.notation())
    }

    fn write_view(view: &View) -> Vec<u8> {
        write_diagram(view.diagram())
    }

    fn write_illegal(reason: &IllegalMove, at: &Path<'_>, form: Form) -> proto::Reason {
        let (code, field) = match reason {
            IllegalMove::GameOver => return breach(proto::ErrorReason::GameOver, at, reason),
            IllegalMove::CardNotInHand { .. }
            | IllegalMove::UnknownCard(_)
            | IllegalMove::CardOnBoard(_)
            | IllegalMove::OthersCard(_) => (proto::ErrorReason::CardNotInHand, "card_id"),
            IllegalMove::SquareOutOfRange(_) => (proto::ErrorReason::SquareOutOfRange, "square"),
            IllegalMove::SquareOccupied(_) => (proto::ErrorReason::SquareOccupied, "square"),
        };
        match form {
            Form::Typed => breach(code, at.field(NAME).field(field), reason),
            Form::Notation => {
                proto::Reason { message: reason.in_notation(), ..breach(code, at.field("notation"), reason) }
            }
        }
    }
}
