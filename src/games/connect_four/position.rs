use std::fmt;

use super::{
    Dropped, IllegalMove, Move, Outcome, Rules,
    bitboard::{Word, indexes, runs},
};
use crate::{Direction, Line, Player, Square};

/// A position that a game can be in: tokens lie on tokens, their numbers fit the player to move,
/// and at most one player has a line, completed by the last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position(pub(super) Words);

/// The word that a board needs: most sizes fit into 64 bits. The board everyone plays on has a case, and so a copy
/// of the code, of its own, in which all sizes are constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Words {
    Usual(Board<u64>),
    Narrow(Board<u64>),
    Wide(Board<u128>),
}

/// The tokens of a position, as bitboards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Board<W> {
    rules: Rules,
    /// How many cells are empty.
    free: u8,
    /// Whether the player who moved last has a line.
    won: bool,
    /// All tokens.
    tokens: W,
    /// The tokens of the player to move.
    movers: W,
}

/// Asks the board of either width.
macro_rules! ask {
    ($position:expr, $board:ident => $answer:expr) => {
        match &$position.0 {
            Words::Usual($board) | Words::Narrow($board) => $answer,
            Words::Wide($board) => $answer,
        }
    };
}

/// Makes a board of the width that the rules need. For the usual board the rules have sizes that are constants.
macro_rules! build {
    ($rules:ident, $word:ident => $board:expr) => {
        if $rules.has_default_sizes() {
            type $word = u64;
            let $rules = Rules::DEFAULT.starting_with($rules.first_player());
            Words::Usual($board)
        } else if $rules.bits() <= u64::BITS {
            type $word = u64;
            Words::Narrow($board)
        } else {
            type $word = u128;
            Words::Wide($board)
        }
    };
}
pub(super) use build;

impl Position {
    /// The empty board.
    pub fn start(rules: Rules) -> Self {
        Self(build!(rules, W => Board::<W>::empty(rules)))
    }

    /// The rules it is played under.
    #[inline]
    pub fn rules(&self) -> Rules {
        ask!(self, board => board.rules)
    }

    /// How many tokens lie on the board.
    #[inline]
    pub fn ply(&self) -> u32 {
        ask!(self, board => board.ply().into())
    }

    /// The player to move; when the game is over, the one who would have been.
    #[inline]
    pub fn next_player(&self) -> Player {
        ask!(self, board => board.next_player())
    }

    /// Whose token lies on a cell. None if the cell is empty or not on the board.
    pub fn token(&self, square: Square) -> Option<Player> {
        let rules = self.rules();
        if square.row >= rules.rows().into() || square.column >= rules.columns().into() {
            return None;
        }
        ask!(self, board => board.token(rules.index(square)))
    }

    /// The columns that can be played, in ascending order (C4-5).
    pub fn legal_columns(&self) -> impl Iterator<Item = u8> + use<> {
        let position = *self;
        (0..self.rules().columns()).filter(move |&column| position.is_legal(column.into()))
    }

    /// Whether a token can be dropped into a column, from 0.
    #[inline]
    pub fn is_legal(&self, column: u32) -> bool {
        ask!(self, board => board.is_legal(column))
    }

    /// Every reason why a move is illegal (C4-2).
    pub fn why_illegal(&self, Move { column }: Move) -> Vec<IllegalMove> {
        let mut reasons = Vec::new();
        let rules = self.rules();
        if ask!(self, board => board.won || board.is_full()) {
            reasons.push(IllegalMove::GameOver);
        }
        match u32::try_from(column).ok().filter(|&column| column < rules.columns().into()) {
            None => reasons.push(IllegalMove::ColumnOutOfRange { column, last: rules.columns() - 1 }),
            Some(column) if ask!(self, board => board.is_column_full(column)) => {
                reasons.push(IllegalMove::ColumnFull { column });
            }
            Some(_) => {}
        }
        reasons
    }

    /// Drops a token: which column that is, and where the token lies now. None, and no change, if it is illegal.
    #[inline]
    pub fn play(&mut self, Move { column }: Move) -> Option<(u8, Dropped)> {
        let player = self.next_player();
        let column = u32::try_from(column).ok()?;
        let index = self.drop_into(column)?;
        let square = self.rules().square(index);
        // A legal column is one of at most 64.
        Some((column as u8, Dropped { player, square }))
    }

    /// Drops a token into a column and forgets where it fell: all that a search needs. False, and no change,
    /// if it is illegal.
    #[inline]
    pub fn drop_token(&mut self, column: u32) -> bool {
        self.drop_into(column).is_some()
    }

    /// Drops a token and tells the index of its cell.
    #[inline(always)]
    fn drop_into(&mut self, column: u32) -> Option<u32> {
        match &mut self.0 {
            Words::Usual(board) => board.play(column, Rules::DEFAULT),
            Words::Narrow(board) => board.play(column, board.rules),
            Words::Wide(board) => board.play(column, board.rules),
        }
    }

