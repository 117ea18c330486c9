use std::fmt;

use super::Player;
use crate::Count;

/// The outcome of a match so far (RM-7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the match ended; none while it is in progress.
    pub ending: Option<Ending>,
    /// The players who have not played in the current trick; none after the end.
    pub next_players: Vec<Player>,
    /// The tricks of each player.
    pub tricks: Vec<u32>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// One player has the most tricks.
    Won {
        /// The winner.
        winner: Player,
    },
    /// Several players share the most tricks.
    Draw {
        /// These players.
        between: Vec<Player>,
    },
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.tricks.iter().max().copied().unwrap_or_default();
        match &self.ending {
            None => Ok(()),
            Some(Ending::Won { winner }) => {
                let all = Count(self.tricks.iter().sum::<u32>(), "trick");
                write!(f, "{winner} wins with {most} of {all}")
            }
            Some(Ending::Draw { between }) => {
                write!(f, "{} share the most tricks, {most} each: a draw", join(between))
            }
        }
    }
}

/// A list of players in a sentence: `player one, player two and player four`.
pub(super) fn join(players: &[Player]) -> String {
    let names: Vec<String> = players.iter().map(ToString::to_string).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
