use std::fmt;

use crate::{Count, Player};

/// The outcome of a game so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the game ended; none while it is in progress.
    pub ending: Option<Ending>,
    /// The player to move; none after the end.
    pub next_player: Option<Player>,
    /// The numbers of pieces of player one and player two.
    pub pieces: [u32; 2],
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The loser has too few pieces left (QR-5).
    Won {
        /// The winner.
        winner: Player,
    },
    /// Neither player has a legal move: a draw (QR-6).
    Blocked,
    /// The limit of moves without a capture is reached: a draw (QR-7).
    QuietMoveLimit,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ending {
            None => Ok(()),
            Some(Ending::Won { winner }) => {
                let loser = winner.other();
                let left = Count(self.pieces[loser as usize], "piece");
                write!(f, "{winner} wins: {loser} has {left} left")
            }
            Some(Ending::Blocked) => f.write_str("neither player has a legal move: a draw"),
            Some(Ending::QuietMoveLimit) => {
                f.write_str("the limit of moves without a capture is reached: a draw")
            }
        }
    }
}
