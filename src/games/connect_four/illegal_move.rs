use crate::RuleBreach;

/// Why a move is illegal (C4-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The game is won or drawn.
    #[error("the game is over")]
    GameOver,
    /// The column is not on the board.
    #[error("column {column}, counted from 0, is not on the board: the last one is {last}")]
    ColumnOutOfRange {
        /// The column of the move, from 0.
        column: i64,
        /// The last column of the board, from 0.
        last: u8,
    },
    /// The column has no free cell.
    #[error("column {column}, counted from 0, is full")]
    ColumnFull {
        /// The column of the move, from 0.
        column: u32,
    },
}

impl IllegalMove {
    /// The message with columns counted from 1, as in the text notation.
    pub fn in_notation(&self) -> String {
        match *self {
            Self::GameOver => self.to_string(),
            Self::ColumnOutOfRange { column, last } => {
                let (column, last) = (column.saturating_add(1), u32::from(last) + 1);
                format!("column {column} is not on the board: the last one is {last}")
            }
            Self::ColumnFull { column } => format!("column {} is full", column + 1),
        }
    }
}

impl RuleBreach for IllegalMove {
    fn clause(&self) -> &'static str {
        "C4-2"
    }
}
