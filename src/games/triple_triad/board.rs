//! The board packed into bits: all that captures depend on.
//!
//! Every placement of a search runs through these functions. They are `inline(always)` and call no closures, so that
//! their speed does not depend on what the compiler decides to inline.

use super::{Element, Ranks, Rule, Rules, Side};
use crate::{Player, Square};

/// The number of squares.
pub const SQUARE_COUNT: usize = 9;
/// The number of squares in a row, and in a column.
pub(super) const WIDTH: usize = 3;

/// A set of squares: one bit each, row by row.
pub(super) type Squares = u16;

pub(super) const ALL_SQUARES: Squares = (1 << SQUARE_COUNT) - 1;

/// A set of sides: one bit each, in the order of [`Side::ALL`].
pub(super) type Sides = u8;

/// The index beyond the edge of the board. Arrays by square have an entry for it, and sets of squares never contain it.
const WALL: u8 = SQUARE_COUNT as u8;

/// The neighbour of each square on each side, or [`WALL`].
const NEIGHBOURS: [[u8; 4]; SQUARE_COUNT] = {
    let mut neighbours = [[WALL; 4]; SQUARE_COUNT];
    let mut square = 0;
    while square < SQUARE_COUNT {
        let (row, column) = (square / WIDTH, square % WIDTH);
        let (here, width) = (square as u8, WIDTH as u8);
        neighbours[square] = [
            if row > 0 { here - width } else { WALL },
            if column + 1 < WIDTH { here + 1 } else { WALL },
            if row + 1 < WIDTH { here + width } else { WALL },
            if column > 0 { here - 1 } else { WALL },
        ];
        square += 1;
    }
    neighbours
};

/// The sides of each square that face the edge of the board.
const WALLS: [Sides; SQUARE_COUNT] = {
    let mut walls = [0; SQUARE_COUNT];
    let mut square = 0;
    while square < SQUARE_COUNT {
        let mut side = 0;
        while side < 4 {
            if NEIGHBOURS[square][side] == WALL {
                walls[square] |= 1 << side;
            }
            side += 1;
        }
        square += 1;
    }
    walls
};

/// The neighbours of each square on each set of sides.
const SQUARES_ON: [[Squares; 16]; SQUARE_COUNT] = {
    let mut squares_on = [[0; 16]; SQUARE_COUNT];
    let mut square = 0;
    while square < SQUARE_COUNT {
        let mut sides = 0;
        while sides < 16 {
            let mut side = 0;
            while side < 4 {
                let neighbour = NEIGHBOURS[square][side];
                if sides & 1 << side != 0 && neighbour != WALL {
                    squares_on[square][sides] |= 1 << neighbour;
                }
                side += 1;
            }
            sides += 1;
        }
        square += 1;
    }
    squares_on
};

/// The neighbours of a square on these sides.
#[inline(always)]
pub(super) fn squares_on(square: usize, sides: Sides) -> Squares {
    SQUARES_ON[square][usize::from(sides & 0xF)]
}

/// The neighbour of a square on one side, which must not face the edge.
#[inline(always)]
pub(super) fn neighbour(square: usize, side: Side) -> usize {
    NEIGHBOURS[square][side as usize].into()
}

/// The sides of a square that face the edge of the board.
#[inline(always)]
pub(super) fn walls(square: usize) -> Sides {
    WALLS[square]
}

/// The sides of a square that face one of these squares.
#[inline(always)]
pub(super) fn sides_facing(square: usize, squares: Squares) -> Sides {
    let [top, right, bottom, left] = NEIGHBOURS[square];
    let is_faced = |neighbour: u8| squares >> neighbour & 1 != 0;
    sides([is_faced(top), is_faced(right), is_faced(bottom), is_faced(left)])
}

/// The set of the sides for which a condition holds. All four are computed without a branch: on real boards they are
/// random, and a mispredicted branch costs more.
#[inline(always)]
const fn sides([top, right, bottom, left]: [bool; 4]) -> Sides {
    top as u8 | (right as u8) << 1 | (bottom as u8) << 2 | (left as u8) << 3
}

/// The sides on which two values are equal.
#[inline(always)]
pub(super) const fn equal_sides(a: [u8; 4], b: [u8; 4]) -> Sides {
    sides([a[0] == b[0], a[1] == b[1], a[2] == b[2], a[3] == b[3]])
}

/// The sides on which the first value is greater than the second.
#[inline(always)]
pub(super) const fn greater_sides(a: [u8; 4], b: [u8; 4]) -> Sides {
    sides([a[0] > b[0], a[1] > b[1], a[2] > b[2], a[3] > b[3]])
}

