//! Cards as numbers and bits: only their order matters.

use arbiter_games::{
    Chance,
    royal_match::{Card, Order},
};

/// How strong a card is: 0 is the weakest of the deck, 51 the strongest.
pub(super) type Rank = u32;

/// The cards of the deck, and their ranks.
pub(super) struct Ranking {
    /// By rank.
    cards: Vec<Card>,
    /// By the index in the deck.
    ranks: [Rank; Card::DECK_SIZE],
}

impl Ranking {
    pub(super) fn new(order: Order) -> Self {
        let mut cards: Vec<Card> = Card::deck().collect();
        order.rank(&mut cards);
        cards.reverse();
        let mut ranks = [0; Card::DECK_SIZE];
        for (rank, card) in (0..).zip(&cards) {
            ranks[card.deck_index()] = rank;
        }
        Self { cards, ranks }
    }

    pub(super) fn rank(&self, card: Card) -> Rank {
        self.ranks[card.deck_index()]
    }

    pub(super) fn card(&self, rank: Rank) -> Card {
        self.cards[rank as usize]
    }
}

/// A set of cards: one bit per rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CardSet(u64);

impl CardSet {
    pub(super) const EMPTY: Self = Self(0);

    pub(super) fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub(super) fn insert(&mut self, rank: Rank) {
        self.0 |= 1 << rank;
    }

    pub(super) fn remove(&mut self, rank: Rank) {
        self.0 &= !(1 << rank);
    }

    /// The cards of both sets.
    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All other cards of the deck.
    pub(super) fn complement(self) -> Self {
        Self(!self.0 & ((1 << Card::DECK_SIZE) - 1))
    }

    /// The weakest card.
    pub(super) fn weakest(self) -> Option<Rank> {
        (self.0 != 0).then(|| self.0.trailing_zeros())
    }

    /// The weakest card that is stronger than this one.
    #[inline(always)]
    pub(super) fn weakest_above(self, rank: Rank) -> Option<Rank> {
        Self(self.0 & (!1 << rank)).weakest()
    }

    /// The number of cards that are weaker than this one.
    pub(super) fn count_below(self, rank: Rank) -> u32 {
        (self.0 & ((1 << rank) - 1)).count_ones()
    }

    /// A random card. The set must not be empty.
    #[inline(always)]
    pub(super) fn random(self, chance: &mut Chance) -> Rank {
        let mut bits = self.0;
        for _ in 0..chance.below(self.len()) {
            bits &= bits - 1;
        }
        bits.trailing_zeros()
    }

    /// The cards, the weakest first.
    pub(super) fn iter(self) -> impl Iterator<Item = Rank> {
        let mut left = self;
        std::iter::from_fn(move || {
            let rank = left.weakest()?;
            left.remove(rank);
            Some(rank)
        })
    }
}

impl FromIterator<Rank> for CardSet {
    fn from_iter<I: IntoIterator<Item = Rank>>(ranks: I) -> Self {
        ranks.into_iter().fold(Self::EMPTY, |mut set, rank| {
            set.insert(rank);
            set
        })
    }
}
