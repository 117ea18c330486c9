//! Second implementations of the games, written directly from their rules: slow, simple, and without code of the crate
//! `arbiter-games`. The tests of the rules and of the engines compare with them.

#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    reason = "used by tests only; the names are those of the clauses"
)]

pub mod connect_four;
pub mod queen_rooks;
pub mod royal_match;
pub mod triple_triad;
