//! Four ranks in one word, so that all sides of a card are compared at once.

use super::squares::{NEIGHBOURS, Squares, WALL, squares_on};

/// The ranks of a card, or the ranks that touch a square: one byte for each side, that of the top first. All are below 0x80.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranks(u32);

/// A set of sides: the high bit of each byte of [`Ranks`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides(u32);

const LOW_BITS: u32 = 0x0101_0101;
const HIGH_BITS: u32 = 0x8080_8080;

impl Ranks {
    /// What touches a square without neighbours. No rank is as high, so that none beats or equals it. The sums with ranks are
    /// all different, and higher than the sum of two ranks.
    pub const NOTHING: Self = Self::new([0x20, 0x30, 0x40, 0x50]);

    pub const fn new(by_side: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(by_side))
    }

    pub const fn each(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// The change of the ranks that touch a neighbour if a card with these ranks is placed. The neighbour is on this side.
    pub fn touch(self, side: usize) -> Touch {
        let opposite = side ^ 2;
        let mut change = [0; 4];
        change[opposite] = self.each()[side] ^ Self::NOTHING.each()[opposite];
        Touch(u32::from_le_bytes(change))
    }

    #[inline(always)]
    pub fn apply(&mut self, touch: Touch) {
        self.0 ^= touch.0;
    }

    /// The sides on which a rank is greater.
    #[inline(always)]
    pub const fn greater(self, other: Self) -> Sides {
        // No byte borrows from the next one: the difference of two ranks plus 0x7F is between 0 and 0xFF.
        Sides((self.0 + (HIGH_BITS - LOW_BITS) - other.0) & HIGH_BITS)
    }

    /// The sides on which the ranks are equal.
    #[inline(always)]
    pub const fn equal(self, other: Self) -> Sides {
        Sides((HIGH_BITS - (self.0 ^ other.0)) & HIGH_BITS)
    }

    /// The sides on which the sum of the ranks is the same as on another side.
    #[inline(always)]
    pub const fn equal_sums(self, other: Self) -> Sides {
        let sums = self.0 + other.0;
        let next = Self(sums).equal(Self(sums.rotate_left(8)));
        let across = Self(sums).equal(Self(sums.rotate_left(16)));
        Sides(next.0 | next.0.rotate_right(8) | across.0)
    }
}

/// A change of the ranks that touch a square.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch(u32);

impl Sides {
    pub const NONE: Self = Self(0);

    /// The sides of a square that face the edge of the board.
    pub fn walls(square: usize) -> Self {
        let walls = NEIGHBOURS[square].map(|neighbour| if neighbour == WALL { 0x80 } else { 0 });
        Self(u32::from_le_bytes(walls))
    }

    #[inline(always)]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[inline(always)]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The neighbours of a square on these sides.
    #[inline(always)]
    pub fn neighbours_of(self, square: usize) -> Squares {
        // The multiplication moves the four bits to the top, next to each other.
        squares_on(square, (self.0 >> 7).wrapping_mul(1 << 28 | 1 << 21 | 1 << 14 | 1 << 7) >> 28)
    }
}
