use super::{
    PartialRules, Position, Rules,
    bitboard::{Word, indexes},
    position::{Board, Words, build, has_line},
};
use crate::{Player, RuleBreach, Square};

/// A position as it was written. It may be invalid: [`Position::try_from`] says so, and why.
///
/// Rules that are not complete, or no player to move, make no position, but everything else is still checked.
#[derive(Clone, Copy, Debug)]
pub struct Setup<R> {
    /// The rules it is played under, as far as they are valid.
    pub rules: PartialRules,
    /// The board, one text per row, the top row first: `X`, `O`, or `.` for an empty cell.
    pub board: R,
    /// The player to move, if known.
    pub next_player: Option<Player>,
}

/// Rows of a board, each as the bytes of its text.
pub trait Rows: IntoIterator<Item: AsRef<[u8]>, IntoIter: ExactSizeIterator> + Copy {}
impl<R: IntoIterator<Item: AsRef<[u8]>, IntoIter: ExactSizeIterator> + Copy> Rows for R {}

/// What is wrong with a set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The rules are not complete.
    #[error("the rules are invalid")]
    Rules,
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
        "{one} X and {two} O do not fit: {start}{turn}there must be {wanted}",
        start = first.map(|first| format!("{first} starts, so ")).unwrap_or_default(),
        turn = next.map(|next| format!("with {next} to move ")).unwrap_or_default(),
    )]
    TokenCount {
        /// Tokens of player one.
        one: usize,
        /// Tokens of player two.
        two: usize,
        /// Who starts, if that is known.
        first: Option<Player>,
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
    /// No token on top of a column is of the player who moved last (C4-2).
    #[error("{0} has moved last, but no token on top of a column is theirs")]
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

impl<R: Rows> TryFrom<Setup<R>> for Position {
    type Error = Vec<SetupError>;

    /// Makes a position of a set-up, or reports everything that is wrong with it.
    fn try_from(setup: Setup<R>) -> Result<Self, Vec<SetupError>> {
        setup.position().ok_or_else(|| setup.violations())
    }
}

impl<R: Rows> Setup<R> {
    /// The position, or none if anything is wrong: [`Position::try_from`] also says what.
    ///
    /// This is the fast path. It refuses exactly the set-ups that have [`Setup::violations`].
    #[inline]
    pub fn position(self) -> Option<Position> {
        let rules = self.rules.complete()?;
        let next_player = self.next_player?;
        Some(Position(build!(rules, W => read::<W>(rules, self.board, next_player)?)))
    }
}

/// The tokens of either player.
struct Tokens<W> {
    one: W,
    two: W,
    /// The tokens of either player in the rows that were read last: one byte per column, eight columns per word, and one
    /// bit per row.
    stacks: [[u64; STACKS]; 2],
}

/// Words for the columns of the widest board.
const STACKS: usize = (Rules::MAX_COLUMNS / 8) as usize;

/// Reads a board that a game can be in.
#[inline(always)]
fn read<W: Word>(rules: Rules, board: impl Rows, next_player: Player) -> Option<Board<W>> {
    let Tokens { one, two, .. } = Tokens::<W>::read(rules, board)?;
    let (movers, others) = match next_player {
        Player::One => (one, two),
        Player::Two => (two, one),
    };
    let tokens = one | two;
    let lead = u32::from(next_player != rules.first_player());
    let others_won = has_line(others, rules);
    let is_valid = is_stacked(rules, tokens)
        && others.count() == movers.count() + lead
        && !has_line(movers, rules)
        && if others_won { last_move_won(rules, tokens, others) } else { has_last_token(tokens, others) };
    is_valid.then(|| Board::with_tokens(rules, tokens, movers, others_won))
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

impl<W: Word> Tokens<W> {
    /// Reads the characters of a board, if it has the size that the rules want and each character is a cell.
    #[inline(always)]
    fn read(rules: Rules, board: impl Rows) -> Option<Self> {
        let (columns, rows) = (usize::from(rules.columns()), usize::from(rules.rows()));
        let board = board.into_iter();
        if board.len() != rows {
            return None;
        }
        let mut tokens = Self { one: W::EMPTY, two: W::EMPTY, stacks: [[0; STACKS]; 2] };
        for (row, line) in board.take(rows).enumerate() {
            let (line, height) = (line.as_ref(), rows - 1 - row);
            if line.len() != columns || !tokens.read_row(height, line) {
                return None;
            }
            if height % 8 == 0 {
                tokens.stack_up(rules, height);
            }
        }
        Some(tokens)
    }

    /// Reads one row, which has as many bytes as there are columns. Returns whether each of them is a cell.
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
}

/// Whether every token lies on another or on the ground.
#[inline(always)]
fn is_stacked<W: Word>(rules: Rules, tokens: W) -> bool {
    let ground = (0..u32::from(rules.columns()))
        .fold(W::EMPTY, |ground, column| ground | W::cell(column * rules.stride()));
    (tokens & !(tokens.moved_up(1) | ground)).is_empty()
}

/// The tokens on top of their columns. The bit above the highest cell of a column is empty.
#[inline(always)]
fn top_tokens<W: Word>(tokens: W) -> W {
    tokens & !tokens.moved_down(1)
}

/// Whether a token of the player who moved last is on top of a column, or nobody has moved.
#[inline(always)]
fn has_last_token<W: Word>(tokens: W, others: W) -> bool {
    tokens.is_empty() || !(top_tokens(tokens) & others).is_empty()
}

/// Whether one token on top of its column is part of every line of the winner: without it there was none.
fn last_move_won<W: Word>(rules: Rules, tokens: W, winners: W) -> bool {
    indexes(top_tokens(tokens) & winners).any(|top| !has_line(winners & !W::cell(top), rules))
}
