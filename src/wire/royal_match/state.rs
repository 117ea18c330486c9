//! Decoding and encoding of states, with the fast path.

use super::{
    card::{
        encoded_card, ordering_of, read_card, read_hand, read_suit, scan_card, suit_of, write_ordering,
        write_suit,
    },
    player_of, read_player, read_rules,
};
use crate::{
    games::royal_match::{Diagram, MAX_PLAYERS, Place, Player, Rules, Seat, Setup, SetupError, SetupSeat},
    wire::{
        Path, Violations,
        fast_path::{put_bytes, put_message, put_number, scan_fields},
        proto,
    },
};

/// The field numbers of a state.
const RULES: u8 = 1;
const DOMINANT_SUIT: u8 = 2;
const SEATS: u8 = 3;
const VIEW: u8 = 4;

/// The field number of the rules.
const ORDERING: u8 = 1;

/// The field numbers of a seat.
const HAND: u8 = 1;
const PLAYED: u8 = 2;
const TRICKS: u8 = 3;
const HIDDEN_CARDS: u8 = 4;

/// The field number of a view.
const VIEWER: u8 = 1;

/// Decodes a match, a view, or the seats of a trick without a match (fast path).
pub(super) fn scan_as<T: for<'a> TryFrom<&'a Setup>>(wire: &[u8]) -> Option<T> {
    let (mut rules, mut dominant, mut seats, mut viewer) = (None, None, Vec::new(), None);
    scan_fields(wire, |field, value| {
        match field {
            RULES if rules.is_none() => rules = Some(scan_rules(value.bytes()?)?),
            DOMINANT_SUIT => dominant = Some(suit_of(value.enumerated()?)?),
            SEATS => seats.push(scan_seat(value.bytes()?)?),
            VIEW if viewer.is_none() => viewer = Some(scan_viewer(value.bytes()?)?),
            _ => return None,
        }
        Some(())
    })?;
    T::try_from(&Setup { rules: rules.or(Some(Rules::default())), dominant, seats, viewer }).ok()
}

fn scan_viewer(wire: &[u8]) -> Option<Player> {
    let mut viewer = None;
    scan_fields(wire, |field, value| {
        viewer = Some(if field == VIEWER { player_of(value.enumerated()?)? } else { return None });
        Some(())
    })?;
    viewer
}

fn scan_rules(wire: &[u8]) -> Option<Rules> {
    let mut rules = Rules::default();
    scan_fields(wire, |field, value| {
        rules.ordering = if field == ORDERING { ordering_of(value.enumerated()?)? } else { return None };
        Some(())
    })?;
    Some(rules)
}

fn scan_seat(wire: &[u8]) -> Option<SetupSeat> {
    let mut seat = SetupSeat::default();
    scan_fields(wire, |field, value| {
        match field {
            HAND => seat.hand.push(Some(scan_card(value.bytes()?)?)),
            PLAYED if seat.played.is_none() => seat.played = Some(Some(scan_card(value.bytes()?)?)),
            TRICKS => seat.tricks = value.number()?,
            HIDDEN_CARDS => seat.hidden = Some(value.number()?),
            _ => return None,
        }
        Some(())
    })?;
    Some(seat)
}

