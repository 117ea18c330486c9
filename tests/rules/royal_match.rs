//! `RoyalMatch`, clause by clause.

mod golden;
mod properties;
