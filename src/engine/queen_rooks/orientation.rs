use arbiter_games::{
    Player, Square,
    queen_rooks::{Move, Position},
};

use super::position::{Cell, Step};

/// From which side a search sees the board. The player to move is always player one in the corner at the bottom left, so that a
/// position and its mirror image have the same analysis.
#[derive(Clone, Copy)]
pub(super) struct Orientation {
    is_rotated: bool,
    /// The last row, and the last column.
    last: u8,
}

impl From<&Position> for Orientation {
    fn from(position: &Position) -> Self {
        Self { is_rotated: position.next_player() == Player::Two, last: position.rules().size() - 1 }
    }
}

impl Orientation {
    /// The player as the search sees it.
    pub fn player(self, player: Player) -> Player {
        if self.is_rotated { player.other() } else { player }
    }

    /// The cell of a square of the board.
    pub fn cell(self, square: Square) -> Cell {
        // Boards have at most 26 rows and columns.
        self.rotated(Cell { row: square.row as u8, column: square.column as u8 })
    }

    pub fn step(self, mv: Move) -> Step {
        Step { from: self.cell(mv.from), to: self.cell(mv.to) }
    }

    pub fn mv(self, step: Step) -> Move {
        let square = |cell| {
            let Cell { row, column } = self.rotated(cell);
            Square { row: row.into(), column: column.into() }
        };
        Move { from: square(step.from), to: square(step.to) }
    }

    /// Every legal move, in the order in which the player sees the board.
    pub fn legal_moves(self, position: &Position) -> Vec<Move> {
        let mut moves = position.legal_moves();
        if self.is_rotated {
            moves.reverse();
        }
        moves
    }

    fn rotated(self, Cell { row, column }: Cell) -> Cell {
        if self.is_rotated {
            Cell { row: self.last - row, column: self.last - column }
        } else {
            Cell { row, column }
        }
    }
}
