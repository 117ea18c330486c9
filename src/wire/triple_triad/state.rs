use super::{
    card::{read_card, read_cards, read_element},
    rules::read_rules,
};
use crate::{
    games::{
        Player,
        triple_triad::{
            Diagram, ParseError, Place, Rules, SQUARES, Setup, SetupCard, SetupError, SetupSquare,
            TripleTriad,
        },
    },
    wire::{
        Path, Violations, proto,
        vocabulary::{read_optional_player, read_player},
    },
};

/// Reads a game.
pub(super) fn read_game(
    state: &proto::TripleTriadState,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<TripleTriad> {
    let Read { mut setup, rules, sized } = read_setup(state, at, violations);
    setup.next_player = read_player(state.next_player, &at.field("next_player"), violations);
    refuse_view(state, at, violations)?;
    let note = |error, violations: &mut Violations| note_setup_error(error, at, violations);
    if !sized {
        // How many cards must be in the hands is not known: only the cards themselves are looked at.
        violations.accept(Diagram::try_from(&setup), note);
        return None;
    }
    violations.accept(TripleTriad::try_from(&setup), note).filter(|_| rules)
}

/// Reads a board, with or without a game around it.
pub(super) fn read_diagram(
    state: &proto::TripleTriadState,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Diagram> {
    let Read { mut setup, rules, sized } = read_setup(state, at, violations);
    let next_player = read_optional_player(state.next_player, &at.field("next_player"), violations);
    setup.next_player = next_player.unwrap_or_default();
    refuse_view(state, at, violations)?;
    let note = |error, violations: &mut Violations| note_setup_error(error, at, violations);
    let diagram = violations.accept(Diagram::try_from(&setup), note);
    diagram.filter(|_| rules && sized && next_player.is_ok())
}

/// Notes that a state is only what one player sees of it, if it is.
fn refuse_view(state: &proto::TripleTriadState, at: &Path<'_>, violations: &mut Violations) -> Option<()> {
    if state.view.is_none() {
        return Some(());
    }
    violations.add_breach(&at.field("view"), proto::ErrorReason::StateIsView, &ParseError::View);
    None
}

/// What could be read of a state.
struct Read {
    setup: Setup,
    /// Whether the rules could be read.
    rules: bool,
    /// Whether the board has the right size.
    sized: bool,
}

/// Reads what every state has.
fn read_setup(state: &proto::TripleTriadState, at: &Path<'_>, violations: &mut Violations) -> Read {
    let rules = match &state.rules {
        Some(rules) => read_rules(rules, &at.field("rules"), violations),
        None => Some(Rules::DEFAULT),
    };
    let board = at.field("board");
    let sized = state.board.len() == SQUARES;
    if !sized {
        let message = format!("the board must have {SQUARES} squares, not {}", state.board.len());
        violations.add(&board, proto::ErrorReason::BoardSizeMismatch, message);
    }
    let mut squares = [SetupSquare::default(); SQUARES];
    for (index, square) in state.board.iter().take(SQUARES).enumerate() {
        squares[index] = read_square(square, &board.index(index), violations);
    }
    let hand_one = read_cards(&state.hand_one, &at.field("hand_one"), violations);
    let hand_two = read_cards(&state.hand_two, &at.field("hand_two"), violations);
    let setup = Setup {
        rules: rules.unwrap_or_default(),
        squares,
        hands: [hand_one, hand_two],
        next_player: None,
        drawn_rounds: state.sudden_death_count.unwrap_or_default(),
    };
    Read { setup, rules: rules.is_some(), sized }
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

fn note_setup_error(error: SetupError, at: &Path<'_>, violations: &mut Violations) {
    let code = setup_error_code(error);
    match error {
        // Whatever kept it from being read has been noted.
        SetupError::NextPlayer => {}
        SetupError::HandSize { player, .. } | SetupError::HandTooLarge { player, .. } => {
            violations.add_breach(&at.field(hand(player)), code, &error);
        }
        SetupError::DuplicateCard { second: Place::Square(index), .. } => {
            violations.add_breach(&at.field("board").index(index).field("card").field("id"), code, &error);
        }
        SetupError::DuplicateCard { second: Place::Hand(player, index), .. } => {
            violations.add_breach(&at.field(hand(player)).index(index).field("id"), code, &error);
        }
        SetupError::LastCardMissing(_) => violations.add_breach(&at.field("board"), code, &error),
        SetupError::DrawnRounds(_) => violations.add_breach(&at.field("sudden_death_count"), code, &error),
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
        SetupError::HandSize { .. } | SetupError::HandTooLarge { .. } => proto::ErrorReason::HandSizeMismatch,
        SetupError::DuplicateCard { .. } => proto::ErrorReason::DuplicateCard,
        SetupError::LastCardMissing(_) => proto::ErrorReason::LastCardMissing,
        SetupError::DrawnRounds(_) => proto::ErrorReason::ValueOutOfRange,
    }
}
