//! Decoding of the setup of a new match.

use super::card::{read_hand, read_suit};
use crate::{
    games::royal_match::{MAX_PLAYERS, Opening, OpeningError, OpeningSetup},
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
    for (seat, hand) in setup.hands.iter().enumerate().take(MAX_PLAYERS) {
        hands.push(read_hand(&hand.cards, &at_hands.index(seat).field("cards"), violations));
    }
    // The game reports the number of more hands.
    hands.resize(setup.hands.len(), Vec::new());
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
