//! The tokens of a position as bitboards, and the fast path that reads them from rows of text.

use super::{
    Ending, Outcome, Rules,
    bitboard::{Word, indexes, runs},
};
use crate::{Direction, Line, Player, Square};

/// The tokens of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Board<W> {
    pub(super) rules: Rules,
    /// The number of empty cells.
    free: u8,
    /// Whether the player who moved last has a line.
    won: bool,
    tokens: W,
    /// The tokens of the player to move.
    movers: W,
}

impl<W: Word> Board<W> {
    pub(super) const fn empty(rules: Rules) -> Self {
        Self { rules, free: rules.cells(), won: false, tokens: W::EMPTY, movers: W::EMPTY }
    }

    /// Reads a board; none if it is not a position of a game.
    #[inline(always)]
    pub(super) fn read<S: AsRef<[u8]>>(rules: Rules, rows: &[S], next_player: Player) -> Option<Self> {
        let Tokens { one, two, .. } = Tokens::<W>::read(rules, rows)?;
        let (movers, others) = match next_player {
            Player::One => (one, two),
            Player::Two => (two, one),
        };
        let tokens = one | two;
        let lead = u32::from(next_player != rules.first_player());
        let won = has_line(others, rules);
        let is_valid = is_stacked(rules, tokens)
            && others.count() == movers.count() + lead
            && !has_line(movers, rules)
            && if won { last_move_won(rules, tokens, others) } else { has_last_token(tokens, others) };
        // A board has fewer than 128 cells.
        let free = rules.cells() - tokens.count() as u8;
        is_valid.then_some(Self { rules, free, won, tokens, movers })
    }

    #[inline(always)]
    pub(super) fn ply(&self) -> u8 {
        self.rules.cells() - self.free
    }

    #[inline(always)]
    pub(super) fn is_column_full(&self, column: u32) -> bool {
        !(self.tokens & top_cell(column, self.rules)).is_empty()
    }

    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.won || self.free == 0
    }

    #[inline(always)]
    pub(super) fn is_legal(&self, column: u32) -> bool {
        !self.won && column < self.rules.columns().into() && !self.is_column_full(column)
    }

    /// Drops a token and returns the index of its cell; none if the move is illegal. `rules` must be those of the board:
    /// they are a parameter so that they can be constants.
    #[inline(always)]
    pub(super) fn play(&mut self, column: u32, rules: Rules) -> Option<u32> {
        if self.won || column >= rules.columns().into() || !(self.tokens & top_cell(column, rules)).is_empty()
        {
            return None;
        }
        // The sum carries through the tokens of the column into its lowest free cell and changes no other column.
        let landing = self.tokens.plus(W::cell(column * rules.stride())) & !self.tokens;
        let mine = self.movers | landing;
        self.movers = self.movers ^ self.tokens;
        self.tokens = self.tokens | landing;
        self.free -= 1;
        self.won = has_line(mine, rules);
        Some(landing.first())
    }

    #[inline(always)]
    pub(super) fn next_player(&self) -> Player {
        let first = self.rules.first_player();
        if self.ply().is_multiple_of(2) { first } else { first.other() }
    }

    pub(super) fn tokens_of(&self, player: Player) -> W {
        if player == self.next_player() { self.movers } else { self.tokens ^ self.movers }
    }

    pub(super) fn token(&self, index: u32) -> Option<Player> {
        Player::ALL.into_iter().find(|&player| !(self.tokens_of(player) & W::cell(index)).is_empty())
    }

    pub(super) fn outcome(&self) -> Outcome {
        let ending = if self.won {
            let winner = self.next_player().other();
            Some(Ending::Won { winner, lines: self.lines(self.tokens ^ self.movers) })
        } else {
            self.is_over().then_some(Ending::Draw)
        };
        let next_player = ending.is_none().then(|| self.next_player());
        Outcome { ending, next_player }
    }

    /// The line in each direction that has one. A direction has at most one: all lines share the last token.
    fn lines(&self, cells: W) -> Vec<Line> {
        let length = u32::from(self.rules.line_length());
        Direction::ALL
            .into_iter()
            .filter_map(|direction| {
                let starts = line_starts(cells, direction, self.rules);
                if starts.is_empty() {
                    return None;
                }
                let step = step(direction, self.rules);
                let run = (0..length).fold(W::EMPTY, |run, n| run | starts.moved_up(n * step));
                let mut squares: Vec<_> = indexes(run).map(|index| self.rules.square(index)).collect();
                if direction == Direction::Vertical {
                    squares.reverse();
                }
                Some(Line { direction, squares })
            })
            .collect()
    }

    /// Calls `visit` with the square and the owner of each token. `rules` must be those of the board.
    #[inline(always)]
    pub(super) fn for_each_token(&self, rules: Rules, mut visit: impl FnMut(Square, Player)) {
        for player in Player::ALL {
            indexes(self.tokens_of(player)).for_each(|index| visit(rules.square(index), player));
        }
    }
}

/// The highest cell of a column.
#[inline(always)]
fn top_cell<W: Word>(column: u32, rules: Rules) -> W {
    W::cell(column * rules.stride() + u32::from(rules.rows()) - 1)
}

