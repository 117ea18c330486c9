//! States and moves of any game, typed or as text.

use super::{Path, Violations, WireGame, game::recognize, proto};
use crate::games::{GameId, Quoted};

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
    pub fn write_state<G: WireGame>(self, game: &G) -> proto::State {
        self.write(|| game.write_state(), || game.notation())
    }

    /// Writes in this form what can be written in both.
    pub fn write(
        self,
        typed: impl FnOnce() -> proto::state::Kind,
        notation: impl FnOnce() -> String,
    ) -> proto::State {
        let kind = match self {
            Self::Typed => typed(),
            Self::Notation => proto::state::Kind::Notation(notation()),
        };
        proto::State { kind: Some(kind) }
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
pub(super) fn game_of_state(state: Option<&proto::State>) -> Option<GameId> {
    use proto::state::Kind;
    Some(match state?.kind.as_ref()? {
        Kind::Notation(notation) => recognize(notation)?,
        Kind::ConnectFour(_) => GameId::ConnectFour,
        Kind::TripleTriad(_) => GameId::TripleTriad,
        Kind::QueenRooks(_) => GameId::QueenRooks,
        Kind::RoyalMatch(_) => GameId::RoyalMatch,
    })
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
pub(super) fn note_unknown_game(state: Option<&proto::State>, at: &Path<'_>, violations: &mut Violations) {
    match state.and_then(|state| state.kind.as_ref()) {
        Some(proto::state::Kind::Notation(notation)) => violations.add(
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

/// Reads a state of this game.
pub(super) fn read_state<G: WireGame>(
    state: Option<&proto::State>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<(G, Form)> {
    read_form_of::<G, G>(state, at, violations, G::read_state, G::parse)
}

/// Reads something that a state of this game says, typed or as text: a game, or a board made by hand.
pub(super) fn read_form_of<G: WireGame, T>(
    state: Option<&proto::State>,
    at: &Path<'_>,
    violations: &mut Violations,
    read: impl FnOnce(&proto::state::Kind, &Path<'_>, &mut Violations) -> Option<T>,
    parse: impl FnOnce(&str) -> Result<T, Vec<G::ParseError>>,
) -> Option<(T, Form)> {
    match state.and_then(|state| state.kind.as_ref()) {
        None => {
            violations.required(at);
            None
        }
        Some(proto::state::Kind::Notation(text)) => {
            let at = at.field("notation");
            check_length(text, MAX_STATE_NOTATION, &at, violations)?;
            let value = violations
                .accept(parse(text), |error, violations| G::note_parse_error(error, &at, violations));
            value.map(|value| (value, Form::Notation))
        }
        Some(kind) => read(kind, at, violations).map(|value| (value, Form::Typed)),
    }
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
            match text.parse() {
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
