use prost::Message;

use super::{Form, Path, State, Violations, proto};
use crate::games::{Game, GameId};

/// How the messages of a game are read and written.
pub trait WireGame: Game {
    /// Which game it is.
    const ID: GameId;

    /// The message of its states.
    type State: Message + Default;

    /// What `ListGames` tells of the game.
    fn describe() -> proto::GameDescription;

    /// The built-in cards of the game, if it has any.
    fn built_in_cards() -> Vec<proto::TripleTriadCard> {
        Vec::new()
    }

    /// Reads a typed state as it is on the wire. None if it is not right in every way, or not written as is usual: then
    /// [`WireGame::read_state`] is asked.
    fn read_plain(wire: &[u8]) -> Option<Self>;

    /// Reads a typed state.
    fn read_state(state: &Self::State, at: &Path<'_>, violations: &mut Violations) -> Option<Self>;

    /// Notes what is wrong with the text of a state.
    fn note_parse_error(error: Self::ParseError, at: &Path<'_>, violations: &mut Violations);

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
    ) -> Option<(Self::Board, Form)>;

    /// Reads who looks at a state.
    fn read_viewer(viewer: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Self::Seat>;

    /// Notes that the game has no such viewer, in games that may not.
    fn note_viewer(&self, _viewer: &Self::Seat, _at: &Path<'_>, _violations: &mut Violations) {}

    /// Writes a typed state, as it is on the wire.
    fn write_state(&self) -> Vec<u8>;

    /// Writes a typed move.
    fn write_move(mv: &Self::Move) -> proto::r#move::Kind;

    /// Writes what happened.
    fn write_event(event: Self::Event) -> proto::Event;

    /// Writes where the game stands.
    fn write_outcome(outcome: Self::Outcome) -> proto::Outcome;

    /// Writes a capture.
    fn write_capture(capture: Self::Capture) -> proto::Capture;

    /// Writes a board after its captures.
    fn write_board(board: &Self::Board, form: Form) -> State;

    /// Writes a view of a state.
    fn write_view(view: &Self::View, form: Form) -> State;

    /// Writes why a move is illegal. `at` is the path of the move, which was written in this form.
    fn write_illegal(reason: &Self::IllegalMove, at: &Path<'_>, form: Form) -> proto::Reason;
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

        /// What `ListGames` tells, game by game, with or without their built-in cards.
        pub fn descriptions(include_cards: bool) -> Vec<proto::GameDescription> {
            vec![$({
                let cards = if include_cards { <$game>::built_in_cards() } else { Vec::new() };
                proto::GameDescription { triple_triad_cards: cards, ..<$game>::describe() }
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
