//! Setups, and everything that is wrong with them.
//!
//! [`Setup::position`] is the fast path: it rejects an invalid setup without a reason. [`Setup::violations`] is the slow
//! path after it. It accepts a grid of characters of any shape: rows are aligned at the left, and the last one is the
//! bottom. A missing cell and an unknown character can be anything: they support a token above them and belong to no line.
//!
//! Errors that would only follow from another error are not reported:
//!
//! - sizes that depend on an invalid value of the rules;
//! - token counts, while the size of the board is wrong or unknown, or a character is unknown;
//! - lines, while the line length is invalid;
//! - contradictions of the last move, while anything else is wrong.

use super::{PartialRules, Position, Rules};
use crate::{Count, Player, RuleBreach, Square};

/// A position as a caller sent it. It may be invalid: [`Position::try_from`] checks it.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a, S> {
    /// The rules, as far as they are valid.
    pub rules: PartialRules,
    /// The board, one text per row, the top row first: `X`, `O`, or `.` for an empty cell.
    pub board: &'a [S],
    /// The player to move; none if it is missing or could not be read.
    pub next_player: Option<Player>,
}

/// What is wrong with a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A value of the rules is invalid.
    #[error("the rules are invalid")]
    Rules,
    /// The player to move is missing.
    #[error("the player to move is missing")]
    NextPlayer,
    /// The board has too many or too few rows.
    #[error("the board must have {}, not {found}", Count(*wanted, "row"))]
    RowCount {
        /// The number of rows in the rules.
        wanted: u8,
        /// The number of rows.
        found: usize,
    },
    /// A row has too many or too few cells.
    #[error("row {row} must have {}, one per column, not {found}", Count(*wanted, "character"))]
    RowLength {
        /// The row, from 0 at the top.
        row: usize,
        /// The number of columns in the rules.
        wanted: u8,
        /// The number of characters.
        found: usize,
    },
    /// A character is unknown.
    #[error("row {row}, column {column} holds {found:?}: a cell is '.', 'X' or 'O'")]
    UnknownToken {
        /// The row, from 0 at the top.
        row: usize,
        /// The column, from 0 at the left.
        column: usize,
        /// The character.
        found: char,
    },
    /// A token is above an empty cell (C4-2).
    #[error("the token at {0} is above an empty cell")]
    Floating(Square),
    /// The numbers of tokens do not fit the player to move (C4-1).
    #[error(
        "{one} X and {two} O do not fit: {start}{turn}there must be {wanted}",
        start = first.map(|first| format!("{first} starts, so ")).unwrap_or_default(),
        turn = next.map(|next| format!("with {next} to move ")).unwrap_or_default(),
    )]
    TokenCount {
        /// The number of tokens of player one.
        one: usize,
        /// The number of tokens of player two.
        two: usize,
        /// The first player, if known.
        first: Option<Player>,
        /// The player to move, if known.
        next: Option<Player>,
        /// The numbers that would fit.
        wanted: &'static str,
    },
    /// Both players have a line (C4-3).
    #[error("both players have a line: the game was over when the first was completed")]
    TwoWinners,
    /// A player has a line that no last move can complete (C4-3).
    #[error("{0} has a line that no single last move can complete")]
    ImpossibleWin(Player),
    /// The player who moved last has no token on top of a column (C4-2).
    #[error("{0} moved last, but has no token on top of a column")]
    LastTokenMissing(Player),
}

impl RuleBreach for SetupError {
    fn clause(&self) -> &'static str {
        match self {
            Self::Rules
            | Self::NextPlayer
            | Self::RowCount { .. }
            | Self::RowLength { .. }
            | Self::UnknownToken { .. }
            | Self::TokenCount { .. } => "C4-1",
            Self::Floating(_) | Self::LastTokenMissing(_) => "C4-2",
            Self::TwoWinners | Self::ImpossibleWin(_) => "C4-3",
        }
    }
}

impl<S: AsRef<[u8]>> TryFrom<&Setup<'_, S>> for Position {
    /// Everything that is wrong with the setup.
    type Error = Vec<SetupError>;

    fn try_from(setup: &Setup<'_, S>) -> Result<Self, Vec<SetupError>> {
        setup.position().ok_or_else(|| setup.violations())
    }
}

