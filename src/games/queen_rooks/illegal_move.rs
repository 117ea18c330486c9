use std::fmt;

use super::{Ending, notation::Named};
use crate::{RuleBreach, Square};

/// Why a move is illegal (QR-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMove {
    /// The game is won or drawn.
    GameOver(Ending),
    /// The start square is not on the board.
    FromOutOfRange {
        /// The square.
        square: Square,
        /// The last square of the board.
        last: Square,
    },
    /// The destination is not on the board.
    ToOutOfRange {
        /// The square.
        square: Square,
        /// The last square of the board.
        last: Square,
    },
    /// The start square is empty.
    NothingThere(Square),
    /// The piece belongs to the other player.
    OthersPiece(Square),
    /// A rook cannot move in this way.
    NotARookMove {
        /// The start square.
        from: Square,
        /// The destination.
        to: Square,
    },
    /// A queen cannot move in this way.
    NotAQueenMove {
        /// The start square.
        from: Square,
        /// The destination.
        to: Square,
    },
    /// Another piece is in the way.
    PathBlocked(Square),
    /// The destination is occupied.
    SquareOccupied(Square),
}

impl IllegalMove {
    /// The message with squares as letter and number, as in the text notation.
    pub fn in_notation(&self) -> String {
        self.explain(Named)
    }

    /// The message, with squares written by `show`.
    fn explain<S: fmt::Display>(&self, show: impl Fn(Square) -> S) -> String {
        match *self {
            Self::GameOver(_) => "the game is over".to_owned(),
            Self::FromOutOfRange { square, last } | Self::ToOutOfRange { square, last } => {
                format!("{} is not on the board: the last square is {}", show(square), show(last))
            }
            Self::NothingThere(square) => format!("there is no piece on {}", show(square)),
            Self::OthersPiece(square) => format!("the piece on {} belongs to the other player", show(square)),
            Self::NotARookMove { from, to } => {
                format!("a rook moves along a row or a column: {} and {} share neither", show(from), show(to))
            }
            Self::NotAQueenMove { from, to } => format!(
                "a queen moves along a row, a column or a diagonal: {} and {} share none",
                show(from),
                show(to),
            ),
            Self::PathBlocked(square) => format!("a piece on {} is in the way", show(square)),
            Self::SquareOccupied(square) => format!("{} is already occupied", show(square)),
        }
    }
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.explain(|square| square))
    }
}

impl RuleBreach for IllegalMove {
    fn clause(&self) -> &'static str {
        match self {
            Self::GameOver(Ending::Won { .. }) => "QR-5",
            Self::GameOver(Ending::Blocked) => "QR-6",
            Self::GameOver(Ending::QuietMoveLimit) => "QR-7",
            _ => "QR-3",
        }
    }
}
