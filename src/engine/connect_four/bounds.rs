/// What is known of the score of a position for the player to move, and the move that was best in the last search of it.
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
    /// The index of the cell of a good move.
    pub(super) hint: Option<u32>,
}

impl Bounds {
    const NO_HINT: u8 = u8::MAX;

    /// As the data of an entry of the transposition table.
    #[inline(always)]
    pub(super) fn pack(self) -> u32 {
        // A board has fewer than 128 cells, so scores and indexes fit into a byte each.
        let score = |score: i32| (score as i8).cast_unsigned();
        let hint = self.hint.map_or(Self::NO_HINT, |cell| cell as u8);
        u32::from_le_bytes([score(self.lower), score(self.upper), hint, 0])
    }

    #[inline(always)]
    pub(super) fn unpack(data: u32) -> Self {
        let [lower, upper, hint, _] = data.to_le_bytes();
        Self {
            lower: lower.cast_signed().into(),
            upper: upper.cast_signed().into(),
            hint: (hint != Self::NO_HINT).then_some(hint.into()),
        }
    }
}
