use std::fmt;

use super::{Ending, notation::Named};
use crate::{RuleBreach, Square};

/// Why a move is illegal (QR-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMove {
    /// The game has been won or drawn.
    GameOver(Ending),
    /// The square that the move starts from is not on the board.
    FromOutOfRange {
        /// The square.
        square: Square,
        /// The last square of the board.
        last: Square,
    },
    /// The square that the move goes to is not on the board.
    ToOutOfRange {
        /// The square.
        square: Square,
        /// The last square of the board.
        last: Square,
    },
    /// Nothing stands there.
    NothingThere(Square),
    /// The piece is the other player's.
    OthersPiece(Square),
    /// A rook does not move that way.
    NotARookMove {
        /// Where the piece stands.
        from: Square,
        /// Where it is to go.
        to: Square,
    },
    /// A queen does not move that way.
    NotAQueenMove {
        /// Where the piece stands.
        from: Square,
        /// Where it is to go.
        to: Square,
    },
    /// Another piece is in the way.
    PathBlocked(Square),
    /// Another piece stands there.
    SquareOccupied(Square),
}

impl IllegalMove {
    /// The reason in words for someone who names squares by letter and number, as the text notation does.
    pub fn in_notation(&self) -> String {
        self.explain(Named)
    }

    /// The reason in words, with squares shown in some way.
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
