//! The rules alone, without a server around them: `cargo bench --bench core`.

#![allow(clippy::cast_precision_loss, reason = "figures for people")]

mod connect_four;
mod queen_rooks;
mod royal_match;
#[path = "../support/spread.rs"]
mod spread;
mod triple_triad;

use std::time::Instant;

const ROUNDS: usize = 15;

fn main() {
    println!("One core, {ROUNDS} rounds (median, lowest to highest)");
    connect_four::measure();
    triple_triad::measure();
    queen_rooks::measure();
    royal_match::measure();
}

/// How many millions of something a second.
fn rate(count: u64, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    count as f64 / 1e6 / start.elapsed().as_secs_f64()
}

/// A small generator: the same moves for both.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^= mixed >> 32;
        (((mixed >> 32) * u64::from(bound)) >> 32) as u32
    }
}
