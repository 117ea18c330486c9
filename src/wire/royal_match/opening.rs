//! Decoding of the setup of a new match.

use super::card::{read_card, read_suit};
use crate::{
    games::royal_match::{Opening, OpeningError, OpeningSetup},
    wire::{Path, Violations, proto},
};

/// Reads the setup of a match and reports its violations.
pub(super) fn read_opening(
    setup: &proto::RoyalMatchSetup,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Opening> {
    let at_hands = at.field("hands");
    let mut hands = Vec::new();
    for (seat, hand) in setup.hands.iter().enumerate() {
        let at = at_hands.index(seat);
        let at = at.field("cards");
        let cards = hand.cards.iter().enumerate();
        hands.push(cards.map(|(index, card)| read_card(card, &at.index(index), violations)).collect());
    }
    let dominant = setup.dominant_suit.map(|suit| read_suit(suit, &at.field("dominant_suit"), violations));
    let setup = OpeningSetup {
        players: setup.players,
        hand_size: setup.hand_size,
        hands,
        dominant: dominant.flatten(),
    };
    let opening = Opening::try_from(&setup);
    let opening = violations.accept(opening, |error, violations| report_error(error, at, violations));
    opening.filter(|_| dominant != Some(None))
}

fn report_error(error: OpeningError, at: &Path<'_>, violations: &mut Violations) {
    use proto::ErrorReason;
    let hands = at.field("hands");
    match error {
        OpeningError::Players(_) => {
            violations.add_breach(&at.field("players"), ErrorReason::ValueOutOfRange, &error);
        }
        OpeningError::HandSize(_) => {
            violations.add_breach(&at.field("hand_size"), ErrorReason::ValueOutOfRange, &error);
        }
        OpeningError::HandCount { .. } | OpeningError::HandsOutOfRange(_) => {
            violations.add_breach(&hands, ErrorReason::CountMismatch, &error);
        }
        OpeningError::CardCount { player, .. } | OpeningError::CardsOutOfRange { player, .. } => {
            let at = hands.index(player.index());
            violations.add_breach(&at.field("cards"), ErrorReason::HandSizeMismatch, &error);
        }
        OpeningError::DuplicateCard { player, index, .. } => {
            let at = hands.index(player.index());
            let at = at.field("cards");
            violations.add_breach(&at.index(index), ErrorReason::DuplicateCard, &error);
        }
    }
}
