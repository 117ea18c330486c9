//! Tests of the rules of the games, without a server: examples and properties of every clause, comparisons with naive
//! implementations, perft counts and golden games.

use arbiter_games::{Game, ParseError, StateOrView};
use arbiter_naive as naive;

mod chance;
mod connect_four;
mod golden;
mod perft;
mod queen_rooks;
mod royal_match;
mod triple_triad;

/// Reads a state. Panics if it is a view.
fn parse_state<G: Game>(text: &str) -> Result<G, Vec<ParseError<G>>> {
    G::parse(text).map(whole)
}

/// The state. Panics if it is a view.
fn whole<G: Game>(known: StateOrView<G>) -> G {
    known.into_state().expect("this is a whole state")
}
