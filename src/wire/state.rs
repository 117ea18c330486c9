//! Decoding of states and moves of any game, typed or as notation.

use prost::Message;

use super::{Path, State, StateKind, Violations, WireGame, game::recognize, proto};
use crate::games::{GameId, ParseError, Quoted, StateOrView, View};

/// Maximum length of the notation of a state.
const MAX_STATE_NOTATION_BYTES: usize = 4096;
/// Maximum length of the notation of a move.
const MAX_MOVE_NOTATION_BYTES: usize = 64;

/// The form of a state or a move. A response uses the form of the state in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The message of its game.
    Typed,
    /// Text.
    Notation,
}

impl Form {
    /// Writes a state in this form.
    pub fn write_state<G: WireGame>(self, game: &G) -> State {
        self.write::<G>(|| game.write_state(), || game.notation())
    }

    /// Writes a state or a view in this form.
    pub fn write_state_or_view<G: WireGame>(self, known: &StateOrView<G>) -> State {
        match known {
            StateOrView::State(game) => self.write_state(game),
            StateOrView::View(view) => self.write::<G>(|| G::write_view(view), || view.notation()),
        }
    }

    /// Writes a state with the function for this form.
    pub fn write<G: WireGame>(
        self,
        typed: impl FnOnce() -> Vec<u8>,
        notation: impl FnOnce() -> String,
    ) -> State {
        match self {
            Self::Typed => State::typed(G::ID, typed()),
            Self::Notation => State::notation(notation()),
        }
    }

    /// Writes a move in this form.
    pub fn write_move<G: WireGame>(self, mv: &G::Move) -> proto::Move {
        let kind = match self {
            Self::Typed => G::write_move(mv),
            Self::Notation => proto::r#move::Kind::Notation(mv.to_string()),
        };
        proto::Move { kind: Some(kind) }
    }
}

/// The game of a state, if it is known. The rest of the state may be invalid.
pub(super) fn game_of_state(state: Option<&State>) -> Option<GameId> {
    match state?.kind.as_ref()? {
        StateKind::Notation(notation) => recognize(notation.trim()),
        StateKind::Typed(game, _) => Some(*game),
    }
}

/// Reports why the game of a state is unknown.
pub(super) fn report_unknown_game(state: Option<&State>, at: &Path<'_>, violations: &mut Violations) {
    match state.and_then(|state| state.kind.as_ref()) {
        Some(StateKind::Notation(notation)) => violations.add(
            &at.field("notation"),
            proto::ErrorReason::InvalidNotation,
            format!(
                "{} does not start with the prefix of a game: expected one of {}",
                Quoted(notation),
                GameId::ALL.map(GameId::prefix).join(", "),
            ),
        ),
        _ => violations.required(at),
    }
}

/// Reads a state or a view of this game.
pub(super) fn read_state<G: WireGame>(
    state: Option<&State>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<(StateOrView<G>, Form)> {
    read_state_with::<G, _>(state, at, violations, G::scan_state, G::read_state, G::parse)
}

/// Reads a state of this game. A view is a violation.
pub(super) fn read_whole_state<G: WireGame>(
    state: Option<&State>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<(G, Form)> {
    let (known, form) = read_state(state, at, violations)?;
    match known.into_state() {
        Ok(game) => Some((game, form)),
        Err(hidden) => {
            violations.add_breach(at, proto::ErrorReason::HiddenInformation, &hidden);
            None
        }
    }
}

/// Reads a typed state or a notation with the given functions, into a game or only a board: `scan` is the fast path, and
/// `read` reports the violations of what `scan` rejects.
pub(super) fn read_state_with<G: WireGame, T>(
    state: Option<&State>,
    at: &Path<'_>,
    violations: &mut Violations,
    scan: impl FnOnce(&[u8]) -> Option<T>,
    read: impl FnOnce(&G::State, &Path<'_>, &mut Violations) -> Option<T>,
    parse: impl FnOnce(&str) -> Result<T, Vec<ParseError<G>>>,
) -> Option<(T, Form)> {
    match state.and_then(|state| state.kind.as_ref()) {
        None => {
            violations.required(at);
            None
        }
        Some(StateKind::Notation(text)) => {
            let at = at.field("notation");
            check_length(text, MAX_STATE_NOTATION_BYTES, &at, violations)?;
            let value = violations
                .accept(parse(text.trim()), |error, violations| report_parse_error(&error, &at, violations));
            value.map(|value| (value, Form::Notation))
        }
        Some(StateKind::Typed(game, wire)) if *game == G::ID => {
            let value = scan(wire).or_else(|| {
                let at = at.field(G::ID.name());
                let state = decode::<G::State>(wire, &at, violations)?;
                read(&state, &at, violations)
            });
            value.map(|value| (value, Form::Typed))
        }
        Some(StateKind::Typed(..)) => {
            violations.game_mismatch(at, "state", G::ID);
            None
        }
    }
}

/// Reports an error in the notation of a state.
fn report_parse_error<G: WireGame>(error: &ParseError<G>, at: &Path<'_>, violations: &mut Violations) {
    let code = match error {
        ParseError::Notation(_) => proto::ErrorReason::InvalidNotation,
        ParseError::Rules(_) => proto::ErrorReason::ValueOutOfRange,
        ParseError::Setup(error) => G::setup_error_code(error),
    };
    violations.add_breach(at, code, error);
}

#[cold]
fn decode<M: Message + Default>(wire: &[u8], at: &Path<'_>, violations: &mut Violations) -> Option<M> {
    let decoded = M::decode(wire);
    if let Err(error) = &decoded {
        violations.add(
            at,
            proto::ErrorReason::MalformedRequest,
            format!("cannot decode this state: {error}"),
        );
    }
    decoded.ok()
}

/// Reads a move in this game.
pub(super) fn read_move<G: WireGame>(
    mv: Option<&proto::Move>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<(G::Move, Form)> {
    match mv.and_then(|mv| mv.kind.as_ref()) {
        None => {
            violations.required(at);
            None
        }
        Some(proto::r#move::Kind::Notation(text)) => {
            let at = at.field("notation");
            check_length(text, MAX_MOVE_NOTATION_BYTES, &at, violations)?;
            match text.trim().parse() {
                Ok(mv) => Some((mv, Form::Notation)),
                Err(error) => {
                    violations.add(&at, proto::ErrorReason::InvalidNotation, error);
                    None
                }
            }
        }
        Some(kind) => G::read_move(kind, at, violations).map(|mv| (mv, Form::Typed)),
    }
}

fn check_length(text: &str, max_bytes: usize, at: &Path<'_>, violations: &mut Violations) -> Option<()> {
    if text.len() <= max_bytes {
        return Some(());
    }
    let message = format!("the notation has {} bytes: the maximum is {max_bytes}", text.len());
    violations.add(at, proto::ErrorReason::InvalidNotation, message);
    None
}
