//! Helpers for the tests of `RoyalMatch`: cards, deals, and random matches. The generator of the crate has fixed seeds, so
//! every run makes the same choices.

use crate::{chance::pick, naive::royal_match as plain};
use arbiter_games::{
    Chance, Game,
    royal_match::{
        Card, Diagram, Opening, OpeningSetup, Order, Ordering, RoyalMatch, Rules, Seat, Setup, SetupSeat,
        Suit,
    },
};

pub const ORDERINGS: [Ordering; 2] = [Ordering::ValueThenSuit, Ordering::SuitThenValue];

pub fn card(text: &str) -> Card {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

pub fn cards(texts: &str) -> Vec<Card> {
    texts.split(' ').map(card).collect()
}

/// Both orderings, each with every strong suit.
pub fn orders() -> impl Iterator<Item = Order> {
    ORDERINGS
        .into_iter()
        .flat_map(|ordering| Suit::ALL.into_iter().map(move |dominant| Order { dominant, ordering }))
}

pub fn opening(setup: &OpeningSetup) -> Opening {
    Opening::try_from(setup).expect("the opening is valid")
}

pub fn deal(players: u32, hand_size: u32, seed: u64) -> RoyalMatch {
    let setup =
        OpeningSetup { players: Some(players), hand_size: Some(hand_size), ..OpeningSetup::default() };
    RoyalMatch::new(Rules::default(), opening(&setup), seed)
}

/// Every card of a diagram, in hands and in the trick.
pub fn cards_of(diagram: &Diagram) -> Vec<Card> {
    diagram.seats().iter().flat_map(|seat| seat.hand.iter().copied().chain(seat.played)).collect()
}

/// The indices of cards in the deck, sorted.
pub fn sorted(cards: impl IntoIterator<Item = Card>) -> Vec<usize> {
    let place = |card: Card| Card::deck().position(|other| other == card).expect("the deck has every card");
    let mut places: Vec<_> = cards.into_iter().map(place).collect();
    places.sort_unstable();
    places
}

pub fn setup(diagram: &Diagram) -> Setup {
    let seat = |seat: &Seat| SetupSeat {
        hand: seat.hand.iter().copied().map(Some).collect(),
        played: seat.played.map(Some),
        tricks: seat.tricks.into(),
        hidden: seat.hidden.map(Into::into),
    };
    let seats = diagram.seats().iter().map(seat).collect();
    let dominant = Some(diagram.order().dominant);
    Setup { rules: Some(diagram.rules()), dominant, seats, viewer: diagram.viewer() }
}

pub fn naive(game: &RoyalMatch) -> plain::Match {
    game.diagram().into()
}

pub fn random_match(chance: &mut Chance) -> RoyalMatch {
    let setup = OpeningSetup {
        players: Some(2 + chance.below(3)),
        hand_size: Some(1 + chance.below(13)),
        ..OpeningSetup::default()
    };
    let rules = Rules { ordering: pick(chance, &ORDERINGS) };
    RoyalMatch::new(rules, opening(&setup), chance.below(u32::MAX).into())
}

/// A diagram that need not be a position of a match: hands of any size, and a trick to which all players, or all but
/// one, have played.
pub fn random_diagram(chance: &mut Chance) -> Diagram {
    let mut deck: Vec<Card> = Card::deck().collect();
    chance.draw(&mut deck, Card::DECK_SIZE);
    let players = 2 + chance.below(3);
    let missing = chance.below(2 * players);
    let seat = |index| SetupSeat {
        hand: deck.split_off(deck.len() - chance.below(5) as usize).into_iter().map(Some).collect(),
        played: if index == missing { None } else { deck.pop().map(Some) },
        tricks: chance.below(4),
        hidden: None,
    };
    let seats = (0..players).map(seat).collect();
    let rules = Some(Rules { ordering: pick(chance, &ORDERINGS) });
    let setup = Setup { rules, dominant: Some(pick(chance, &Suit::ALL)), seats, viewer: None };
    Diagram::try_from(&setup).expect("the cards are different")
}

/// Plays random matches with the crate and the naive implementation side by side. Calls `compare` before each move and at
/// the end.
pub fn play_side_by_side(stream: u64, mut compare: impl FnMut(&RoyalMatch, &plain::Match)) {
    let mut chance = Chance::new(7, stream);
    for _ in 0..500 {
        let mut game = random_match(&mut chance);
        let mut naive = naive(&game);
        loop {
            compare(&game, &naive);
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = pick(&mut chance, &legal);
            game.play(&mv).expect("the move is legal");
            naive.play(mv.player.index(), mv.card.into()).expect("the move is legal");
        }
    }
}

/// Calls `check` with every state of random matches.
pub fn at_every_state(stream: u64, mut check: impl FnMut(&RoyalMatch)) {
    play_side_by_side(stream, |game, _| check(game));
}
