//! Connect Four, clause by clause.

mod against_naive;
mod invariants;
mod moves;
mod notation;
mod rules;
mod setup;
mod support;
mod symmetry;
