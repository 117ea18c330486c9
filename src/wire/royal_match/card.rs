//! Decoding and encoding of cards, suits and orderings.

use std::sync::LazyLock;

use prost::Message;

use crate::{
    games::royal_match::{Card, MAX_HAND_SIZE, Ordering, Suit},
    wire::{Path, Violations, common::read_enum, proto},
};

/// The keys of the first two fields of a card.
const SUIT_KEY: u8 = 1 << 3;
const VALUE_KEY: u8 = 2 << 3;

/// Every encoded card, in the order of the deck.
static ENCODED_DECK: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| Card::deck().map(|card| write_card(card).encode_to_vec()).collect());

/// An encoded card: suit, value and notation.
pub(super) fn encoded_card(card: Card) -> &'static [u8] {
    &ENCODED_DECK[card.deck_index()]
}

/// Decodes a card with or without its notation (fast path).
pub(super) fn scan_card(wire: &[u8]) -> Option<Card> {
    let [SUIT_KEY, suit, VALUE_KEY, value, text @ ..] = wire else { return None };
    let suit = suit_of(proto::RoyalMatchSuit::try_from(i32::from(*suit)).ok()?)?;
    let card = Card::new(suit, (*value).into()).ok()?;
    (text.is_empty() || wire == encoded_card(card)).then_some(card)
}

/// Reads a required card.
pub(super) fn read_required_card(
    card: Option<&proto::RoyalMatchCard>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Card> {
    if card.is_none() {
        violations.required(at);
    }
    read_card(card?, at, violations)
}

/// Reads a card by suit and value, by notation, or by both if they agree.
pub(super) fn read_card(
    card: &proto::RoyalMatchCard,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Card> {
    let has_notation = !card.notation.is_empty();
    let has_suit = card.suit != i32::from(proto::RoyalMatchSuit::Unspecified);
    let suit = (has_suit || !has_notation).then(|| read_suit(card.suit, &at.field("suit"), violations));
    let value = (card.value.is_some() || !has_notation)
        .then(|| read_value(card.value, &at.field("value"), violations));
    if !has_notation {
        return suit.flatten().zip(value.flatten()).and_then(|(suit, value)| Card::new(suit, value).ok());
    }
    let at = at.field("notation");
    let read: Card = match card.notation.parse() {
        Ok(read) => read,
        Err(error) => {
            violations.add(&at, proto::ErrorReason::InvalidNotation, error);
            return None;
        }
    };
    // A suit or value next to the notation must be valid and agree with it.
    let (suit, value) = (suit.unwrap_or(Some(read.suit()))?, value.unwrap_or(Some(read.value().into()))?);
    if (suit, value) == (read.suit(), read.value().into()) {
        return Some(read);
    }
    let message = format!("{read} does not match suit and value");
    violations.add(&at, proto::ErrorReason::CardMismatch, message);
    None
}

/// Reads a hand. The cards of a hand that is too large are not read: the game reports their number.
pub(super) fn read_hand(
    cards: &[proto::RoyalMatchCard],
    at: &Path<'_>,
    violations: &mut Violations,
) -> Vec<Option<Card>> {
    if cards.len() > MAX_HAND_SIZE {
        return vec![None; cards.len()];
    }
    cards.iter().enumerate().map(|(index, card)| read_card(card, &at.index(index), violations)).collect()
}

fn read_value(value: Option<u32>, at: &Path<'_>, violations: &mut Violations) -> Option<u32> {
    let Some(value) = value else {
        violations.required(at);
        return None;
    };
    match Card::new(Suit::Hearts, value) {
        Ok(_) => Some(value),
        Err(error) => {
            violations.add_breach(at, proto::ErrorReason::ValueOutOfRange, &error);
            None
        }
    }
}

pub(super) fn read_suit(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Suit> {
    read_enum(value, at, violations).and_then(suit_of)
}

pub(super) fn suit_of(suit: proto::RoyalMatchSuit) -> Option<Suit> {
    Some(match suit {
        proto::RoyalMatchSuit::Hearts => Suit::Hearts,
        proto::RoyalMatchSuit::Diamonds => Suit::Diamonds,
        proto::RoyalMatchSuit::Clubs => Suit::Clubs,
        proto::RoyalMatchSuit::Spades => Suit::Spades,
        proto::RoyalMatchSuit::Unspecified => return None,
    })
}

pub(super) fn read_ordering(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Ordering> {
    read_enum(value, at, violations).and_then(ordering_of)
}

pub(super) fn ordering_of(ordering: proto::RoyalMatchOrdering) -> Option<Ordering> {
    Some(match ordering {
        proto::RoyalMatchOrdering::ValueThenSuit => Ordering::ValueThenSuit,
        proto::RoyalMatchOrdering::SuitThenValue => Ordering::SuitThenValue,
        proto::RoyalMatchOrdering::Unspecified => return None,
    })
}

/// Writes a card with suit, value and notation.
pub(super) fn write_card(card: Card) -> proto::RoyalMatchCard {
    proto::RoyalMatchCard {
        suit: write_suit(card.suit()).into(),
        value: Some(card.value().into()),
        notation: card.to_string(),
    }
}

pub(super) fn write_suit(suit: Suit) -> proto::RoyalMatchSuit {
    match suit {
        Suit::Hearts => proto::RoyalMatchSuit::Hearts,
        Suit::Diamonds => proto::RoyalMatchSuit::Diamonds,
        Suit::Clubs => proto::RoyalMatchSuit::Clubs,
        Suit::Spades => proto::RoyalMatchSuit::Spades,
    }
}

pub(super) fn write_ordering(ordering: Ordering) -> proto::RoyalMatchOrdering {
    match ordering {
        Ordering::ValueThenSuit => proto::RoyalMatchOrdering::ValueThenSuit,
        Ordering::SuitThenValue => proto::RoyalMatchOrdering::SuitThenValue,
    }
}
