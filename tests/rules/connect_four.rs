//! Connect Four, clause by clause.

mod properties;
mod setup;
