use crate::Clause;

/// The rules of the game, clause by clause.
pub(super) const CLAUSES: &[Clause] = &[
    Clause {
        id: "RM-1",
        title: "Cards",
        text: "Suits hearts, diamonds, clubs, spades; values 2 to 10, J = 11, Q = 12, K = 13, A = 14.",
    },
    Clause {
        id: "RM-2",
        title: "Suits",
        text: "The dominant suit is strong. The weak one is its opposite: hearts ↔ spades, diamonds ↔ \
               clubs. The other two are neutral.",
    },
    Clause {
        id: "RM-3",
        title: "Order",
        text: "Higher value wins. At equal value: strong beats all; weak loses to all; of two neutral cards \
               the one of the same colour (red, black) as the strong suit wins. So the full order of suits \
               is: hearts strong: ♥ ♦ ♣ ♠ · diamonds: ♦ ♥ ♠ ♣ · clubs: ♣ ♠ ♥ ♦ · spades: ♠ ♣ ♦ ♥.",
    },
    Clause {
        id: "RM-4",
        title: "Identical cards",
        text: "Two identical cards are equal. The order is total over the 52 cards.",
    },
    Clause {
        id: "RM-5",
        title: "Explanation",
        text: "Every comparison says which clause decided it: HIGHER_VALUE, STRONG_SUIT, WEAK_SUIT, \
               NEUTRAL_COLOUR or EQUAL.",
    },
    Clause {
        id: "RM-6",
        title: "Suit first",
        text: "With `ordering: SUIT_THEN_VALUE`, the suit order of RM-3 comes first, then value. The \
               default is VALUE_THEN_SUIT.",
    },
    Clause {
        id: "RM-7",
        title: "The match",
        text: "2 to 4 players, one 52-card deck, hands of 1 to 13 cards given by the caller or dealt by \
               seed; the dominant suit given or drawn by seed. In each trick every player plays one card of \
               their hand, in any order, once; there is no obligation to follow suit. When all have played, \
               the strongest card takes the trick (that is `ResolveCaptures`) and the next trick starts. \
               When the hands are empty, the player with the most tricks wins; if several share the most, \
               it is a draw between them. Cards in play are all different. A player sees their own hand, \
               the current trick and the number of cards in the other hands.",
    },
];
