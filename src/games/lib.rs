//! The rules of the games, and nothing else: no network, no clock, no I/O, no hidden randomness.
//!
//! Each game is a folder of its own. A raw set-up may be nonsense; a position cannot be: there is one
//! checked door between them, and it reports everything that is wrong at once.

pub mod connect_four;
pub mod queen_rooks;
pub mod royal_match;
pub mod triple_triad;

mod chance;
mod clause;
mod line;
mod notation;
mod player;
mod square;
mod state_or_view;

use std::{fmt::Display, str::FromStr};

use self::notation::{parse_hidden_hand, parse_integer, parse_number, parse_ordinal};
pub use self::{
    chance::Chance,
    clause::Clause,
    line::{Direction, Line},
    notation::{NotationError, Quoted},
    player::Player,
    square::Square,
    state_or_view::{HiddenInformation, NoView, PlayError, StateOrView, View},
};

/// The games of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameId {
    /// Connect Four.
    ConnectFour,
    /// Triple Triad.
    TripleTriad,
    /// Queen and rooks.
    QueenRooks,
    /// RoyalMatch.
    RoyalMatch,
}

impl GameId {
    /// Every game, in the order of the contract.
    pub const ALL: [Self; 4] = [Self::ConnectFour, Self::TripleTriad, Self::QueenRooks, Self::RoyalMatch];

    /// The name of the game in the contract, in metrics and in logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ConnectFour => "connect_four",
            Self::TripleTriad => "triple_triad",
            Self::QueenRooks => "queen_rooks",
            Self::RoyalMatch => "royal_match",
        }
    }

    /// What the text notation of the game's states starts with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::ConnectFour => "c4:",
            Self::TripleTriad => "tt:",
            Self::QueenRooks => "qr:",
            Self::RoyalMatch => "rm:",
        }
    }
}

/// A breach of the rules: in words by `Display`, and by clause.
pub trait RuleBreach: Display {
    /// The clause of the rules, such as `C4-2`.
    fn clause(&self) -> &'static str;
}

/// What every game can be asked. A value is one position, with the rules it is played under.
pub trait Game: Clone + Sized {
    /// The rules of the game, clause by clause.
    const CLAUSES: &[Clause];

    /// Rules that hold together: checked when they were made.
    type Rules: Clone + Default;
    /// What a new game is started from besides its rules.
    type Opening;
    /// A move, legal or not. As text by `Display` and `FromStr`.
    type Move: Clone + PartialEq + Display + FromStr<Err = NotationError>;
    /// One thing that happens when a move is made.
    type Event;
    /// What is wrong with a text that should be a state: it cannot be read, or what it says breaks the rules.
    type ParseError: Display;
    /// Why a move is illegal.
    type IllegalMove: RuleBreach;
    /// Whether the game is over, why, and who has won; or whose turn it is. In words by `Display`: empty while the game
    /// goes on.
    type Outcome: Display;
    /// A board on which a piece or a card has just arrived. It need not be reachable in a game.
    type Arrival;
    /// One thing taken, with its explanation.
    type Capture;
    /// One of the players.
    type Player;
    /// The state as one player sees it; [`NoView`] if the game hides nothing.
    type View: View<Self>;

    /// Starts a game. Whatever is left to chance follows from the seed.
    fn new(rules: Self::Rules, opening: Self::Opening, seed: u64) -> Self;

    /// Every legal move, in a fixed order; none when the game is over.
    fn legal_moves(&self) -> Vec<Self::Move>;

    /// Every reason why a move is illegal; none when it is legal.
    fn why_illegal(&self, mv: &Self::Move) -> Vec<Self::IllegalMove>;

    /// Makes a move and tells what happened, in order. An illegal one changes nothing.
    ///
    /// # Errors
    ///
    /// What [`Game::why_illegal`] tells of the move.
    fn play(&mut self, mv: &Self::Move) -> Result<Vec<Self::Event>, Vec<Self::IllegalMove>>;

    /// Whether the game is over, why, and who has won; or whose turn it is.
    fn outcome(&self) -> Self::Outcome;

    /// The first position of the round that follows a drawn one, in games that go on then.
    /// The seed is asked for only if there is such a round.
    fn next_round(&self, _seed: impl FnOnce() -> u64) -> Option<Self> {
        None
    }

    /// What the arrival captures, and the board after it.
    fn resolve_captures(arrival: Self::Arrival) -> (Vec<Self::Capture>, Self::Arrival);

    /// What one player knows: a view, or the whole state if nothing is hidden from the player.
    fn view(&self, viewer: Self::Player) -> StateOrView<Self>;

    /// Whether a text looks like a state of this game, right or wrong.
    fn recognizes(notation: &str) -> bool;

    /// Reads a state or a view from its text notation.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text, or with what it says.
    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<Self::ParseError>>;

    /// The position as text that [`Game::parse`] reads back exactly.
    fn notation(&self) -> String;

    /// The position as a text board for people. Its last line says whose turn it is or how the game ended.
    fn text(&self) -> String;
}
