use super::{
    Position, Rules,
    bitboard::{Word, indexes},
    position::{Board, Words, build, has_line},
};
use crate::{Player, RuleBreach, Square};

/// A position as someone wrote it down. It may be nonsense: [`Position::try_from`] tells.
#[derive(Clone, Copy, Debug)]
pub struct Setup<R> {
    /// The rules it is played under.
    pub rules: Rules,
    /// The board, one text a row, the top row first: `X`, `O`, or `.` for an empty cell.
    pub board: R,
    /// The player to move. None if that cannot be told: everything else is still looked at, but there is no position.
    pub next_player: Option<Player>,
}

/// Rows of a board, each as the bytes of its text.
pub trait Rows: IntoIterator<Item: AsRef<[u8]>, IntoIter: ExactSizeIterator> {}
impl<R: IntoIterator<Item: AsRef<[u8]>, IntoIter: ExactSizeIterator>> Rows for R {}

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
    #[error(
        "{one} X and {two} O do not fit: {first} starts, so {turn}there must be {wanted}",
        turn = next.map(|next| format!("with {next} to move ")).unwrap_or_default(),
    )]
    TokenCount {
        /// Tokens of player one.
        one: u32,
        /// Tokens of player two.
        two: u32,
        /// Who starts.
        first: Player,
        /// Who is to move, if that is known.
        next: Option<Player>,
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

impl RuleBreach for SetupError {
    fn clause(&self) -> &'static str {
        match self {
            Self::NextPlayer
            | Self::RowCount { .. }
            | Self::RowLength { .. }
            | Self::UnknownToken { .. }
            | Self::TokenCount { .. } => "C4-1",
            Self::Floating(_) => "C4-2",
            Self::TwoWinners | Self::ImpossibleWin(_) => "C4-3",
        }
    }
}

impl<R: Rows> TryFrom<Setup<R>> for Position {
    type Error = Vec<SetupError>;

    /// The one door from a set-up to a position. Reports everything that is wrong.
    fn try_from(setup: Setup<R>) -> Result<Self, Vec<SetupError>> {
        let Setup { rules, board, next_player } = setup;
        Ok(Self(build!(rules, W => check::<W>(rules, board, next_player)?)))
    }
}

/// What lies on the board.
struct Tokens<W> {
    one: W,
    two: W,
    /// Cells with a character that is no token.
    unknown: W,
    /// The tokens of either player in the rows that were read last: a byte a column, eight columns a word, and a bit a row.
    stacks: [[u64; STACKS]; 2],
}

/// Words for the columns of the widest board.
const STACKS: usize = (Rules::MAX_COLUMNS / 8) as usize;

#[inline(always)]
fn check<W: Word>(
    rules: Rules,
    board: impl Rows,
    next_player: Option<Player>,
) -> Result<Board<W>, Vec<SetupError>> {
    let mut errors = Vec::new();
    let Some(Tokens { one, two, unknown, .. }) = read::<W>(rules, board, &mut errors) else {
        return Err(errors);
    };
    let stacked = note_floating(rules, one | two, unknown, &mut errors);
    let known = unknown.is_empty();
    if known {
        errors.extend(token_count(rules, next_player, one.count(), two.count()));
    }
    let (one_won, two_won) = (has_line(one, rules), has_line(two, rules));
    if one_won && two_won {
        errors.push(SetupError::TwoWinners);
    }
    let Some(next_player) = next_player else {
        errors.push(SetupError::NextPlayer);
        return Err(errors);
    };
    let (movers, movers_won, others, others_won) = match next_player {
        Player::One => (one, one_won, two, two_won),
        Player::Two => (two, two_won, one, one_won),
    };
    if movers_won && !others_won {
        errors.push(SetupError::ImpossibleWin(next_player));
    }
    if others_won && !movers_won && stacked && known && !last_move_won(rules, one | two, others) {
        errors.push(SetupError::ImpossibleWin(next_player.other()));
    }
    if errors.is_empty() { Ok(Board::with_tokens(rules, one | two, movers, others_won)) } else { Err(errors) }
}

/// Reads the characters of the board, if it has the size that the rules want.
#[inline(always)]
fn read<W: Word>(rules: Rules, board: impl Rows, errors: &mut Vec<SetupError>) -> Option<Tokens<W>> {
    let (columns, rows) = (usize::from(rules.columns()), usize::from(rules.rows()));
    let board = board.into_iter();
    let mut sized = board.len() == rows;
    if !sized {
        errors.push(SetupError::RowCount { wanted: rules.rows(), found: board.len() });
    }
    let mut tokens = Tokens { one: W::EMPTY, two: W::EMPTY, unknown: W::EMPTY, stacks: [[0; STACKS]; 2] };
    for (row, line) in board.take(rows).enumerate() {
        let (line, height) = (line.as_ref(), rows - 1 - row);
        if line.len() != columns || !tokens.read_row(height, line) {
            // Something is wrong with it, or it has letters of more than a byte, which is wrong too.
            let line = String::from_utf8_lossy(line);
            let found = line.chars().count();
            if found == columns {
                tokens.note_unknown(rules, row, &line, errors);
            } else {
                sized = false;
                errors.push(SetupError::RowLength { row, wanted: rules.columns(), found });
            }
        }
        if height % 8 == 0 {
            tokens.stack_up(rules, height);
        }
    }
    sized.then_some(tokens)
}

