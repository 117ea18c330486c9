use std::{fmt, str::FromStr};

/// What is wrong with a text that should be a state or a move, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotationError(String);

impl NotationError {
    /// An error in these words.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// A text from outside, quoted in a message: escaped, and cut if it is long.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 32;
        let mut escaped = self.0.escape_debug();
        let beginning: String = escaped.by_ref().take(LONGEST).collect();
        let more = if escaped.next().is_some() { "…" } else { "" };
        write!(f, "\"{beginning}{more}\"")
    }
}

/// Reads the number of cards of a hidden hand, such as `?4`.
pub(super) fn parse_hidden_hand(text: &str) -> Option<u32> {
    text.strip_prefix('?').and_then(parse_number)
}

/// Reads a number the one way it is written: digits, and no zero before them.
pub(super) fn parse_number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok().filter(|_| is_number(text))
}

/// Reads an integer: a number, with a minus sign before it if it is negative. One that does not fit becomes the
/// nearest that does.
pub(super) fn parse_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let nearest = if digits.len() < text.len() { i64::MIN } else { i64::MAX };
    is_number(digits).then(|| text.parse().unwrap_or(nearest))
}

/// Reads the number of a row or a square, counted from 1, and returns it counted from 0. No board has the number 0: it
/// becomes `u32::MAX`, so that adding 1 gives it back. One that does not fit becomes the greatest that does.
pub(super) fn parse_ordinal(text: &str) -> Option<u32> {
    let number = parse_integer(text).filter(|_| !text.starts_with('-'))?;
    Some(u32::try_from(number).unwrap_or(u32::MAX).wrapping_sub(1))
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}
