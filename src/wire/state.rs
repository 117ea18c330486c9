//! States and moves of any game, typed or as text.

use prost::Message;

use super::{Path, State, StateKind, Violations, WireGame, game::recognize, proto};
use crate::games::{GameId, ParseError, Quoted, StateOrView, View};

/// The longest notation of a state, in bytes.
const MAX_STATE_NOTATION: usize = 4096;
/// The longest notation of a move, in bytes.
const MAX_MOVE_NOTATION: usize = 64;

/// How a state or a move is written: answers come in the form of the request's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the message of its game.
    Typed,
    /// As text.
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

    /// Writes in this form what can be written in both.
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

/// The game of a state, if it can be told, whether or not the rest of the state is right.
pub(super) fn game_of_state(state: Option<&State>) -> Option<GameId> {
    match state?.kind.as_ref()? {
        StateKind::Notation(notation) => recognize(notation.trim()),
        StateKind::Typed(game, _) => Some(*game),
    }
}

/// The game of a typed move.
pub(super) fn game_of_move(mv: &proto::Move) -> Option<GameId> {
    use proto::r#move::Kind;
    Some(match mv.kind.as_ref()? {
        Kind::Notation(_) => return None,
        Kind::ConnectFour(_) => GameId::ConnectFour,
        Kind::TripleTriad(_) => GameId::TripleTriad,
        Kind::QueenRooks(_) => GameId::QueenRooks,
        Kind::RoyalMatch(_) => GameId::RoyalMatch,
    })
}

/// The game of a rule set.
pub(super) fn game_of_rules(rules: &proto::RuleSet) -> Option<GameId> {
    use proto::rule_set::Kind;
    Some(match rules.kind.as_ref()? {
        Kind::ConnectFour(_) => GameId::ConnectFour,
        Kind::TripleTriad(_) => GameId::TripleTriad,
        Kind::QueenRooks(_) => GameId::QueenRooks,
        Kind::RoyalMatch(_) => GameId::RoyalMatch,
    })
}

/// Notes why the game of a state cannot be told.
pub(super) fn note_unknown_game(state: Option<&State>, at: &Path<'_>, violations: &mut Violations) {
    match state.and_then(|state| state.kind.as_ref()) {
        Some(StateKind::Notation(notation)) => violations.add(
            &at.field("notation"),
            proto::ErrorReason::InvalidNotation,
            format!(
                "{} does not start like a state of any game: {}",
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
    read_form_of::<G, _>(state, at, violations, G::read_plain, G::read_state, G::parse)
}

/// Reads a state of this game that must be whole.
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

/// Reads something that a state of this game says, typed or as text: a game, or a board set up by hand.
pub(super) fn read_form_of<G: WireGame, T>(
    state: Option<&State>,
    at: &Path<'_>,
    violations: &mut Violations,
    read_plain: impl FnOnce(&[u8]) -> Option<T>,
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
            check_length(text, MAX_STATE_NOTATION, &at, violations)?;
            let value = violations
                .accept(parse(text.trim()), |error, violations| note_parse_error(&error, &at, violations));
            value.map(|value| (value, Form::Notation))
        }
        Some(StateKind::Typed(game, wire)) if *game == G::ID => {
            let value = read_plain(wire).or_else(|| {
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

/// Notes what is wrong with the text of a state.
fn note_parse_error<G: WireGame>(error: &ParseError<G>, at: &Path<'_>, violations: &mut Violations) {
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
        violations.add(at, proto::ErrorReason::MalformedRequest, format!("this cannot be read: {error}"));
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
            check_length(text, MAX_MOVE_NOTATION, &at, violations)?;
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

fn check_length(text: &str, most: usize, at: &Path<'_>, violations: &mut Violations) -> Option<()> {
    if text.len() <= most {
        return Some(());
    }
    let message = format!("a notation of {} bytes is too long: at most {most}", text.len());
    violations.add(at, proto::ErrorReason::InvalidNotation, message);
    None
}
