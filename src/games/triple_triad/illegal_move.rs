use super::board::SQUARES;
use crate::{RuleBreach, Square};

/// Why a move is illegal (TT-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// Nine cards have been placed.
    #[error("the game is over: nine cards have been placed")]
    GameOver,
    /// No player has such a card.
    #[error("no card of this game has the id {0}")]
    UnknownCard(u32),
    /// The card has been placed already.
    #[error("card {0} lies on the board already")]
    CardOnBoard(u32),
    /// The card is the other player's.
    #[error("card {0} is in the other player's hand")]
    OthersCard(u32),
    /// The square is not on the board.
    #[error("{0} is not on the board: rows and columns are 0 to 2")]
    SquareOutOfRange(Square),
    /// A card lies there.
    #[error("a card lies on {0} already")]
    SquareOccupied(Square),
}

impl IllegalMove {
    /// The reason in words for someone who counts squares from 1 to 9, as the text notation does.
    pub fn counted_from_one(&self) -> String {
        let number = |square: Square| 3 * u64::from(square.row) + u64::from(square.column) + 1;
        match *self {
            Self::SquareOutOfRange(square) => {
                format!("square {} is not on the board: they are 1 to {SQUARES}", number(square))
            }
            Self::SquareOccupied(square) => format!("a card lies on square {} already", number(square)),
            _ => self.to_string(),
        }
    }
}

impl RuleBreach for IllegalMove {
    fn clause(&self) -> &'static str {
        "TT-3"
    }
}
