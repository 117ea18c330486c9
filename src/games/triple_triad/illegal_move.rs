use super::{
    Move,
    board::{SQUARE_COUNT, index_of},
};
use crate::{Player, RuleBreach, Square};

/// Why a move is illegal (TT-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// Nine cards have been placed.
    #[error("the game is over: nine cards have been placed")]
    GameOver,
    /// The player does not have the card. If hands are hidden, this covers cards of the other player and cards that do not
    /// exist (TT-15).
    #[error("card {card} is not in the hand of {player}")]
    CardNotInHand {
        /// The id of the card.
        card: u32,
        /// The player to move.
        player: Player,
    },
    /// The game has no such card. Only reported if hands are open.
    #[error("no card of this game has the id {0}")]
    UnknownCard(u32),
    /// The card is already on the board.
    #[error("card {0} is already on the board")]
    CardOnBoard(u32),
    /// The card belongs to the other player. Only reported if hands are open.
    #[error("card {0} is in the other player's hand")]
    OthersCard(u32),
    /// The square is not on the board.
    #[error("{0} is not on the board: rows and columns are 0 to 2")]
    SquareOutOfRange(Square),
    /// The square is occupied.
    #[error("{0} is already occupied")]
    SquareOccupied(Square),
}

impl IllegalMove {
    /// Every reason why a move is illegal, given what is wrong with its card.
    pub(super) fn all(
        mv: &Move,
        is_over: bool,
        card: Option<Self>,
        is_free: impl Fn(usize) -> bool,
    ) -> Vec<Self> {
        let mut reasons = Vec::new();
        if is_over {
            reasons.push(Self::GameOver);
        }
        reasons.extend(card);
        match index_of(mv.square) {
            None => reasons.push(Self::SquareOutOfRange(mv.square)),
            Some(square) if !is_free(square) => reasons.push(Self::SquareOccupied(mv.square)),
            Some(_) => {}
        }
        reasons
    }

    /// The message with squares counted from 1 to 9, as in the text notation.
    pub fn in_notation(&self) -> String {
        // The notation reads square 0 as the maximum.
        let index = |square: Square| square.row.wrapping_mul(3).wrapping_add(square.column);
        let number = |square| index(square).wrapping_add(1);
        match *self {
            Self::SquareOutOfRange(square) => {
                format!("square {} is not on the board: they are 1 to {SQUARE_COUNT}", number(square))
            }
            Self::SquareOccupied(square) => format!("square {} is already occupied", number(square)),
            _ => self.to_string(),
        }
    }
}

impl RuleBreach for IllegalMove {
    fn clause(&self) -> &'static str {
        "TT-3"
    }
}
