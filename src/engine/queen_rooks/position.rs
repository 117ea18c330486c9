use arbiter_games::{
    Player,
    queen_rooks::{Piece, Position, Rules},
};

use super::{keys, orientation::Orientation};

/// The maximum number of rows and columns.
pub(super) const MAX_SIZE: usize = Rules::MAX_SIZE as usize;

/// A square of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub row: u8,
    pub column: u8,
}

impl Cell {
    /// The same on boards of every size.
    pub fn index(self) -> usize {
        usize::from(self.row) * MAX_SIZE + usize::from(self.column)
    }
}

/// A piece moved to another square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub from: Cell,
    pub to: Cell,
}

/// A position that makes and takes back moves, and keeps its key. Rooks are also kept by column, so that those in the
/// column of a queen are a word.
#[derive(Clone, Debug)]
pub(super) struct SearchPosition {
    pub size: u8,
    /// The player to move.
    pub player: Player,
    pub queens: [Cell; 2],
    /// The number of pieces of each player, including the queen.
    pub pieces: [u32; 2],
    /// The rooks of each player by row, one bit per column.
    pub rook_rows: [[u32; MAX_SIZE]; 2],
    /// The rooks of each player by column, one bit per row.
    pub rook_columns: [[u32; MAX_SIZE]; 2],
    /// All pieces by row, one bit per column.
    pub rows: [u32; MAX_SIZE],
    /// All pieces by column, one bit per row.
    pub columns: [u32; MAX_SIZE],
    quiet_moves: u32,
    /// 0 if there is none (QR-7).
    quiet_move_limit: u32,
    /// The key of the pieces.
    key: u64,
}

/// What takes back a move.
pub(super) struct Undo {
    step: Step,
    /// The player who made it.
    pub player: Player,
    captured: [Option<Cell>; 2],
    quiet_moves: u32,
}

impl SearchPosition {
    pub fn new(position: &Position, orientation: Orientation) -> Self {
        let none = [0; MAX_SIZE];
        let mut result = Self {
            size: position.rules().size(),
            player: orientation.player(position.next_player()),
            queens: [Cell { row: 0, column: 0 }; 2],
            pieces: Player::ALL.map(|player| position.pieces(orientation.player(player))),
            rook_rows: [none; 2],
            rook_columns: [none; 2],
            rows: none,
            columns: none,
            quiet_moves: position.quiet_moves(),
            quiet_move_limit: position.rules().quiet_move_limit(),
            key: 0,
        };
        position.diagram().for_each_piece(|square, piece| {
            let (cell, player) = (orientation.cell(square), orientation.player(piece.owner()));
            match piece {
                Piece::Queen(_) => {
                    result.queens[player as usize] = cell;
                    result.toggle_queen(cell, player);
                }
                Piece::Rook(_) => result.toggle_rook(cell, player),
            }
        });
        result
    }

    /// How many quiet moves end the game; none if there is no limit.
    pub fn quiet_moves_left(&self) -> Option<u32> {
        (self.quiet_move_limit > 0).then(|| self.quiet_move_limit.saturating_sub(self.quiet_moves))
    }

    /// Whether a move without a capture ends the game (QR-7).
    pub fn is_last_quiet_move(&self) -> bool {
        self.quiet_moves_left() == Some(1)
    }

    /// The number of captures with which the player to move wins (QR-5).
    pub fn captures_to_win(&self) -> u32 {
        self.pieces[self.player.other() as usize] - 2
    }

    /// The key of all that decides how the game goes on within this number of plies.
    pub fn key(&self, plies: u32) -> u64 {
        let quiet = self.quiet_moves_left().filter(|&left| left <= plies);
        self.key ^ keys::player(self.player) ^ quiet.map_or(0, keys::quiet_moves_left)
    }

    /// The opposing rooks in the column of a player's queen, one bit per row, and those in its row, one bit per column. A rook that
    /// moves to such a row or column takes one, unless it moves to the line of the queen (QR-4).
    #[inline(always)]
    pub fn targets(&self, player: Player) -> [u32; 2] {
        let (queen, opponent) = (self.queens[player as usize], player.other() as usize);
        [
            self.rook_columns[opponent][usize::from(queen.column)],
            self.rook_rows[opponent][usize::from(queen.row)],
        ]
    }

