//! Second implementations of the games, written straight from their rules: slow, plain, and sharing no code
//! with the crate. What the crate answers is held against what they answer.

pub mod connect_four;
pub mod queen_rooks;
pub mod royal_match;
pub mod triple_triad;
