//! Queen and rooks, clause by clause.

mod against_naive;
mod captures;
mod end;
mod golden;
mod invariants;
mod moves;
mod notation;
mod rules;
mod setup;
mod start;
mod support;
mod symmetry;
