//! Analysis of the games: what each legal move leads to, and which one a player of a given level makes.
//!
//! The same request has the same result on every machine: a search is limited by a number of nodes and not by time, it runs
//! on one thread, and nothing survives from one search to the next. Randomness comes from a seed.
//!
//! | file | content |
//! |---|---|
//! | `analysis.rs` | [`Analysis`]: the value of every legal move, and the best line |
//! | `level.rs` | [`Level`]: how well an opponent plays |
//! | `search.rs` | [`Search`]: the budget of nodes, cancellation, and the table. [`Workspace`]: what searches of a thread share |
//! | `table.rs` | [`Table`]: the transposition table |
//!
//! Every game is a module with its implementation of [`Engine`].

mod analysis;
mod engine;
mod level;
mod search;
mod table;

pub mod connect_four;
mod queen_rooks;
mod royal_match;
pub mod triple_triad;

pub use self::{
    analysis::{Analysis, Certainty, Evaluation, GameEnd, Value},
    engine::Engine,
    level::Level,
    search::{Cancelled, Search, Workspace},
    table::Table,
};
