//! Random games with Arbiter's rules, in a separate process like those of the other libraries.

use std::{
    io,
    time::{Duration, Instant},
};

use super::{random::Random, random_games::random_games};

/// The argument that runs `play_rounds`.
pub const ARGUMENT: &str = "connect-four";

/// Moves between two checks of the clock.
const MOVES_PER_CHECK: u64 = 1_000_000;

/// For each line on standard input, plays for a second and prints the moves per second.
pub fn play_rounds() {
    let mut random = Random(1);
    for line in io::stdin().lines() {
        line.expect("standard input is readable");
        let (start, mut moves) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_secs(1) {
            random_games(&mut random, MOVES_PER_CHECK);
            moves += MOVES_PER_CHECK;
        }
        println!("{}", moves as f64 / start.elapsed().as_secs_f64());
    }
}
