//! QR-3 to QR-6: invariants of every move of random games.

use super::support::{Step, naive, play_random_games};
use crate::naive::queen_rooks::{self as plain, cells};
use arbiter_games::{Game, Player};

/// The number of squares with a letter.
fn count(game: &plain::Game, letter: char) -> usize {
    game.grid.iter().flatten().filter(|&&other| other == letter).count()
}

/// A property of every move: its description, and a predicate of the move and of the boards before and after it.
type Invariant = (&'static str, fn(&Step, &plain::Game, &plain::Game) -> bool);

const INVARIANTS: [Invariant; 9] = [
    ("QR-3: the piece moves from its square to an empty one", |step, before, after| {
        let (from, to) = cells(&step.mv);
        before.at(to) == '.' && after.at(from) == '.' && after.at(to) == before.at(from)
    }),
    ("QR-4: apart from the move, only captured rooks disappear", |step, before, after| {
        let (from, to) = cells(&step.mv);
        let taken: Vec<_> = step.turn().captures.iter().map(|capture| capture.cell).collect();
        let changed = |cell: &plain::Cell| before.at(*cell) != after.at(*cell);
        let expected = |cell: &plain::Cell| *cell == from || *cell == to || taken.contains(cell);
        before.cells().iter().all(|cell| changed(cell) == expected(cell))
            && taken.iter().all(|&cell| after.at(cell) == '.')
    }),
    ("QR-4: both queens stay", |_, _, after| count(after, 'Q') == 1 && count(after, 'q') == 1),
    ("QR-4: the player who moves loses no rook", |step, before, after| {
        let rook = ['R', 'r'][step.before.next_player() as usize];
        count(before, rook) == count(after, rook)
    }),
    ("QR-4: the other player loses the reported rooks, at most two", |step, before, after| {
        let rook = ['r', 'R'][step.before.next_player() as usize];
        let lost = count(before, rook) - count(after, rook);
        lost <= 2 && lost == step.turn().captures.len()
    }),
    ("QR-4: a queen takes nothing", |step, _, _| {
        let turn = step.turn();
        turn.captures.is_empty() || ['R', 'r'].contains(&turn.piece)
    }),
    ("QR-5: the numbers of pieces match the board", |step, _, after| {
        Player::ALL
            .into_iter()
            .all(|player| step.after.pieces(player) as usize == after.pieces(player as usize))
    }),
    ("QR-6: the other player is next, unless they pass", |step, _, _| {
        let mover = step.before.next_player();
        let turn = step.turn();
        let wanted = if turn.passed.is_some() { mover } else { mover.other() };
        step.after.next_player() == wanted
            && turn.passed.is_none_or(|player| player == mover.other() as usize)
    }),
    ("the game is over exactly when no move is legal", |step, _, _| {
        step.after.legal_moves().is_empty() == step.after.is_over()
            && step.after.is_over() == step.after.outcome().ending.is_some()
    }),
];

#[test]
fn every_invariant_holds_after_every_move_of_random_games() {
    play_random_games(8, |step| {
        let (before, after) = (naive(&step.before), naive(&step.after));
        for (invariant, holds) in INVARIANTS {
            let context = || format!("{} in {}", step.mv, step.before.notation());
            assert!(holds(step, &before, &after), "{invariant}: {}", context());
        }
    });
}
