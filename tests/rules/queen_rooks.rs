//! Queen and rooks, clause by clause.

mod golden;
mod properties;
