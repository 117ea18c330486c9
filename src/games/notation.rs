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
