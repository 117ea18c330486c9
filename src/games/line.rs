use super::Square;

/// The direction of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Along a row.
    Horizontal,
    /// Along a column.
    Vertical,
    /// From top left to bottom right.
    DiagonalDown,
    /// From bottom left to top right.
    DiagonalUp,
}

impl Direction {
    /// All directions, in the order in which lines are reported (C4-3).
    pub const ALL: [Self; 4] = [Self::Horizontal, Self::Vertical, Self::DiagonalDown, Self::DiagonalUp];
}

/// A straight run of squares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its direction.
    pub direction: Direction,
    /// Its squares from left to right, or from top to bottom if it is vertical.
    pub squares: Vec<Square>,
}
