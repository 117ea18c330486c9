//! The rules alone, on boards of increasing size.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use arbiter::games::{Player, connect_four, queen_rooks};

use super::{curve::Curve, random::Random};

const ROUNDS: usize = 15;
/// Minimum duration of each measurement.
const MIN_DURATION: Duration = Duration::from_millis(20);
/// Distinct games or positions, used repeatedly.
const SAMPLES: usize = 256;

/// Side lengths of Connect Four boards, up to the largest that fits into 128 bits.
pub const CONNECT_FOUR: [u32; 7] = [4, 5, 6, 7, 8, 9, 10];
/// All side lengths of Queen and rooks boards.
pub const QUEEN_ROOKS: [u32; 12] = [4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26];

/// The number of squares for each side length.
pub fn squares(sides: &[u32]) -> impl Iterator<Item = usize> {
    sides.iter().map(|side| (side * side) as usize)
}

pub fn measure() {
    let mut random = Random(0);
    let games: Vec<_> = CONNECT_FOUR.iter().map(|&side| recorded_games(side, &mut random)).collect();
    let mut moves = Curve::new(squares(&CONNECT_FOUR));
    for _ in 0..ROUNDS {
        moves.push(games.iter().map(|(start, games)| replay(*start, games)).collect());
    }
    moves.print_cost(
        "Scaling: Connect Four move by board size",
        "One core; square boards, lines of four; drops a token and checks its lines, in recorded random games.",
        "squares",
        "ns",
    );

    let positions: Vec<_> = QUEEN_ROOKS.iter().map(|&side| random_positions(side, &mut random)).collect();
    let (mut lists, mut moves) = (Curve::new(squares(&QUEEN_ROOKS)), Curve::new(squares(&QUEEN_ROOKS)));
    for _ in 0..ROUNDS {
        lists.push(positions.iter().map(|positions| list(positions)).collect());
        moves.push(positions.iter().map(|positions| play(positions)).collect());
    }
    lists.print_cost(
        "Scaling: Queen and rooks move list by board size",
        "One core; lists all legal moves in positions of random games.",
        "squares",
        "ns",
    );
    moves.print_cost(
        "Scaling: Queen and rooks move by board size",
        "One core; checks and makes a legal move in positions of random games.",
        "squares",
        "ns",
    );
}

/// Complete random games, as lists of columns.
fn recorded_games(side: u32, random: &mut Random) -> (connect_four::Position, Vec<Vec<u32>>) {
    let rules = connect_four::Rules::new(side, side, 4, Player::One).expect("the size is valid");
    let start = connect_four::Position::start(rules);
    let game = || {
        let (mut position, mut columns) = (start, Vec::new());
        while !position.is_over() {
            let column = random.below(side);
            if position.drop_token(column) {
                columns.push(column);
            }
        }
        columns
    };
    (start, std::iter::repeat_with(game).take(SAMPLES).collect())
}

fn replay(start: connect_four::Position, games: &[Vec<u32>]) -> f64 {
    nanos_per_unit(games.iter().map(Vec::len).sum(), || {
        for game in games {
            let mut position = start;
            for &column in game {
                position.drop_token(column);
            }
            black_box(position);
        }
    })
}

/// Every fourth position of random games, each with a legal move.
pub fn random_positions(side: u32, random: &mut Random) -> Vec<(queen_rooks::Position, queen_rooks::Move)> {
    let start = queen_rooks::Position::start(queen_rooks::Rules::new(side, 0).expect("the size is valid"));
    let mut position = start;
    let next = || {
        let mut legal = position.legal_moves();
        if legal.is_empty() {
            position = start;
            legal = position.legal_moves();
        }
        // There are far fewer than 2³² moves.
        let mv = legal[random.below(legal.len() as u32) as usize];
        let before = position;
        position.play(&mv).expect("the move is legal");
        (before, mv)
    };
    std::iter::repeat_with(next).step_by(4).take(SAMPLES).collect()
}

fn list(positions: &[(queen_rooks::Position, queen_rooks::Move)]) -> f64 {
    nanos_per_unit(positions.len(), || {
        for (position, _) in positions {
            black_box(position.legal_moves());
        }
    })
}

fn play(positions: &[(queen_rooks::Position, queen_rooks::Move)]) -> f64 {
    nanos_per_unit(positions.len(), || {
        for (position, mv) in positions {
            let mut position = *position;
            black_box(position.play(mv).is_ok());
            black_box(position);
        }
    })
}

/// Time per unit in nanoseconds, where `work` does `count` units.
fn nanos_per_unit(count: usize, work: impl Fn()) -> f64 {
    let start = Instant::now();
    let mut times = 0;
    while start.elapsed() < MIN_DURATION {
        work();
        times += 1;
    }
    start.elapsed().as_nanos() as f64 / (count * times) as f64
}
