use super::{Event, IllegalMove, Move, Outcome, Rules, board::Board};
use crate::{Player, Square};

/// A position of a game. It is always valid: tokens lie on tokens, their numbers fit the player to move, and at most one
/// player has a line, completed by the last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position(pub(super) Words);

/// The board in a word of the size that it needs. Boards up to 64 bits use one machine word. The default board has a
/// variant for which the compiler generates code with constant sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Words {
    Default(Board<u64>),
    Narrow(Board<u64>),
    Wide(Board<u128>),
}

/// Evaluates an expression with the board of any variant.
macro_rules! with_board {
    ($position:expr, $board:ident => $value:expr) => {
        match &$position.0 {
            Words::Default($board) | Words::Narrow($board) => $value,
            Words::Wide($board) => $value,
        }
    };
}

/// Builds a board in the word that the rules need. In the default variant the sizes in the rules are constants.
macro_rules! build {
    ($rules:ident, $word:ident => $board:expr) => {
        if $rules.has_default_sizes() {
            type $word = u64;
            let $rules = Rules::DEFAULT.starting_with($rules.first_player());
            Words::Default($board)
        } else if $rules.bits() <= u64::BITS {
            type $word = u64;
            Words::Narrow($board)
        } else {
            type $word = u128;
            Words::Wide($board)
        }
    };
}

impl Position {
    /// The empty board.
    pub fn start(rules: Rules) -> Self {
        Self(build!(rules, W => Board::<W>::empty(rules)))
    }

    /// Reads a board, one text per row, the top row first; none if it is not a position of a game.
    #[inline(always)]
    pub(super) fn read<S: AsRef<[u8]>>(rules: Rules, board: &[S], next_player: Player) -> Option<Self> {
        Some(Self(build!(rules, W => Board::<W>::read(rules, board, next_player)?)))
    }

    /// The rules.
    #[inline]
    pub fn rules(&self) -> Rules {
        with_board!(self, board => board.rules)
    }

    /// The number of tokens on the board.
    #[inline]
    pub fn ply(&self) -> u32 {
        with_board!(self, board => board.ply().into())
    }

    /// The player to move; after the end, the player who would be next.
    #[inline]
    pub fn next_player(&self) -> Player {
        with_board!(self, board => board.next_player())
    }

    /// The owner of the token on a cell; none if the cell is empty or not on the board.
    pub fn token(&self, square: Square) -> Option<Player> {
        let rules = self.rules();
        if square.row >= rules.rows().into() || square.column >= rules.columns().into() {
            return None;
        }
        with_board!(self, board => board.token(rules.index(square)))
    }

    /// The legal columns, in ascending order (C4-5).
    pub fn legal_columns(&self) -> impl Iterator<Item = u8> + use<> {
        let position = *self;
        (0..self.rules().columns()).filter(move |&column| position.is_legal(column.into()))
    }

    /// Whether a token can be dropped into a column, from 0.
    #[inline]
    pub fn is_legal(&self, column: u32) -> bool {
        with_board!(self, board => board.is_legal(column))
    }

    /// Every reason why a move is illegal (C4-2); none if it is legal.
    pub fn why_illegal(&self, &Move { column }: &Move) -> Vec<IllegalMove> {
        let mut reasons = Vec::new();
        let rules = self.rules();
        if self.is_over() {
            reasons.push(IllegalMove::GameOver);
        }
        match u32::try_from(column).ok().filter(|&column| column < rules.columns().into()) {
            None => reasons.push(IllegalMove::ColumnOutOfRange { column, last: rules.columns() - 1 }),
            Some(column) if with_board!(self, board => board.is_column_full(column)) => {
                reasons.push(IllegalMove::ColumnFull { column });
            }
            Some(_) => {}
        }
        reasons
    }

    /// Drops a token. Returns the column and what happened; none, without a change, if the move is illegal.
    #[inline]
    pub fn play(&mut self, &Move { column }: &Move) -> Option<(u8, Event)> {
        let player = self.next_player();
        let column = u32::try_from(column).ok()?;
        let index = self.drop_into(column)?;
        let square = self.rules().square(index);
        // A legal column is one of at most 64.
        Some((column as u8, Event::Dropped { player, square }))
    }

    /// Drops a token into a column, without its square: all that a search needs. Returns false, without a change, if the
    /// move is illegal.
    #[inline]
    pub fn drop_token(&mut self, column: u32) -> bool {
        self.drop_into(column).is_some()
    }

    /// Drops a token and returns the index of its cell.
    #[inline(always)]
    fn drop_into(&mut self, column: u32) -> Option<u32> {
        match &mut self.0 {
            Words::Default(board) => board.play(column, Rules::DEFAULT),
            Words::Narrow(board) => board.play(column, board.rules),
            Words::Wide(board) => board.play(column, board.rules),
        }
    }

    /// Whether the game is won or drawn.
    #[inline]
    pub fn is_over(&self) -> bool {
        with_board!(self, board => board.is_over())
    }

    /// The outcome of the game so far (C4-3, C4-4).
    pub fn outcome(&self) -> Outcome {
        with_board!(self, board => board.outcome())
    }

    /// The board, one string per row, the top row first: `X`, `O`, or `.` for an empty cell.
    pub fn rows(&self) -> Vec<String> {
        let rules = self.rules();
        let mut rows = vec![vec!['.'; rules.columns().into()]; rules.rows().into()];
        self.for_each_token(|Square { row, column }, player| {
            rows[row as usize][column as usize] = player.letter();
        });
        rows.into_iter().map(String::from_iter).collect()
    }

    /// The cells with a player's tokens, as the bits of a number. Bit `column × (rows + 1) + height` is the cell that many rows
    /// above the lowest one.
    pub fn tokens_of(&self, player: Player) -> u128 {
        match &self.0 {
            Words::Default(board) | Words::Narrow(board) => board.tokens_of(player).into(),
            Words::Wide(board) => board.tokens_of(player),
        }
    }

    /// Calls `visit` with the square and the owner of each token.
    pub fn for_each_token(&self, visit: impl FnMut(Square, Player)) {
        match &self.0 {
            Words::Default(board) => board.for_each_token(Rules::DEFAULT, visit),
            Words::Narrow(board) => board.for_each_token(board.rules, visit),
            Words::Wide(board) => board.for_each_token(board.rules, visit),
        }
    }
}
