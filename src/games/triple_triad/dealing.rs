//! The start of a round (TT-2, TT-3, TT-4, TT-13).

use super::{
    CATALOGUE, Card, Element, Ending, Opening, Outcome, Rule, Rules, TripleTriad,
    board::SQUARE_COUNT,
    opening::Hands,
    position::{CARD_COUNT, HAND_SIZE, Position},
};
use crate::{Chance, Game, Player};

/// The random streams of a seed. The numbers must not change: games dealt by a seed would.
mod stream {
    pub(super) const TOSS: u64 = 1;
    pub(super) const ELEMENTS: u64 = 2;
    pub(super) const CATALOGUE: u64 = 3;
    pub(super) const COLLECTIONS: [u64; 2] = [4, 5];
}

/// The distance between the streams of two rounds of sudden death, so that one seed can be used for all rounds.
const STREAMS_PER_ROUND: u64 = 16;

/// The maximum number of squares that are drawn to have an element (TT-4).
const MAX_ELEMENTAL_SQUARES: u32 = 4;

/// Starts a game.
pub(super) fn deal(rules: Rules, opening: Opening, seed: u64) -> TripleTriad {
    let cards = match opening.hands {
        Hands::Given(hands) => join(*hands),
        Hands::Drawn(collections) => join(std::array::from_fn(|player| {
            let mut collection = collections[player].clone();
            let drawn =
                Chance::new(seed, stream::COLLECTIONS[player]).draw(&mut collection, HAND_SIZE).to_vec();
            std::array::from_fn(|card| drawn[card])
        })),
        Hands::Dealt => {
            let mut catalogue: Vec<&Card> = CATALOGUE.iter().collect();
            let dealt = Chance::new(seed, stream::CATALOGUE).draw(&mut catalogue, CARD_COUNT).to_vec();
            std::array::from_fn(|card| *dealt[card])
        }
    };
    let first_player = opening.first_player.unwrap_or_else(|| toss(seed, 0));
    let elements = opening.elements.unwrap_or_else(|| draw_elements(rules, seed, 0));
    TripleTriad { cards, position: Position::start(rules, &cards, elements, first_player, 0) }
}

/// The next round of sudden death, if there is one (TT-13).
pub(super) fn next_round(game: &TripleTriad, seed: impl FnOnce() -> u64) -> Option<TripleTriad> {
    let Outcome { ending: Some(Ending::SuddenDeath), drawn_rounds, .. } = game.outcome() else {
        return None;
    };
    let seed = seed();
    let TripleTriad { cards, position } = game;
    let hand = |player: Player| {
        let on_board = (0..SQUARE_COUNT).filter_map(|square| position.card_on(square));
        let theirs = on_board.filter(move |&(_, owner)| owner == player).map(|(card, _)| card);
        theirs.chain(position.hand_cards(player)).map(|card| cards[card])
    };
    let mut both = hand(Player::One).chain(hand(Player::Two));
    let cards = std::array::from_fn(|_| both.next().expect("equal scores are five each"));
    let rules = position.rules();
    let elements = draw_elements(rules, seed, drawn_rounds);
    let first_player = toss(seed, drawn_rounds);
    Some(TripleTriad {
        cards,
        position: Position::start(rules, &cards, elements, first_player, drawn_rounds),
    })
}

fn join([one, two]: [[Card; HAND_SIZE]; 2]) -> [Card; CARD_COUNT] {
    std::array::from_fn(|card| if card < HAND_SIZE { one[card] } else { two[card - HAND_SIZE] })
}

fn toss(seed: u64, round: u16) -> Player {
    Chance::new(seed, stream::TOSS + STREAMS_PER_ROUND * u64::from(round)).toss()
}

/// The elements of the squares. With the rule, one to four distinct squares have one.
fn draw_elements(rules: Rules, seed: u64, round: u16) -> [Option<Element>; SQUARE_COUNT] {
    let mut elements = [None; SQUARE_COUNT];
    if rules.has(Rule::Elemental) {
        let mut chance = Chance::new(seed, stream::ELEMENTS + STREAMS_PER_ROUND * u64::from(round));
        let mut squares: [usize; SQUARE_COUNT] = std::array::from_fn(|square| square);
        let count = 1 + chance.below(MAX_ELEMENTAL_SQUARES) as usize;
        for &square in chance.draw(&mut squares, count) {
            elements[square] = Some(Element::ALL[chance.below(Element::ALL.len() as u32) as usize]);
        }
    }
    elements
}
