use std::fmt;

use super::{Rule, Rules};
use crate::Player;

/// Whether a game is over, why, and who has won; or whose turn it is (TT-12, TT-13). Scores are those of player one and of
/// player two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The game goes on.
    InProgress {
        /// Whose turn it is.
        next: Player,
        /// The current scores.
        scores: [u32; 2],
        /// How many rounds before this one were drawn in a row.
        drawn_rounds: u16,
    },
    /// A player has the higher score.
    Won {
        /// Who.
        winner: Player,
        /// The scores.
        scores: [u32; 2],
    },
    /// The scores are equal.
    Draw {
        /// The scores.
        scores: [u32; 2],
    },
    /// The scores are equal, and another round follows.
    SuddenDeath {
        /// The scores.
        scores: [u32; 2],
        /// How many rounds were drawn, this one included.
        drawn_rounds: u16,
    },
    /// The scores are equal, and the limit of sudden death is reached.
    FinalDraw {
        /// The scores.
        scores: [u32; 2],
        /// How many rounds were drawn, this one included.
        drawn_rounds: u16,
    },
}

impl Outcome {
    /// The outcome of a round with these scores, which is over if nobody is next.
    pub(super) fn new(rules: Rules, scores: [u32; 2], next: Option<Player>, drawn_rounds: u16) -> Self {
        let [one, two] = scores;
        if let Some(next) = next {
            return Self::InProgress { next, scores, drawn_rounds };
        }
        if one != two {
            return Self::Won { winner: if one > two { Player::One } else { Player::Two }, scores };
        }
        if !rules.has(Rule::SuddenDeath) {
            return Self::Draw { scores };
        }
        let drawn_rounds = drawn_rounds + 1;
        if drawn_rounds < rules.sudden_death_limit() {
            Self::SuddenDeath { scores, drawn_rounds }
        } else {
            Self::FinalDraw { scores, drawn_rounds }
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::InProgress { .. } => Ok(()),
            Self::Won { winner, scores } => {
                let [of_winner, of_loser] = [winner, winner.other()].map(|player| scores[player as usize]);
                write!(f, "{winner} wins by {of_winner} to {of_loser}")
            }
            Self::Draw { scores: [one, two] } => write!(f, "{one} to {two}: a draw"),
            Self::SuddenDeath { scores: [one, two], drawn_rounds } => {
                let next = u32::from(drawn_rounds) + 1;
                write!(f, "{one} to {two}: sudden death goes on with round {next}")
            }
            Self::FinalDraw { scores: [one, two], drawn_rounds } => {
                let rounds = if drawn_rounds == 1 { "round" } else { "rounds" };
                write!(f, "{one} to {two}: a final draw after {drawn_rounds} drawn {rounds}")
            }
        }
    }
}
