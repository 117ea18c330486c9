//! Random games of Triple Triad, nine placements each, dealt from the catalogue, with every capture rule on.

use std::hint::black_box;

use arbiter::games::{
    Game,
    triple_triad::{BasicCapture, Opening, Position, Rule, Rules, TripleTriad},
};

use super::{ROUNDS, Random, rate, spread::Spread};

const GAMES_A_ROUND: u64 = 1_000_000;
const PLACEMENTS: u64 = 9;
/// Different deals, played over and over with other moves.
const DEALS: u64 = 256;

pub fn measure() {
    let all = Rules::default().with_all(Rule::ALL);
    println!("Triple Triad, random games");
    for (name, rules) in [
        ("every rule", all),
        ("and basic always", all.with_basic_capture(BasicCapture::Always)),
        ("the basic rule", Rules::default()),
    ] {
        let deals: Vec<Position> = (0..DEALS).map(|seed| deal(rules, seed)).collect();
        let mut rates: Vec<f64> = (0..ROUNDS as u64)
            .map(|round| rate(GAMES_A_ROUND * PLACEMENTS, || random_games(&deals, round)))
            .collect();
        println!("  {name:<17} {} M placements/s", Spread::of(&mut rates));
    }
}

fn deal(rules: Rules, seed: u64) -> Position {
    *TripleTriad::new(rules, Opening::default(), seed).position()
}

fn random_games(deals: &[Position], seed: u64) {
    let mut random = Random(seed);
    let mut taken = 0;
    for deal in deals.iter().cycle().take(GAMES_A_ROUND as usize) {
        let mut position = *deal;
        while !position.is_over() {
            let card = pick(position.hand(position.next_player()), &mut random);
            let square = pick(position.free(), &mut random);
            taken += position.place(card, square).count_ones();
        }
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
