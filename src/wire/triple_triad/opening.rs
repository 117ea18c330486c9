//! Decoding of the setup of a new game.

use super::card::{read_cards, read_element, read_hand};
use crate::{
    games::{
        Player, Square,
        triple_triad::{CardList, Element, Opening, OpeningError, OpeningSetup, Rules, SQUARE_COUNT},
    },
    wire::{
        Path, Violations,
        common::{read_player, read_required_square},
        proto,
    },
};

/// Reads the setup of a game and reports its violations.
pub(super) fn read_opening(
    setup: &proto::TripleTriadSetup,
    rules: Option<Rules>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Opening> {
    let hands = [
        read_hand(&setup.hand_one, &at.field("hand_one"), violations),
        read_hand(&setup.hand_two, &at.field("hand_two"), violations),
    ];
    let collections = [
        read_cards(&setup.collection_one, &at.field("collection_one"), violations),
        read_cards(&setup.collection_two, &at.field("collection_two"), violations),
    ];
    let first_player =
        setup.first_player.map(|player| read_player(player, &at.field("first_player"), violations));
    let elements = setup.elemental_squares.as_ref().map(|elements| {
        let at = at.field("elemental_squares");
        let at = at.field("squares");
        // One more than there are squares is certainly invalid, or a duplicate.
        let squares = elements.squares.iter().enumerate().take(SQUARE_COUNT + 1);
        squares.map(|(index, square)| read_elemental_square(square, &at.index(index), violations)).collect()
    });
    let setup = OpeningSetup { rules, hands, collections, first_player: first_player.flatten(), elements };
    let opening = Opening::try_from(&setup);
    let opening = violations.accept(opening, |error, violations| report_error(error, at, violations));
    opening.filter(|_| first_player != Some(None))
}

fn read_elemental_square(
    square: &proto::TripleTriadElementalSquare,
    at: &Path<'_>,
    violations: &mut Violations,
) -> (Option<Square>, Option<Element>) {
    let place = read_required_square(square.square, &at.field("square"), violations);
    let element = read_element(square.element, &at.field("element"), violations);
    (place, element)
}

fn report_error(error: OpeningError, at: &Path<'_>, violations: &mut Violations) {
    use proto::ErrorReason;
    let (code, list, player) = match error {
        OpeningError::SquareOutOfRange { index, .. } | OpeningError::DuplicateSquare { index, .. } => {
            let code = match error {
                OpeningError::SquareOutOfRange { .. } => ErrorReason::ValueOutOfRange,
                _ => ErrorReason::DuplicateSquare,
            };
            let squares = at.field("elemental_squares");
            let at = squares.field("squares");
            return violations.add_breach(&at.index(index).field("square"), code, &error);
        }
        OpeningError::DuplicateCard { list, player, index, .. } => {
            let at = at.field(field_of(list, player));
            return violations.add_breach(&at.index(index).field("id"), ErrorReason::DuplicateCard, &error);
        }
        OpeningError::Missing(list, player) => (ErrorReason::FieldRequired, list, player),
        OpeningError::HandSize { player, .. } => (ErrorReason::HandSizeMismatch, CardList::Hand, player),
        OpeningError::CollectionSize { player, .. } => {
            (ErrorReason::HandSizeMismatch, CardList::Collection, player)
        }
        OpeningError::HandWithRandom(player) => (ErrorReason::SetupConflict, CardList::Hand, player),
        OpeningError::CollectionWithoutRandom(player) => {
            (ErrorReason::SetupConflict, CardList::Collection, player)
        }
    };
    violations.add_breach(&at.field(field_of(list, player)), code, &error);
}

fn field_of(list: CardList, player: Player) -> &'static str {
    match (list, player) {
        (CardList::Hand, Player::One) => "hand_one",
        (CardList::Hand, Player::Two) => "hand_two",
        (CardList::Collection, Player::One) => "collection_one",
        (CardList::Collection, Player::Two) => "collection_two",
    }
}
