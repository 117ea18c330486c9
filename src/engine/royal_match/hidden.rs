//! What the hidden hands of a view may be.

use arbiter_games::{Chance, royal_match::Diagram};

use super::{
    cards::{CardSet, Rank},
    position::Position,
};

/// Hidden hands: their sizes, and the cards that they may hold.
pub(super) struct HiddenHands {
    /// By seat.
    sizes: Vec<usize>,
    /// The cards that are not visible.
    cards: Vec<Rank>,
}

impl HiddenHands {
    pub(super) fn new(diagram: &Diagram, visible: CardSet) -> Self {
        let sizes = diagram.seats().iter().map(|seat| seat.hidden.unwrap_or_default().into()).collect();
        Self { sizes, cards: visible.complement().iter().collect() }
    }

    /// Whether no card is hidden.
    pub(super) fn is_empty(&self) -> bool {
        self.sizes.iter().all(|&size| size == 0)
    }

    /// Deals random hands. Every deal has the same chance.
    pub(super) fn deal(&mut self, position: &mut Position, chance: &mut Chance) {
        let mut dealt = chance.draw(&mut self.cards, self.sizes.iter().sum()).iter().copied();
        for (hand, &size) in position.hands.iter_mut().zip(&self.sizes).filter(|(_, size)| **size > 0) {
            *hand = dealt.by_ref().take(size).collect();
        }
    }
}