/// Whether a set of cells contains a line that wins.
#[inline(always)]
fn has_line<W: Word>(cells: W, rules: Rules) -> bool {
    Direction::ALL.into_iter().any(|direction| !line_starts(cells, direction, rules).is_empty())
}

/// The first cells of all lines in a direction.
#[inline(always)]
fn line_starts<W: Word>(cells: W, direction: Direction, rules: Rules) -> W {
    let length = rules.line_length();
    let fits = match direction {
        Direction::Horizontal => length <= rules.columns(),
        Direction::Vertical => length <= rules.rows(),
        Direction::DiagonalDown | Direction::DiagonalUp => length <= rules.columns().min(rules.rows()),
    };
    // A line that fits on the board fits into its word: no shift below is too far.
    if fits { runs(cells, step(direction, rules), length.into()) } else { W::EMPTY }
}

/// The distance from a cell to the next one of a line, which is to the right or above.
#[inline(always)]
fn step(direction: Direction, rules: Rules) -> u32 {
    let stride = rules.stride();
    match direction {
        Direction::Horizontal => stride,
        Direction::Vertical => 1,
        Direction::DiagonalDown => stride - 1,
        Direction::DiagonalUp => stride + 1,
    }
}

/// The tokens of each player, while they are read from rows of text.
struct Tokens<W> {
    one: W,
    two: W,
    /// The tokens of each player in up to eight rows, until [`Tokens::flush`] adds them to `one` and `two`: one byte per
    /// column, one bit per row, eight columns per word.
    pending: [[u64; COLUMN_WORDS]; 2],
}

/// Words for the columns of the widest board.
const COLUMN_WORDS: usize = (Rules::MAX_COLUMNS / 8) as usize;

/// The highest bit of each of eight bytes.
const HIGHEST_BITS: u64 = 0x8080_8080_8080_8080;

/// The highest bit of each byte that is this letter. Compares eight letters in a few instructions.
#[inline(always)]
const fn places_of(letter: u8, letters: u64) -> u64 {
    let differing = letters ^ u64::from_le_bytes([letter; 8]);
    // The sum carries into the highest bit of each byte that is not zero, and no further.
    let carried = (differing & !HIGHEST_BITS) + !HIGHEST_BITS;
    !(carried | differing) & HIGHEST_BITS
}

impl<W: Word> Tokens<W> {
    /// Reads the rows of a board; none if it has the wrong size or an unknown character.
    #[inline(always)]
    fn read<S: AsRef<[u8]>>(rules: Rules, board: &[S]) -> Option<Self> {
        let (columns, rows) = (usize::from(rules.columns()), usize::from(rules.rows()));
        if board.len() != rows {
            return None;
        }
        let mut tokens = Self { one: W::EMPTY, two: W::EMPTY, pending: [[0; COLUMN_WORDS]; 2] };
        for (row, line) in board.iter().take(rows).enumerate() {
            let (line, height) = (line.as_ref(), rows - 1 - row);
            if line.len() != columns || !tokens.read_row(height, line) {
                return None;
            }
            if height % 8 == 0 {
                tokens.flush(rules, height);
            }
        }
        Some(tokens)
    }

    /// Reads one row, which has one byte per column. Returns whether all of them are known.
    #[inline(always)]
    fn read_row(&mut self, height: usize, line: &[u8]) -> bool {
        let mut is_known = true;
        for (index, letters) in line.chunks(8).enumerate() {
            let mut padded = [b'.'; 8];
            padded[..letters.len()].copy_from_slice(letters);
            let letters = u64::from_le_bytes(padded);
            let (one, two) = (places_of(b'X', letters), places_of(b'O', letters));
            is_known &= one | two | places_of(b'.', letters) == HIGHEST_BITS;
            self.pending[0][index] |= one >> 7 << (height % 8);
            self.pending[1][index] |= two >> 7 << (height % 8);
        }
        is_known
    }

    /// Adds the pending rows to the boards. The lowest of them has this height.
    #[inline(always)]
    fn flush(&mut self, rules: Rules, height: usize) {
        for column in 0..usize::from(rules.columns()) {
            let stack = |pending: &[u64; COLUMN_WORDS]| {
                let cells = pending[column / 8] >> (8 * (column % 8)) & 0xFF;
                // Both numbers are below 128, the bits of the largest board.
                W::from(cells as u8).moved_up(column as u32 * rules.stride() + height as u32)
            };
            self.one = self.one | stack(&self.pending[0]);
            self.two = self.two | stack(&self.pending[1]);
        }
        self.pending = [[0; COLUMN_WORDS]; 2];
    }
}

/// Whether every token is on the ground or on another token.
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

/// Whether the player who moved last has a token on top of a column, or the board is empty.
#[inline(always)]
fn has_last_token<W: Word>(tokens: W, others: W) -> bool {
    tokens.is_empty() || !(top_tokens(tokens) & others).is_empty()
}

/// Whether all lines of the winner share a token that is on top of its column: the last move completed them.
fn last_move_won<W: Word>(rules: Rules, tokens: W, winners: W) -> bool {
    indexes(top_tokens(tokens) & winners).any(|top| !has_line(winners & !W::cell(top), rules))
}
