use std::collections::BTreeSet;

use arbiter_games::{
    RuleBreach,
    triple_triad::{CATALOGUE, Card, Diagram, View},
};

/// The cards that a hidden hand may hold (TT-15): the catalogue, unless the caller knows better.
///
/// Cards with the id of a card that the viewer sees are never in the hidden hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenPool(Vec<Card>);

/// What is wrong with a pool of hidden cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HiddenPoolError {
    /// A card is given twice.
    #[error("card {id} is given twice")]
    DuplicateCard {
        /// Its index in the list, from 0.
        index: usize,
        /// The id of the card.
        id: u32,
    },
    /// The hidden hand has more cards.
    #[error(
        "the hidden hand has {needed} cards, but only {found} of the {given} given ones are not in the view: give all \
         cards that it may hold"
    )]
    TooFew {
        /// The number of cards in the hidden hand.
        needed: usize,
        /// The number of cards that it may hold.
        found: usize,
        /// The number of given cards.
        given: usize,
    },
}

impl RuleBreach for HiddenPoolError {
    fn clause(&self) -> &'static str {
        match self {
            Self::DuplicateCard { .. } => "TT-1",
            Self::TooFew { .. } => "TT-15",
        }
    }
}

impl Default for HiddenPool {
    fn default() -> Self {
        Self(CATALOGUE.to_vec())
    }
}

impl HiddenPool {
    /// Checks that the hidden hand of a view can consist of these cards. Their order does not matter.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the list.
    pub fn new(cards: &[Card], view: &View) -> Result<Self, Vec<HiddenPoolError>> {
        let mut errors = Vec::new();
        let (mut pool, mut ids) = (Vec::new(), BTreeSet::new());
        for (index, card) in cards.iter().enumerate() {
            let id = card.id();
            if ids.insert(id) {
                pool.push(*card);
            } else {
                errors.push(HiddenPoolError::DuplicateCard { index, id });
            }
        }
        pool.sort_by_key(Card::id);
        let pool = Self(pool);
        let (needed, found) = (hidden_cards(view.diagram()), pool.unseen(view.diagram()).len());
        if found < needed {
            errors.push(HiddenPoolError::TooFew { needed, found, given: cards.len() });
        }
        if errors.is_empty() { Ok(pool) } else { Err(errors) }
    }

    /// The cards that are not in the view.
    pub(super) fn unseen(&self, diagram: &Diagram) -> Vec<Card> {
        let on_board = diagram.squares.iter().filter_map(|(_, card)| card.map(|(card, _)| card));
        let seen: Vec<u32> =
            on_board.chain(diagram.hands.iter().flatten().copied()).map(|card| card.id()).collect();
        self.0.iter().filter(|card| !seen.contains(&card.id())).copied().collect()
    }
}

/// The number of cards in the hidden hand.
pub(super) fn hidden_cards(diagram: &Diagram) -> usize {
    diagram.hidden.map_or(0, |hidden| hidden.cards as usize)
}
