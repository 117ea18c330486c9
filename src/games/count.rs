use std::fmt;

/// A number with a noun in the singular or the plural: `1 card`, `2 cards`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count<N>(pub N, pub &'static str);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Count<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number, noun) = self;
        let plural = if *number == N::from(1) { "" } else { "s" };
        write!(f, "{number} {noun}{plural}")
    }
}
