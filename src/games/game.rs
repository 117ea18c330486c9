use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

use super::{Clause, GameId, NotationError, ParseError, RuleBreach, StateOrView, View};

/// A game. A value is one position, with its rules.
pub trait Game: Clone + Sized {
    /// The id of the game.
    const ID: GameId;

    /// The rules of the game, clause by clause.
    const CLAUSES: &[Clause];

    /// A valid rule set.
    type Rules: Clone + Default;
    /// What is wrong with a rule set.
    type RulesError: RuleBreach;
    /// What is wrong with a state.
    type SetupError: RuleBreach;
    /// What a new game starts from, in addition to its rules.
    type Opening;
    /// A move, legal or not. `Display` and `FromStr` are its notation.
    type Move: Clone + PartialEq + Display + FromStr<Err = NotationError>;
    /// One effect of a move.
    type Event;
    /// Why a move is illegal.
    type IllegalMove: RuleBreach;
    /// Whose turn it is, or how the game ended. `Display` explains the end; it is empty while the game is in progress.
    type Outcome: Display;
    /// A board on which a piece or a card has just arrived. It need not be a position.
    type Arrival;
    /// One captured piece, card or trick, with its explanation.
    type Capture;
    /// One of the players.
    type Player: Copy + PartialEq + Debug + Display;
    /// The state as one player sees it; [`NoView`](super::NoView) if the game hides nothing.
    type View: View<Self>;

    /// Starts a game. The seed decides what the opening leaves open.
    fn new(rules: Self::Rules, opening: Self::Opening, seed: u64) -> Self;

    /// Every legal move, in a fixed order; none after the end.
    fn legal_moves(&self) -> Vec<Self::Move>;

    /// Every reason why a move is illegal; none if it is legal.
    fn why_illegal(&self, mv: &Self::Move) -> Vec<Self::IllegalMove>;

    /// Makes a move and returns its effects, in order.
    ///
    /// # Errors
    ///
    /// The reasons of [`Game::why_illegal`]. An illegal move changes nothing.
    fn play(&mut self, mv: &Self::Move) -> Result<Vec<Self::Event>, Vec<Self::IllegalMove>>;

    /// The players who may move, in order; none after the end.
    fn next_players(&self) -> Vec<Self::Player>;

    /// Whose turn it is, or how the game ended.
    fn outcome(&self) -> Self::Outcome;

    /// The start of the next round, if a draw leads to one. `seed` is called only then.
    fn next_round(&self, _seed: impl FnOnce() -> u64) -> Option<Self> {
        None
    }

    /// What the arrival captures, and the board after it.
    fn resolve_captures(arrival: Self::Arrival) -> (Vec<Self::Capture>, Self::Arrival);

    /// What one player sees: a view, or the whole state if nothing is hidden from the player.
    fn view(&self, viewer: Self::Player) -> StateOrView<Self>;

    /// Whether a text is meant as a state of this game. It may be invalid.
    fn recognizes(notation: &str) -> bool {
        notation.starts_with(Self::ID.prefix())
    }

    /// Reads a state or a view from its text notation.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text and with the state.
    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<ParseError<Self>>>;

    /// The text notation of the position. [`Game::parse`] reads it back exactly.
    fn notation(&self) -> String;

    /// The position as a text board for people. Its last line says whose turn it is or how the game ended.
    fn text(&self) -> String;
}