    /// Makes a legal move (QR-4, QR-6, QR-7).
    pub fn make(&mut self, step: Step) -> Undo {
        let (player, opponent) = (self.player, self.player.other());
        let mut undo = Undo { step, player, captured: [None; 2], quiet_moves: self.quiet_moves };
        let queen = self.queens[player as usize];
        if queen == step.from {
            self.move_queen(step, player);
        } else {
            self.toggle_rook(step.from, player);
            self.toggle_rook(step.to, player);
            undo.captured = self.captured(step.to, queen);
            for cell in undo.captured.into_iter().flatten() {
                self.toggle_rook(cell, opponent);
                self.pieces[opponent as usize] -= 1;
            }
        }
        self.quiet_moves = if undo.captured == [None; 2] { self.quiet_moves + 1 } else { 0 };
        if self.can_move(opponent) {
            self.player = opponent;
        }
        undo
    }

    /// Takes back the last move.
    pub fn unmake(&mut self, undo: &Undo) {
        let (Step { from, to }, player) = (undo.step, undo.player);
        if self.queens[player as usize] == to {
            self.move_queen(Step { from: to, to: from }, player);
        } else {
            self.toggle_rook(from, player);
            self.toggle_rook(to, player);
            for cell in undo.captured.into_iter().flatten() {
                self.toggle_rook(cell, player.other());
                self.pieces[player.other() as usize] += 1;
            }
        }
        self.quiet_moves = undo.quiet_moves;
        self.player = player;
    }

    /// The rooks that a rook of the player to move takes on its cell.
    fn captured(&self, rook: Cell, queen: Cell) -> [Option<Cell>; 2] {
        if rook.row == queen.row || rook.column == queen.column {
            return [None; 2];
        }
        let [in_column, in_row] = self.targets(self.player);
        let first = Cell { row: rook.row, column: queen.column };
        let second = Cell { row: queen.row, column: rook.column };
        [
            (in_column >> rook.row & 1 != 0).then_some(first),
            (in_row >> rook.column & 1 != 0).then_some(second),
        ]
    }

    fn move_queen(&mut self, step: Step, player: Player) {
        self.toggle_queen(step.from, player);
        self.toggle_queen(step.to, player);
        self.queens[player as usize] = step.to;
    }

    fn toggle_queen(&mut self, cell: Cell, player: Player) {
        self.rows[usize::from(cell.row)] ^= 1 << cell.column;
        self.columns[usize::from(cell.column)] ^= 1 << cell.row;
        self.key ^= keys::queen(player, cell);
    }

    fn toggle_rook(&mut self, cell: Cell, player: Player) {
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        self.rook_rows[player as usize][row] ^= 1 << cell.column;
        self.rook_columns[player as usize][column] ^= 1 << cell.row;
        self.rows[row] ^= 1 << cell.column;
        self.columns[column] ^= 1 << cell.row;
        self.key ^= keys::rook(player, cell);
    }

    /// The number of a player's rooks that can move.
    pub fn mobile_rooks(&self, player: Player) -> u32 {
        (0..usize::from(self.size)).map(|row| self.mobile_rooks_in(row, player).count_ones()).sum()
    }

    /// Whether a player has a move: a piece with an empty cell next to it.
    fn can_move(&self, player: Player) -> bool {
        (0..usize::from(self.size)).any(|row| self.mobile_rooks_in(row, player) != 0)
            || self.can_move_queen(self.queens[player as usize])
    }

    /// The rooks in a row with an empty cell next to them, one bit per column.
    #[inline(always)]
    fn mobile_rooks_in(&self, row: usize, player: Player) -> u32 {
        let (above, below) = (self.empty(row.wrapping_sub(1)), self.empty(row + 1));
        self.rook_rows[player as usize][row] & (above | below | beside(self.empty(row)))
    }

    fn can_move_queen(&self, queen: Cell) -> bool {
        let row = usize::from(queen.row);
        let (above, below) = (self.empty(row.wrapping_sub(1)), self.empty(row + 1));
        let around = above | below | beside(above | below | self.empty(row));
        around >> queen.column & 1 != 0
    }

    /// The empty cells of a row, one bit per column. There are none in a row off the board, such as that above the first one.
    #[inline(always)]
    fn empty(&self, row: usize) -> u32 {
        let size = usize::from(self.size);
        if row < size { ((1 << size) - 1) & !self.rows[row] } else { 0 }
    }
}

/// The cells to the left and right of cells.
fn beside(cells: u32) -> u32 {
    cells << 1 | cells >> 1
}
