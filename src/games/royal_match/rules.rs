/// The minimum number of players.
pub(super) const MIN_PLAYERS: usize = 2;
/// The maximum number of players.
pub const MAX_PLAYERS: usize = 4;
/// The maximum number of cards in a hand.
pub const MAX_HAND_SIZE: usize = 13;

/// The rules of a match. Every value is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// How cards are compared.
    pub ordering: Ordering,
}

/// How cards are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ordering {
    /// By value; cards of equal value by suit (RM-3).
    #[default]
    ValueThenSuit,
    /// By suit; cards of the same suit by value (RM-6).
    SuitThenValue,
}
