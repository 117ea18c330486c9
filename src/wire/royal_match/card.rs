use crate::{
    games::royal_match::{Card, Ordering, Suit},
    wire::{Path, Violations, proto, vocabulary::read_enum},
};

/// Reads a card that must be there.
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

/// Reads a card: by suit and value, as text, or by both if they agree.
pub(super) fn read_card(
    card: &proto::RoyalMatchCard,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Card> {
    let in_text = !card.notation.is_empty();
    let has_suit = card.suit != i32::from(proto::RoyalMatchSuit::Unspecified);
    let suit = (has_suit || !in_text).then(|| read_suit(card.suit, &at.field("suit"), violations));
    let value =
        (card.value.is_some() || !in_text).then(|| read_value(card.value, &at.field("value"), violations));
    if !in_text {
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
    // What is given beside the text must be right by itself, and agree with it.
    let (suit, value) = (suit.unwrap_or(Some(read.suit()))?, value.unwrap_or(Some(read.value().into()))?);
    if (suit, value) == (read.suit(), read.value().into()) {
        return Some(read);
    }
    let message = format!("{read} is another card than the one by suit and value");
    violations.add(&at, proto::ErrorReason::CardMismatch, message);
    None
}

/// Reads a value that a card can have.
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

/// Reads a suit.
pub(super) fn read_suit(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Suit> {
    Some(match read_enum::<proto::RoyalMatchSuit>(value, at, violations)? {
        proto::RoyalMatchSuit::Hearts => Suit::Hearts,
        proto::RoyalMatchSuit::Diamonds => Suit::Diamonds,
        proto::RoyalMatchSuit::Clubs => Suit::Clubs,
        proto::RoyalMatchSuit::Spades => Suit::Spades,
        proto::RoyalMatchSuit::Unspecified => return None,
    })
}

/// Reads an ordering.
pub(super) fn read_ordering(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Ordering> {
    Some(match read_enum::<proto::RoyalMatchOrdering>(value, at, violations)? {
        proto::RoyalMatchOrdering::ValueThenSuit => Ordering::ValueThenSuit,
        proto::RoyalMatchOrdering::SuitThenValue => Ordering::SuitThenValue,
        proto::RoyalMatchOrdering::Unspecified => return None,
    })
}

/// Writes a card, by suit and value and as text.
pub(super) fn write_card(card: Card) -> proto::RoyalMatchCard {
    proto::RoyalMatchCard {
        suit: write_suit(card.suit()).into(),
        value: Some(card.value().into()),
        notation: card.to_string(),
    }
}

/// Writes a suit.
pub(super) fn write_suit(suit: Suit) -> proto::RoyalMatchSuit {
    match suit {
        Suit::Hearts => proto::RoyalMatchSuit::Hearts,
        Suit::Diamonds => proto::RoyalMatchSuit::Diamonds,
        Suit::Clubs => proto::RoyalMatchSuit::Clubs,
        Suit::Spades => proto::RoyalMatchSuit::Spades,
    }
}

/// Writes an ordering.
pub(super) fn write_ordering(ordering: Ordering) -> proto::RoyalMatchOrdering {
    match ordering {
        Ordering::ValueThenSuit => proto::RoyalMatchOrdering::ValueThenSuit,
        Ordering::SuitThenValue => proto::RoyalMatchOrdering::SuitThenValue,
    }
}
