//! Squares and sets of them. A square is its index, row by row.

use arbiter_games::triple_triad::SQUARE_COUNT;

/// A set of squares: one bit each.
pub(super) type Squares = u16;

pub(super) const ALL_SQUARES: Squares = (1 << SQUARE_COUNT) - 1;

/// The index beyond the edge of the board. Arrays that are written at every neighbour have an entry for it, and sets of
/// squares never contain it.
pub(super) const WALL: usize = SQUARE_COUNT;

/// The neighbours of each square, in the order of the sides: top, right, bottom, left.
pub(super) const NEIGHBOURS: [[usize; 4]; SQUARE_COUNT] = [
    [WALL, 1, 3, WALL],
    [WALL, 2, 4, 0],
    [WALL, WALL, 5, 1],
    [0, 4, 6, WALL],
    [1, 5, 7, 3],
    [2, WALL, 8, 4],
    [3, 7, WALL, WALL],
    [4, 8, WALL, 6],
    [5, WALL, WALL, 7],
];

/// The neighbours of each square on each set of sides. Such a set has one bit for each side.
const SQUARES_ON: [[Squares; 16]; SQUARE_COUNT] = {
    let mut squares_on = [[0; 16]; SQUARE_COUNT];
    let mut square = 0;
    while square < SQUARE_COUNT {
        let mut sides = 0;
        while sides < 16 {
            let mut side = 0;
            while side < 4 {
                if sides >> side & 1 != 0 {
                    squares_on[square][sides] |= ALL_SQUARES & 1 << NEIGHBOURS[square][side];
                }
                side += 1;
            }
            sides += 1;
        }
        square += 1;
    }
    squares_on
};

/// The neighbours of a square on a set of sides.
#[inline(always)]
pub(super) fn squares_on(square: usize, sides: u32) -> Squares {
    SQUARES_ON[square][(sides & 0xF) as usize]
}

/// The sides of a square that face one of these squares, as a set.
#[inline(always)]
pub(super) fn sides_facing(square: usize, squares: Squares) -> usize {
    let [top, right, bottom, left] =
        NEIGHBOURS[square].map(|neighbour| usize::from(squares >> neighbour & 1));
    top | right << 1 | bottom << 2 | left << 3
}

/// The indexes of a set of squares or cards, in ascending order.
#[inline(always)]
pub(super) fn each(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}
