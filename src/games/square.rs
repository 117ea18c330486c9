use std::fmt;

/// A square of a board. It may be off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    /// The row, from 0 at the top.
    pub row: u32,
    /// The column, from 0 at the left.
    pub column: u32,
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, column {}", self.row, self.column)
    }
}
