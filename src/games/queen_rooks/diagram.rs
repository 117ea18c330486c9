use super::{
    Capture, Rules,
    board::{Board, Cell, Piece},
    capture::captures,
};
use crate::{Player, Square};

/// A board with one queen per player. It need not be a position of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagram {
    pub(super) rules: Rules,
    pub(super) board: Board,
    pub(super) next_player: Option<Player>,
    pub(super) quiet_moves: u32,
}

impl Diagram {
    /// The rules that apply.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The player to move, if known.
    pub fn next_player(&self) -> Option<Player> {
        self.next_player
    }

    /// The number of moves in a row without a capture.
    pub fn quiet_moves(&self) -> u32 {
        self.quiet_moves
    }

    /// The board, one string per row, the top row first: `Q`, `R`, `q`, `r`, or `.` for an empty square.
    pub fn rows(&self) -> Vec<String> {
        let size = self.board.size();
        let letter = |row, column| self.board.piece(Cell { row, column }).map_or('.', Piece::letter);
        (0..size).map(|row| (0..size).map(|column| letter(row, column)).collect()).collect()
    }

    /// Calls `visit` with each piece and its square.
    pub fn for_each_piece(&self, mut visit: impl FnMut(Square, Piece)) {
        for player in Player::ALL {
            let queen = self.board.queen(player);
            for cell in self.board.cells_of(player) {
                let piece = if cell == queen { Piece::Queen(player) } else { Piece::Rook(player) };
                visit(cell.into(), piece);
            }
        }
    }

    /// The piece on a square; none if the square is empty or not on the board.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.board.cell(square).and_then(|cell| self.board.piece(cell))
    }

    /// Captures what the piece on a square takes, as if it had just moved there. A queen takes nothing.
    pub fn resolve(&mut self, arrived_at: Square) -> Vec<Capture> {
        let mut taken = Vec::new();
        if let Some(cell) = self.board.cell(arrived_at)
            && let Some(Piece::Rook(player)) = self.board.piece(cell)
        {
            for (cell, capture) in captures(&self.board, cell, player) {
                self.board.remove_rook(cell, player.other());
                self.quiet_moves = 0;
                taken.push(capture);
            }
        }
        taken
    }
}

/// A board on which a piece has just arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    diagram: Diagram,
    square: Square,
}

impl Arrival {
    /// The arrival of the piece on a square; none if there is no piece.
    pub fn new(diagram: Diagram, square: Square) -> Option<Self> {
        diagram.piece(square).map(|_| Self { diagram, square })
    }

    /// The board.
    pub fn diagram(&self) -> &Diagram {
        &self.diagram
    }

    /// What the piece captures, and the board after it.
    pub(super) fn resolve(mut self) -> (Vec<Capture>, Self) {
        (self.diagram.resolve(self.square), self)
    }
}
