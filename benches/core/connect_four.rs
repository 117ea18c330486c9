//! Random Connect Four games and perft 9, compared with a bare bitboard loop.
//!
//! The bare loop has a fixed board of 7 × 6, no rule set, no redundant checks and no result. It shows what the machine can
//! do.

use std::hint::black_box;

use arbiter::games::connect_four::{Position, Rules};

use super::{ROUNDS, Random, Table, perft::perft, random_games::random_games, rate, spread::Spread};

const MOVES_PER_ROUND: u64 = 10_000_000;
const PERFT_DEPTH: u32 = 9;
const PERFT_LEAVES: u64 = 39_394_572;

pub fn measure(table: &Table) {
    compare(
        table,
        "random moves",
        MOVES_PER_ROUND,
        |seed| random_games(&mut Random(seed), MOVES_PER_ROUND),
        bare::random_games,
    );
    compare(
        table,
        &format!("leaves of perft {PERFT_DEPTH}"),
        PERFT_LEAVES,
        |_| assert_eq!(perft(&Position::start(Rules::default()), PERFT_DEPTH), PERFT_LEAVES),
        |_| assert_eq!(bare::perft(0, 0, PERFT_DEPTH), PERFT_LEAVES),
    );
}

/// Measures Arbiter and the bare loop alternately.
fn compare(table: &Table, what: &str, count: u64, arbiter: impl Fn(u64), bare: impl Fn(u64)) {
    let (mut arbiter_rates, mut bare_rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS as u64 {
        let (arbiter, bare) = (rate(count, || arbiter(round)), rate(count, || bare(round)));
        arbiter_rates.push(arbiter);
        bare_rates.push(bare);
        ratios.push(arbiter / bare);
    }
    table.row(&format!("connect_four {what}"), &Spread::of(&mut arbiter_rates), "M/s");
    table.row(&format!("connect_four {what}, bare bitboard loop"), &Spread::of(&mut bare_rates), "M/s");
    table.row(&format!("connect_four {what} relative to the bare loop"), &Spread::of(&mut ratios), "×");
}

/// A minimal implementation of Connect Four.
mod bare {
    use super::{MOVES_PER_ROUND, Random, black_box};

    /// A full board: six cells in each of seven columns, with an empty bit above each column.
    const FULL: u64 = 0x0000_FDFB_F7EF_DFBF;

    pub(super) fn random_games(seed: u64) {
        let mut random = Random(seed);
        let (mut mine, mut tokens, mut won) = (0_u64, 0_u64, false);
        let mut moves = 0;
        while moves < MOVES_PER_ROUND {
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

    /// `mine` are the tokens of the player to move. The last move is also checked for a win, as in Arbiter's perft.
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
