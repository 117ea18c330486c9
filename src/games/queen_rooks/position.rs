use super::{
    Diagram, Ending, Event, IllegalMove, Move, Outcome, Rules,
    board::{Board, Cell, Piece},
    capture::captures,
};
use crate::{Player, Square};

/// A position of a game. It is always valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub(super) rules: Rules,
    pub(super) board: Board,
    pub(super) next_player: Player,
    /// The number of moves in a row without a capture.
    pub(super) quiet_moves: u32,
}

impl Position {
    /// The start of a game (QR-2).
    pub fn start(rules: Rules) -> Self {
        Self { rules, board: Board::start(rules.size()), next_player: Player::One, quiet_moves: 0 }
    }

    /// The board.
    pub fn diagram(&self) -> Diagram {
        let &Self { rules, board, next_player, quiet_moves } = self;
        Diagram { rules, board, next_player: Some(next_player), quiet_moves }
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The player to move; after the end, the player who would be next.
    pub fn next_player(&self) -> Player {
        self.next_player
    }

    /// The number of moves in a row without a capture.
    pub fn quiet_moves(&self) -> u32 {
        self.quiet_moves
    }

    /// The number of pieces of a player, including the queen.
    pub fn pieces(&self, player: Player) -> u32 {
        self.board.pieces(player)
    }

    /// The outcome of the game so far.
    pub fn outcome(&self) -> Outcome {
        let ending = self.ending();
        Outcome {
            ending,
            next_player: ending.is_none().then_some(self.next_player),
            pieces: Player::ALL.map(|player| self.pieces(player)),
        }
    }

    /// How the game ended, if it is over (QR-5, QR-6, QR-7).
    fn ending(&self) -> Option<Ending> {
        let limit = self.rules.quiet_move_limit();
        if let Some(loser) = Player::ALL.into_iter().find(|&player| has_lost(&self.board, player)) {
            Some(Ending::Won { winner: loser.other() })
        } else if !self.board.can_move(self.next_player) && !self.board.can_move(self.next_player.other()) {
            Some(Ending::Blocked)
        } else if limit > 0 && self.quiet_moves >= limit {
            Some(Ending::QuietMoveLimit)
        } else {
            None
        }
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.ending().is_some()
    }

    /// Every legal move: pieces row by row, each with its destinations row by row.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        if !self.is_over() {
            for from in self.board.cells_of(self.next_player) {
                let queen = self.board.queen(self.next_player) == from;
                self.board.destinations(from, queen, |to| {
                    moves.push(Move { from: from.into(), to: to.into() });
                });
            }
        }
        moves
    }

    /// Every reason why a move is illegal; none if it is legal.
    pub fn why_illegal(&self, mv: &Move) -> Vec<IllegalMove> {
        let mut reasons = Vec::new();
        reasons.extend(self.ending().map(IllegalMove::GameOver));
        let last = u32::from(self.rules.size()) - 1;
        let last = Square { row: last, column: last };
        let (from, to) = (self.board.cell(mv.from), self.board.cell(mv.to));
        let piece = from.and_then(|from| self.board.piece(from));
        if from.is_none() {
            reasons.push(IllegalMove::FromOutOfRange { square: mv.from, last });
        } else {
            match piece {
                None => reasons.push(IllegalMove::NothingThere(mv.from)),
                Some(piece) if piece.owner() != self.next_player => {
                    reasons.push(IllegalMove::OthersPiece(mv.from));
                }
                Some(_) => {}
            }
        }
        let Some(to) = to else {
            reasons.push(IllegalMove::ToOutOfRange { square: mv.to, last });
            return reasons;
        };
        if let Some((from, piece)) = from.zip(piece) {
            match (path(from, to), piece) {
                (Some(Path { diagonal: true, .. }) | None, Piece::Rook(_)) => {
                    reasons.push(IllegalMove::NotARookMove { from: mv.from, to: mv.to });
                }
                (None, Piece::Queen(_)) => {
                    reasons.push(IllegalMove::NotAQueenMove { from: mv.from, to: mv.to });
                }
                (Some(path), _) => {
                    let blocking = path.between(from).find(|&cell| !self.board.is_empty(cell));
                    reasons.extend(blocking.map(|cell| IllegalMove::PathBlocked(cell.into())));
                }
            }
        }
        if !self.board.is_empty(to) && mv.from != mv.to {
            reasons.push(IllegalMove::SquareOccupied(mv.to));
        }
        reasons
    }

    /// Makes a move and returns its effects, in order.
    ///
    /// # Errors
    ///
    /// The reasons of [`Position::why_illegal`]. An illegal move changes nothing.
    pub fn play(&mut self, mv: &Move) -> Result<Vec<Event>, Vec<IllegalMove>> {
        let reasons = self.why_illegal(mv);
        let (Some(from), Some(to), true) =
            (self.board.cell(mv.from), self.board.cell(mv.to), reasons.is_empty())
        else {
            return Err(reasons);
        };
        Ok(self.make(from, to))
    }

    /// Makes a legal move.
    fn make(&mut self, from: Cell, to: Cell) -> Vec<Event> {
        let player = self.next_player;
        let is_queen = self.board.queen(player) == from;
        let piece = if is_queen { Piece::Queen(player) } else { Piece::Rook(player) };
        let mut events = vec![Event::Moved { player, from: from.into(), to: to.into(), piece }];
        let mut captured = 0;
        if is_queen {
            self.board.move_queen(player, to);
        } else {
            self.board.remove_rook(from, player);
            self.board.add_rook(to, player);
            for (cell, capture) in captures(&self.board, to, player) {
                self.board.remove_rook(cell, player.other());
                events.push(Event::Captured(capture));
                captured += 1;
            }
        }
        self.quiet_moves = if captured > 0 { 0 } else { (self.quiet_moves + 1).min(Rules::MAX_QUIET_MOVES) };
        self.next_player = player.other();
        if !self.is_over() && !self.board.can_move(self.next_player) {
            events.push(Event::Passed { player: self.next_player });
            self.next_player = player;
        }
        events
    }
}

/// Whether a player has lost (QR-5).
pub(super) fn has_lost(board: &Board, player: Player) -> bool {
    board.pieces(player) <= 2
}

/// A straight path from one cell to another.
#[derive(Clone, Copy)]
struct Path {
    vertical: i8,
    horizontal: i8,
    steps: u8,
    diagonal: bool,
}

/// The straight path between two cells, if there is one.
fn path(from: Cell, to: Cell) -> Option<Path> {
    let (rows, columns) = (from.row.abs_diff(to.row), from.column.abs_diff(to.column));
    let steps = rows.max(columns);
    let straight = rows == 0 || columns == 0;
    let direction = |from: u8, to: u8| match to.cmp(&from) {
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    };
    (steps > 0 && (straight || rows == columns)).then(|| Path {
        vertical: direction(from.row, to.row),
        horizontal: direction(from.column, to.column),
        steps,
        diagonal: !straight,
    })
}

impl Path {
    /// The cells between the ends.
    fn between(self, from: Cell) -> impl Iterator<Item = Cell> {
        let Self { vertical, horizontal, steps, .. } = self;
        // Boards have at most 26 rows and columns.
        (1..steps.cast_signed()).map(move |step| Cell {
            row: from.row.wrapping_add_signed(vertical * step),
            column: from.column.wrapping_add_signed(horizontal * step),
        })
    }
}
