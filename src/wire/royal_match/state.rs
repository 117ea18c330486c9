//! Decoding and encoding of states, with the fast path.

use super::{
    card::{encoded_card, ordering_of, read_card, read_suit, scan_card, suit_of, write_ordering, write_suit},
    read_rules, read_seat as read_viewer, seat_of,
};
use crate::{
    games::royal_match::{Place, Player, Rules, Seat, Setup, SetupError, SetupPlayer, Table},
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
    let (mut rules, mut dominant, mut players, mut viewer) = (None, None, Vec::new(), None);
    scan_fields(wire, |field, value| {
        match field {
            RULES if rules.is_none() => rules = Some(scan_rules(value.bytes()?)?),
            DOMINANT_SUIT => dominant = Some(suit_of(value.enumerated()?)?),
            SEATS => players.push(scan_seat(value.bytes()?)?),
            VIEW if viewer.is_none() => viewer = Some(scan_viewer(value.bytes()?)?),
            _ => return None,
        }
        Some(())
    })?;
    T::try_from(&Setup { rules: rules.unwrap_or_default(), dominant, players, viewer }).ok()
}

fn scan_viewer(wire: &[u8]) -> Option<Seat> {
    let mut viewer = None;
    scan_fields(wire, |field, value| {
        viewer = Some(if field == VIEWER { seat_of(value.enumerated()?)? } else { return None });
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

fn scan_seat(wire: &[u8]) -> Option<SetupPlayer> {
    let mut player = SetupPlayer::default();
    scan_fields(wire, |field, value| {
        match field {
            HAND => player.hand.push(Some(scan_card(value.bytes()?)?)),
            PLAYED if player.played.is_none() => player.played = Some(Some(scan_card(value.bytes()?)?)),
            TRICKS => player.tricks = value.number()?,
            HIDDEN_CARDS => player.hidden = Some(value.number()?),
            _ => return None,
        }
        Some(())
    })?;
    Some(player)
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
    let seats = at.field("seats");
    let players = state.seats.iter().enumerate();
    let players = players.map(|(index, seat)| read_seat(seat, &seats.index(index), violations)).collect();
    let viewer =
        state.view.map(|view| read_viewer(view.viewer, &at.field("view").field("viewer"), violations));
    let setup = Setup { rules: rules.unwrap_or_default(), dominant, players, viewer: viewer.flatten() };
    let made = violations.accept(T::try_from(&setup), |error, violations| {
        // An invalid viewer is already reported.
        if viewer != Some(None) || !matches!(error, SetupError::ViewerMissing(_)) {
            report_setup_error(error, &setup, at, violations);
        }
    });
    made.filter(|_| rules.is_some() && viewer != Some(None))
}

fn read_seat(seat: &proto::RoyalMatchSeat, at: &Path<'_>, violations: &mut Violations) -> SetupPlayer {
    let hand = at.field("hand");
    let cards = seat.hand.iter().enumerate();
    SetupPlayer {
        hand: cards.map(|(index, card)| read_card(card, &hand.index(index), violations)).collect(),
        played: seat.played.as_ref().map(|card| read_card(card, &at.field("played"), violations)),
        tricks: seat.tricks.unwrap_or_default(),
        hidden: seat.hidden_cards,
    }
}

fn report_setup_error(error: SetupError, setup: &Setup, at: &Path<'_>, violations: &mut Violations) {
    let code = setup_error_code(error);
    let seats = at.field("seats");
    let hand = |seat: Seat| match setup.players.get(seat.index()) {
        Some(SetupPlayer { hidden: Some(_), .. }) => "hidden_cards",
        _ => "hand",
    };
    match error {
        SetupError::PlayerCount(_)
        | SetupError::TooManyTricks { .. }
        | SetupError::NoCards
        | SetupError::TrickComplete => violations.add_breach(&seats, code, &error),
        SetupError::Tricks { seat, .. } => {
            violations.add_breach(&seats.index(seat.index()).field("tricks"), code, &error);
        }
        SetupError::HandTooLarge { seat, .. } | SetupError::HandSize { seat, .. } => {
            violations.add_breach(&seats.index(seat.index()).field(hand(seat)), code, &error);
        }
        SetupError::HiddenHandListed(seat) => {
            violations.add_breach(&seats.index(seat.index()).field("hand"), code, &error);
        }
        SetupError::HandNotHidden { seat, .. } | SetupError::OwnHandHidden(seat) => {
            violations.add_breach(&seats.index(seat.index()).field("hidden_cards"), code, &error);
        }
        SetupError::ViewerMissing(_) => violations.add_breach(&at.field("view"), code, &error),
        SetupError::NoSuchViewer { .. } => {
            violations.add_breach(&at.field("view").field("viewer"), code, &error);
        }
        SetupError::DuplicateCard { second: Place::Hand(seat, index), .. } => {
            let at = seats.index(seat.index());
            violations.add_breach(&at.field("hand").index(index), code, &error);
        }
        SetupError::DuplicateCard { second: Place::Played(seat), .. } => {
            violations.add_breach(&seats.index(seat.index()).field("played"), code, &error);
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
pub(super) fn write_table(table: &Table) -> Vec<u8> {
    let mut wire = Vec::with_capacity(256);
    put_message(RULES, &mut wire, |wire| {
        put_number(ORDERING, write_ordering(table.rules().ordering) as u32, wire);
    });
    put_number(DOMINANT_SUIT, write_suit(table.order().dominant) as u32, &mut wire);
    for player in table.players() {
        put_message(SEATS, &mut wire, |wire| put_seat(player, wire));
    }
    if let Some(viewer) = table.viewer() {
        put_message(VIEW, &mut wire, |wire| put_number(VIEWER, proto::Player::from(viewer) as u32, wire));
    }
    wire
}

fn put_seat(player: &Player, wire: &mut Vec<u8>) {
    for card in &player.hand {
        put_bytes(HAND, encoded_card(*card), wire);
    }
    if let Some(card) = player.played {
        put_bytes(PLAYED, encoded_card(card), wire);
    }
    put_number(TRICKS, player.tricks.into(), wire);
    if let Some(cards) = player.hidden {
        put_number(HIDDEN_CARDS, cards.into(), wire);
    }
}
