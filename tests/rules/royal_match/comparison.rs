//! RM-1 to RM-6: the cards, their order, and why one beats another.

use std::{cmp, collections::BTreeSet};

use super::support::{card, cards, orders};
use crate::naive::royal_match as plain;
use arbiter_games::royal_match::{Card, CardError, Decision, Order, Ordering, Suit};

/// Every card against every card, itself included.
fn pairs() -> impl Iterator<Item = (Card, Card)> {
    Card::deck().flat_map(|first| Card::deck().map(move |second| (first, second)))
}

/// The result as the function of the document returns it: 1 or -1. It never returns 0.
fn sign(ordering: cmp::Ordering) -> i32 {
    ordering as i32
}

#[test]
fn rm_1_a_deck_has_thirteen_values_of_each_of_four_suits() {
    let deck: BTreeSet<_> = Card::deck().map(|card| (plain::suit_name(card.suit()), card.value())).collect();
    let suits = ["clubs", "diamonds", "hearts", "spades"];
    let wanted = suits.into_iter().flat_map(|suit| (2..=14).map(move |value| (suit, value)));
    assert!(deck.iter().copied().eq(wanted), "{deck:?}");
    assert_eq!(Card::deck().count(), 52);
}

#[test]
fn rm_1_a_value_is_from_2_to_14() {
    for value in (0..=40).chain([258, 263, 1 << 16 | 7, u32::MAX]) {
        let made = Card::new(Suit::Clubs, value).map(|card| (card.suit(), u32::from(card.value())));
        let wanted =
            if (2..=14).contains(&value) { Ok((Suit::Clubs, value)) } else { Err(CardError::Value(value)) };
        assert_eq!(made, wanted);
    }
}

#[test]
fn rm_2_hearts_are_the_opposite_of_spades_and_diamonds_of_clubs() {
    assert_eq!(Suit::ALL, [Suit::Hearts, Suit::Diamonds, Suit::Clubs, Suit::Spades]);
    assert_eq!(Suit::ALL.map(Suit::opposite), [Suit::Spades, Suit::Clubs, Suit::Diamonds, Suit::Hearts]);
}

/// Two cards, of which the first wins, and the reason.
type Example = (&'static str, &'static str, Decision);

/// The examples of the document, in its order: a strong suit, and six pairs.
#[rustfmt::skip]
const EXAMPLES: [(Suit, [Example; 6]); 4] = [
    (Suit::Hearts, [
        ("7♥", "7♦", Decision::StrongSuit),
        ("7♥", "7♣", Decision::StrongSuit),
        ("7♥", "7♠", Decision::StrongSuit),
        ("7♦", "7♣", Decision::NeutralColour),
        ("7♦", "7♠", Decision::WeakSuit),
        ("7♣", "7♠", Decision::WeakSuit),
    ]),
    (Suit::Diamonds, [
        ("10♦", "10♥", Decision::StrongSuit),
        ("10♦", "10♠", Decision::StrongSuit),
        ("10♦", "10♣", Decision::StrongSuit),
        ("10♥", "10♠", Decision::NeutralColour),
        ("10♥", "10♣", Decision::WeakSuit),
        ("10♠", "10♣", Decision::WeakSuit),
    ]),
    (Suit::Clubs, [
        ("5♣", "5♠", Decision::StrongSuit),
        ("5♣", "5♥", Decision::StrongSuit),
        ("5♣", "5♦", Decision::StrongSuit),
        ("5♠", "5♥", Decision::NeutralColour),
        ("5♠", "5♦", Decision::WeakSuit),
        ("5♥", "5♦", Decision::WeakSuit),
    ]),
    (Suit::Spades, [
        ("A♠", "A♣", Decision::StrongSuit),
        ("A♠", "A♦", Decision::StrongSuit),
        ("A♠", "A♥", Decision::StrongSuit),
        ("A♣", "A♦", Decision::NeutralColour),
        ("A♣", "A♥", Decision::WeakSuit),
        ("A♦", "A♥", Decision::WeakSuit),
    ]),
];

#[test]
fn rm_3_the_examples_of_the_document_have_its_results() {
    for (dominant, examples) in EXAMPLES {
        for (winner, loser, decision) in examples {
            let order = Order { dominant, ordering: Ordering::ValueThenSuit };
            let actual = order.compare(card(winner), card(loser));
            assert_eq!(actual, (cmp::Ordering::Greater, decision), "{winner} and {loser}, {dominant} strong");
        }
    }
}

