use std::{
    fmt::Debug,
    ops::{BitAnd, BitOr, BitOrAssign, BitXor, Not, Shl, Shr},
};

/// A machine word that holds a set of cells.
pub(super) trait Word:
    Copy
    + Eq
    + Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const EMPTY: Self;
    const ALL: Self;

    /// The word of a set that fits into it.
    fn from_bits(bits: u128) -> Self;
    fn bit(index: u32) -> Self;
    fn is_empty(self) -> bool;
    fn count(self) -> u32;
    /// The index of the first cell. The set must not be empty.
    fn first(self) -> u32;
    /// The set without its first cell.
    fn without_first(self) -> Self;
    /// The sum as integers, without the carry.
    fn plus(self, other: Self) -> Self;
    /// A number for the transposition table. Different words of 64 bits have different numbers, and so have two words of
    /// 128 bits, but for a chance of about 2⁻⁶⁴.
    fn key(self) -> u64;
}

macro_rules! word {
    ($int:ty, $key:expr) => {
        impl Word for $int {
            const EMPTY: Self = 0;
            const ALL: Self = Self::MAX;

            #[inline(always)]
            fn from_bits(bits: u128) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn bit(index: u32) -> Self {
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
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn key(self) -> u64 {
                ($key)(self)
            }
        }
    };
}

word!(u64, |word| word);
word!(u128, |word: u128| {
    // The halves of the product mix all bits of the word: its low half those of the low half of the word.
    let mixed = (word ^ (word >> 67)).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    (mixed >> 64) as u64 ^ (mixed as u64).rotate_left(29)
});
