//! Second implementations of the games, written directly from their rules: slow, simple, and without code of the crate.
//! The tests compare the crate with them.

pub mod connect_four;
pub mod queen_rooks;
pub mod royal_match;
pub mod triple_triad;
