//! Setups and openings that RM-7 rejects, and those that it accepts.

use std::collections::BTreeSet;

use super::support::{at_every_state, card, cards, setup, sorted};
use crate::chance::pick;
use arbiter_games::{
    Chance, ParseError, StateOrView,
    royal_match::{
        Card, Opening, OpeningError, OpeningSetup, Place,
        Player::{One, Three, Two},
        RoyalMatch, Setup, SetupError,
    },
};

fn setup_errors(state: &str) -> Vec<SetupError> {
    let errors = crate::parse_state::<RoyalMatch>(state).expect_err(state);
    let errors = errors.into_iter().map(|error| match error {
        ParseError::Setup(error) => error,
        ParseError::Notation(error) => panic!("{error} in {state}"),
        ParseError::Rules(never) => match never {},
    });
    errors.collect()
}

#[test]
fn rm_7_each_error_of_a_state_is_reported() {
    let fourteen = "2H,3H,4H,5H,6H,7H,8H,9H,10H,JH,QH,KH,AH,2S";
    let in_hand = Place::Hand;
    let doubled = |text, first, second| SetupError::DuplicateCard { card: card(text), first, second };
    for (state, wanted) in [
        ("rm:vH:7H;0", vec![SetupError::PlayerCount(1)]),
        ("rm:vH:7H;0/7D;0/7C;0/7S;0/8H;0", vec![SetupError::PlayerCount(5)]),
        (
            &format!("rm:vH:{fourteen};0/2D;0"),
            vec![
                SetupError::HandTooLarge { player: One, found: 14 },
                SetupError::HandSize { player: Two, found: 1, wanted: 14 },
            ],
        ),
        ("rm:vH:7H,7H;0/2C,3C;0", vec![doubled("7H", in_hand(One, 0), in_hand(One, 1))]),
        ("rm:vH:7H,AS;0/2C,AS;0", vec![doubled("AS", in_hand(One, 1), in_hand(Two, 1))]),
        ("rm:vH:7H;0;2C/2C,3C;0", vec![doubled("2C", Place::Played(One), in_hand(Two, 0))]),
        (
            "rm:vH:7H,8H;0/2C,3C;0;4C/-;0;5C",
            vec![
                SetupError::HandSize { player: Two, found: 3, wanted: 2 },
                SetupError::HandSize { player: Three, found: 1, wanted: 2 },
            ],
        ),
        ("rm:vH:7H;6/8H;7", vec![SetupError::TooManyTricks { tricks: 13, left: 1 }]),
        ("rm:vH:-;14/-;0", vec![SetupError::Tricks { player: One, found: 14 }]),
        ("rm:vH:-;0/-;0/-;0", vec![SetupError::NoCards]),
        ("rm:vH:7H;0;2C/8H;0;3C", vec![SetupError::TrickComplete]),
    ] {
        assert_eq!(setup_errors(state), wanted, "{state}");
    }
}

#[test]
fn rm_7_all_errors_of_a_state_are_reported_together() {
    let wanted = [
        SetupError::PlayerCount(5),
        SetupError::DuplicateCard {
            card: card("7H"),
            first: Place::Hand(One, 0),
            second: Place::Played(Three),
        },
        SetupError::Tricks { player: One, found: 20 },
        SetupError::HandSize { player: Two, found: 2, wanted: 1 },
    ];
    assert_eq!(setup_errors("rm:vH:7H;20/8H,9H;0/-;0;7H/10H;0/JH;0"), wanted);
}

/// Whether a setup is a position of a match (RM-7).
fn is_match(setup: &Setup) -> bool {
    let left: BTreeSet<_> =
        setup.seats.iter().map(|seat| seat.hand.len() + usize::from(seat.played.is_some())).collect();
    let cards: Vec<Card> =
        setup.seats.iter().flat_map(|seat| seat.hand.iter().copied().chain(seat.played)).flatten().collect();
    let tricks: usize = setup.seats.iter().map(|seat| seat.tricks as usize).sum();
    (2..=4).contains(&setup.seats.len())
        && sorted(cards).is_sorted_by(|one, next| one < next)
        && left.len() == 1
        && left.iter().all(|left| (1..=13).contains(&(left + tricks)))
        && setup.seats.iter().any(|seat| seat.played.is_none())
}

