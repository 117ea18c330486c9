use std::fmt;

/// The path of a field of a request, such as `state.connect_four.board[2]`.
///
/// A path is a chain of borrowed steps: it costs nothing until something is wrong and it is written down.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(&'static str),
    Index(usize),
}

impl Path<'static> {
    /// A field of the request itself.
    pub const fn root(field: &'static str) -> Self {
        Self { parent: None, step: Step::Field(field) }
    }
}

impl Path<'_> {
    /// A field of this message.
    pub const fn field(&self, name: &'static str) -> Path<'_> {
        Path { parent: Some(self), step: Step::Field(name) }
    }

    /// An item of this list, from 0.
    pub const fn index(&self, index: usize) -> Path<'_> {
        Path { parent: Some(self), step: Step::Index(index) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Field(name) if self.parent.is_some() => write!(f, ".{name}"),
            Step::Field(name) => f.write_str(name),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}
