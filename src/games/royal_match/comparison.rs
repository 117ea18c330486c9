//! Which card beats which, and why (RM-2 to RM-6).

use std::{cmp, fmt};

use super::{Card, Ordering, Suit};

/// What decides a comparison of two cards (RM-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// One card has the higher value.
    HigherValue,
    /// One card is of the strong suit.
    StrongSuit,
    /// One card is of the weak suit.
    WeakSuit,
    /// Both suits are neutral, and one has the colour of the strong suit.
    NeutralColour,
    /// They are the same card (RM-4).
    Equal,
}

/// A total order of the 52 cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order {
    /// The strong suit.
    pub dominant: Suit,
    /// What is compared first.
    pub ordering: Ordering,
}

impl Order {
    /// Compares two cards. Returns the result and what decided it.
    pub fn compare(self, first: Card, second: Card) -> (cmp::Ordering, Decision) {
        let by_value = (first.value().cmp(&second.value()), Decision::HigherValue);
        let by_suit = self.compare_suits(first.suit(), second.suit());
        let (one, other) = match self.ordering {
            Ordering::ValueThenSuit => (by_value, by_suit),
            Ordering::SuitThenValue => (by_suit, by_value),
        };
        match (one, other) {
            ((cmp::Ordering::Equal, _), (cmp::Ordering::Equal, _)) => (cmp::Ordering::Equal, Decision::Equal),
            ((cmp::Ordering::Equal, _), decided) | (decided, _) => decided,
        }
    }

    fn compare_suits(self, first: Suit, second: Suit) -> (cmp::Ordering, Decision) {
        use cmp::Ordering::{Equal, Greater, Less};
        let weak = self.dominant.opposite();
        if first == second {
            (Equal, Decision::Equal)
        } else if first == self.dominant {
            (Greater, Decision::StrongSuit)
        } else if second == self.dominant {
            (Less, Decision::StrongSuit)
        } else if first == weak {
            (Less, Decision::WeakSuit)
        } else if second == weak {
            (Greater, Decision::WeakSuit)
        } else if first.is_red() == self.dominant.is_red() {
            (Greater, Decision::NeutralColour)
        } else {
            (Less, Decision::NeutralColour)
        }
    }

    /// Sorts cards, the strongest first. The sort is stable.
    pub fn rank(self, cards: &mut [Card]) {
        cards.sort_by(|&first, &second| self.compare(second, first).0);
    }

    /// Compares each card of a ranking with the next.
    pub fn explain(self, ranking: &[Card]) -> Vec<Comparison> {
        ranking
            .windows(2)
            .map(|pair| Comparison {
                stronger: pair[0],
                weaker: pair[1],
                decision: self.compare(pair[0], pair[1]).1,
                dominant: self.dominant,
            })
            .collect()
    }
}

/// A comparison of two cards, and what decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The card that wins; the first of two equal cards.
    pub stronger: Card,
    /// The card that loses.
    pub weaker: Card,
    /// What decided it.
    pub decision: Decision,
    /// The strong suit.
    pub dominant: Suit,
}

impl fmt::Display for Comparison {
    /// For people, such as `7D beats 7C: both are neutral, and diamonds are red like hearts`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stronger, weaker, decision, dominant } = self;
        let colour = if dominant.is_red() { "red" } else { "black" };
        match decision {
            Decision::HigherValue => write!(f, "{stronger} beats {weaker}: it has the higher value"),
            Decision::StrongSuit => write!(f, "{stronger} beats {weaker}: {dominant} are strong"),
            Decision::WeakSuit => write!(f, "{stronger} beats {weaker}: {} are weak", weaker.suit()),
            Decision::NeutralColour => {
                let suit = stronger.suit();
                write!(
                    f,
                    "{stronger} beats {weaker}: both are neutral, and {suit} are {colour} like {dominant}"
                )
            }
            Decision::Equal => write!(f, "{stronger} and {weaker} are the same card"),
        }
    }
}
