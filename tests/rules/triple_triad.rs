//! Triple Triad, clause by clause.

mod golden;
mod properties;
