use std::{fmt, str::FromStr};

use super::{Game, RuleBreach};

/// Why a text cannot be read as a state or a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotationError(String);

impl NotationError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// What is wrong with a text that should be a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError<G: Game> {
    /// The text cannot be read.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// Its rule set is invalid.
    #[error("{0}")]
    Rules(G::RulesError),
    /// Its state is invalid.
    #[error("{0}")]
    Setup(G::SetupError),
}

impl<G: Game> ParseError<G> {
    /// The text cannot be read, for this reason.
    pub(super) fn notation(message: impl Into<String>) -> Self {
        Self::Notation(NotationError::new(message))
    }
}

impl<G: Game> RuleBreach for ParseError<G> {
    fn clause(&self) -> &'static str {
        match self {
            Self::Notation(_) => "",
            Self::Rules(error) => error.clause(),
            Self::Setup(error) => error.clause(),
        }
    }
}

/// A text of a caller, quoted in a message: escaped, and truncated if it is long.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

/// The maximum length of a quoted text, in characters.
const MAX_QUOTED_CHARS: usize = 32;

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut escaped = self.0.escape_debug();
        let beginning: String = escaped.by_ref().take(MAX_QUOTED_CHARS).collect();
        let more = if escaped.next().is_some() { "…" } else { "" };
        write!(f, "\"{beginning}{more}\"")
    }
}

/// Reads the number of cards in a hidden hand, such as `?4`.
pub(super) fn parse_hidden_hand(text: &str) -> Option<u32> {
    text.strip_prefix('?').and_then(parse_number)
}

/// Reads a number: digits without leading zeros.
pub(super) fn parse_number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok().filter(|_| is_number(text))
}

/// Reads an integer: a number, with an optional minus sign. Saturates.
pub(super) fn parse_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let nearest = if digits.len() < text.len() { i64::MIN } else { i64::MAX };
    is_number(digits).then(|| text.parse().unwrap_or(nearest))
}

/// Reads the number of a row or a square, from 1, and returns it from 0. Saturates. The number 0, which no board has,
/// becomes `u32::MAX`: adding 1 with wrapping restores it.
pub(super) fn parse_ordinal(text: &str) -> Option<u32> {
    let number = parse_integer(text).filter(|_| !text.starts_with('-'))?;
    Some(u32::try_from(number).unwrap_or(u32::MAX).wrapping_sub(1))
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}
