//! Random Triple Triad games of nine placements, dealt from the catalogue. A placement is a random card of the hand on a
//! random square with all of its captures. A playout is a whole game with its winner.

use std::hint::black_box;

use arbiter::games::{
    Game,
    triple_triad::{BasicCapture, Opening, Position, Rule, Rules, TripleTriad},
};

use super::{Random, Table, rate, rounds};

const GAMES_PER_ROUND: u64 = 1_000_000;
const PLACEMENTS: u64 = 9;
/// Distinct deals, played repeatedly with different moves.
const DEALS: u64 = 256;

pub fn measure(table: &Table) {
    let all = Rules::default().with_all(Rule::ALL);
    for (name, rules) in [
        ("all rules", all),
        ("all rules, basic capture always", all.with_basic_capture(BasicCapture::Always)),
        ("basic capture only", Rules::default()),
    ] {
        let deals = deals(rules);
        let placements =
            rounds(|round| rate(GAMES_PER_ROUND * PLACEMENTS, || random_games(&deals, round, |_| ())));
        table.row(&format!("triple_triad placements, {name}"), &placements, "M/s");
    }
    let deals = deals(all);
    let playouts = rounds(|round| {
        rate(GAMES_PER_ROUND, || {
            random_games(&deals, round, |position| {
                black_box(position.outcome());
            });
        })
    });
    table.row("triple_triad playouts, all rules", &playouts, "M/s");
}

fn deals(rules: Rules) -> Vec<Position> {
    (0..DEALS).map(|seed| *TripleTriad::new(rules, Opening::default(), seed).position()).collect()
}

/// Plays games and calls `end` with the final position of each.
fn random_games(deals: &[Position], seed: u64, end: impl Fn(&Position)) {
    let mut random = Random(seed);
    let mut captured = 0;
    for deal in deals.iter().cycle().take(GAMES_PER_ROUND as usize) {
        let mut position = *deal;
        while !position.is_over() {
            let card = pick(position.hand(position.next_player()), &mut random);
            let square = pick(position.free(), &mut random);
            captured += position.place(card, square).count_ones();
        }
        end(&position);
    }
    black_box(captured);
}

/// A random bit of a set.
fn pick(mut set: u16, random: &mut Random) -> usize {
    for _ in 0..random.below(set.count_ones()) {
        set &= set - 1;
    }
    set.trailing_zeros() as usize
}
