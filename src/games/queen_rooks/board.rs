use super::Rules;
use crate::{Player, Square};

/// The maximum number of rows and columns.
const MAX_SIZE: usize = Rules::MAX_SIZE as usize;

/// A square of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub row: u8,
    pub column: u8,
}

impl From<Cell> for Square {
    fn from(cell: Cell) -> Self {
        Self { row: cell.row.into(), column: cell.column.into() }
    }
}

/// A piece and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A queen.
    Queen(Player),
    /// A rook.
    Rook(Player),
}

impl Piece {
    /// The owner.
    pub const fn owner(self) -> Player {
        match self {
            Self::Queen(player) | Self::Rook(player) => player,
        }
    }

    /// The letter of the piece.
    pub const fn letter(self) -> char {
        match self {
            Self::Queen(Player::One) => 'Q',
            Self::Rook(Player::One) => 'R',
            Self::Queen(Player::Two) => 'q',
            Self::Rook(Player::Two) => 'r',
        }
    }

    /// The piece with a letter.
    pub(super) const fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'Q' => Self::Queen(Player::One),
            'R' => Self::Rook(Player::One),
            'q' => Self::Queen(Player::Two),
            'r' => Self::Rook(Player::Two),
            _ => return None,
        })
    }
}

/// The pieces on a board. Each line is a word of bits, so that it is tested as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    size: u8,
    queens: [Cell; 2],
    /// The number of rooks of each player.
    rook_counts: [u16; 2],
    /// The rooks of each player by row, one bit per column.
    rooks: [[u32; MAX_SIZE]; 2],
    /// All pieces by row, one bit per column.
    rows: [u32; MAX_SIZE],
    /// All pieces by column, one bit per row.
    columns: [u32; MAX_SIZE],
}

impl Board {
    /// A board with two queens, which must be on different squares.
    pub fn new(size: u8, queens: [Cell; 2]) -> Self {
        let none = [0; MAX_SIZE];
        let mut board =
            Self { size, queens, rook_counts: [0; 2], rooks: [none; 2], rows: none, columns: none };
        for cell in queens {
            board.occupy(cell);
        }
        board
    }

    /// The board at the start (QR-2).
    pub fn start(size: u8) -> Self {
        let (half, last) = (size / 2, size - 1);
        let corners = [Cell { row: last, column: 0 }, Cell { row: 0, column: last }];
        let mut board = Self::new(size, corners);
        for row in 0..half {
            for column in 0..half {
                let one = Cell { row: last - row, column };
                let two = Cell { row, column: last - column };
                if (row, column) != (0, 0) {
                    board.add_rook(one, Player::One);
                    board.add_rook(two, Player::Two);
                }
            }
        }
        board
    }

    /// The number of rows and columns.
    pub fn size(&self) -> u8 {
        self.size
    }

    /// The cell of a square; none if it is not on the board.
    pub fn cell(&self, square: Square) -> Option<Cell> {
        let on_board = |number: u32| u8::try_from(number).ok().filter(|&number| number < self.size);
        Some(Cell { row: on_board(square.row)?, column: on_board(square.column)? })
    }

    /// Puts a rook on an empty cell.
    pub fn add_rook(&mut self, cell: Cell, player: Player) {
        self.rooks[player as usize][usize::from(cell.row)] |= 1 << cell.column;
        self.rook_counts[player as usize] += 1;
        self.occupy(cell);
    }

    /// Removes a rook.
    pub fn remove_rook(&mut self, cell: Cell, player: Player) {
        self.rooks[player as usize][usize::from(cell.row)] &= !(1 << cell.column);
        self.rook_counts[player as usize] -= 1;
        self.vacate(cell);
    }

    /// Moves a player's queen to an empty cell.
    pub fn move_queen(&mut self, player: Player, to: Cell) {
        self.vacate(self.queens[player as usize]);
        self.queens[player as usize] = to;
        self.occupy(to);
    }

    fn occupy(&mut self, cell: Cell) {
        self.rows[usize::from(cell.row)] |= 1 << cell.column;
        self.columns[usize::from(cell.column)] |= 1 << cell.row;
    }

    fn vacate(&mut self, cell: Cell) {
        self.rows[usize::from(cell.row)] &= !(1 << cell.column);
        self.columns[usize::from(cell.column)] &= !(1 << cell.row);
    }

    pub fn is_empty(&self, cell: Cell) -> bool {
        self.rows[usize::from(cell.row)] >> cell.column & 1 == 0
    }

    pub fn queen(&self, player: Player) -> Cell {
        self.queens[player as usize]
    }

    pub fn has_rook(&self, cell: Cell, player: Player) -> bool {
        self.rooks[player as usize][usize::from(cell.row)] >> cell.column & 1 != 0
    }

