use std::fmt;

use crate::{Count, Player};

/// Whether a game is over, why, and who has won; or whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it has ended; none while it goes on.
    pub ending: Option<Ending>,
    /// Whose turn it is; none when the game is over.
    pub next_player: Option<Player>,
    /// The pieces of player one and of player two.
    pub pieces: [u32; 2],
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A player has too few pieces left, and the other has won (QR-5).
    Won {
        /// Who has won.
        winner: Player,
    },
    /// Neither player has a legal move: a draw (QR-6).
    Blocked,
    /// Too many moves in a row have captured nothing: a draw (QR-7).
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
