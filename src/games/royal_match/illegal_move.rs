use super::{Card, Player};
use crate::RuleBreach;

/// Why a move is illegal (RM-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// All cards have been played.
    #[error("the match is over: all cards have been played")]
    GameOver,
    /// The match has no such player.
    #[error("this match has {players} players: there is no {player}")]
    NoSuchPlayer {
        /// The player of the move.
        player: Player,
        /// The number of players in the match.
        players: usize,
    },
    /// The player has already played in this trick.
    #[error("{0} has already played in this trick")]
    AlreadyPlayed(Player),
    /// The player does not have the card.
    #[error("{card} is not in the hand of {player}")]
    CardNotInHand {
        /// The card.
        card: Card,
        /// The player of the move.
        player: Player,
    },
}

impl RuleBreach for IllegalMove {
    fn clause(&self) -> &'static str {
        "RM-7"
    }
}
