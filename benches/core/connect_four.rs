//! Random games of Connect Four against a bare bitboard loop.
//!
//! The bare loop knows one board of 7 × 6, has no rule set, checks nothing it need not, and answers nothing:
//! it is what the machine can do. The two take turns, so that a noisy machine disturbs both alike.

use std::hint::black_box;

use arbiter::games::connect_four::{Position, Rules};

use super::{ROUNDS, Random, rate, spread::Spread};

const MOVES_A_ROUND: u64 = 10_000_000;
const PERFT_DEPTH: u32 = 9;

pub fn measure() {
    let mut ratios = Vec::new();
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS as u64 {
        ours.push(rate(MOVES_A_ROUND, || random_games(round)));
        bare.push(rate(MOVES_A_ROUND, || bare::random_games(round)));
        ratios.push(ours[ours.len() - 1] / bare[bare.len() - 1]);
    }
    println!("Connect Four, 7 × 6");
    println!("  random moves      {} M/s", Spread::of(&mut ours));
    println!("  bare bitboard     {} M/s", Spread::of(&mut bare));
    println!("  ratio             {}", Spread::of(&mut ratios));

    let mut nodes = Vec::new();
    for _ in 0..5 {
        let leaves = 39_394_572;
        nodes.push(rate(leaves, || {
            let start = Position::start(Rules::default());
            assert_eq!(perft(&start, PERFT_DEPTH), leaves);
        }));
    }
    println!("  perft {PERFT_DEPTH} leaves    {} M/s", Spread::of(&mut nodes));
}

fn random_games(seed: u64) {
    let mut random = Random(seed);
    let mut position = Position::start(Rules::default());
    let mut moves = 0;
    while moves < MOVES_A_ROUND {
        if position.is_over() {
            position = Position::start(Rules::default());
        }
        if position.drop_token(random.below(7)) {
            moves += 1;
        }
    }
    black_box(position);
}

fn perft(position: &Position, depth: u32) -> u64 {
    (0..7)
        .map(|column| {
            let mut next = *position;
            match next.drop_token(column) {
                false => 0,
                true if depth == 1 => 1,
                true => perft(&next, depth - 1),
            }
        })
        .sum()
}

/// The least that random games of Connect Four can be.
mod bare {
    use super::{MOVES_A_ROUND, Random, black_box};

    /// Six cells in each of seven columns, and an empty one above each.
    const FULL: u64 = 0x0000_FDFB_F7EF_DFBF;

    pub(super) fn random_games(seed: u64) {
        let mut random = Random(seed);
        let (mut mine, mut tokens, mut won) = (0_u64, 0_u64, false);
        let mut moves = 0;
        while moves < MOVES_A_ROUND {
            if won || tokens == FULL {
                (mine, tokens, won) = (0, 0, false);
            }
            let column = random.below(7);
            if tokens & (1 << (column * 7 + 5)) != 0 {
                continue;
            }
            let next = tokens | (tokens + (1 << (column * 7)));
            mine ^= tokens;
            tokens = next;
            won = has_four(tokens ^ mine);
            moves += 1;
        }
        black_box((mine, tokens));
    }

    fn has_four(cells: u64) -> bool {
        [7, 1, 6, 8].into_iter().any(|step| {
            let pairs = cells & (cells >> step);
            pairs & (pairs >> (2 * step)) != 0
        })
    }
}
