use super::notation::Named;
use crate::games::{RuleBreach, Square};

/// Why a move is illegal (QR-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The game has been won or drawn.
    #[error("the game is over")]
    GameOver,
    /// The square that the move starts from is not on the board.
    #[error("{square} is not on the board: rows and columns are 0 to {last}")]
    FromOutOfRange {
        /// The square.
        square: Square,
        /// The last row and column of the board.
        last: u8,
    },
    /// The square that the move goes to is not on the board.
    #[error("{square} is not on the board: rows and columns are 0 to {last}")]
    ToOutOfRange {
        /// The square.
        square: Square,
        /// The last row and column of the board.
        last: u8,
    },
    /// Nothing stands there.
    #[error("no piece stands on {0}")]
    NothingThere(Square),
    /// The piece is the other player's.
    #[error("the piece on {0} is the other player's")]
    OthersPiece(Square),
    /// A rook does not move that way.
    #[error("a rook goes along a row or a column, at least one square: {to} is not on one with {from}")]
    NotARookMove {
        /// Where the piece stands.
        from: Square,
        /// Where it is to go.
        to: Square,
    },
    /// A queen does not move that way.
    #[error(
        "a queen goes along a row, a column or a diagonal, at least one square: {to} is not on one with {from}"
    )]
    NotAQueenMove {
        /// Where the piece stands.
        from: Square,
        /// Where it is to go.
        to: Square,
    },
    /// Another piece is in the way.
    #[error("a piece on {0} is in the way")]
    PathBlocked(Square),
    /// Another piece stands there.
    #[error("a piece stands on {0} already")]
    SquareOccupied(Square),
}

impl IllegalMove {
    /// The reason in words for someone who names squares by letter and number, as the text notation does.
    pub fn in_letters(&self) -> String {
        match *self {
            Self::GameOver => self.to_string(),
            Self::FromOutOfRange { square, last } | Self::ToOutOfRange { square, last } => {
                let corner = Square { row: last.into(), column: last.into() };
                format!("{} is not on the board: the last square is {}", Named(square), Named(corner))
            }
            Self::NothingThere(square) => format!("no piece stands on {}", Named(square)),
            Self::OthersPiece(square) => format!("the piece on {} is the other player's", Named(square)),
            Self::NotARookMove { from, to } => format!(
                "a rook goes along a row or a column, at least one square: {} is not on one with {}",
                Named(to),
                Named(from),
            ),
            Self::NotAQueenMove { from, to } => format!(
                "a queen goes along a row, a column or a diagonal, at least one square: {} is not on one with {}",
                Named(to),
                Named(from),
            ),
            Self::PathBlocked(square) => format!("a piece on {} is in the way", Named(square)),
            Self::SquareOccupied(square) => format!("a piece stands on {} already", Named(square)),
        }
    }
}

impl RuleBreach for IllegalMove {
    fn clause(&self) -> &'static str {
        match self {
            Self::GameOver => "QR-5",
            _ => "QR-3",
        }
    }
}