/// Makes a random change. The setup may still be a position of a match.
fn disturb(chance: &mut Chance, setup: &mut Setup) {
    let deck: Vec<_> = Card::deck().map(Some).collect();
    let what = chance.below(6);
    let index = chance.below(setup.seats.len() as u32) as usize;
    let seat = &mut setup.seats[index];
    match what {
        0 => seat.hand.push(pick(chance, &deck)),
        1 => drop(seat.hand.pop()),
        2 => seat.played = Some(pick(chance, &deck)),
        3 => seat.played = None,
        4 => seat.tricks = chance.below(15),
        _ => setup.seats.rotate_left(index),
    }
}

#[test]
fn rm_7_a_setup_is_accepted_exactly_when_it_is_a_position_of_a_match() {
    let mut chance = Chance::new(14, 0);
    let mut seen = [0, 0];
    at_every_state(11, |game| {
        let mut setup = setup(game.diagram());
        for _ in 0..3 {
            disturb(&mut chance, &mut setup);
            let result = StateOrView::<RoyalMatch>::try_from(&setup);
            assert_eq!(result.is_ok(), is_match(&setup), "{setup:?}: {result:?}");
            seen[usize::from(result.is_ok())] += 1;
        }
    });
    assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
}

#[test]
fn no_error_of_a_setup_is_reported_twice() {
    let mut chance = Chance::new(15, 0);
    at_every_state(12, |game| {
        let mut setup = setup(game.diagram());
        for _ in 0..5 {
            disturb(&mut chance, &mut setup);
            let errors = StateOrView::<RoyalMatch>::try_from(&setup).err().unwrap_or_default();
            let distinct: BTreeSet<_> = errors.iter().map(|error| format!("{error:?}")).collect();
            assert_eq!(distinct.len(), errors.len(), "{setup:?}: {errors:?}");
        }
    });
}

#[test]
fn rm_7_each_error_of_an_opening_is_reported() {
    let hands = |texts: &[&str]| -> Vec<Vec<Option<Card>>> {
        texts.iter().map(|hand| cards(hand).into_iter().map(Some).collect()).collect()
    };
    let fourteen = "2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH AH 2S";
    let none = OpeningSetup::default;
    for (setup, wanted) in [
        (OpeningSetup { players: Some(1), ..none() }, OpeningError::Players(1)),
        (OpeningSetup { players: Some(5), ..none() }, OpeningError::Players(5)),
        (OpeningSetup { hand_size: Some(0), ..none() }, OpeningError::HandSize(0)),
        (OpeningSetup { hand_size: Some(14), ..none() }, OpeningError::HandSize(14)),
        (
            OpeningSetup { players: Some(3), hands: hands(&["7H", "8H"]), ..none() },
            OpeningError::HandCount { found: 2, wanted: 3 },
        ),
        (OpeningSetup { hands: hands(&["7H"]), ..none() }, OpeningError::HandsOutOfRange(1)),
        (
            OpeningSetup { hands: hands(&["7H", "8H", "9H", "10H", "JH"]), ..none() },
            OpeningError::HandsOutOfRange(5),
        ),
        (
            OpeningSetup { hands: hands(&["7H 8H", "9H"]), ..none() },
            OpeningError::CardCount { player: Two, found: 1, wanted: 2 },
        ),
        (
            OpeningSetup { hand_size: Some(1), hands: hands(&["7H 8H", "9H"]), ..none() },
            OpeningError::CardCount { player: One, found: 2, wanted: 1 },
        ),
        (
            OpeningSetup { hand_size: Some(1), hands: hands(&["2D", fourteen]), ..none() },
            OpeningError::CardsOutOfRange { player: Two, found: 14 },
        ),
        (
            OpeningSetup { hands: hands(&["7H 8H", "9H 7H"]), ..none() },
            OpeningError::DuplicateCard { player: Two, index: 1, card: card("7H") },
        ),
    ] {
        let errors = Opening::try_from(&setup).expect_err("the opening is invalid");
        assert_eq!(errors, [wanted], "{setup:?}");
    }
}

/// The reader reports a field that it cannot read.
#[test]
fn an_unreadable_field_is_rejected_without_a_second_error() {
    let hands = vec![vec![Some(card("7H"))], vec![None]];
    let opening = OpeningSetup { hands, ..OpeningSetup::default() };
    assert_eq!(Opening::try_from(&opening).err(), Some(vec![]));
    let whole =
        setup(crate::parse_state::<RoyalMatch>("rm:vH:7H;0/8H;0").expect("the state is a match").diagram());
    let mut unread = whole.clone();
    unread.seats[0].hand[0] = None;
    assert_eq!(StateOrView::<RoyalMatch>::try_from(&unread), Err(vec![]));
    assert_eq!(StateOrView::<RoyalMatch>::try_from(&Setup { dominant: None, ..whole }), Err(vec![]));
}
