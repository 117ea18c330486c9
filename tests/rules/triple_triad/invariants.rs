//! TT-5 and TT-9 to TT-12: invariants of every turn on random boards and of every state of a game.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::support::{Turn, any_record, config, ids, ids_on_board, random_turn, sorted};
use crate::naive::triple_triad::cell;
use arbiter_games::{
    Chance,
    triple_triad::{BasicCapture, Capture, CaptureRule, Diagram},
};

/// A property of every turn: its description, and a predicate of the turn, its captures and the board after it.
type Invariant = (&'static str, fn(&Turn, &[Capture], &Diagram) -> bool);

fn is_special(capture: &Capture) -> bool {
    use CaptureRule::{Plus, Same, SameWall};
    capture.rules.each().all(|rule| [Same, SameWall, Plus].contains(&rule))
}

const INVARIANTS: [Invariant; 8] = [
    ("TT-5: only cards of the other player are taken", |turn, captures, _| {
        let foe = turn.player().other();
        captures.iter().all(|capture| turn.card_at(cell(capture.square)) == Some((capture.card, foe)))
    }),
    ("TT-5: a card is taken by a neighbour", |turn, captures, _| {
        captures.iter().all(|capture| {
            let (square, by) = (capture.square, capture.by_square);
            let steps = square.row.abs_diff(by.row) + square.column.abs_diff(by.column);
            steps == 1 && turn.card_at(cell(by)).is_some_and(|(card, _)| card == capture.by)
        })
    }),
    ("TT-9: by default the basic rule takes only if Same and Plus take nothing", |turn, captures, _| {
        turn.diagram.rules.basic_capture() == BasicCapture::Always
            || !captures.iter().any(is_special)
            || !captures.iter().any(|capture| capture.rules.has(CaptureRule::Basic))
    }),
    ("TT-10: there is no Combo without Same or Plus", |_, captures, _| {
        let is_combo = |capture: &Capture| capture.rules.has(CaptureRule::Combo);
        captures.iter().any(is_special) || !captures.iter().any(is_combo)
    }),
    (
        "TT-10: a card that takes by Combo was taken in the previous wave, not by the basic rule",
        |_, captures, _| {
            captures.iter().enumerate().all(|(index, combo)| {
                let is_its_taker = |earlier: &Capture| {
                    earlier.square == combo.by_square
                        && earlier.wave + 1 == combo.wave
                        && !earlier.rules.has(CaptureRule::Basic)
                };
                !combo.rules.has(CaptureRule::Combo) || captures[..index].iter().any(is_its_taker)
            })
        },
    ),
    ("TT-11: wave 0 is what the placed card takes", |turn, captures, _| {
        captures.iter().all(|capture| (capture.wave == 0) == (cell(capture.by_square) == turn.placed))
    }),
    ("TT-11: no card changes its owner twice", |_, captures, _| {
        let squares: BTreeSet<_> = captures.iter().map(|capture| cell(capture.square)).collect();
        squares.len() == captures.len()
    }),
    ("TT-11: only the owners of the captured cards change", |turn, captures, after| {
        let mut wanted = turn.diagram.clone();
        for capture in captures {
            let (row, column) = cell(capture.square);
            wanted.squares[3 * row + column].1 = Some((capture.card, turn.player()));
        }
        *after == wanted
    }),
];

#[test]
fn every_invariant_holds_for_every_turn_on_random_boards() {
    let mut chance = Chance::new(2, 0);
    for _ in 0..50_000 {
        let turn = random_turn(&mut chance);
        let (captures, after) = turn.resolve();
        for (invariant, holds) in INVARIANTS {
            assert!(holds(&turn, &captures, &after), "{invariant}: {turn}");
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn tt_12_the_same_ten_cards_are_in_every_state_each_in_one_place(record in any_record()) {
        let wanted = sorted(ids(record.start.cards()));
        for game in record.states() {
            let diagram = game.diagram();
            let everywhere = [ids(diagram.hands.iter().flatten()), ids_on_board(&diagram)].concat();
            prop_assert_eq!(sorted(everywhere), wanted.clone());
        }
    }
}
