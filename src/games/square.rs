use std::fmt;

/// One square of a board: rows from the top, columns from the left, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    /// Row from the top, from 0.
    pub row: u32,
    /// Column from the left, from 0.
    pub column: u32,
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, column {}", self.row, self.column)
    }
}
