use std::{convert::Infallible, fmt::Display};

/// A clause of the rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The identifier, such as `C4-2`.
    pub id: &'static str,
    /// The topic, in one to three words.
    pub title: &'static str,
    /// The rule, as in `docs/rules.md`.
    pub text: &'static str,
}

/// A breach of the rules. `Display` is its message.
pub trait RuleBreach: Display {
    /// The id of the clause, such as `C4-2`; empty if no clause is broken.
    fn clause(&self) -> &'static str;
}

/// For the rules of a game that cannot be invalid.
impl RuleBreach for Infallible {
    fn clause(&self) -> &'static str {
        match *self {}
    }
}
