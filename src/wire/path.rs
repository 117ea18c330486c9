//! Field paths, which name the field of a violation.

use std::fmt;

/// The path of a field of a request, such as `state.connect_four.board[2]`.
///
/// A path is a chain of borrowed steps. Nothing is allocated unless a violation formats it.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Request,
    Field(&'a str),
    Index(usize),
}

impl Path<'static> {
    /// The request itself. Its text is empty.
    pub const REQUEST: Self = Self { parent: None, step: Step::Request };
}

impl<'a> Path<'a> {
    /// A field of the request itself.
    pub const fn root(field: &'a str) -> Self {
        Self { parent: None, step: Step::Field(field) }
    }

    /// A field of this message.
    #[must_use]
    pub const fn field(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Field(name) }
    }

    /// An item of this list, from 0.
    #[must_use]
    pub const fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match (self.step, self.parent) {
            (Step::Request, _) => Ok(()),
            (Step::Field(name), None | Some(Path { step: Step::Request, .. })) => f.write_str(name),
            (Step::Field(name), Some(_)) => write!(f, ".{name}"),
            (Step::Index(index), _) => write!(f, "[{index}]"),
        }
    }
}
