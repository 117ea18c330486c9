//! The rules of the games, without a server: every clause by examples and properties, against second implementations,
//! perft counts and golden games.

use arbiter_games::{Game, ParseError, StateOrView};

mod chance;
mod connect_four;
mod golden;
mod naive;
mod perft;
mod queen_rooks;
mod royal_match;
mod triple_triad;

/// Reads a whole state; a view is a mistake of the test.
fn parse_state<G: Game>(text: &str) -> Result<G, Vec<ParseError<G>>> {
    G::parse(text).map(whole)
}

/// The whole state; a view is a mistake of the test.
fn whole<G: Game>(known: StateOrView<G>) -> G {
    known.into_state().expect("it is a whole state")
}
