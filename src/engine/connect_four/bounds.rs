/// What is known of the score of a position for the player to move.
///
/// A score is 0 for a draw. A win scores 1 with the last token that the player has, 2 with the one before, and so on; a loss
/// scores the opposite of what the opponent's win scores. So a short win is better than a long one, and a long loss is better
/// than a short one. See [`super::score`] for the number of plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// The score is at least this.
    pub(super) lower: i32,
    /// The score is at most this.
    pub(super) upper: i32,
}

impl Bounds {
    /// As the data of an entry of the transposition table.
    #[inline(always)]
    pub(super) fn pack(self) -> u32 {
        // A board has fewer than 128 cells, so a score fits into a byte.
        let byte = |score: i32| (score as i8).cast_unsigned();
        u32::from_le_bytes([byte(self.lower), byte(self.upper), 0, 0])
    }

    #[inline(always)]
    pub(super) fn unpack(data: u32) -> Self {
        let [lower, upper, ..] = data.to_le_bytes();
        Self { lower: lower.cast_signed().into(), upper: upper.cast_signed().into() }
    }
}
