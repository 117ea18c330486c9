//! Opponents of low levels.

use arbiter_engine::{Analysis, Level};
use arbiter_games::{
    Game,
    connect_four::{ConnectFour, Move, Rules},
};

use super::{analyse, state};

/// The columns that casual opponents with different seeds choose.
fn casual_columns(analysis: &Analysis<Move>) -> Vec<i64> {
    (0..50).map(|seed| Level::Casual.choose(analysis, seed).mv.column).collect()
}

#[test]
fn a_casual_opponent_takes_a_win() {
    let columns = casual_columns(&analyse(&state("414141"), 100_000));
    assert!(columns.iter().all(|&column| column == 3), "{columns:?}");
}

#[test]
fn a_casual_opponent_prevents_the_next_win() {
    let columns = casual_columns(&analyse(&state("41414"), 100_000));
    assert!(columns.iter().all(|&column| column == 3), "{columns:?}");
}

#[test]
fn a_casual_opponent_prefers_the_centre_but_not_always() {
    let columns = casual_columns(&analyse(&ConnectFour::new(Rules::DEFAULT, (), 0), 100_000));
    let central = columns.iter().filter(|column| (2..=4).contains(*column)).count();
    assert!((25..50).contains(&central), "{columns:?}");
}
