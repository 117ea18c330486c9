use crate::Clause;

/// The rules of the game, clause by clause.
pub(super) const CLAUSES: &[Clause] = &[
    Clause {
        id: "TT-1",
        title: "Board and cards",
        text: "The board is 3×3. A card has ranks top, right, bottom, left from 1 to 10 (\"A\" is 10), an \
               element or none, a level from 1 to 10, a name, and an id that is unique within the game (two \
               players may hold equal cards, never the same id). Elements: fire, ice, thunder, earth, \
               poison, wind, water, holy.",
    },
    Clause {
        id: "TT-2",
        title: "Hands",
        text: "Five cards each. Given by the caller; or, with the rule `random`, drawn by seed from each \
               player's own collection (5 or more cards); or, when the caller gives neither, dealt by seed \
               from the built-in catalogue of 110 cards.",
    },
    Clause {
        id: "TT-3",
        title: "Turn",
        text: "The first player is named by the caller or tossed by seed; players alternate strictly. A \
               move is a card of one's own hand on an empty square. The game ends after nine placements.",
    },
    Clause {
        id: "TT-4",
        title: "Elemental",
        text: "With the rule `elemental`, squares may carry an element (given by the caller, or 1 to 4 \
               distinct squares drawn by seed). Effective rank = rank + 1 if the card's element equals its \
               own square's, − 1 if the square has an element and the card has another one or none, \
               otherwise the rank. It is not clamped: 0 and 11 exist. Each card is measured on its own \
               square. Without the rule, elements change nothing.",
    },
    Clause {
        id: "TT-5",
        title: "Basic capture",
        text: "The placed card takes an adjacent opposing card when its effective rank on the touching side \
               is strictly greater. Only the placed card captures.",
    },
    Clause {
        id: "TT-6",
        title: "Same",
        text: "With the rule `same`, count the sides where the placed card's original rank equals the \
               touching original rank of an adjacent card, one's own cards included. If the count is two or \
               more, every opposing card among them is taken.",
    },
    Clause {
        id: "TT-7",
        title: "Same Wall",
        text: "With the rule `same_wall` (no effect without `same`), each side of the placed card that \
               faces the board's edge with original rank 10 adds one to the count of TT-6. A wall is never \
               taken.",
    },
    Clause {
        id: "TT-8",
        title: "Plus",
        text: "With the rule `plus`, for each adjacent card, one's own included, add the two touching \
               original ranks. Whenever two or more sums are equal, every opposing card among those sides \
               is taken. Walls never count.",
    },
    Clause {
        id: "TT-9",
        title: "Union and fallback",
        text: "Same and Plus are both evaluated; the captures are the union. By default (`basic_capture: \
               FALLBACK`) TT-5 runs only if that union is empty, so a Same that matches but takes nothing \
               (two own cards, two walls) still lets TT-5 run. With `basic_capture: ALWAYS`, as in the \
               console games, the placed card's other sides are also resolved by TT-5 when Same or Plus \
               took something; cards taken that way start no Combo.",
    },
    Clause {
        id: "TT-10",
        title: "Combo",
        text: "With the rule `combo` (no effect unless Same or Plus took a card this turn), the cards taken \
               by Same or Plus enter a queue, in the order top, right, bottom, left of the placed card. \
               Each card taken from the queue acts as if just placed by the current player, with the basic \
               rule only (effective ranks, strictly greater): opposing neighbours not yet taken this turn \
               are taken and enter the queue. Combo never triggers Same or Plus again. The placed card \
               itself is not queued. Chains have no length limit.",
    },
    Clause {
        id: "TT-11",
        title: "Report",
        text: "Every capture says which card was taken and where, by which card, under which rule or rules \
               (BASIC, SAME, SAME_WALL when the count needs a wall, PLUS, COMBO; a card taken by both Same \
               and Plus lists both), the two ranks compared (original or effective, as the rule compares \
               them) or the sums, and the wave (0 for the placed card, 1 and up for Combo). Ownership \
               changes once, at the end.",
    },
    Clause {
        id: "TT-12",
        title: "Score and winner",
        text: "A player's score is the cards of their colour on the board plus the cards left in their hand \
               (ten in all). Before nine placements the result is IN_PROGRESS with the running scores. \
               Higher score: WINNER_DETERMINED. Equal scores: DRAW, or with the rule `sudden_death` TT-13.",
    },
    Clause {
        id: "TT-13",
        title: "Sudden death",
        text: "The state carries `sudden_death_count`, 0 at the start. An equal score adds one. Below the \
               limit (5 by default, rule `sudden_death_limit`): SUDDEN_DEATH_CONTINUE, and the response \
               carries the next state: empty board, each hand = the cards the player controls on the board \
               (row by row) plus the card left in their own hand, first player tossed by seed, elemental \
               squares drawn anew by seed when the rule is on, the count kept, the rules kept. At the \
               limit: FINAL_DRAW. A decided game sets the count back to 0. A count without the rule, or at \
               or above the limit, is invalid.",
    },
    Clause {
        id: "TT-14",
        title: "Trade",
        text: "The rule `trade_rule` (NONE, ONE, DIFF, DIRECT, ALL) applies when there is a winner. The \
               caller gives both collections. ONE: the winner picks one card of the loser's collection. \
               DIFF: as many as winner's score − loser's score, or all if there are fewer. ALL: the whole \
               collection. DIRECT: every card on the board goes to the collection of the colour it shows, \
               and leaves the other; cards not on the board stay where they are. Picks are card ids; with \
               none given, the service picks by level, then sum of ranks, then id (highest first; lowest \
               id). An invalid pick (unknown card, duplicate, wrong number) is rejected, and no card moves. \
               No card is ever lost or duplicated: collections and board before and after hold the same \
               ids. The response lists every transfer.",
    },
    Clause {
        id: "TT-15",
        title: "Open",
        text: "With the rule `open` nothing is hidden. Without it a player may not see the other's hand: \
               the view of a state for one player hides those cards (their number stays visible). A view \
               can be rendered, listed, validated and played on by the viewer, as far as it determines the \
               result. No response about a view, and no rejection of the mover's own move, distinguishes \
               one hidden card from another or from a card that does not exist.",
    },
];
