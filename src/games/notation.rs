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

/// Reads a number the one way it is written: digits, and no zero before them.
pub(super) fn parse_number<T: FromStr>(text: &str) -> Option<T> {
    let written = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| written)
}