/// Reads a match, a view, or the seats of a trick without a match, and reports the violations.
pub(super) fn read_as<T>(
    state: &proto::RoyalMatchState,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<T>
where
    T: for<'a> TryFrom<&'a Setup, Error = Vec<SetupError>>,
{
    let rules = match state.rules {
        Some(rules) => read_rules(rules, &at.field("rules"), violations),
        None => Some(Rules::default()),
    };
    let dominant = read_suit(state.dominant_suit, &at.field("dominant_suit"), violations);
    let at_seats = at.field("seats");
    let seats = state.seats.iter().enumerate().take(MAX_PLAYERS);
    let mut seats: Vec<_> =
        seats.map(|(index, seat)| read_seat(seat, &at_seats.index(index), violations)).collect();
    // The game reports the number of more seats.
    seats.resize_with(state.seats.len(), SetupSeat::default);
    let viewer =
        state.view.map(|view| read_player(view.viewer, &at.field("view").field("viewer"), violations));
    let setup = Setup { rules, dominant, seats, viewer: viewer.flatten() };
    let made = violations.accept(T::try_from(&setup), |error, violations| {
        // An invalid viewer is already reported.
        if viewer != Some(None) || !matches!(error, SetupError::ViewerMissing(_)) {
            report_setup_error(error, &setup, at, violations);
        }
    });
    made.filter(|_| viewer != Some(None))
}

fn read_seat(seat: &proto::RoyalMatchSeat, at: &Path<'_>, violations: &mut Violations) -> SetupSeat {
    SetupSeat {
        hand: read_hand(&seat.hand, &at.field("hand"), violations),
        played: seat.played.as_ref().map(|card| read_card(card, &at.field("played"), violations)),
        tricks: seat.tricks.unwrap_or_default(),
        hidden: seat.hidden_cards,
    }
}

fn report_setup_error(error: SetupError, setup: &Setup, at: &Path<'_>, violations: &mut Violations) {
    let code = setup_error_code(error);
    let seats = at.field("seats");
    let hand = |player: Player| match setup.seats.get(player.index()) {
        Some(SetupSeat { hidden: Some(_), .. }) => "hidden_cards",
        _ => "hand",
    };
    match error {
        SetupError::PlayerCount(_)
        | SetupError::TooManyTricks { .. }
        | SetupError::NoCards
        | SetupError::TrickComplete => violations.add_breach(&seats, code, &error),
        SetupError::Tricks { player, .. } => {
            violations.add_breach(&seats.index(player.index()).field("tricks"), code, &error);
        }
        SetupError::HandTooLarge { player, .. } | SetupError::HandSize { player, .. } => {
            violations.add_breach(&seats.index(player.index()).field(hand(player)), code, &error);
        }
        SetupError::HiddenHandListed(player) => {
            violations.add_breach(&seats.index(player.index()).field("hand"), code, &error);
        }
        SetupError::HandNotHidden { player, .. } | SetupError::OwnHandHidden(player) => {
            violations.add_breach(&seats.index(player.index()).field("hidden_cards"), code, &error);
        }
        SetupError::ViewerMissing(_) => violations.add_breach(&at.field("view"), code, &error),
        SetupError::NoSuchViewer { .. } => {
            violations.add_breach(&at.field("view").field("viewer"), code, &error);
        }
        SetupError::DuplicateCard { second: Place::Hand(player, index), .. } => {
            let at = seats.index(player.index());
            violations.add_breach(&at.field("hand").index(index), code, &error);
        }
        SetupError::DuplicateCard { second: Place::Played(player), .. } => {
            violations.add_breach(&seats.index(player.index()).field("played"), code, &error);
        }
    }
}

pub(super) fn setup_error_code(error: SetupError) -> proto::ErrorReason {
    match error {
        SetupError::PlayerCount(_) => proto::ErrorReason::CountMismatch,
        SetupError::HandTooLarge { .. } | SetupError::HandSize { .. } | SetupError::NoCards => {
            proto::ErrorReason::HandSizeMismatch
        }
        SetupError::DuplicateCard { .. } => proto::ErrorReason::DuplicateCard,
        SetupError::Tricks { .. } | SetupError::TooManyTricks { .. } | SetupError::NoSuchViewer { .. } => {
            proto::ErrorReason::ValueOutOfRange
        }
        SetupError::TrickComplete => proto::ErrorReason::TrickComplete,
        SetupError::ViewerMissing(_) | SetupError::HandNotHidden { .. } => proto::ErrorReason::FieldRequired,
        SetupError::OwnHandHidden(_) | SetupError::HiddenHandListed(_) => proto::ErrorReason::InvalidView,
    }
}

/// Encodes the seats with rules and strong suit.
pub(super) fn write_diagram(diagram: &Diagram) -> Vec<u8> {
    let mut wire = Vec::with_capacity(256);
    put_message(RULES, &mut wire, |wire| {
        put_number(ORDERING, write_ordering(diagram.rules().ordering) as u32, wire);
    });
    put_number(DOMINANT_SUIT, write_suit(diagram.order().dominant) as u32, &mut wire);
    for seat in diagram.seats() {
        put_message(SEATS, &mut wire, |wire| put_seat(seat, wire));
    }
    if let Some(viewer) = diagram.viewer() {
        put_message(VIEW, &mut wire, |wire| put_number(VIEWER, proto::Player::from(viewer) as u32, wire));
    }
    wire
}

fn put_seat(seat: &Seat, wire: &mut Vec<u8>) {
    for card in &seat.hand {
        put_bytes(HAND, encoded_card(*card), wire);
    }
    if let Some(card) = seat.played {
        put_bytes(PLAYED, encoded_card(card), wire);
    }
    put_number(TRICKS, seat.tricks.into(), wire);
    if let Some(cards) = seat.hidden {
        put_number(HIDDEN_CARDS, cards.into(), wire);
    }
}
