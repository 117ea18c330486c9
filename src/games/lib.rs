//! The rules of the games: no network, no clock, no I/O, no hidden randomness.
//!
//! Every game is a module with the same parts, as far as it has them:
//!
//! | file | content |
//! |---|---|
//! | `rules.rs` | `Rules`: always valid. `PartialRules`: the valid values of a rule set |
//! | `setup.rs` | `Setup`: a state as a caller sent it, with public fields. It may be invalid. Its checks report every `SetupError` at once |
//! | `position.rs` | `Position`: a state of a game, with private fields. It is always valid |
//! | `diagram.rs` | `Diagram`: a board that need not be a position, for captures and views |
//! | `board.rs` | `Board`: the board packed into bits |
//! | `illegal_move.rs` | `IllegalMove`: why a move is illegal |
//! | `capture.rs` | what a move captures, and why |
//! | `outcome.rs` | `Outcome`: whose turn it is, or how the game ended |
//! | `opening.rs`, `dealing.rs` | `Opening`: what a new game starts from. What a seed decides |
//! | `view.rs` | `View`: the state as one player sees it |
//! | `notation.rs` | states and moves as text |
//! | `text.rs` | text boards for people |
//! | `clauses.rs` | the text of the rules |
//!
//! The file of the game itself has its `Move`, its `Event` and its implementation of [`Game`].

pub mod connect_four;
pub mod queen_rooks;
pub mod royal_match;
pub mod triple_triad;

mod chance;
mod clause;
mod count;
mod game;
mod game_id;
mod line;
mod notation;
mod player;
mod square;
mod state_or_view;

pub use self::{
    chance::Chance,
    clause::{Clause, RuleBreach},
    game::Game,
    game_id::GameId,
    line::{Direction, Line},
    notation::{NotationError, ParseError, Quoted},
    player::Player,
    square::Square,
    state_or_view::{HiddenInformation, NoView, PlayError, StateOrView, View},
};
use self::{
    count::Count,
    notation::{parse_hidden_hand, parse_integer, parse_number, parse_ordinal},
};
