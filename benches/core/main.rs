//! The rules alone, without a server around them: `cargo bench --bench core`.
//!
//! Everything runs on one core. What is set against a bare loop takes turns with it, so that a noisy machine disturbs both
//! alike.

#![allow(clippy::cast_precision_loss, reason = "figures for people")]

mod connect_four;
#[path = "../support/perft.rs"]
mod perft;
mod queen_rooks;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/random_games.rs"]
mod random_games;
mod royal_match;
#[path = "../support/spread.rs"]
mod spread;
#[path = "../support/table.rs"]
mod table;
mod triple_triad;

use std::time::Instant;

use self::{random::Random, spread::Spread, table::Table};

const ROUNDS: usize = 15;

fn main() {
    let table = Table::begin("The rules alone", &format!("One core, random games, {ROUNDS} rounds."));
    connect_four::measure(&table);
    triple_triad::measure(&table);
    queen_rooks::measure(&table);
    royal_match::measure(&table);
}

/// Rounds of something: each is given its number, and tells a figure.
fn rounds(figure: impl FnMut(u64) -> f64) -> Spread {
    let mut figures: Vec<f64> = (0..ROUNDS as u64).map(figure).collect();
    Spread::of(&mut figures)
}

/// How many millions of something a second.
fn rate(count: u64, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    count as f64 / 1e6 / start.elapsed().as_secs_f64()
}
