//! Decoding and encoding of cards and elements.

use crate::{
    games::triple_triad::{Card, CardError, Element, HAND_SIZE, Side},
    wire::{Path, Violations, common::read_enum, proto},
};

/// Reads a card and reports its violations.
pub(super) fn read_card(
    card: &proto::TripleTriadCard,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Card> {
    if !card.notation.is_empty() {
        return read_notation(card, &at.field("notation"), violations);
    }
    let read = try_read(card);
    if read.is_none() {
        report_violations(card, at, violations);
    }
    read
}

/// Reads a card given by its notation, which must be its only field.
fn read_notation(card: &proto::TripleTriadCard, at: &Path<'_>, violations: &mut Violations) -> Option<Card> {
    let alone = proto::TripleTriadCard { notation: card.notation.clone(), ..Default::default() };
    if *card != alone {
        let message = "a card has either a notation or the other fields, not both";
        violations.add(at, proto::ErrorReason::InvalidNotation, message);
        return None;
    }
    violations.accept(Card::parse(&card.notation), |error, violations| {
        violations.add_breach(at, error_code(error), &error);
    })
}

/// Reads a card. Returns None if a field is invalid.
fn try_read(card: &proto::TripleTriadCard) -> Option<Card> {
    let ranks = [card.top?, card.right?, card.bottom?, card.left?];
    let element = match card.element {
        Some(element) => Some(element_of(element.try_into().ok()?)?),
        None => None,
    };
    Card::new(card.id?, ranks, element, card.level.unwrap_or(1), &card.name).ok()
}

/// Reports the violations of a card, field by field.
fn report_violations(card: &proto::TripleTriadCard, at: &Path<'_>, violations: &mut Violations) {
    let numbers = [
        ("id", card.id),
        ("top", card.top),
        ("right", card.right),
        ("bottom", card.bottom),
        ("left", card.left),
    ];
    // A missing number is reported as missing, not also as out of range.
    let [id, ranks @ ..] = numbers.map(|(_, number)| number.unwrap_or(1));
    let errors = Card::new(id, ranks, None, card.level.unwrap_or(1), &card.name).err().unwrap_or_default();
    let report = |field, violations: &mut Violations| {
        for error in errors.iter().filter(|error| field_of(**error) == field) {
            violations.add_breach(&at.field(field), error_code(*error), error);
        }
    };
    for (field, number) in numbers {
        if number.is_none() {
            violations.required(&at.field(field));
        }
        report(field, violations);
    }
    if let Some(element) = card.element {
        read_element(element, &at.field("element"), violations);
    }
    report("level", violations);
    report("name", violations);
}

/// Reads a list of cards. An invalid card is None.
pub(super) fn read_cards(
    cards: &[proto::TripleTriadCard],
    at: &Path<'_>,
    violations: &mut Violations,
) -> Vec<Option<Card>> {
    cards.iter().enumerate().map(|(index, card)| read_card(card, &at.index(index), violations)).collect()
}

/// Reads a hand. The cards of a hand that is too large are not read: the game reports their number.
pub(super) fn read_hand(
    cards: &[proto::TripleTriadCard],
    at: &Path<'_>,
    violations: &mut Violations,
) -> Vec<Option<Card>> {
    if cards.len() > HAND_SIZE { vec![None; cards.len()] } else { read_cards(cards, at, violations) }
}

pub(super) fn read_element(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Element> {
    read_enum(value, at, violations).and_then(element_of)
}

pub(super) fn element_of(element: proto::TripleTriadElement) -> Option<Element> {
    Some(match element {
        proto::TripleTriadElement::Fire => Element::Fire,
        proto::TripleTriadElement::Ice => Element::Ice,
        proto::TripleTriadElement::Thunder => Element::Thunder,
        proto::TripleTriadElement::Earth => Element::Earth,
        proto::TripleTriadElement::Poison => Element::Poison,
        proto::TripleTriadElement::Wind => Element::Wind,
        proto::TripleTriadElement::Water => Element::Water,
        proto::TripleTriadElement::Holy => Element::Holy,
        proto::TripleTriadElement::Unspecified => return None,
    })
}

fn field_of(error: CardError) -> &'static str {
    match error {
        CardError::Id => "id",
        CardError::Rank { side: Side::Top, .. } => "top",
        CardError::Rank { side: Side::Right, .. } => "right",
        CardError::Rank { side: Side::Bottom, .. } => "bottom",
        CardError::Rank { side: Side::Left, .. } => "left",
        CardError::Level(_) => "level",
        CardError::LongName(_) | CardError::UnprintableName => "name",
        CardError::Unreadable => "notation",
    }
}

pub(super) fn error_code(error: CardError) -> proto::ErrorReason {
    match error {
        CardError::Id | CardError::Rank { .. } | CardError::Level(_) => proto::ErrorReason::ValueOutOfRange,
        CardError::LongName(_) | CardError::UnprintableName => proto::ErrorReason::InvalidName,
        CardError::Unreadable => proto::ErrorReason::InvalidNotation,
    }
}

pub(super) fn write_card(card: &Card) -> proto::TripleTriadCard {
    let [top, right, bottom, left] = card.ranks().each().map(|rank| Some(rank.into()));
    proto::TripleTriadCard {
        id: Some(card.id()),
        top,
        right,
        bottom,
        left,
        element: card.element().map(|element| write_element(element).into()),
        level: Some(card.level().into()),
        name: card.name().to_owned(),
        notation: String::new(),
    }
}

pub(super) fn write_element(element: Element) -> proto::TripleTriadElement {
    match element {
        Element::Fire => proto::TripleTriadElement::Fire,
        Element::Ice => proto::TripleTriadElement::Ice,
        Element::Thunder => proto::TripleTriadElement::Thunder,
        Element::Earth => proto::TripleTriadElement::Earth,
        Element::Poison => proto::TripleTriadElement::Poison,
        Element::Wind => proto::TripleTriadElement::Wind,
        Element::Water => proto::TripleTriadElement::Water,
        Element::Holy => proto::TripleTriadElement::Holy,
    }
}
