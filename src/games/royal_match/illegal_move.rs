use super::{Card, Seat};
use crate::RuleBreach;

/// Why a card cannot be played (RM-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// All cards have been played.
    #[error("the match is over: all cards have been played")]
    GameOver,
    /// The match has no such player.
    #[error("this match has {players} players: there is no {seat}")]
    NoSuchPlayer {
        /// Who is to play.
        seat: Seat,
        /// How many players there are.
        players: usize,
    },
    /// The player has played in this trick.
    #[error("{0} has played in this trick already")]
    AlreadyPlayed(Seat),
    /// The player does not have the card.
    #[error("{card} is not in the hand of {seat}")]
    CardNotInHand {
        /// Who is to play.
        seat: Seat,
        /// The card.
        card: Card,
    },
}

impl RuleBreach for IllegalMove {
    fn clause(&self) -> &'static str {
        "RM-7"
    }
}
