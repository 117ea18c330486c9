/// The games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameId {
    /// Connect Four.
    ConnectFour,
    /// Triple Triad.
    TripleTriad,
    /// Queen and rooks.
    QueenRooks,
    /// RoyalMatch.
    RoyalMatch,
}

impl GameId {
    /// All games, in the order of the contract.
    pub const ALL: [Self; 4] = [Self::ConnectFour, Self::TripleTriad, Self::QueenRooks, Self::RoyalMatch];

    /// The name of the game in the contract, in metrics and in logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ConnectFour => "connect_four",
            Self::TripleTriad => "triple_triad",
            Self::QueenRooks => "queen_rooks",
            Self::RoyalMatch => "royal_match",
        }
    }

    /// The prefix of the game's states in text notation.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::ConnectFour => "c4:",
            Self::TripleTriad => "tt:",
            Self::QueenRooks => "qr:",
            Self::RoyalMatch => "rm:",
        }
    }
}
