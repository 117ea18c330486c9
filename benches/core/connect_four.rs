//! Random games of Connect Four, and all games of nine moves, against a bare bitboard loop.
//!
//! The bare loop knows one board of 7 × 6, has no rule set, checks nothing it need not, and answers nothing:
//! it is what the machine can do.

use std::hint::black_box;

use arbiter::games::connect_four::{Position, Rules};

use super::{ROUNDS, Random, Table, perft::perft, random_games::random_games, rate, spread::Spread};

const MOVES_A_ROUND: u64 = 10_000_000;
const PERFT_DEPTH: u32 = 9;
const PERFT_LEAVES: u64 = 39_394_572;

pub fn measure(table: &Table) {
    contest(
        table,
        "random moves",
        MOVES_A_ROUND,
        |seed| random_games(&mut Random(seed), MOVES_A_ROUND),
        bare::random_games,
    );
    contest(
        table,
        &format!("leaves of perft {PERFT_DEPTH}"),
        PERFT_LEAVES,
        |_| assert_eq!(perft(&Position::start(Rules::default()), PERFT_DEPTH), PERFT_LEAVES),
        |_| assert_eq!(bare::perft(0, 0, PERFT_DEPTH), PERFT_LEAVES),
    );
}

/// Ours and the bare loop, in turns.
fn contest(table: &Table, what: &str, count: u64, ours: impl Fn(u64), bare: impl Fn(u64)) {
    let (mut of_ours, mut of_bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS as u64 {
        let (ours, bare) = (rate(count, || ours(round)), rate(count, || bare(round)));
        of_ours.push(ours);
        of_bare.push(bare);
        ratios.push(ours / bare);
    }
    table.row(&format!("connect_four {what}"), &Spread::of(&mut of_ours), "M/s");
    table.row(&format!("connect_four {what}, bare bitboard loop"), &Spread::of(&mut of_bare), "M/s");
    table.row(&format!("connect_four {what} against bare"), &Spread::of(&mut ratios), "×");
}

/// The least that games of Connect Four can be.
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

    /// `mine` are the tokens of the player to move. Every move is made as a whole, the last too: whether it wins is part of
    /// it, as it is of ours.
    pub(super) fn perft(mine: u64, tokens: u64, depth: u32) -> u64 {
        let theirs = mine ^ tokens;
        (0..7)
            .filter(|column| tokens & (1 << (column * 7 + 5)) == 0)
            .map(|column| {
                let next = tokens | (tokens + (1 << (column * 7)));
                let won = black_box(has_four(next ^ theirs));
                match depth {
                    1 => 1,
                    _ if won => 0,
                    _ => perft(theirs, next, depth - 1),
                }
            })
            .sum()
    }

    fn has_four(cells: u64) -> bool {
        [7, 1, 6, 8].into_iter().any(|step| {
            let pairs = cells & (cells >> step);
            pairs & (pairs >> (2 * step)) != 0
        })
    }
}
