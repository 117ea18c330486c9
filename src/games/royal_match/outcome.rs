use std::fmt;

use super::Seat;

/// Whether a match is over, why, and who has won; or whose turn it is (RM-7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it has ended; none while it goes on.
    pub ending: Option<Ending>,
    /// The players who have not played in the current trick; none when the match is over.
    pub next: Vec<Seat>,
    /// The tricks of each player.
    pub tricks: Vec<u32>,
}

/// How a match has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A player has more tricks than any other.
    Won {
        /// Who.
        winner: Seat,
    },
    /// Several players have the most tricks.
    Draw {
        /// Who.
        between: Vec<Seat>,
    },
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.tricks.iter().max().copied().unwrap_or_default();
        match &self.ending {
            None => Ok(()),
            Some(Ending::Won { winner }) => {
                write!(f, "{winner} wins with {most} of {} tricks", self.tricks.iter().sum::<u32>())
            }
            Some(Ending::Draw { between }) => {
                write!(f, "{} share the most tricks, {most} each: a draw", join(between))
            }
        }
    }
}

/// Players as in a sentence: `player one, player two and player four`.
pub(super) fn join(seats: &[Seat]) -> String {
    let names: Vec<String> = seats.iter().map(ToString::to_string).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
