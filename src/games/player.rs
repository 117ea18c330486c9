use std::fmt;

/// One of the two players of a game for two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// The first player.
    One,
    /// The second player.
    Two,
}

impl Player {
    /// Both players, in order.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::One => Self::Two,
            Self::Two => Self::One,
        }
    }

    /// The letter of the player's tokens in Connect Four and cards in Triple Triad: `X` or `O`.
    pub const fn letter(self) -> char {
        match self {
            Self::One => 'X',
            Self::Two => 'O',
        }
    }

    /// The player with a letter.
    pub(crate) fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|player| player.letter() == letter)
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "player one",
            Self::Two => "player two",
        })
    }
}