    /// The number of pieces of a player, including the queen.
    pub fn pieces(&self, player: Player) -> u32 {
        u32::from(self.rook_counts[player as usize]) + 1
    }

    pub fn piece(&self, cell: Cell) -> Option<Piece> {
        Player::ALL.into_iter().find_map(|player| {
            if self.queen(player) == cell {
                Some(Piece::Queen(player))
            } else {
                self.has_rook(cell, player).then_some(Piece::Rook(player))
            }
        })
    }

    /// The cells of a player's pieces, row by row.
    pub fn cells_of(&self, player: Player) -> impl Iterator<Item = Cell> {
        let queen = self.queen(player);
        (0..self.size).flat_map(move |row| {
            let mut columns = self.rooks[player as usize][usize::from(row)];
            if queen.row == row {
                columns |= 1 << queen.column;
            }
            bits(columns).map(move |column| Cell { row, column })
        })
    }

    /// Calls `visit` with each cell that a piece can move to, row by row (QR-3).
    pub fn destinations(&self, from: Cell, diagonally: bool, mut visit: impl FnMut(Cell)) {
        let Cell { row, column } = from;
        let (up, down) = self.reach(self.columns[usize::from(column)], row);
        let (left, right) = self.reach(self.rows[usize::from(row)], column);
        let mut diagonals = [[0; 2]; 2];
        if diagonally {
            for (vertical, steps) in [(-1, 0), (1, 1)] {
                diagonals[steps] = [-1, 1].map(|horizontal| self.free_diagonal(from, vertical, horizontal));
            }
        }
        // The up to three cells in another row, this many steps away.
        let in_row = |steps: u8, row: u8, straight: u8, [to_left, to_right]: [u8; 2]| {
            let to_left = (steps <= to_left).then(|| Cell { row, column: column - steps });
            let straight = (steps <= straight).then_some(Cell { row, column });
            let to_right = (steps <= to_right).then(|| Cell { row, column: column + steps });
            [to_left, straight, to_right].into_iter().flatten()
        };
        let furthest = |straight: u8, [to_left, to_right]: [u8; 2]| straight.max(to_left).max(to_right);
        let above = (1..=furthest(up, diagonals[0])).rev();
        let below = 1..=furthest(down, diagonals[1]);
        above.flat_map(|steps| in_row(steps, row - steps, up, diagonals[0])).for_each(&mut visit);
        let beside = (column - left..column).chain(column + 1..=column + right);
        beside.map(|column| Cell { row, column }).for_each(&mut visit);
        below.flat_map(|steps| in_row(steps, row + steps, down, diagonals[1])).for_each(&mut visit);
    }

    /// The numbers of empty cells directly before and after a place of a line.
    fn reach(&self, line: u32, place: u8) -> (u8, u8) {
        let before = line & ((1 << place) - 1);
        // Lines have at most 26 places.
        let free_before = (before.leading_zeros() as u8).saturating_sub(32 - place);
        let after = line >> place >> 1;
        let free_after = (after.trailing_zeros() as u8).min(self.size - 1 - place);
        (free_before, free_after)
    }

    fn free_diagonal(&self, from: Cell, vertical: i8, horizontal: i8) -> u8 {
        let next = |cell: Cell| {
            let row = cell.row.checked_add_signed(vertical).filter(|&row| row < self.size)?;
            let column = cell.column.checked_add_signed(horizontal).filter(|&column| column < self.size)?;
            Some(Cell { row, column }).filter(|&cell| self.is_empty(cell))
        };
        std::iter::successors(next(from), |&cell| next(cell)).map(|_| 1).sum()
    }

    /// Whether a player has a move: a piece with an empty cell next to it.
    pub fn can_move(&self, player: Player) -> bool {
        let full = (1_u32 << self.size) - 1;
        let empty = |row: Option<u8>| match row {
            Some(row) if row < self.size => full & !self.rows[usize::from(row)],
            _ => 0,
        };
        let queen = self.queen(player);
        (0..self.size).any(|row| {
            let (above, here, below) = (empty(row.checked_sub(1)), empty(Some(row)), empty(Some(row + 1)));
            let beside = |cells: u32| cells << 1 | cells >> 1;
            let straight = above | below | beside(here);
            let around = straight | beside(above) | beside(below);
            let rooks = self.rooks[player as usize][usize::from(row)];
            rooks & straight != 0 || (queen.row == row && around >> queen.column & 1 != 0)
        })
    }
}

/// The indexes of the bits that are set, in ascending order.
fn bits(mut word: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let first = (word != 0).then(|| word.trailing_zeros() as u8)?;
        word &= word - 1;
        Some(first)
    })
}
