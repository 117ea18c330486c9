use super::{
    card::{
        ordering_of, read_card, read_plain_card, read_suit, suit_of, wire_of, write_ordering, write_suit,
    },
    read_rules,
};
use crate::{
    games::royal_match::{ParseError, Place, Player, Rules, Setup, SetupError, SetupPlayer, Table, View},
    wire::{
        Path, Violations,
        plain::{put_bytes, put_message, put_number, read_fields},
        proto,
    },
};

/// The fields of a state.
const RULES: u8 = 1;
const DOMINANT_SUIT: u8 = 2;
const SEATS: u8 = 3;
const VIEW: u8 = 4;

/// The field of its rules.
const ORDERING: u8 = 1;

/// The fields of a seat.
const HAND: u8 = 1;
const PLAYED: u8 = 2;
const TRICKS: u8 = 3;
const HIDDEN_CARDS: u8 = 4;

/// The field of a view.
const VIEWER: u8 = 1;

/// Reads a match, or players around a table without one, as they are on the wire.
pub(super) fn read_plain_as<T: for<'a> TryFrom<&'a Setup>>(wire: &[u8]) -> Option<T> {
    let (mut rules, mut dominant, mut players) = (None, None, Vec::new());
    read_fields(wire, |field, value| {
        match field {
            RULES if rules.is_none() => rules = Some(read_plain_rules(value.bytes()?)?),
            DOMINANT_SUIT => dominant = Some(suit_of(value.enumerated()?)?),
            SEATS => players.push(read_plain_seat(value.bytes()?)?),
            _ => return None,
        }
        Some(())
    })?;
    T::try_from(&Setup { rules: rules.unwrap_or_default(), dominant, players }).ok()
}

fn read_plain_rules(wire: &[u8]) -> Option<Rules> {
    let mut rules = Rules::default();
    read_fields(wire, |field, value| {
        rules.ordering = if field == ORDERING { ordering_of(value.enumerated()?)? } else { return None };
        Some(())
    })?;
    Some(rules)
}

fn read_plain_seat(wire: &[u8]) -> Option<SetupPlayer> {
    let mut player = SetupPlayer::default();
    read_fields(wire, |field, value| {
        match field {
            HAND => player.hand.push(Some(read_plain_card(value.bytes()?)?)),
            PLAYED if player.played.is_none() => player.played = Some(Some(read_plain_card(value.bytes()?)?)),
            TRICKS => player.tricks = value.number()?,
            _ => return None,
        }
        Some(())
    })?;
    Some(player)
}

/// Reads a match, or players around a table without one.
pub(super) fn read_as<T>(
    state: &proto::RoyalMatchState,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<T>
where
    T: for<'a> TryFrom<&'a Setup, Error = Vec<SetupError>>,
{
    let (setup, rules) = read_setup(state, at, violations);
    refuse_view(state, at, violations)?;
    let made = T::try_from(&setup);
    violations
        .accept(made, |error, violations| note_setup_error(error, at, violations))
        .filter(|_| rules.is_some())
}

/// Notes that a state is only what one player sees of it, if it is.
fn refuse_view(state: &proto::RoyalMatchState, at: &Path<'_>, violations: &mut Violations) -> Option<()> {
    let hidden = state.seats.iter().any(|seat| seat.hidden_cards.is_some());
    if state.view.is_none() && !hidden {
        return Some(());
    }
    violations.add_breach(&at.field("view"), proto::ErrorReason::StateIsView, &ParseError::View);
    None
}

fn read_setup(
    state: &proto::RoyalMatchState,
    at: &Path<'_>,
    violations: &mut Violations,
) -> (Setup, Option<Rules>) {
    let rules = match state.rules {
        Some(rules) => read_rules(rules, &at.field("rules"), violations),
        None => Some(Rules::default()),
    };
    let dominant = read_suit(state.dominant_suit, &at.field("dominant_suit"), violations);
    let at = at.field("seats");
    let seats = state.seats.iter().enumerate();
    let players = seats.map(|(index, seat)| read_seat(seat, &at.index(index), violations)).collect();
    (Setup { rules: rules.unwrap_or_default(), dominant, players }, rules)
}

fn read_seat(seat: &proto::RoyalMatchSeat, at: &Path<'_>, violations: &mut Violations) -> SetupPlayer {
    let hand = at.field("hand");
    let cards = seat.hand.iter().enumerate();
    SetupPlayer {
        hand: cards.map(|(index, card)| read_card(card, &hand.index(index), violations)).collect(),
        played: seat.played.as_ref().map(|card| read_card(card, &at.field("played"), violations)),
        tricks: seat.tricks.unwrap_or_default(),
    }
}

fn note_setup_error(error: SetupError, at: &Path<'_>, violations: &mut Violations) {
    let code = setup_error_code(error);
    let seats = at.field("seats");
    match error {
        SetupError::PlayerCount(_)
        | SetupError::TooManyTricks { .. }
        | SetupError::NoCards
        | SetupError::TrickComplete => violations.add_breach(&seats, code, &error),
        SetupError::Tricks { seat, .. } => {
            violations.add_breach(&seats.index(seat.index()).field("tricks"), code, &error);
        }
        SetupError::HandTooLarge { seat, .. } | SetupError::HandSize { seat, .. } => {
            violations.add_breach(&seats.index(seat.index()).field("hand"), code, &error);
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
        SetupError::Tricks { .. } | SetupError::TooManyTricks { .. } => proto::ErrorReason::ValueOutOfRange,
        SetupError::TrickComplete => proto::ErrorReason::TrickComplete,
    }
}

/// Writes players around a table, as they are on the wire.
pub(super) fn write_table(table: &Table) -> Vec<u8> {
    write_seats(table, &[])
}

/// Writes what one player sees, as it is on the wire.
pub(super) fn write_view(view: &View) -> Vec<u8> {
    let mut wire = write_seats(&view.table, &view.hidden);
    put_message(VIEW, &mut wire, |wire| put_number(VIEWER, proto::Player::from(view.viewer) as u32, wire));
    wire
}

/// Writes players around a table; of some, how many cards are hidden.
fn write_seats(table: &Table, hidden: &[Option<usize>]) -> Vec<u8> {
    let mut wire = Vec::with_capacity(256);
    put_message(RULES, &mut wire, |wire| {
        put_number(ORDERING, write_ordering(table.rules().ordering) as u32, wire);
    });
    put_number(DOMINANT_SUIT, write_suit(table.order().dominant) as u32, &mut wire);
    let mut hidden = hidden.iter().copied();
    for player in table.players() {
        let hidden = hidden.next().flatten();
        put_message(SEATS, &mut wire, |wire| write_seat(player, hidden, wire));
    }
    wire
}

fn write_seat(player: &Player, hidden: Option<usize>, wire: &mut Vec<u8>) {
    for card in &player.hand {
        put_bytes(HAND, wire_of(*card), wire);
    }
    if let Some(card) = player.played {
        put_bytes(PLAYED, wire_of(card), wire);
    }
    put_number(TRICKS, player.tricks.into(), wire);
    if let Some(cards) = hidden {
        // A hand has at most 13 cards.
        put_number(HIDDEN_CARDS, cards as u32, wire);
    }
}
