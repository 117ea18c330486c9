//! Everything that is wrong with a set-up.
//!
//! The fast path in `setup` only refuses. This is the slow path after it: it reads the rows as a grid of characters,
//! of any shape. Rows are aligned at the left, and the last one is the bottom. A cell that is missing, or that holds
//! an unknown character, may be anything: it supports a token above it and belongs to no line.
//!
//! Not reported, because it would only follow from another error:
//!
//! - sizes that depend on an invalid value of the rules;
//! - token counts, while the size of the board is wrong or not known, or a character is unknown;
//! - lines, while the line length is not valid;
//! - what contradicts the last move, while anything else is wrong.

use super::{PartialRules, Setup, SetupError, position::letter, setup::Rows};
use crate::{Player, Square};

impl<R: Rows> Setup<R> {
    /// Everything that is wrong with it. Nothing if it is a position.
    #[cold]
    pub fn violations(self) -> Vec<SetupError> {
        let Self { rules, board, next_player } = self;
        let characters = |row: R::Item| String::from_utf8_lossy(row.as_ref()).chars().collect();
        let grid = Grid(board.into_iter().map(characters).collect());
        let mut errors = grid.row_errors(rules);
        let is_complete = errors.is_empty() && rules.columns.is_some() && rules.rows.is_some();
        errors.extend(grid.floating_tokens());
        if is_complete {
            let [one, two] = Player::ALL.map(|player| grid.tokens(player).count());
            errors.extend(token_count(rules.first_player, next_player, one, two));
        }
        let has_line = |player| rules.line_length.is_some_and(|length| grid.has_line(player, length.into()));
        if Player::ALL.into_iter().all(has_line) {
            errors.push(SetupError::TwoWinners);
        }
        if next_player.is_none() {
            errors.push(SetupError::NextPlayer);
        }
        if rules.complete().is_none() {
            errors.push(SetupError::Rules);
        }
        if let (true, Some(next_player), Some(length)) = (errors.is_empty(), next_player, rules.line_length) {
            errors.extend(grid.last_move_error(next_player, length.into()));
        }
        errors
    }
}

/// Whether the numbers of tokens fit the turn: equal when the first player is to move, otherwise one more of theirs.
/// Where it is not known who starts or who is to move, either will do.
fn token_count(first: Option<Player>, next: Option<Player>, one: usize, two: usize) -> Option<SetupError> {
    let lead = one.cast_signed() - two.cast_signed();
    let (fits, wanted) = match (first, next) {
        (Some(first), Some(next)) if first == next => (lead == 0, "as many X as O"),
        (Some(Player::One), Some(_)) => (lead == 1, "one X more than O"),
        (Some(Player::Two), Some(_)) => (lead == -1, "one O more than X"),
        (Some(Player::One), None) | (None, Some(Player::Two)) => {
            (lead == 0 || lead == 1, "as many X as O, or one X more")
        }
        (Some(Player::Two), None) | (None, Some(Player::One)) => {
            (lead == 0 || lead == -1, "as many X as O, or one O more")
        }
        (None, None) => (lead.abs() <= 1, "as many X as O, or one more of either"),
    };
    (!fits).then_some(SetupError::TokenCount { one, two, first, next, wanted })
}

/// The characters of a board, row by row from the top.
struct Grid(Vec<Vec<char>>);

/// Steps in rows and columns from a cell to the next of a line.
const STEPS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

impl Grid {
    /// The character of a cell, if it is there.
    fn get(&self, (row, column): (usize, usize)) -> Option<char> {
        self.0.get(row)?.get(column).copied()
    }

    /// Every cell that is there.
    fn cells(&self) -> impl Iterator<Item = ((usize, usize), char)> {
        self.0.iter().enumerate().flat_map(|(row, line)| {
            line.iter().enumerate().map(move |(column, &found)| ((row, column), found))
        })
    }

    /// The cells with a player's tokens.
    fn tokens(&self, player: Player) -> impl Iterator<Item = (usize, usize)> {
        self.cells().filter_map(move |(cell, found)| (found == letter(player)).then_some(cell))
    }

    /// What is wrong with the number of rows, their lengths and their characters.
    fn row_errors(&self, rules: PartialRules) -> Vec<SetupError> {
        let mut errors = Vec::new();
        let found = self.0.len();
        let row_count = rules.rows.filter(|&wanted| found != usize::from(wanted));
        errors.extend(row_count.map(|wanted| SetupError::RowCount { wanted, found }));
        for (row, line) in self.0.iter().enumerate() {
            let found = line.len();
            let length = rules.columns.filter(|&wanted| found != usize::from(wanted));
            errors.extend(length.map(|wanted| SetupError::RowLength { row, wanted, found }));
            let unknown = line.iter().enumerate().filter(|(_, found)| !matches!(found, '.' | 'X' | 'O'));
            errors.extend(unknown.map(|(column, &found)| SetupError::UnknownToken { row, column, found }));
        }
        errors
    }

    /// The tokens that lie over an empty cell, from the left and from the bottom.
    fn floating_tokens(&self) -> impl Iterator<Item = SetupError> {
        let over_empty = |(row, column)| self.get((row + 1, column)) == Some('.');
        let mut floating: Vec<_> = Player::ALL.into_iter().flat_map(|player| self.tokens(player)).collect();
        floating.retain(|&cell| over_empty(cell));
        floating.sort_by_key(|&(row, column)| (column, std::cmp::Reverse(row)));
        // A message has fewer cells than 32 bits can count.
        let square = |(row, column)| Square { row: row as u32, column: column as u32 };
        floating.into_iter().map(move |cell| SetupError::Floating(square(cell)))
    }

    /// Whether a player has a line of at least this length.
    fn has_line(&self, player: Player, length: usize) -> bool {
        let is_theirs = |&cell: &(usize, usize)| self.get(cell) == Some(letter(player));
        self.tokens(player).any(|cell| {
            STEPS.into_iter().any(|(down, right)| {
                let step = |(row, column): (usize, usize), sign: isize| {
                    let row = row.checked_add_signed(sign * down)?;
                    Some((row, column.checked_add_signed(sign * right)?)).filter(is_theirs)
                };
                // A run is counted once, from its first cell.
                step(cell, -1).is_none()
                    && std::iter::successors(Some(cell), |&cell| step(cell, 1)).nth(length - 1).is_some()
            })
        })
    }

    /// What contradicts the last move, on a board that is right otherwise.
    fn last_move_error(&self, next_player: Player, length: usize) -> Option<SetupError> {
        let last_player = next_player.other();
        if self.has_line(next_player, length) {
            return Some(SetupError::ImpossibleWin(next_player));
        }
        let is_on_top =
            |&(row, column): &(usize, usize)| row == 0 || self.get((row - 1, column)) == Some('.');
        let mut last_tokens = self.tokens(last_player).filter(is_on_top);
        if self.has_line(last_player, length) {
            let has_no_line_without = |(row, column): (usize, usize)| {
                let mut before = Self(self.0.clone());
                before.0[row][column] = '.';
                !before.has_line(last_player, length)
            };
            (!last_tokens.any(has_no_line_without)).then_some(SetupError::ImpossibleWin(last_player))
        } else {
            let is_empty = self.cells().all(|(_, found)| found == '.');
            (!is_empty && last_tokens.next().is_none()).then_some(SetupError::LastTokenMissing(last_player))
        }
    }
}
