use std::fmt;

use crate::{Direction, Line, Player};

/// Whether a game is over, why, and who has won; or whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The game goes on.
    InProgress {
        /// Whose turn it is.
        next: Player,
    },
    /// A player has a line (C4-3).
    Won {
        /// Who has won.
        winner: Player,
        /// Every direction that won, in the order of [`Direction::ALL`], each with its whole run.
        lines: Vec<Line>,
    },
    /// The board is full and nobody has a line (C4-4).
    Draw,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InProgress { .. } => Ok(()),
            Self::Won { winner, lines } => {
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
            Self::Draw => f.write_str("the board is full and nobody has a line: a draw"),
        }
    }
}