impl<S: AsRef<[u8]>> Setup<'_, S> {
    /// The position; none if the setup has [`Setup::violations`].
    #[inline]
    pub fn position(&self) -> Option<Position> {
        Position::read(self.rules.complete()?, self.board, self.next_player?)
    }

    /// Everything that is wrong with the setup; nothing if it is a position.
    #[cold]
    pub fn violations(&self) -> Vec<SetupError> {
        let &Self { rules, board, next_player } = self;
        let mut errors = Vec::new();
        let grid = Grid::read(board, rules, &mut errors);
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

/// Checks the numbers of tokens: they are equal if the first player is to move, otherwise the first player has one more.
/// If the first player or the player to move is unknown, it can be either.
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
    /// Reads the rows, and checks their number, their lengths and their characters. The part of a board that is larger than any
    /// valid one is not read.
    fn read<S: AsRef<[u8]>>(board: &[S], rules: PartialRules, errors: &mut Vec<SetupError>) -> Self {
        let found = board.len();
        let row_count = rules.rows.filter(|&wanted| found != usize::from(wanted));
        errors.extend(row_count.map(|wanted| SetupError::RowCount { wanted, found }));
        let mut grid = Vec::new();
        for (row, line) in board.iter().enumerate().take(Rules::MAX_ROWS as usize) {
            let line = String::from_utf8_lossy(line.as_ref());
            let found = line.chars().count();
            let length = rules.columns.filter(|&wanted| found != usize::from(wanted));
            errors.extend(length.map(|wanted| SetupError::RowLength { row, wanted, found }));
            let line: Vec<_> = line.chars().take(Rules::MAX_COLUMNS as usize).collect();
            let unknown = line.iter().enumerate().filter(|(_, found)| !matches!(found, '.' | 'X' | 'O'));
            errors.extend(unknown.map(|(column, &found)| SetupError::UnknownToken { row, column, found }));
            grid.push(line);
        }
        Self(grid)
    }

    /// The character of a cell; none if the cell is missing.
    fn get(&self, (row, column): (usize, usize)) -> Option<char> {
        self.0.get(row)?.get(column).copied()
    }

    /// All cells.
    fn cells(&self) -> impl Iterator<Item = ((usize, usize), char)> {
        self.0.iter().enumerate().flat_map(|(row, line)| {
            line.iter().enumerate().map(move |(column, &found)| ((row, column), found))
        })
    }

    /// The cells with a player's tokens.
    fn tokens(&self, player: Player) -> impl Iterator<Item = (usize, usize)> {
        self.cells().filter_map(move |(cell, found)| (found == player.letter()).then_some(cell))
    }

    /// The tokens above an empty cell, from the left and from the bottom.
    fn floating_tokens(&self) -> impl Iterator<Item = SetupError> {
        let over_empty = |(row, column)| self.get((row + 1, column)) == Some('.');
        let mut floating: Vec<_> = Player::ALL.into_iter().flat_map(|player| self.tokens(player)).collect();
        floating.retain(|&cell| over_empty(cell));
        floating.sort_by_key(|&(row, column)| (column, std::cmp::Reverse(row)));
        // The grid has fewer than 2³² cells.
        let square = |(row, column)| Square { row: row as u32, column: column as u32 };
        floating.into_iter().map(move |cell| SetupError::Floating(square(cell)))
    }

    /// Whether a player has a line of at least this length.
    fn has_line(&self, player: Player, length: usize) -> bool {
        let is_theirs = |&cell: &(usize, usize)| self.get(cell) == Some(player.letter());
        self.tokens(player).any(|cell| {
            STEPS.into_iter().any(|(down, right)| {
                let step = |(row, column): (usize, usize), sign: isize| {
                    let row = row.checked_add_signed(sign * down)?;
                    Some((row, column.checked_add_signed(sign * right)?)).filter(is_theirs)
                };
                // Count a run once, from its first cell.
                step(cell, -1).is_none()
                    && std::iter::successors(Some(cell), |&cell| step(cell, 1)).nth(length - 1).is_some()
            })
        })
    }

    /// Checks that a last move leads to the board, which must be valid otherwise.
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
