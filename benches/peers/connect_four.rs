//! Random games by our own rules, in a process of their own as the other libraries are.

use std::{
    hint::black_box,
    io,
    time::{Duration, Instant},
};

use arbiter::games::connect_four::{Position, Rules};

/// What makes this program play.
pub const ARGUMENT: &str = "connect-four";

/// Moves between two looks at the clock.
const MOVES: u32 = 1_000_000;

/// Plays for a second for each line that comes in, and tells how many moves a second that were.
pub fn play_rounds() {
    let mut random = Random(1);
    for line in io::stdin().lines() {
        line.expect("standard input");
        let (start, mut moves) = (Instant::now(), 0.0);
        while start.elapsed() < Duration::from_secs(1) {
            random_games(&mut random);
            moves += f64::from(MOVES);
        }
        println!("{}", moves / start.elapsed().as_secs_f64());
    }
}

/// As in the benchmark of the rules alone.
fn random_games(random: &mut Random) {
    let mut position = Position::start(Rules::default());
    let mut moves = 0;
    while moves < MOVES {
        if position.is_over() {
            position = Position::start(Rules::default());
        }
        if position.drop_token(random.below(7)) {
            moves += 1;
        }
    }
    black_box(position);
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^= mixed >> 32;
        (((mixed >> 32) * u64::from(bound)) >> 32) as u32
    }
}
