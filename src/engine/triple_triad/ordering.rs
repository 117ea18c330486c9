//! The order in which a search tries placements: good ones first, so that it can skip the others.

use arbiter_games::triple_triad::CARD_COUNT;

use super::{
    deal::Deal,
    position::Position,
    squares::{Squares, each, sides_facing},
};

/// The maximum number of placements in a position.
pub(super) const MAX_PLACEMENTS: usize = 45;

/// How many exposed sides a captured card is worth, for the order.
const CAPTURE: i32 = 20;

/// A card placed on a square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Placement {
    pub card: u8,
    pub square: u8,
}

impl Placement {
    /// A placement of a card of the ten on a square of the nine.
    #[inline(always)]
    pub fn new(card: usize, square: usize) -> Self {
        Self { card: card as u8, square: square as u8 }
    }
}

/// A placement that a search may try.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Candidate {
    pub placement: Placement,
    /// The squares that it takes.
    pub taken: Squares,
    /// Candidates with the highest order are tried first.
    order: i32,
}

/// The placements of a position that a search has not tried yet. It is reused, because most have few.
#[derive(Debug)]
pub(super) struct Candidates {
    list: [Candidate; MAX_PLACEMENTS],
    next: usize,
    length: usize,
}

/// For each card and each set of sides: how many pairs of one of these sides and a card of the other hand there are in which
/// the other card is higher.
pub(super) struct Exposure([[i32; 16]; CARD_COUNT]);

impl Exposure {
    /// The exposure to the hands of a position.
    pub fn new(deal: &Deal, position: &Position) -> Self {
        let mut exposure = [[0; 16]; CARD_COUNT];
        let (own, other) = (position.hand(), position.other_hand());
        for (hand, threats) in [(own, other), (other, own)] {
            for card in each(hand) {
                for (sides, exposure) in exposure[card].iter_mut().enumerate() {
                    let higher = |side: usize| -> i32 {
                        let rank = deal.printed[card].each()[side];
                        each(threats)
                            .map(|other| i32::from(deal.printed[other].each()[side ^ 2] > rank))
                            .sum()
                    };
                    *exposure = (0..4).filter(|side| sides >> side & 1 != 0).map(higher).sum();
                }
            }
        }
        Self(exposure)
    }
}

impl Default for Candidates {
    fn default() -> Self {
        Self { list: [Candidate::default(); MAX_PLACEMENTS], next: 0, length: 0 }
    }
}

impl Candidates {
    /// Lists the placements of a position. The first one, if given, is tried first.
    #[inline(always)]
    pub fn fill(&mut self, deal: &Deal, exposure: &Exposure, position: &Position, first: Option<Placement>) {
        self.next = 0;
        self.length = 0;
        let free = position.free();
        for square in each(free) {
            let open = sides_facing(square, free);
            for card in each(position.hand()) {
                let taken = position.captures(deal, card, square);
                let placement = Placement::new(card, square);
                let order = if first == Some(placement) {
                    i32::MAX
                } else {
                    CAPTURE * taken.count_ones().cast_signed() - exposure.0[card][open]
                };
                self.list[self.length] = Candidate { placement, taken, order };
                self.length += 1;
            }
        }
    }

    /// The best candidate that is left.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Candidate> {
        let rest = &mut self.list[self.next..self.length];
        let mut best = 0;
        for index in 1..rest.len() {
            if rest[index].order > rest[best].order {
                best = index;
            }
        }
        // The rest may be empty.
        if best < rest.len() {
            rest.swap(0, best);
            self.next += 1;
        }
        rest.first().copied()
    }
}
