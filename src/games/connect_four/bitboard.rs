//! Sets of cells as the bits of one word.
//!
//! A column takes `rows + 1` bits, the lowest cell first; the bit above its highest cell is always empty.
//! So a step right, up or along a diagonal is a shift by a fixed distance, and no line crosses an edge.

use std::{
    fmt::Debug,
    hash::Hash,
    ops::{BitAnd, BitOr, BitXor, Not},
};

/// A machine word that holds a set of cells.
pub(super) trait Word:
    Copy
    + Eq
    + Hash
    + Debug
    + From<u8>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    const EMPTY: Self;

    /// The set with one cell.
    fn cell(index: u32) -> Self;
    fn is_empty(self) -> bool;
    fn count(self) -> u32;
    /// The index of the first cell. The set must not be empty.
    fn first(self) -> u32;
    /// The set without its first cell.
    fn without_first(self) -> Self;
    /// All cells moved down. The distance must be less than the number of bits.
    fn moved_down(self, distance: u32) -> Self;
    /// All cells moved up. The distance must be less than the number of bits.
    fn moved_up(self, distance: u32) -> Self;
    /// The sum as integers. Adding the lowest cell of a column to its tokens carries into its lowest free cell.
    fn plus(self, other: Self) -> Self;
}

macro_rules! word {
    ($int:ty) => {
        impl Word for $int {
            const EMPTY: Self = 0;

            #[inline(always)]
            fn cell(index: u32) -> Self {
                1 << index
            }

            #[inline(always)]
            fn is_empty(self) -> bool {
                self == 0
            }

            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn first(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn without_first(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline(always)]
            fn moved_down(self, distance: u32) -> Self {
                self >> distance
            }

            #[inline(always)]
            fn moved_up(self, distance: u32) -> Self {
                self << distance
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }
    };
}

word!(u64);
word!(u128);

/// The first cells of all runs of at least `length` cells that are `step` apart. The run must fit into the word.
#[inline(always)]
pub(super) fn runs<W: Word>(cells: W, step: u32, length: u32) -> W {
    // A run of a + b cells is a run of a cells followed by one of b cells, so the length doubles in each iteration.
    let mut starts = cells;
    let mut found = 1;
    while found < length {
        let more = found.min(length - found);
        starts = starts & starts.moved_down(more * step);
        found += more;
    }
    starts
}

/// The cells of a set, in ascending order of their index.
pub(super) fn indexes<W: Word>(mut cells: W) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (!cells.is_empty()).then(|| {
            let index = cells.first();
            cells = cells.without_first();
            index
        })
    })
}
