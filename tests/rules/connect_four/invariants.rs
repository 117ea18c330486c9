//! C4-1 to C4-4: invariants of every position of random games.

use super::support::{BOARDS, Random, naive_board, number, rules, squares};
use crate::naive::connect_four::Board;
use arbiter_games::{
    Square,
    connect_four::{Ending, Position},
};

/// A property of every position: its description, and a predicate of the position and of its naive board.
type Invariant = (&'static str, fn(&Position, &Board) -> bool);

const INVARIANTS: [Invariant; 10] = [
    ("C4-1: the numbers of tokens fit the player to move", |position, board| {
        let count = |player| board.cells().filter(|&cell| board.token(cell) == number(player)).count();
        let first = position.rules().first_player();
        let lead = usize::from(position.next_player() != first);
        count(first) == count(first.other()) + lead
    }),
    ("the ply is the number of tokens", |position, board| {
        position.ply() as usize == board.cells().filter(|&cell| board.token(cell) != 0).count()
    }),
    ("a cell and the rows have the same token", |position, board| {
        squares(position.rules()).all(|square| {
            let token = position.token(square).map_or(0, number);
            token == board.token((square.column as usize, square.row as usize))
        })
    }),
    ("no token is outside the board", |position, board| {
        let (columns, rows) = (board.columns() as u32, board.rows() as u32);
        let beyond = [(rows, 0), (0, columns), (rows, columns), (u32::MAX, 0), (0, u32::MAX)];
        beyond.into_iter().all(|(row, column)| position.token(Square { row, column }).is_none())
    }),
    ("C4-2: no token is above an empty cell", |_, board| {
        let is_empty = |cell| board.token(cell) == 0;
        board.cells().all(|(column, row)| row == 0 || is_empty((column, row - 1)) || !is_empty((column, row)))
    }),
    ("C4-3: the player to move has no line", |position, board| {
        !board.has_line(number(position.next_player()))
    }),
    ("C4-3: the game is won exactly when the player who moved last has a line", |position, board| {
        let moved_last = position.next_player().other();
        let is_won =
            matches!(position.outcome().ending, Some(Ending::Won { winner, .. }) if winner == moved_last);
        is_won == board.has_line(number(moved_last))
    }),
    ("C4-3: one token on top of its column is in every line", |position, board| {
        let Some(Ending::Won { lines, .. }) = position.outcome().ending else { return true };
        let is_top = |s: &Square| s.row == 0 || board.token((s.column as usize, s.row as usize - 1)) == 0;
        lines[0].squares.iter().any(|s| is_top(s) && lines.iter().all(|line| line.squares.contains(s)))
    }),
    ("C4-4: a draw is a full board without a line", |position, board| {
        let no_line = !board.has_line(1) && !board.has_line(2);
        (position.outcome().ending == Some(Ending::Draw)) == (board.is_board_full() && no_line)
    }),
    ("the game is over exactly when no column is legal", |position, _| {
        let is_over = position.outcome().ending.is_some();
        position.is_over() == is_over && position.legal_columns().next().is_none() == is_over
    }),
];

#[test]
fn every_invariant_holds_after_every_move_of_random_games() {
    let mut random = Random(1);
    for rules in BOARDS.split(' ').map(rules) {
        for _ in 0..60 {
            let mut position = Position::start(rules);
            loop {
                let board = naive_board(&position);
                for (invariant, holds) in INVARIANTS {
                    assert!(holds(&position, &board), "{invariant}: {rules:?}\n{position}");
                }
                let legal: Vec<_> = position.legal_columns().collect();
                if legal.is_empty() {
                    break;
                }
                position.drop_token(random.pick(&legal).into());
            }
        }
    }
}
