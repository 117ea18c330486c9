use std::fmt;

use crate::{Direction, Line, Player};

/// The outcome of a game so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the game ended; none while it is in progress.
    pub ending: Option<Ending>,
    /// The player to move; none after the end.
    pub next_player: Option<Player>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A player has a line (C4-3).
    Won {
        /// The winner.
        winner: Player,
        /// The whole run in each direction that won, in the order of [`Direction::ALL`].
        lines: Vec<Line>,
    },
    /// The board is full and no player has a line (C4-4).
    Draw,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.ending {
            None => Ok(()),
            Some(Ending::Won { winner, lines }) => {
                write!(f, "{winner} wins with ")?;
                for (index, Line { direction, squares }) in lines.iter().enumerate() {
                    let separator = match index {
                        0 => "",
                        _ if index + 1 == lines.len() => " and ",
                        _ => ", ",
                    };
                    let direction = match direction {
                        Direction::Horizontal => "horizontal",
                        Direction::Vertical => "vertical",
                        Direction::DiagonalDown | Direction::DiagonalUp => "diagonal",
                    };
                    write!(f, "{separator}a {direction} line of {} tokens", squares.len())?;
                }
                Ok(())
            }
            Some(Ending::Draw) => f.write_str("the board is full and nobody has a line: a draw"),
        }
    }
}
