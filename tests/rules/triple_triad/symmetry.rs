//! TT-4 to TT-11: captures on boards that are rotated, mirrored, or have their colours swapped.

use std::collections::BTreeSet;

use super::support::{Turn, random_turn};
use crate::naive::triple_triad::{self as plain, CELLS, Cell};
use arbiter_games::{Chance, triple_triad::Card};

/// A rotation or reflection of the board: the new cell of a cell, and the old side of each new side.
type Symmetry = (fn(Cell) -> Cell, [usize; 4]);

const QUARTER_TURN: Symmetry = (|(row, column)| (column, 2 - row), [3, 0, 1, 2]);
const MIRROR: Symmetry = (|(row, column)| (row, 2 - column), [0, 3, 2, 1]);

fn transform(turn: &Turn, (to, sides): Symmetry) -> Turn {
    let mut diagram = turn.diagram.clone();
    for from in CELLS {
        let (element, card) = turn.diagram.squares[3 * from.0 + from.1];
        let card = card.map(|(card, owner)| {
            let ranks = sides.map(|side| card.ranks().each()[side].into());
            (Card::new(card.id(), ranks, card.element(), 1, "").expect("the card is valid"), owner)
        });
        diagram.squares[3 * to(from).0 + to(from).1] = (element, card);
    }
    Turn { diagram, placed: to(turn.placed) }
}

/// The captured squares with their rules and waves. They do not depend on the order of the sides. Which of two cards of a
/// wave takes a third card does.
fn taken(turn: &Turn, to: fn(Cell) -> Cell) -> BTreeSet<(Cell, Vec<&'static str>, u32)> {
    let captures = turn.resolve().0;
    let captures = captures.iter().map(plain::Capture::from);
    captures.map(|capture| (to(capture.cell), capture.rules, capture.wave)).collect()
}

#[test]
fn a_rotated_or_mirrored_board_has_the_rotated_or_mirrored_captures() {
    let mut chance = Chance::new(3, 0);
    for _ in 0..20_000 {
        let mut turn = random_turn(&mut chance);
        // Three quarter turns, the mirror and three more quarter turns cover all eight symmetries of the square.
        for symmetry in
            [QUARTER_TURN, QUARTER_TURN, QUARTER_TURN, MIRROR, QUARTER_TURN, QUARTER_TURN, QUARTER_TURN]
        {
            let transformed = transform(&turn, symmetry);
            let wanted = taken(&turn, symmetry.0);
            assert_eq!(taken(&transformed, |cell| cell), wanted, "{turn}");
            turn = transformed;
        }
    }
}

#[test]
fn a_board_with_the_colours_swapped_has_the_same_captures() {
    let mut chance = Chance::new(4, 0);
    for _ in 0..20_000 {
        let turn = random_turn(&mut chance);
        let mut swapped = turn.clone();
        for (_, card) in &mut swapped.diagram.squares {
            *card = card.map(|(card, owner)| (card, owner.other()));
        }
        assert_eq!(swapped.resolve().0, turn.resolve().0, "{turn}");
    }
}
