//! TT-4 to TT-11: captures on random boards, compared with the naive implementation, and the longest Combo.

use std::collections::BTreeSet;

use super::support::{Turn, random_turn};
use crate::naive::triple_triad as plain;
use arbiter_games::{Chance, triple_triad::Diagram};

#[test]
fn tt_11_the_naive_game_explains_the_same_captures_on_half_a_million_boards() {
    let mut chance = Chance::new(1, 0);
    let (mut seen, mut ranks_seen, mut basic_and_special) = (BTreeSet::new(), BTreeSet::new(), false);
    for _ in 0..500_000 {
        let turn = random_turn(&mut chance);
        let captures: Vec<_> = turn.resolve().0.iter().map(plain::Capture::from).collect();
        let wanted = plain::Game::from(&turn.diagram).captures(turn.placed);
        assert_eq!(captures, wanted, "{turn}");
        let is_basic = |capture: &plain::Capture| capture.rules == ["BASIC"];
        basic_and_special |= captures.iter().any(is_basic) && !captures.iter().all(is_basic);
        for capture in captures {
            ranks_seen.extend([capture.ranks.0, capture.ranks.1]);
            seen.insert((capture.rules, capture.wave));
        }
    }
    // Every case must occur, or it is not compared.
    let ways = ["BASIC", "SAME", "SAME_WALL", "PLUS", "SAME PLUS", "SAME_WALL PLUS"];
    assert!(ways.iter().all(|way| seen.contains(&(way.split(' ').collect(), 0))), "{seen:?}");
    assert!((1..=6).all(|wave| seen.contains(&(vec!["COMBO"], wave))), "{seen:?}");
    assert!(ranks_seen.iter().copied().eq(0..=11), "{ranks_seen:?}");
    assert!(basic_and_special);
}

/// The longest possible chain, along a spiral. It is too rare to occur on random boards.
#[test]
fn tt_10_a_combo_takes_all_eight_other_cards_one_wave_after_the_other() {
    let spiral = "tt:swc:X1=A544,O2=5655,O3=5565/O4=5565,O5=5556,O6=5565/O7=5555,O8=6555,O9=5556";
    let diagram = Diagram::parse(spiral).expect("the cards are different");
    let (captures, _) = Turn { diagram, placed: (0, 0) }.resolve();
    let order: Vec<_> = captures.iter().map(|capture| (capture.card.id(), capture.wave)).collect();
    assert_eq!(order, [(2, 0), (3, 1), (6, 2), (9, 3), (8, 4), (5, 5), (4, 6), (7, 7)]);
}
