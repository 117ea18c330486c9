//! Triple Triad, clause by clause.

mod against_naive;
mod captures;
mod golden;
mod invariants;
mod moves;
mod notation;
mod start;
mod sudden_death;
mod support;
mod symmetry;
mod trade;
mod view;
