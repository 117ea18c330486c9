//! Decoding and encoding of RoyalMatch messages.

mod card;
mod comparison;
mod opening;
mod state;

pub use self::comparison::{Ranking, read_ranking, write_ranking};
use self::{
    card::{read_ordering, read_required_card, write_card, write_ordering},
    opening::read_opening,
    state::{read_as, scan_as, setup_error_code, write_diagram},
};
use super::{
    Form, Path, State, Violations, WireGame,
    common::{read_enum, write_ended, write_in_progress, write_player},
    proto,
    refusal::breach,
    state::read_state_with,
};
use crate::games::{
    GameId, StateOrView,
    royal_match::{
        Diagram, Ending, Event, IllegalMove, Move, Opening, Ordering, Outcome, Player, RoyalMatch, Rules,
        SetupError, Trick, View,
    },
};

const GAME: GameId = GameId::RoyalMatch;
const NAME: &str = GAME.name();

impl WireGame for RoyalMatch {
    type State = proto::RoyalMatchState;

    fn describe(_: proto::ListGamesRequest) -> proto::GameDescription {
        let rules = |rules: Rules| proto::RuleSet {
            kind: Some(proto::rule_set::Kind::RoyalMatch(write_rules(rules))),
        };
        let preset = |name: &str, summary: &str, ordering| proto::Preset {
            name: name.to_owned(),
            summary: summary.to_owned(),
            rules: Some(rules(Rules { ordering })),
        };
        proto::GameDescription {
            name: NAME.to_owned(),
            title: "RoyalMatch".to_owned(),
            summary: "Two to four players each play a card, and the strongest takes the trick: the higher value, or at \
                      equal values the higher suit, relative to the strong suit. The player with the most tricks wins."
                .to_owned(),
            default_rules: Some(rules(Rules::default())),
            limits: Vec::new(),
            presets: vec![
                preset("value_then_suit", "The higher value wins, regardless of suit.", Ordering::ValueThenSuit),
                preset("suit_then_value", "The higher suit wins, regardless of value.", Ordering::SuitThenValue),
            ],
            state_notation: Some(proto::NotationDescription {
                syntax: "rm:<ordering><strong suit>:<player>/<player>... The ordering is v for value first or s for suit \
                         first; the suit is H, D, C or S. A player is a hand (cards separated by commas, or -), a semicolon \
                         and the number of tricks taken, and after another semicolon the card played in the current \
                         trick, if there is one. In a view, every hand except the viewer's is ? and the number of cards."
                    .to_owned(),
                examples: ["rm:vH:7H,10S;0/2H,AD;0", "rm:sC:7H;2/-;1;2H/3D;0", "rm:vH:7H,10S;0/?2;0"]
                    .map(ToOwned::to_owned)
                    .to_vec(),
            }),
            move_notation: Some(proto::NotationDescription {
                syntax: "The number of the player, a colon, and the card: its value (2 to 10, J, Q, K, A) and its suit (H, D, \
                         C, S, or a suit symbol)."
                    .to_owned(),
                examples: vec!["2:7H".to_owned(), "1:10♥".to_owned()],
            }),
            ..Default::default()
        }
    }

    fn scan_state(wire: &[u8]) -> Option<StateOrView<Self>> {
        scan_as(wire)
    }

    fn read_state(
        state: &proto::RoyalMatchState,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<StateOrView<Self>> {
        read_as(state, at, violations)
    }

    fn setup_error_code(error: &SetupError) -> proto::ErrorReason {
        setup_error_code(*error)
    }

    fn read_move(mv: &proto::r#move::Kind, at: &Path<'_>, violations: &mut Violations) -> Option<Move> {
        let proto::r#move::Kind::RoyalMatch(mv) = mv else {
            violations.game_mismatch(at, "move", GAME);
            return None;
        };
        let at = at.field(NAME);
        let player = read_player(mv.player, &at.field("player"), violations);
        let card = read_required_card(mv.card.as_ref(), &at.field("card"), violations);
        Some(Move { player: player?, card: card? })
    }

