use super::{Element, Ranks, Rule, Rules, Side};
use crate::{Player, Square};

/// Squares of the board.
pub const SQUARES: usize = 9;
/// Squares in a row, and in a column.
pub(super) const WIDTH: usize = 3;

/// A set of squares: one bit each, row by row.
pub(super) type Squares = u16;

/// All nine squares.
pub(super) const ALL_SQUARES: Squares = (1 << SQUARES) - 1;

/// What lies beyond the edge of the board: no square, but it may be asked for like one, and has no card.
const WALL: u8 = SQUARES as u8;

/// The square next to each, by side, or the wall.
const NEIGHBOURS: [[u8; 4]; SQUARES] = {
    let mut neighbours = [[WALL; 4]; SQUARES];
    let mut square = 0;
    while square < SQUARES {
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

/// A set of sides: one bit each, in the order of [`Side::ALL`].
pub(super) type Sides = u8;

/// The squares on each set of sides of each square.
const SQUARES_ON: [[Squares; 16]; SQUARES] = {
    let mut squares_on = [[0; 16]; SQUARES];
    let mut square = 0;
    while square < SQUARES {
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

/// The squares on these sides of a square.
#[inline(always)]
pub(super) fn squares_on(square: usize, sides: Sides) -> Squares {
    SQUARES_ON[square][usize::from(sides & 0xF)]
}

/// The square on one side of a square; there must be one.
#[inline(always)]
pub(super) fn neighbour(square: usize, side: Side) -> usize {
    NEIGHBOURS[square][side as usize].into()
}

/// The sides for which something holds. Asks all four without branching on the answers: on real boards they are random,
/// and a branch guessed wrongly costs more than all four.
#[inline(always)]
pub(super) fn sides(holds: impl Fn(Side) -> bool) -> Sides {
    let bit = |side| u8::from(holds(side)) << side as u8;
    bit(Side::Top) | bit(Side::Right) | bit(Side::Bottom) | bit(Side::Left)
}

/// The index of a square, row by row, if the board has it.
pub(super) fn index_of(square: Square) -> Option<usize> {
    let (row, column) = (square.row as usize, square.column as usize);
    (row < WIDTH && column < WIDTH).then_some(WIDTH * row + column)
}

/// The square with this index, which is below 9.
pub(super) fn square_at(index: usize) -> Square {
    Square { row: (index / WIDTH) as u32, column: (index % WIDTH) as u32 }
}

/// The squares of a set, row by row.
pub(super) fn each(mut squares: Squares) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (squares != 0).then(|| squares.trailing_zeros() as usize)?;
        squares &= squares - 1;
        Some(first)
    })
}

/// What captures depend on: the ranks and the owner of the card on each square, and the elements of the squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Ranks as printed, with those of the wall, which has none, after the others.
    printed: [Ranks; SQUARES + 1],
    /// Ranks as the squares make them, likewise.
    effective: [Ranks; SQUARES + 1],
    elements: [Option<Element>; SQUARES],
    cards: Squares,
    /// Those of them that show the colour of player two.
    of_two: Squares,
}

impl Board {
    /// An empty board with these elements.
    pub(super) fn new(elements: [Option<Element>; SQUARES]) -> Self {
        let none = [Ranks::default(); SQUARES + 1];
        Self { printed: none, effective: none, elements, cards: 0, of_two: 0 }
    }

    /// The elements of the squares.
    pub(super) fn elements(&self) -> [Option<Element>; SQUARES] {
        self.elements
    }

    /// The squares with a card.
    #[inline(always)]
    pub(super) fn cards(&self) -> Squares {
        self.cards
    }

    /// The squares with a card of this colour.
    #[inline(always)]
    pub(super) fn cards_of(&self, player: Player) -> Squares {
        match player {
            Player::One => self.cards & !self.of_two,
            Player::Two => self.of_two,
        }
    }

    /// The player whose colour the card on a square shows.
    #[inline(always)]
    pub(super) fn owner(&self, square: usize) -> Player {
        if self.of_two & 1 << square == 0 { Player::One } else { Player::Two }
    }

    /// The ranks that touch on one side of a square, as printed: that of the card there, and that of its neighbour, which
    /// is 0 if there is none.
    #[inline(always)]
    pub(super) fn printed(&self, square: usize, side: Side) -> (u8, u8) {
        (self.printed[square].of(side), self.printed[neighbour(square, side)].of(side.opposite()))
    }

    /// The ranks that touch on one side of a square, as the squares make them (TT-4); any that are not there are 0.
    #[inline(always)]
    pub(super) fn effective(&self, square: usize, side: Side) -> (u8, u8) {
        (self.effective[square].of(side), self.effective[neighbour(square, side)].of(side.opposite()))
    }

    /// Puts a card on an empty square. Takes nothing.
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

    /// Gives all cards on these squares to one player.
    #[inline(always)]
    pub(super) fn give(&mut self, squares: Squares, player: Player) {
        match player {
            Player::One => self.of_two &= !squares,
            Player::Two => self.of_two |= squares,
        }
    }
}

/// The sides of a square that face one of these squares.
#[inline(always)]
pub(super) fn sides_facing(square: usize, squares: Squares) -> Sides {
    sides(|side| squares >> neighbour(square, side) & 1 != 0)
}

/// The sides of a square that face the edge of the board.
#[inline(always)]
pub(super) fn walls(square: usize) -> Sides {
    sides(|side| neighbour(square, side) == usize::from(WALL))
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
