//! What a rook takes when it has moved (QR-4).

use std::fmt;

use super::{
    board::{Board, Cell, Piece},
    notation::Named,
};
use crate::{Player, Square};

/// A captured rook, with its explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The square of the captured rook.
    pub square: Square,
    /// The square of the rook that takes it.
    pub rook: Square,
    /// The square of that rook's queen.
    pub queen: Square,
    /// The two other corners of their rectangle with the pieces on them before the capture. The one in the row of the
    /// rook is first.
    pub corners: [(Square, Option<Piece>); 2],
}

impl fmt::Display for Capture {
    /// For players, such as `the rook on e5 and the queen on a8 take the rook on a5; the other corner, e8, is empty`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { square, rook, queen, corners } = *self;
        let (rook, queen, taken) = (Named(rook), Named(queen), Named(square));
        write!(
            f,
            "the rook on {rook} and the queen on {queen} take the rook on {taken}; the other corner, "
        )?;
        let [first, second] = corners;
        let (other, piece) = if first.0 == square { second } else { first };
        let owns = match piece {
            None => return write!(f, "{}, is empty", Named(other)),
            Some(Piece::Queen(player)) => ("the queen", player),
            Some(Piece::Rook(player)) => ("a rook", player),
        };
        write!(f, "{}, holds {} of {}", Named(other), owns.0, owns.1)
    }
}

/// The rooks that a player's rook takes on its cell.
pub(super) fn captures(
    board: &Board,
    rook: Cell,
    player: Player,
) -> impl Iterator<Item = (Cell, Capture)> + use<> {
    let queen = board.queen(player);
    let aligned = rook.row == queen.row || rook.column == queen.column;
    let cells = [Cell { row: rook.row, column: queen.column }, Cell { row: queen.row, column: rook.column }];
    let corners = cells.map(|cell| (Square::from(cell), board.piece(cell)));
    cells
        .into_iter()
        .zip(corners)
        .filter(move |(_, (_, piece))| !aligned && *piece == Some(Piece::Rook(player.other())))
        .map(move |(cell, (square, _))| {
            (cell, Capture { square, rook: rook.into(), queen: queen.into(), corners })
        })
}