    fn read_rules(
        rules: &proto::rule_set::Kind,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<Rules> {
        let proto::rule_set::Kind::RoyalMatch(rules) = rules else {
            violations.game_mismatch(at, "rule set", GAME);
            return None;
        };
        read_rules(*rules, &at.field(NAME), violations)
    }

    fn read_opening(
        setup: Option<&proto::new_game_request::Setup>,
        _: Option<&Rules>,
        violations: &mut Violations,
    ) -> Option<Opening> {
        let default = proto::RoyalMatchSetup::default();
        let setup = match setup {
            Some(proto::new_game_request::Setup::RoyalMatch(setup)) => setup,
            _ => &default,
        };
        read_opening(setup, &Path::root(NAME), violations)
    }

    fn read_viewer(viewer: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Player> {
        read_player(viewer, at, violations)
    }

    fn report_viewer(&self, viewer: &Player, at: &Path<'_>, violations: &mut Violations) {
        let players = self.diagram().seats().len();
        if viewer.index() >= players {
            let message = format!("this match has {players} players: there is no {viewer}");
            violations.add(at, proto::ErrorReason::ValueOutOfRange, message);
        }
    }

    fn read_board(
        request: &proto::ResolveCapturesRequest,
        violations: &mut Violations,
    ) -> Option<(Diagram, Form)> {
        let state = request.state.as_ref();
        let diagram = read_state_with::<Self, _>(
            state,
            &Path::root("state"),
            violations,
            scan_as,
            read_as,
            Diagram::parse,
        );
        if request.arrived_at.is_some() {
            let message = "royal_match has no squares: the trick is part of the state";
            violations.add(&Path::root("arrived_at"), proto::ErrorReason::GameMismatch, message);
        }
        diagram
    }

    fn write_state(&self) -> Vec<u8> {
        write_diagram(self.diagram())
    }

    fn write_move(mv: &Move) -> proto::r#move::Kind {
        proto::r#move::Kind::RoyalMatch(proto::RoyalMatchMove {
            player: proto::Player::from(mv.player).into(),
            card: Some(write_card(mv.card)),
        })
    }

    fn write_event(event: Event) -> proto::Event {
        let kind = match event {
            Event::Played { player, card } => proto::event::Kind::Played(proto::Played {
                player: proto::Player::from(player).into(),
                card: Some(write_card(card)),
            }),
            Event::TrickTaken(trick) => proto::event::Kind::Captured(Self::write_capture(trick)),
        };
        proto::Event { kind: Some(kind) }
    }

    fn write_outcome(outcome: Outcome) -> proto::Outcome {
        use proto::{EndReason, GameResult};
        let players = |players: &[Player]| players.iter().copied().map(write_player).collect();
        let ended = |result, winner: Option<Player>| {
            write_ended(result, EndReason::HandsEmpty, winner.map(Into::into), outcome.to_string())
        };
        let (written, drawn_between) = match &outcome.ending {
            None => (write_in_progress(players(&outcome.next_players)), None),
            Some(Ending::Won { winner }) => (ended(GameResult::WinnerDetermined, Some(*winner)), None),
            Some(Ending::Draw { between }) => (ended(GameResult::Draw, None), Some(players(between))),
        };
        let score = |(player, &points)| proto::Score { player: write_player(player), points: Some(points) };
        let detail = drawn_between.map(|drawn_between| {
            proto::outcome::Detail::RoyalMatch(proto::RoyalMatchOutcome { drawn_between })
        });
        proto::Outcome {
            scores: Player::ALL.into_iter().zip(&outcome.tricks).map(score).collect(),
            detail,
            ..written
        }
    }

    fn write_capture(trick: Trick) -> proto::Capture {
        proto::Capture {
            explanation: trick.to_string(),
            kind: Some(proto::capture::Kind::RoyalMatch(proto::RoyalMatchTrick {
                player: proto::Player::from(trick.player).into(),
                card: Some(write_card(trick.card)),
                comparisons: trick.comparisons.into_iter().map(comparison::write_comparison).collect(),
            })),
        }
    }

    fn write_board(diagram: &Diagram, form: Form) -> State {
        form.write::<Self>(|| write_diagram(diagram), || diagram.notation())
    }

    fn write_view(view: &View) -> Vec<u8> {
        write_diagram(view.diagram())
    }

    fn write_illegal(reason: &IllegalMove, at: &Path<'_>, form: Form) -> proto::Reason {
        let (code, field) = match reason {
            IllegalMove::GameOver => return breach(proto::ErrorReason::GameOver, at, reason),
            IllegalMove::NoSuchPlayer { .. } => (proto::ErrorReason::NoSuchPlayer, "player"),
            IllegalMove::AlreadyPlayed(_) => (proto::ErrorReason::AlreadyPlayed, "player"),
            IllegalMove::CardNotInHand { .. } => (proto::ErrorReason::CardNotInHand, "card"),
        };
        match form {
            Form::Typed => breach(code, at.field(NAME).field(field), reason),
            Form::Notation => breach(code, at.field("notation"), reason),
        }
    }
}

/// Reads one of up to four players.
fn read_player(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Player> {
    read_enum(value, at, violations).and_then(player_of)
}

fn player_of(player: proto::Player) -> Option<Player> {
    Some(match player {
        proto::Player::One => Player::One,
        proto::Player::Two => Player::Two,
        proto::Player::Three => Player::Three,
        proto::Player::Four => Player::Four,
        proto::Player::Unspecified => return None,
    })
}

impl From<Player> for proto::Player {
    fn from(player: Player) -> Self {
        match player {
            Player::One => Self::One,
            Player::Two => Self::Two,
            Player::Three => Self::Three,
            Player::Four => Self::Four,
        }
    }
}

fn read_rules(rules: proto::RoyalMatchRules, at: &Path<'_>, violations: &mut Violations) -> Option<Rules> {
    match rules.ordering {
        None => Some(Rules::default()),
        Some(ordering) => {
            read_ordering(ordering, &at.field("ordering"), violations).map(|ordering| Rules { ordering })
        }
    }
}

fn write_rules(rules: Rules) -> proto::RoyalMatchRules {
    proto::RoyalMatchRules { ordering: Some(write_ordering(rules.ordering).into()) }
}
