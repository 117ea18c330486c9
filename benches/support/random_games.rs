//! Random Connect Four games with Arbiter's rules.

use std::hint::black_box;

use arbiter::games::connect_four::{Position, Rules};

use super::random::Random;

/// Plays this many moves, in as many games as needed.
pub fn random_games(random: &mut Random, count: u64) {
    let mut position = Position::start(Rules::default());
    let mut moves = 0;
    while moves < count {
        if position.is_over() {
            position = Position::start(Rules::default());
        }
        if position.drop_token(random.below(7)) {
            moves += 1;
        }
    }
    black_box(position);
}
