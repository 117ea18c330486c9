//! `RoyalMatch`, clause by clause.

mod against_naive;
mod comparison;
mod end;
mod golden;
mod moves;
mod notation;
mod setup;
mod start;
mod support;
mod tricks;
mod view;
