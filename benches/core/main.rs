//! The rules alone, without a server: `cargo bench --bench core`.
//!
//! Everything runs on one core. Variants of a comparison alternate, so that noise affects both equally.

#![allow(clippy::cast_precision_loss, reason = "the figures are rounded anyway")]

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

/// Runs all rounds. `figure` gets the number of the round and returns its measurement.
fn rounds(figure: impl FnMut(u64) -> f64) -> Spread {
    let mut figures: Vec<f64> = (0..ROUNDS as u64).map(figure).collect();
    Spread::of(&mut figures)
}

/// Millions per second.
fn rate(count: u64, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    count as f64 / 1e6 / start.elapsed().as_secs_f64()
}
