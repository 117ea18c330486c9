//! Random games by our own rules, in a process of their own as the other libraries are.

use std::{
    io,
    time::{Duration, Instant},
};

use super::{random::Random, random_games::random_games};

/// What makes this program play.
pub const ARGUMENT: &str = "connect-four";

/// Moves between two looks at the clock.
const MOVES: u64 = 1_000_000;

/// Plays for a second for each line that comes in, and tells how many moves a second that were.
pub fn play_rounds() {
    let mut random = Random(1);
    for line in io::stdin().lines() {
        line.expect("standard input");
        let (start, mut moves) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_secs(1) {
            random_games(&mut random, MOVES);
            moves += MOVES;
        }
        println!("{}", moves as f64 / start.elapsed().as_secs_f64());
    }
}
