use std::fmt;

/// One of the players of a match, which has two to four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// The first player.
    One,
    /// The second player.
    Two,
    /// The third player.
    Three,
    /// The fourth player.
    Four,
}

impl Player {
    /// All players, in order.
    pub const ALL: [Self; 4] = [Self::One, Self::Two, Self::Three, Self::Four];

    /// The index of the player's seat, from 0.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The players of a match with this many.
    pub(super) fn first(count: usize) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().take(count)
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "player one",
            Self::Two => "player two",
            Self::Three => "player three",
            Self::Four => "player four",
        })
    }
}