#[test]
fn rm_3_all_comparisons_match_the_function_of_the_document() {
    for dominant in Suit::ALL {
        let order = Order { dominant, ordering: Ordering::ValueThenSuit };
        for (first, second) in pairs().filter(|(first, second)| first != second) {
            let wanted = plain::compare_cards(first.into(), second.into(), plain::suit_name(dominant));
            let actual = order.compare(first, second).0;
            assert_eq!(sign(actual), wanted, "{first} and {second}, {dominant} strong");
        }
    }
}

#[test]
fn rm_4_cards_are_equal_exactly_when_they_are_identical() {
    for order in orders() {
        for (first, second) in pairs() {
            assert_eq!(
                order.compare(first, second).0.is_eq(),
                first == second,
                "{first}, {second}: {order:?}"
            );
        }
    }
}

#[test]
fn rm_4_the_order_is_antisymmetric() {
    for order in orders() {
        for (first, second) in pairs() {
            let (actual, swapped) = (order.compare(first, second).0, order.compare(second, first).0);
            assert_eq!(actual, swapped.reverse(), "{first}, {second}: {order:?}");
        }
    }
}

#[test]
fn rm_4_the_order_is_transitive() {
    for order in orders() {
        let beats = |first, second| order.compare(first, second).0.is_gt();
        for (first, second) in pairs().filter(|&(first, second)| beats(first, second)) {
            for third in Card::deck().filter(|&third| beats(second, third)) {
                assert!(beats(first, third), "{first}, {second}, {third}: {order:?}");
            }
        }
    }
}

#[test]
fn rm_5_every_comparison_reports_the_clause_that_decided_it() {
    for order in orders() {
        let naive = plain::Order::from(order);
        for (first, second) in pairs() {
            let actual = plain::decision_name(order.compare(first, second).1);
            assert_eq!(actual, naive.decision(first.into(), second.into()), "{first}, {second}: {order:?}");
        }
    }
}

#[test]
fn rm_5_every_decision_is_explained_in_words() {
    let by_value = |dominant| Order { dominant, ordering: Ordering::ValueThenSuit };
    let by_suit = |dominant| Order { dominant, ordering: Ordering::SuitThenValue };
    for (order, pair, wanted) in [
        (by_value(Suit::Clubs), "8H 7C", "8H beats 7C: it has the higher value"),
        (by_suit(Suit::Clubs), "2C AH", "2C beats AH: clubs are strong"),
        (by_value(Suit::Diamonds), "10S 10C", "10S beats 10C: clubs are weak"),
        (by_value(Suit::Hearts), "7D 7C", "7D beats 7C: both are neutral, and diamonds are red like hearts"),
        (by_value(Suit::Spades), "AC AD", "AC beats AD: both are neutral, and clubs are black like spades"),
        (by_value(Suit::Hearts), "QS QS", "QS and QS are the same card"),
    ] {
        let actual: Vec<_> = order.explain(&cards(pair)).iter().map(ToString::to_string).collect();
        assert_eq!(actual, [wanted]);
    }
}

#[test]
fn rm_6_all_cards_are_compared_by_suit_and_then_by_value() {
    for dominant in Suit::ALL {
        let order = Order { dominant, ordering: Ordering::SuitThenValue };
        for (first, second) in pairs().filter(|(first, second)| first != second) {
            let wanted =
                plain::compare_suit_then_value(first.into(), second.into(), plain::suit_name(dominant));
            let actual = order.compare(first, second).0;
            assert_eq!(sign(actual), wanted, "{first} and {second}, {dominant} strong");
        }
    }
}

#[test]
fn rm_6_the_whole_deck_is_ranked_by_value_or_by_suit_first() {
    for order in orders() {
        let mut ranked: Vec<Card> = Card::deck().collect();
        order.rank(&mut ranked);
        let ranked: Vec<_> = ranked.into_iter().map(plain::Card::from).collect();
        let dominant = plain::suit_name(order.dominant);
        let suits = plain::HIERARCHIES.into_iter().find(|suits| suits[0] == dominant);
        let suits = suits.expect("there is a table for each suit");
        let values = (2..=14).rev();
        let card = |suit, numeric_value| plain::Card { suit, numeric_value };
        let wanted: Vec<_> = match order.ordering {
            Ordering::ValueThenSuit => values.flat_map(|value| suits.map(|suit| card(suit, value))).collect(),
            Ordering::SuitThenValue => suits
                .into_iter()
                .flat_map(|suit| values.clone().map(move |value| card(suit, value)))
                .collect(),
        };
        assert_eq!(ranked, wanted, "{order:?}");
    }
}
