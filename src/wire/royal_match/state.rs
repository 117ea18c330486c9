use super::{
    GAME, NAME,
    card::{read_card, read_suit, write_card, write_suit},
    read_rules, write_rules,
};
use crate::{
    games::royal_match::{ParseError, Place, Player, Rules, Setup, SetupError, SetupPlayer, Table, View},
    wire::{Path, Violations, proto},
};

/// Reads a match, or players around a table without one.
pub(super) fn read_as<T>(state: &proto::state::Kind, at: &Path<'_>, violations: &mut Violations) -> Option<T>
where
    T: for<'a> TryFrom<&'a Setup, Error = Vec<SetupError>>,
{
    let proto::state::Kind::RoyalMatch(state) = state else {
        violations.game_mismatch(at, "state", GAME);
        return None;
    };
    let at = &at.field(NAME);
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

/// Writes players around a table.
pub(super) fn write_table(table: &Table) -> proto::RoyalMatchState {
    let seat = |player: &Player| proto::RoyalMatchSeat {
        hand: player.hand.iter().copied().map(write_card).collect(),
        played: player.played.map(write_card),
        tricks: Some(player.tricks.into()),
        hidden_cards: None,
    };
    proto::RoyalMatchState {
        rules: Some(write_rules(table.rules())),
        dominant_suit: write_suit(table.order().dominant).into(),
        seats: table.players().iter().map(seat).collect(),
        view: None,
    }
}

/// Writes what one player sees.
pub(super) fn write_view(view: &View) -> proto::RoyalMatchState {
    let mut state = write_table(&view.table);
    for (seat, hidden) in state.seats.iter_mut().zip(&view.hidden) {
        // A hand has at most 13 cards.
        seat.hidden_cards = hidden.map(|cards| cards as u32);
    }
    state.view = Some(proto::RoyalMatchView { viewer: proto::Player::from(view.viewer).into() });
    state
}
