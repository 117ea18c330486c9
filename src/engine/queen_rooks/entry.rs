use super::{position::Step, score};

/// What the table holds of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The value for the player to move.
    value: i32,
    /// The number of plies that were searched.
    pub depth: u32,
    pub bound: Bound,
    /// The [`hint`] of the best move.
    pub hint: u8,
}

/// What a value says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    /// The true value is this or greater.
    AtLeast,
    /// The true value is this or smaller.
    AtMost,
}

impl Entry {
    /// What is known of a position that is this many plies away from the root.
    pub fn new(value: i32, ply: u32, depth: u32, bound: Bound, best: Step) -> Self {
        Self { value: score::relative_to_node(value, ply), depth, bound, hint: hint(best) }
    }

    /// The value, if it decides a search with this window.
    pub fn cutoff(&self, ply: u32, alpha: i32, beta: i32) -> Option<i32> {
        let value = score::relative_to_root(self.value, ply);
        let decides = match self.bound {
            Bound::Exact => true,
            Bound::AtLeast => value >= beta,
            Bound::AtMost => value <= alpha,
        };
        decides.then_some(value)
    }

    pub fn pack(self) -> u32 {
        // Values fit into 16 bits, and depths into 6.
        let value = u32::from((self.value as i16).cast_unsigned());
        value << 16 | u32::from(self.hint) << 8 | self.depth << 2 | self.bound as u32
    }

    pub fn unpack(data: u32) -> Self {
        let bound = match data & 3 {
            0 => Bound::Exact,
            1 => Bound::AtLeast,
            _ => Bound::AtMost,
        };
        // Each part is masked by its width.
        let value = ((data >> 16) as u16).cast_signed();
        Self { value: value.into(), depth: data >> 2 & 63, bound, hint: (data >> 8) as u8 }
    }
}

/// Eight bits that differ for nearly all moves of a position: a whole move does not fit into an entry.
pub(super) fn hint(step: Step) -> u8 {
    // There are fewer than 2²⁰ pairs of cells.
    let pair = (step.from.index() << 10 | step.to.index()) as u32;
    (pair.wrapping_mul(0x9E37_79B1) >> 24) as u8
}
