//! Decoding of states, which reports every violation.

use super::{
    card::{self, read_card, read_element, read_hand},
    rules::read_rules,
};
use crate::{
    games::{
        Player, StateOrView,
        triple_triad::{
            Diagram, Hidden, Place, Rules, SQUARE_COUNT, Setup, SetupCard, SetupError, SetupSquare,
            TripleTriad,
        },
    },
    wire::{
        Path, Violations,
        common::{read_next_player, read_optional_player, read_player},
        proto,
    },
};

/// Reads a game or a view.
pub(super) fn read_game(
    state: &proto::TripleTriadState,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<StateOrView<TripleTriad>> {
    let ReadSetup { mut setup, hand_sizes_known } = read_setup(state, at, violations);
    setup.next_player = read_next_player(state.next_player, at, violations);
    let hidden = setup.hidden;
    let report = |error, violations: &mut Violations| report_setup_error(error, hidden, at, violations);
    if !hand_sizes_known {
        setup.check_incomplete().into_iter().for_each(|error| report(error, violations));
        return None;
    }
    violations.accept(StateOrView::try_from(&setup), report)
}

/// Reads a board, which need not be a valid game.
pub(super) fn read_diagram(
    state: &proto::TripleTriadState,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Diagram> {
    let ReadSetup { mut setup, hand_sizes_known } = read_setup(state, at, violations);
    let next_player = read_optional_player(state.next_player, &at.field("next_player"), violations);
    setup.next_player = next_player.unwrap_or_default();
    let hidden = setup.hidden;
    let report = |error, violations: &mut Violations| report_setup_error(error, hidden, at, violations);
    let diagram = violations.accept(Diagram::try_from(&setup), report);
    diagram.filter(|_| hand_sizes_known && next_player.is_ok())
}

/// The valid part of a state.
struct ReadSetup {
    setup: Setup,
    /// Whether the board has the right size and `view` is valid, so that hand sizes can be checked.
    hand_sizes_known: bool,
}

/// Reads the fields of a state except the player to move.
fn read_setup(state: &proto::TripleTriadState, at: &Path<'_>, violations: &mut Violations) -> ReadSetup {
    let rules = match &state.rules {
        Some(rules) => read_rules(rules, &at.field("rules"), violations),
        None => Some(Rules::DEFAULT),
    };
    let board = at.field("board");
    let board_has_all_squares = state.board.len() == SQUARE_COUNT;
    if !board_has_all_squares {
        let message = format!("the board must have {SQUARE_COUNT} squares, not {}", state.board.len());
        violations.add(&board, proto::ErrorReason::BoardSizeMismatch, message);
    }
    let mut squares = [SetupSquare::default(); SQUARE_COUNT];
    for (index, square) in state.board.iter().take(SQUARE_COUNT).enumerate() {
        squares[index] = read_square(square, &board.index(index), violations);
    }
    let hand_one = read_hand(&state.hand_one, &at.field("hand_one"), violations);
    let hand_two = read_hand(&state.hand_two, &at.field("hand_two"), violations);
    let hidden = state.view.as_ref().map(|view| read_hidden(view, &at.field("view"), violations));
    let setup = Setup {
        rules,
        squares,
        hands: [hand_one, hand_two],
        next_player: None,
        drawn_rounds: state.sudden_death_count.unwrap_or_default(),
        hidden: hidden.flatten(),
    };
    // Without a valid `view`, the expected hand sizes are unknown.
    let hand_sizes_known = board_has_all_squares && hidden != Some(None);
    ReadSetup { setup, hand_sizes_known }
}

fn read_hidden(view: &proto::TripleTriadView, at: &Path<'_>, violations: &mut Violations) -> Option<Hidden> {
    let viewer = read_player(view.viewer, &at.field("viewer"), violations);
    if view.hidden_cards.is_none() {
        violations.required(&at.field("hidden_cards"));
    }
    Some(Hidden { viewer: viewer?, cards: view.hidden_cards? })
}

fn read_square(square: &proto::TripleTriadSquare, at: &Path<'_>, violations: &mut Violations) -> SetupSquare {
    let element = square.element.and_then(|element| read_element(element, &at.field("element"), violations));
    let card = square.card.as_ref().map(|card| read_card(card, &at.field("card"), violations));
    let at = at.field("owner");
    let card = match (card, square.owner) {
        (None, None) => None,
        (None, Some(_)) => {
            let message = "a square without a card has no owner";
            violations.add(&at, proto::ErrorReason::OwnerWithoutCard, message);
            None
        }
        (Some(card), owner) => {
            let owner = owner.unwrap_or_else(|| proto::Player::Unspecified.into());
            Some(SetupCard { card, owner: read_player(owner, &at, violations) })
        }
    };
    SetupSquare { element, card }
}

fn report_setup_error(error: SetupError, hidden: Option<Hidden>, at: &Path<'_>, violations: &mut Violations) {
    let code = setup_error_code(error);
    let is_hidden = |player| hidden.is_some_and(|hidden| hidden.viewer != player);
    match error {
        // Already reported.
        SetupError::NextPlayer => {}
        SetupError::HandSize { player, .. } | SetupError::HandTooLarge { player, .. }
            if is_hidden(player) =>
        {
            violations.add_breach(&at.field("view").field("hidden_cards"), code, &error);
        }
        SetupError::HandSize { player, .. }
        | SetupError::HandTooLarge { player, .. }
        | SetupError::HiddenHandListed(player) => {
            violations.add_breach(&at.field(hand(player)), code, &error);
        }
        SetupError::ViewOfOpenGame => violations.add_breach(&at.field("view"), code, &error),
        SetupError::Card { place: Place::Square(index), .. } => {
            violations.add_breach(&at.field("board").index(index).field("card"), code, &error);
        }
        SetupError::Card { place: Place::Hand(player, index), .. } => {
            violations.add_breach(&at.field(hand(player)).index(index), code, &error);
        }
        SetupError::DuplicateCard { second: Place::Square(index), .. } => {
            violations.add_breach(&at.field("board").index(index).field("card").field("id"), code, &error);
        }
        SetupError::DuplicateCard { second: Place::Hand(player, index), .. } => {
            violations.add_breach(&at.field(hand(player)).index(index).field("id"), code, &error);
        }
        SetupError::LastCardMissing(_) => violations.add_breach(&at.field("board"), code, &error),
        SetupError::DrawnRounds(_)
        | SetupError::DrawnRoundsWithoutRule(_)
        | SetupError::DrawnRoundsAtLimit { .. } => {
            violations.add_breach(&at.field("sudden_death_count"), code, &error);
        }
    }
}

/// The name of the field with the hand of a player.
fn hand(player: Player) -> &'static str {
    match player {
        Player::One => "hand_one",
        Player::Two => "hand_two",
    }
}

pub(super) fn setup_error_code(error: SetupError) -> proto::ErrorReason {
    match error {
        SetupError::NextPlayer => proto::ErrorReason::FieldRequired,
        SetupError::Card { error, .. } => card::error_code(error),
        SetupError::HandSize { .. } | SetupError::HandTooLarge { .. } => proto::ErrorReason::HandSizeMismatch,
        SetupError::DuplicateCard { .. } => proto::ErrorReason::DuplicateCard,
        SetupError::LastCardMissing(_) => proto::ErrorReason::LastCardMissing,
        SetupError::DrawnRounds(_)
        | SetupError::DrawnRoundsWithoutRule(_)
        | SetupError::DrawnRoundsAtLimit { .. } => proto::ErrorReason::ValueOutOfRange,
        SetupError::ViewOfOpenGame | SetupError::HiddenHandListed(_) => proto::ErrorReason::InvalidView,
    }
}
