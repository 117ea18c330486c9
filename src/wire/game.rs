//! The interface of a game to its messages, and the list of games.

use prost::Message;

use super::{Form, Path, State, Violations, proto, suggest_move::TRIPLE_TRIAD_POOL};
use crate::{
    engine::Engine,
    games::{Clause, Game, GameId, StateOrView},
};

/// Decodes and encodes the messages of a game.
pub trait WireGame: Engine {
    /// The message type of its states.
    type State: Message + Default;

    /// The description of the game for `ListGames`, without its clauses.
    fn describe(request: proto::ListGamesRequest) -> proto::GameDescription;

    /// Decodes a typed state or view directly from its bytes (fast path). Returns None if anything is invalid or in an
    /// unusual encoding: then [`WireGame::read_state`] decides.
    fn scan_state(wire: &[u8]) -> Option<StateOrView<Self>>;

    /// Reads a typed state or view, and reports its violations.
    fn read_state(
        state: &Self::State,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<StateOrView<Self>>;

    /// The reason code of an invalid state.
    fn setup_error_code(error: &Self::SetupError) -> proto::ErrorReason;

    /// Reads a typed move. A move of another game is a violation.
    fn read_move(mv: &proto::r#move::Kind, at: &Path<'_>, violations: &mut Violations) -> Option<Self::Move>;

    /// Reads a rule set. A rule set of another game is a violation.
    fn read_rules(
        rules: &proto::rule_set::Kind,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<Self::Rules>;

    /// Reads the setup of a new game, or its default. `rules` is None if the rules are invalid; the violations of the
    /// setup are reported nevertheless.
    fn read_opening(
        setup: Option<&proto::new_game_request::Setup>,
        rules: Option<&Self::Rules>,
        violations: &mut Violations,
    ) -> Option<Self::Opening>;

    /// Reads a board on which a piece or card has just arrived.
    fn read_board(
        request: &proto::ResolveCapturesRequest,
        violations: &mut Violations,
    ) -> Option<(Self::Arrival, Form)>;

    /// Reads the player to whom a view belongs.
    fn read_viewer(viewer: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Self::Player>;

    /// Reports a viewer that is not a player of this game.
    fn report_viewer(&self, _viewer: &Self::Player, _at: &Path<'_>, _violations: &mut Violations) {}

    /// Reads what a request for a suggestion assumes about hidden information. `known` is None if the state is invalid.
    fn read_assumption(
        request: &proto::SuggestMoveRequest,
        _known: Option<&StateOrView<Self>>,
        violations: &mut Violations,
    ) -> Option<Self::Assumption> {
        if request.triple_triad_pool.is_some() {
            let message = format!("{} has no hidden Triple Triad cards", Self::ID.name());
            violations.add(&TRIPLE_TRIAD_POOL, proto::ErrorReason::GameMismatch, message);
            return None;
        }
        Some(Self::Assumption::default())
    }

    /// The name of a move at the beginning of a sentence.
    fn name_of_move(mv: &Self::Move) -> String {
        mv.to_string()
    }

    /// Encodes a typed state.
    fn write_state(&self) -> Vec<u8>;

    /// Writes a typed move.
    fn write_move(mv: &Self::Move) -> proto::r#move::Kind;

    /// Writes an event.
    fn write_event(event: Self::Event) -> proto::Event;

    /// Writes an outcome.
    fn write_outcome(outcome: Self::Outcome) -> proto::Outcome;

    /// Writes a capture.
    fn write_capture(capture: Self::Capture) -> proto::Capture;

    /// Writes a board after its captures.
    fn write_board(board: &Self::Arrival, form: Form) -> State;

    /// Encodes a typed view.
    fn write_view(view: &Self::View) -> Vec<u8>;

    /// Writes why a move is illegal. `at` is the path of the move, and `form` the form in which it was sent.
    fn write_illegal(reason: &Self::IllegalMove, at: &Path<'_>, form: Form) -> proto::Reason;
}

fn write_clause(&Clause { id, title, text }: &Clause) -> proto::RuleClause {
    proto::RuleClause { id: id.to_owned(), title: title.to_owned(), text: text.to_owned() }
}

/// Generates the code that has to know all games.
macro_rules! list_games {
    ($d:tt $($id:ident: $game:ty),+ $(,)?) => {
        /// Evaluates an expression in which `$G` is the type of the game.
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

        /// The descriptions of all games, for `ListGames`.
        pub fn descriptions(request: proto::ListGamesRequest) -> Vec<proto::GameDescription> {
            vec![$({
                let mut description = <$game>::describe(request);
                if request.include_clauses {
                    description.clauses = <$game>::CLAUSES.iter().map(write_clause).collect();
                }
                description
            }),+]
        }

        /// The game of a notation, judged by its first characters.
        pub(super) fn recognize(notation: &str) -> Option<GameId> {
            $(if <$game>::recognizes(notation) {
                return Some(GameId::$id);
            })+
            None
        }

        /// The game of a typed move.
        pub(super) fn game_of_move(mv: &proto::Move) -> Option<GameId> {
            match mv.kind.as_ref()? {
                proto::r#move::Kind::Notation(_) => None,
                $(proto::r#move::Kind::$id(_) => Some(GameId::$id),)+
            }
        }

        /// The game of a rule set.
        pub(super) fn game_of_rules(rules: &proto::RuleSet) -> Option<GameId> {
            match rules.kind.as_ref()? {
                $(proto::rule_set::Kind::$id(_) => Some(GameId::$id),)+
            }
        }

        /// The game of the setup of a new game.
        pub(super) fn game_of_setup(setup: &proto::new_game_request::Setup) -> GameId {
            match setup {
                $(proto::new_game_request::Setup::$id(_) => GameId::$id,)+
            }
        }

        // The field numbers of `State` follow this order.
        const _: () = {
            let listed = [$((GameId::$id, <$game>::ID)),+];
            assert!(GameId::ALL.len() == listed.len(), "GameId::ALL must have every game");
            let mut index = 0;
            while index < listed.len() {
                let (listed, id) = listed[index];
                assert!(listed as usize == id as usize, "a row has the type of another game");
                assert!(listed as usize == index, "the rows must have the order of GameId");
                assert!(GameId::ALL[index] as usize == index, "GameId::ALL must have the order of GameId");
                index += 1;
            }
        };
    };
}

// The games, each by the name of its variants in `GameId` and in the generated `oneof`s.
list_games! { $
    ConnectFour: crate::games::connect_four::ConnectFour,
    TripleTriad: crate::games::triple_triad::TripleTriad,
    QueenRooks: crate::games::queen_rooks::QueenRooks,
    RoyalMatch: crate::games::royal_match::RoyalMatch,
}
