/// One clause of the rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its identifier, such as `C4-2`.
    pub id: &'static str,
    /// What it is about, in a word or two.
    pub title: &'static str,
    /// The rule itself, as in `docs/rules.md`.
    pub text: &'static str,
}