    /// Whether the game has been won or drawn.
    #[inline]
    pub fn is_over(&self) -> bool {
        ask!(self, board => board.won || board.is_full())
    }

    /// Where the game stands (C4-3, C4-4).
    pub fn outcome(&self) -> Outcome {
        ask!(self, board => board.outcome())
    }

    /// The board, one string a row, the top row first: `X`, `O`, or `.` for an empty cell.
    pub fn rows(&self) -> Vec<String> {
        let rules = self.rules();
        let mut rows = vec![vec!['.'; rules.columns().into()]; rules.rows().into()];
        self.for_each_token(|Square { row, column }, player| {
            rows[row as usize][column as usize] = letter(player);
        });
        rows.into_iter().map(String::from_iter).collect()
    }

    /// Tells where each token lies, and whose it is.
    pub fn for_each_token(&self, tell: impl FnMut(Square, Player)) {
        match &self.0 {
            Words::Usual(board) => board.for_each_token(Rules::DEFAULT, tell),
            Words::Narrow(board) => board.for_each_token(board.rules, tell),
            Words::Wide(board) => board.for_each_token(board.rules, tell),
        }
    }
}

/// The letter of a player's tokens.
pub const fn letter(player: Player) -> char {
    match player {
        Player::One => 'X',
        Player::Two => 'O',
    }
}

impl<W: Word> Board<W> {
    const fn empty(rules: Rules) -> Self {
        Self { rules, free: rules.cells(), won: false, tokens: W::EMPTY, movers: W::EMPTY }
    }

    /// A board with these tokens on it, and whether the player who moved last has a line.
    /// The caller vouches that it is one a game can be in.
    pub(super) fn with_tokens(rules: Rules, tokens: W, movers: W, won: bool) -> Self {
        // A board has fewer than 128 cells.
        let free = rules.cells() - tokens.count() as u8;
        Self { rules, free, won, tokens, movers }
    }

    #[inline(always)]
    fn ply(&self) -> u8 {
        self.rules.cells() - self.free
    }

    #[inline(always)]
    fn is_column_full(&self, column: u32) -> bool {
        !(self.tokens & top_cell(column, self.rules)).is_empty()
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.free == 0
    }

    #[inline(always)]
    fn is_legal(&self, column: u32) -> bool {
        !self.won && column < self.rules.columns().into() && !self.is_column_full(column)
    }

    /// Drops a token and tells the index of its cell. The rules are those of the board, given as constants or not.
    #[inline(always)]
    fn play(&mut self, column: u32, rules: Rules) -> Option<u32> {
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
    fn next_player(&self) -> Player {
        let first = self.rules.first_player();
        if self.ply().is_multiple_of(2) { first } else { first.other() }
    }

    /// The tokens of one player.
    fn tokens_of(&self, player: Player) -> W {
        if player == self.next_player() { self.movers } else { self.tokens ^ self.movers }
    }

    fn token(&self, index: u32) -> Option<Player> {
        Player::ALL.into_iter().find(|&player| !(self.tokens_of(player) & W::cell(index)).is_empty())
    }

    fn outcome(&self) -> Outcome {
        if self.won {
            Outcome::Won { winner: self.next_player().other(), lines: self.lines(self.tokens ^ self.movers) }
        } else if self.is_full() {
            Outcome::Draw
        } else {
            Outcome::InProgress { next: self.next_player() }
        }
    }

    /// The line of each direction that has one. There is at most one: all lines share the last token.
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

    /// Tells where each token lies. The rules are those of the board, given as constants or not.
    #[inline(always)]
    fn for_each_token(&self, rules: Rules, mut tell: impl FnMut(Square, Player)) {
        for player in Player::ALL {
            indexes(self.tokens_of(player)).for_each(|index| tell(rules.square(index), player));
        }
    }
}

/// The highest cell of a column.
#[inline(always)]
fn top_cell<W: Word>(column: u32, rules: Rules) -> W {
    W::cell(column * rules.stride() + u32::from(rules.rows()) - 1)
}

/// Whether a set of cells holds a line that wins.
#[inline(always)]
pub(super) fn has_line<W: Word>(cells: W, rules: Rules) -> bool {
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

/// How far apart two neighbours of a line are; the second is the one to the right, or above.
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

impl fmt::Display for Position {
    /// The console board of the seed (C4-6).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.rows() {
            f.write_str("|")?;
            for token in row.chars() {
                write!(f, "{}|", if token == '.' { ' ' } else { token })?;
            }
            f.write_str("\n")?;
        }
        writeln!(f, "{}", "-".repeat(usize::from(self.rules().columns()) * 2 + 1))
    }
}