/// The highest bit of each of eight bytes.
const HIGHEST_BITS: u64 = 0x8080_8080_8080_8080;

/// The highest bit of each byte that is this letter: eight are looked at in a handful of instructions.
#[inline(always)]
const fn places_of(letter: u8, letters: u64) -> u64 {
    let differing = letters ^ u64::from_le_bytes([letter; 8]);
    // The sum carries into the highest bit of each byte that is not zero, and no further.
    let carried = (differing & !HIGHEST_BITS) + !HIGHEST_BITS;
    !(carried | differing) & HIGHEST_BITS
}

/// The cell of a row and a column of which both are on the board.
#[inline(always)]
fn cell<W: Word>(rules: Rules, row: usize, column: usize) -> W {
    // Fewer than 128 of either.
    W::cell(rules.index(Square { row: row as u32, column: column as u32 }))
}

impl<W: Word> Tokens<W> {
    /// Reads one row, which has as many bytes as there are columns. Tells whether each of them stands for a cell.
    #[inline(always)]
    fn read_row(&mut self, height: usize, line: &[u8]) -> bool {
        let mut is_known = true;
        for (index, letters) in line.chunks(8).enumerate() {
            let mut padded = [b'.'; 8];
            padded[..letters.len()].copy_from_slice(letters);
            let letters = u64::from_le_bytes(padded);
            let (one, two) = (places_of(b'X', letters), places_of(b'O', letters));
            is_known &= one | two | places_of(b'.', letters) == HIGHEST_BITS;
            self.stacks[0][index] |= one >> 7 << (height % 8);
            self.stacks[1][index] |= two >> 7 << (height % 8);
        }
        is_known
    }

    /// Adds the rows that were read last, of which the lowest has this height.
    #[inline(always)]
    fn stack_up(&mut self, rules: Rules, height: usize) {
        for column in 0..usize::from(rules.columns()) {
            let stack = |stacks: &[u64; STACKS]| {
                let cells = stacks[column / 8] >> (8 * (column % 8)) & 0xFF;
                // Neither is more than the bits of a board.
                W::from(cells as u8).moved_up(column as u32 * rules.stride() + height as u32)
            };
            self.one = self.one | stack(&self.stacks[0]);
            self.two = self.two | stack(&self.stacks[1]);
        }
        self.stacks = [[0; STACKS]; 2];
    }

    /// Reads one row anew, which has as many characters as there are columns, and notes those that stand for nothing.
    #[cold]
    fn note_unknown(&mut self, rules: Rules, row: usize, line: &str, errors: &mut Vec<SetupError>) {
        for (column, found) in line.chars().enumerate() {
            let cell = cell(rules, row, column);
            match found {
                '.' => {}
                'X' => self.one = self.one | cell,
                'O' => self.two = self.two | cell,
                _ => {
                    self.unknown = self.unknown | cell;
                    errors.push(SetupError::UnknownToken { row, column, found });
                }
            }
        }
    }
}

/// Notes every token that lies over an empty cell, from the left and from the bottom. Tells whether there is none.
fn note_floating<W: Word>(rules: Rules, tokens: W, unknown: W, errors: &mut Vec<SetupError>) -> bool {
    let floor = (0..u32::from(rules.columns()))
        .fold(W::EMPTY, |floor, column| floor | W::cell(column * rules.stride()));
    let supported = (tokens | unknown).moved_up(1) | floor;
    let floating = tokens & !supported;
    errors.extend(indexes(floating).map(|index| SetupError::Floating(rules.square(index))));
    floating.is_empty()
}

/// Whether the numbers of tokens fit the player to move: equal when the first player is, one apart otherwise.
/// If it is not known who is to move, either will do.
fn token_count(rules: Rules, next: Option<Player>, one: u32, two: u32) -> Option<SetupError> {
    let first = rules.first_player();
    let one_more = match first {
        Player::One => one == two + 1,
        Player::Two => two == one + 1,
    };
    let (fits, wanted) = match (next, first) {
        (None, Player::One) => (one == two || one_more, "as many X as O, or one X more"),
        (None, Player::Two) => (one == two || one_more, "as many X as O, or one O more"),
        (Some(next), _) if next == first => (one == two, "as many X as O"),
        (Some(_), Player::One) => (one_more, "one X more than O"),
        (Some(_), Player::Two) => (one_more, "one O more than X"),
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
        top.is_some_and(|top| !has_line(winners & !top, rules))
    })
}
