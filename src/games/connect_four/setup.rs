use super::{
    Position, Rules,
    bitboard::Word,
    position::{Board, Words, build, has_line},
};
use crate::games::{Player, Square};

/// A position as someone wrote it down. It may be nonsense: [`Position::try_from`] tells.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a, S> {
    /// The rules it is played under.
    pub rules: Rules,
    /// The board, one string a row, the top row first: `X`, `O`, or `.` for an empty cell.
    pub board: &'a [S],
    /// The player to move. None if that cannot be told: everything else is still looked at, but there is no position.
    pub next_player: Option<Player>,
}

/// What is wrong with a set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// It is not said who is to move.
    #[error("the player to move is missing")]
    NextPlayer,
    /// The board has too many or too few rows.
    #[error("the board must have {wanted} rows, not {found}")]
    RowCount {
        /// Rows that the rules want.
        wanted: u8,
        /// Rows that are there.
        found: usize,
    },
    /// A row has too many or too few cells.
    #[error("row {row} must have {wanted} characters, one a column, not {found}")]
    RowLength {
        /// The row, from 0 at the top.
        row: usize,
        /// Columns that the rules want.
        wanted: u8,
        /// Characters that are there.
        found: usize,
    },
    /// A character stands for no token.
    #[error("row {row}, column {column} holds {found:?}: a cell is '.', 'X' or 'O'")]
    UnknownToken {
        /// The row, from 0 at the top.
        row: usize,
        /// The column, from 0 at the left.
        column: usize,
        /// The character.
        found: char,
    },
    /// A token lies over an empty cell (C4-2).
    #[error("the token at {0} lies over an empty cell")]
    Floating(Square),
    /// The numbers of tokens do not fit the player to move (C4-1).
    #[error("{one} X and {two} O do not fit: {first} starts, so with {next} to move there must be {wanted}")]
    TokenCount {
        /// Tokens of player one.
        one: u32,
        /// Tokens of player two.
        two: u32,
        /// Who starts.
        first: Player,
        /// Who is to move.
        next: Player,
        /// What would fit.
        wanted: &'static str,
    },
    /// Both players have a line (C4-3).
    #[error("both players have a line: the game was over when the first was completed")]
    TwoWinners,
    /// A line is there that no last move can have completed (C4-3).
    #[error("{0} has a line that no last move of theirs can have completed")]
    ImpossibleWin(Player),
}

impl<S: AsRef<str>> TryFrom<Setup<'_, S>> for Position {
    type Error = Vec<SetupError>;

    /// The one door from a set-up to a position. Reports everything that is wrong.
    fn try_from(setup: Setup<'_, S>) -> Result<Self, Vec<SetupError>> {
        let words = build!(setup.rules, W => check::<W, S>(&setup)?);
        Ok(Self(words))
    }
}

/// The tokens of both players.
struct Tokens<W> {
    one: W,
    two: W,
}

fn check<W: Word, S: AsRef<str>>(setup: &Setup<'_, S>) -> Result<Board<W>, Vec<SetupError>> {
    let tokens = read::<W, S>(setup)?;
    let mut errors = floating(setup.rules, tokens.one | tokens.two);
    let stacked = errors.is_empty();
    let Some(next_player) = setup.next_player else {
        errors.push(SetupError::NextPlayer);
        return Err(errors);
    };
    errors.extend(token_count(setup.rules, next_player, tokens.one.count(), tokens.two.count()));

    let (movers, others) = match next_player {
        Player::One => (tokens.one, tokens.two),
        Player::Two => (tokens.two, tokens.one),
    };
    let board = Board::with_tokens(setup.rules, movers | others, movers);
    match (has_line(movers, setup.rules), has_line(others, setup.rules)) {
        (true, true) => errors.push(SetupError::TwoWinners),
        (true, false) => errors.push(SetupError::ImpossibleWin(next_player)),
        (false, true) if stacked && !last_move_won(setup.rules, movers | others, others) => {
            errors.push(SetupError::ImpossibleWin(next_player.other()));
        }
        _ => {}
    }
    if errors.is_empty() { Ok(board) } else { Err(errors) }
}

/// Reads the characters of the board. What they say together is not looked at yet.
fn read<W: Word, S: AsRef<str>>(setup: &Setup<'_, S>) -> Result<Tokens<W>, Vec<SetupError>> {
    let rules = setup.rules;
    let (columns, rows) = (usize::from(rules.columns()), usize::from(rules.rows()));
    let mut errors = Vec::new();
    let mut tokens = Tokens { one: W::EMPTY, two: W::EMPTY };
    if setup.board.len() != rows {
        errors.push(SetupError::RowCount { wanted: rules.rows(), found: setup.board.len() });
    }
    // A board of many more rows than any game has is not looked at further.
    for (row, line) in setup.board.iter().take(Rules::MAX_ROWS as usize).enumerate() {
        let line = line.as_ref();
        if line.len() != columns {
            let found = line.chars().count();
            if found != columns {
                errors.push(SetupError::RowLength { row, wanted: rules.columns(), found });
                continue;
            }
        }
        for (column, found) in line.chars().enumerate() {
            if row >= rows {
                break;
            }
            let cell = W::cell(column as u32 * rules.stride() + (rows - 1 - row) as u32);
            match found {
                '.' => {}
                'X' => tokens.one = tokens.one | cell,
                'O' => tokens.two = tokens.two | cell,
                _ => errors.push(SetupError::UnknownToken { row, column, found }),
            }
        }
    }
    if errors.is_empty() { Ok(tokens) } else { Err(errors) }
}

/// Every token that lies over an empty cell, from the left and from the bottom.
fn floating<W: Word>(rules: Rules, tokens: W) -> Vec<SetupError> {
    let rows = u32::from(rules.rows());
    let mut errors = Vec::new();
    for column in 0..u32::from(rules.columns()) {
        for height in 1..rows {
            let cell = W::cell(column * rules.stride() + height);
            let below = W::cell(column * rules.stride() + height - 1);
            if !(tokens & cell).is_empty() && (tokens & below).is_empty() {
                let row = rows - 1 - height;
                errors.push(SetupError::Floating(Square { row, column }));
            }
        }
    }
    errors
}

/// Whether the numbers of tokens fit the player to move: equal when the first player is, one apart otherwise.
fn token_count(rules: Rules, next: Player, one: u32, two: u32) -> Option<SetupError> {
    let first = rules.first_player();
    let (fits, wanted) = match (first == next, first) {
        (true, _) => (one == two, "as many X as O"),
        (false, Player::One) => (one == two + 1, "one X more than O"),
        (false, Player::Two) => (two == one + 1, "one O more than X"),
    };
    (!fits).then_some(SetupError::TokenCount { one, two, first, next, wanted })
}

/// Whether one token on top of its column explains every line of the winner: without it there was none.
fn last_move_won<W: Word>(rules: Rules, tokens: W, winners: W) -> bool {
    (0..u32::from(rules.columns())).any(|column| {
        let stride = rules.stride();
        let top = (0..u32::from(rules.rows()))
            .rev()
            .map(|height| W::cell(column * stride + height))
            .find(|&cell| !(tokens & cell).is_empty());
        top.is_some_and(|top| !(winners & top).is_empty() && !has_line(winners & !top, rules))
    })
}
