//! Random games of Queen and rooks, where each move lists all legal moves and picks one. Also the list alone, on the
//! largest board, at the start and with spread pieces.

use std::hint::black_box;

use arbiter::games::queen_rooks::{Position, Rules};

use super::{Random, Table, rate, rounds};

const MOVES_PER_ROUND: u64 = 100_000;
const LISTS_PER_ROUND: u64 = 10_000;

pub fn measure(table: &Table) {
    for size in [8, 16, 26] {
        let moves = rounds(|round| {
            rate(MOVES_PER_ROUND, || {
                black_box(random_games(size, round, MOVES_PER_ROUND));
            })
        });
        table.row(&format!("queen_rooks moves, {size} × {size}"), &moves, "M/s");
    }
    for (when, moves) in [("at the start", 0), ("with spread pieces", 1000)] {
        let position = random_games(26, 0, moves);
        let count = position.legal_moves().len();
        let lists = rounds(|_| {
            1.0 / rate(LISTS_PER_ROUND, || {
                for _ in 0..LISTS_PER_ROUND {
                    black_box(black_box(&position).legal_moves());
                }
            })
        });
        table.row(&format!("queen_rooks move list {when}, 26 × 26: {count} moves"), &lists, "µs");
    }
}

/// The position after this many moves, in as many games as needed.
fn random_games(size: u32, seed: u64, moves: u64) -> Position {
    let mut random = Random(seed);
    let start = Position::start(Rules::new(size, 0).expect("the size is valid"));
    let mut position = start;
    for _ in 0..moves {
        let mut legal = position.legal_moves();
        if legal.is_empty() {
            position = start;
            legal = position.legal_moves();
        }
        // There are far fewer than 2³² moves.
        let mv = legal[random.below(legal.len() as u32) as usize];
        position.play(&mv).expect("the move is legal");
    }
    position
}
