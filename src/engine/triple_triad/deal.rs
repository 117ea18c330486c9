use std::array;

use arbiter_games::triple_triad::{CARD_COUNT, Card, Diagram, Ranks as CardRanks, Rule, Rules, SQUARE_COUNT};

use super::ranks::{Ranks, Sides, Touch};

/// A set of cards: one bit each.
pub(super) type Cards = u16;

/// What does not change during a game: the rules, the elements of the squares and the ten cards, in the form that captures
/// need. A card is its index.
#[derive(Debug)]
pub(super) struct Deal {
    pub rules: Rules,
    /// The ranks of each card as printed.
    pub printed: [Ranks; CARD_COUNT],
    /// The ranks of each card on each square, as the elements of the squares change them (TT-4).
    pub effective: [[Ranks; SQUARE_COUNT]; CARD_COUNT],
    /// What each card changes for its neighbours, by side.
    pub printed_touch: [[Touch; 4]; CARD_COUNT],
    pub effective_touch: [[[Touch; 4]; SQUARE_COUNT]; CARD_COUNT],
    /// The sides of each card on each square that count for Same because they face a wall (TT-7).
    pub same_walls: [[Sides; SQUARE_COUNT]; CARD_COUNT],
}

impl Deal {
    /// The game of a board with ten cards.
    pub fn new(diagram: &Diagram, cards: &[Card; CARD_COUNT]) -> Self {
        let rules = diagram.rules;
        let printed = cards.map(|card| Ranks::new(card.ranks().each()));
        let effective = cards.map(|card| {
            diagram.squares.map(|(element, _)| {
                let ranks = card.ranks().each();
                Ranks::new(match element.filter(|_| rules.has(Rule::Elemental)) {
                    None => ranks,
                    element if element == card.element() => ranks.map(|rank| rank + 1),
                    Some(_) => ranks.map(|rank| rank - 1),
                })
            })
        });
        let tens = Ranks::new([CardRanks::MAX; 4]);
        let same_walls = printed.map(|ranks| {
            array::from_fn(|square| {
                let walls = if rules.has(Rule::SameWall) { Sides::walls(square) } else { Sides::NONE };
                walls.and(ranks.equal(tens))
            })
        });
        let touches = |ranks: Ranks| array::from_fn(|side| ranks.touch(side));
        Self {
            rules,
            printed,
            effective,
            printed_touch: printed.map(touches),
            effective_touch: effective.map(|by_square| by_square.map(touches)),
            same_walls,
        }
    }
}
