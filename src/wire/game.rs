use prost::Message;

use super::{Form, Path, State, Violations, proto};
use crate::games::{Clause, Game, GameId, StateOrView};

/// How the messages of a game are read and written.
pub trait WireGame: Game {
    /// The message of its states.
    type State: Message + Default;

    /// What `ListGames` tells of the game.
    fn describe() -> proto::GameDescription;

    /// The built-in cards of the game, if it has any.
    fn built_in_cards() -> Vec<proto::TripleTriadCard> {
        Vec::new()
    }

    /// Reads a typed state or view as it is on the wire. None if it is not right in every way, or not written as is usual:
    /// then [`WireGame::read_state`] is asked.
    fn read_plain(wire: &[u8]) -> Option<StateOrView<Self>>;

    /// Reads a typed state or view.
    fn read_state(
        state: &Self::State,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<StateOrView<Self>>;

    /// The reason code of what is wrong with a state.
    fn setup_error_code(error: &Self::SetupError) -> proto::ErrorReason;

    /// Reads a typed move; one of another game is a violation.
    fn read_move(mv: &proto::r#move::Kind, at: &Path<'_>, violations: &mut Violations) -> Option<Self::Move>;

    /// Reads a rule set; one of another game is a violation.
    fn read_rules(
        rules: &proto::rule_set::Kind,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<Self::Rules>;

    /// Reads what a new game is started from; no set-up is what the game has by default. The rules are missing if
    /// something is wrong with them: the set-up is read all the same, for what is wrong with it.
    fn read_opening(
        setup: Option<&proto::new_game_request::Setup>,
        rules: Option<&Self::Rules>,
        violations: &mut Violations,
    ) -> Option<Self::Opening>;

    /// Reads a board on which something has just arrived.
    fn read_board(
        request: &proto::ResolveCapturesRequest,
        violations: &mut Violations,
    ) -> Option<(Self::Arrival, Form)>;

    /// Reads who looks at a state.
    fn read_viewer(viewer: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Self::Player>;

    /// Notes that the game has no such viewer, in games that may not.
    fn note_viewer(&self, _viewer: &Self::Player, _at: &Path<'_>, _violations: &mut Violations) {}

    /// Writes a typed state, as it is on the wire.
    fn write_state(&self) -> Vec<u8>;

    /// Writes a typed move.
    fn write_move(mv: &Self::Move) -> proto::r#move::Kind;

    /// Writes what happened.
    fn write_event(event: Self::Event) -> proto::Event;

    /// Writes an outcome.
    fn write_outcome(outcome: Self::Outcome) -> proto::Outcome;

    /// Writes a capture.
    fn write_capture(capture: Self::Capture) -> proto::Capture;

    /// Writes a board after its captures.
    fn write_board(board: &Self::Arrival, form: Form) -> State;

    /// Writes a typed view, as it is on the wire.
    fn write_view(view: &Self::View) -> Vec<u8>;

    /// Writes why a move is illegal. `at` is the path of the move, which was written in this form.
    fn write_illegal(reason: &Self::IllegalMove, at: &Path<'_>, form: Form) -> proto::Reason;
}

fn write_clause(&Clause { id, title, text }: &Clause) -> proto::RuleClause {
    proto::RuleClause { id: id.to_owned(), title: title.to_owned(), text: text.to_owned() }
}

/// Makes, out of the one list of games, everything that must know all of them.
macro_rules! list_games {
    ($d:tt $($id:ident: $game:ty),+ $(,)?) => {
        /// Runs an expression with `$G` standing for the type of the game.
        macro_rules! with_game {
            ($d game:expr, $d G:ident => $d body:expr) => {
                match $d game {
                    $($crate::games::GameId::$id => {
                        type $d G = $game;
                        $d body
                    })+
                }
            };
        }
        pub(crate) use with_game;

        /// What `ListGames` returns, game by game, with their built-in cards and clauses if they are asked for.
        pub fn descriptions(request: proto::ListGamesRequest) -> Vec<proto::GameDescription> {
            vec![$({
                let mut description = <$game>::describe();
                if request.include_cards {
                    description.triple_triad_cards = <$game>::built_in_cards();
                }
                if request.include_clauses {
                    description.clauses = <$game>::CLAUSES.iter().map(write_clause).collect();
                }
                description
            }),+]
        }

        /// The game that a text is a state of, by its first characters.
        pub(super) fn recognize(notation: &str) -> Option<GameId> {
            $(if <$game>::recognizes(notation) {
                return Some(GameId::$id);
            })+
            None
        }
    };
}

// The games that are there. A new one is one more line.
list_games! { $
    ConnectFour: crate::games::connect_four::ConnectFour,
    TripleTriad: crate::games::triple_triad::TripleTriad,
    QueenRooks: crate::games::queen_rooks::QueenRooks,
    RoyalMatch: crate::games::royal_match::RoyalMatch,
}