/// The index of a square, row by row; none if it is not on the board.
pub(super) fn index_of(square: Square) -> Option<usize> {
    let (row, column) = (square.row as usize, square.column as usize);
    (row < WIDTH && column < WIDTH).then_some(WIDTH * row + column)
}

/// The square with an index, which must be below 9.
pub(super) fn square_at(index: usize) -> Square {
    Square { row: (index / WIDTH) as u32, column: (index % WIDTH) as u32 }
}

/// The indexes of a set, in ascending order.
pub(super) fn each(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

/// The ranks and the owner of the card on each square, and the elements of the squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// The ranks as printed; 0 on empty squares and the wall.
    printed: [Ranks; SQUARE_COUNT + 1],
    /// The ranks as the elements of the squares change them; 0 on empty squares and the wall.
    effective: [Ranks; SQUARE_COUNT + 1],
    elements: [Option<Element>; SQUARE_COUNT],
    cards: Squares,
    /// The cards of player two.
    of_two: Squares,
}

/// The ranks of a card and the ranks that touch them, by side. A rank that does not exist is 0.
#[derive(Clone, Copy)]
pub(super) struct Touching {
    pub own: [u8; 4],
    pub other: [u8; 4],
}

impl Touching {
    #[inline(always)]
    fn new(ranks: &[Ranks; SQUARE_COUNT + 1], square: usize) -> Self {
        let [top, right, bottom, left] = NEIGHBOURS[square];
        let other = [
            ranks[usize::from(top)].of(Side::Bottom),
            ranks[usize::from(right)].of(Side::Left),
            ranks[usize::from(bottom)].of(Side::Top),
            ranks[usize::from(left)].of(Side::Right),
        ];
        Self { own: ranks[square].each(), other }
    }

    /// The two ranks on one side.
    #[inline(always)]
    pub fn on(self, side: Side) -> (u8, u8) {
        (self.own[side as usize], self.other[side as usize])
    }
}

impl Board {
    /// An empty board with these elements.
    pub(super) fn new(elements: [Option<Element>; SQUARE_COUNT]) -> Self {
        let none = [Ranks::default(); SQUARE_COUNT + 1];
        Self { printed: none, effective: none, elements, cards: 0, of_two: 0 }
    }

    /// The elements of the squares.
    pub(super) fn elements(&self) -> [Option<Element>; SQUARE_COUNT] {
        self.elements
    }

    /// The squares with a card.
    #[inline(always)]
    pub(super) fn cards(&self) -> Squares {
        self.cards
    }

    /// The squares with a card of a player.
    #[inline(always)]
    pub(super) fn cards_of(&self, player: Player) -> Squares {
        match player {
            Player::One => self.cards & !self.of_two,
            Player::Two => self.of_two,
        }
    }

    /// The owner of the card on a square.
    #[inline(always)]
    pub(super) fn owner(&self, square: usize) -> Player {
        if self.of_two & 1 << square == 0 { Player::One } else { Player::Two }
    }

    /// The touching ranks of a square, as printed.
    #[inline(always)]
    pub(super) fn printed(&self, square: usize) -> Touching {
        Touching::new(&self.printed, square)
    }

    /// The touching ranks of a square, as the elements of the squares change them (TT-4).
    #[inline(always)]
    pub(super) fn effective(&self, square: usize) -> Touching {
        Touching::new(&self.effective, square)
    }

    /// Puts a card on an empty square, without captures.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        rules: Rules,
        square: usize,
        ranks: Ranks,
        element: Option<Element>,
        owner: Player,
    ) {
        self.printed[square] = ranks;
        self.effective[square] = effective(rules, ranks, element, self.elements[square]);
        self.cards |= 1 << square;
        self.of_two |= u16::from(owner == Player::Two) << square;
    }

    /// Gives all cards on these squares to a player.
    #[inline(always)]
    pub(super) fn give(&mut self, squares: Squares, player: Player) {
        match player {
            Player::One => self.of_two &= !squares,
            Player::Two => self.of_two |= squares,
        }
    }
}

/// The ranks of a card on a square (TT-4): one higher on its own element, one lower on any other.
#[inline(always)]
fn effective(rules: Rules, ranks: Ranks, card: Option<Element>, square: Option<Element>) -> Ranks {
    match square {
        Some(element) if rules.has(Rule::Elemental) => {
            if card == Some(element) {
                ranks.raised()
            } else {
                ranks.lowered()
            }
        }
        _ => ranks,
    }
}
