//! Random games of Triple Triad, nine placements each, dealt from the catalogue, with every capture rule on. A placement
//! is a random card of the hand on a random square, with everything it takes; a playout is a whole game of them, and who has
//! won it.

use std::hint::black_box;

use arbiter::games::{
    Game,
    triple_triad::{BasicCapture, Opening, Position, Rule, Rules, TripleTriad},
};

use super::{Random, Table, rate, rounds};

const GAMES_A_ROUND: u64 = 1_000_000;
const PLACEMENTS: u64 = 9;
/// Different deals, played over and over with other moves.
const DEALS: u64 = 256;

pub fn measure(table: &Table) {
    let all = Rules::default().with_all(Rule::ALL);
    for (name, rules) in [
        ("every rule", all),
        ("every rule, basic always", all.with_basic_capture(BasicCapture::Always)),
        ("the basic rule alone", Rules::default()),
    ] {
        let deals = deals(rules);
        let placements =
            rounds(|round| rate(GAMES_A_ROUND * PLACEMENTS, || random_games(&deals, round, |_| ())));
        table.row(&format!("triple_triad placements, {name}"), &placements, "M/s");
    }
    let deals = deals(all);
    let playouts = rounds(|round| {
        rate(GAMES_A_ROUND, || {
            random_games(&deals, round, |position| {
                black_box(position.outcome());
            });
        })
    });
    table.row("triple_triad playouts, every rule", &playouts, "M/s");
}

fn deals(rules: Rules) -> Vec<Position> {
    (0..DEALS).map(|seed| *TripleTriad::new(rules, Opening::default(), seed).position()).collect()
}

/// Plays games, and shows the end of each.
fn random_games(deals: &[Position], seed: u64, end: impl Fn(&Position)) {
    let mut random = Random(seed);
    let mut taken = 0;
    for deal in deals.iter().cycle().take(GAMES_A_ROUND as usize) {
        let mut position = *deal;
        while !position.is_over() {
            let card = pick(position.hand(position.next_player()), &mut random);
            let square = pick(position.free(), &mut random);
            taken += position.place(card, square).count_ones();
        }
        end(&position);
    }
    black_box(taken);
}

/// One of the bits of a set, at random.
fn pick(mut set: u16, random: &mut Random) -> usize {
    for _ in 0..random.below(set.count_ones()) {
        set &= set - 1;
    }
    set.trailing_zeros() as usize
}
