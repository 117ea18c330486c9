use std::fmt;

use super::{Rule, Rules};
use crate::{Count, Player};

/// The outcome of a game so far (TT-12, TT-13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the game ended; none while it is in progress.
    pub ending: Option<Ending>,
    /// The player to move; none after the end.
    pub next_player: Option<Player>,
    /// The scores of player one and player two.
    pub scores: [u32; 2],
    /// The number of drawn rounds in a row, including this one if it is drawn. 0 if sudden death is over or not played.
    pub drawn_rounds: u16,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A player has the higher score.
    Won {
        /// The winner.
        winner: Player,
    },
    /// The scores are equal.
    Draw,
    /// The scores are equal, and another round follows.
    SuddenDeath,
    /// The scores are equal, and the limit of sudden death is reached.
    FinalDraw,
}

impl Outcome {
    /// The outcome of a round with these scores. The round is over if there is no next player. `drawn_rounds` is the
    /// number of drawn rounds before it.
    pub(super) fn new(
        rules: Rules,
        scores: [u32; 2],
        next_player: Option<Player>,
        drawn_rounds: u16,
    ) -> Self {
        let [one, two] = scores;
        let (ending, drawn_rounds) = if next_player.is_some() {
            (None, drawn_rounds)
        } else if one != two {
            (Some(Ending::Won { winner: if one > two { Player::One } else { Player::Two } }), 0)
        } else if !rules.has(Rule::SuddenDeath) {
            (Some(Ending::Draw), 0)
        } else if drawn_rounds + 1 < rules.sudden_death_limit() {
            (Some(Ending::SuddenDeath), drawn_rounds + 1)
        } else {
            (Some(Ending::FinalDraw), drawn_rounds + 1)
        };
        Self { ending, next_player, scores, drawn_rounds }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { ending, scores: [one, two], drawn_rounds, .. } = self;
        match ending {
            None => Ok(()),
            Some(Ending::Won { winner }) => {
                write!(f, "{winner} wins by {} to {}", one.max(two), one.min(two))
            }
            Some(Ending::Draw) => write!(f, "{one} to {two}: a draw"),
            Some(Ending::SuddenDeath) => {
                let next = u32::from(drawn_rounds) + 1;
                write!(f, "{one} to {two}: sudden death continues with round {next}")
            }
            Some(Ending::FinalDraw) => {
                let rounds = Count(drawn_rounds, "drawn round");
                write!(f, "{one} to {two}: a final draw after {rounds}")
            }
        }
    }
}
