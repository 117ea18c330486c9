//! Tests of the engines, without a server: comparisons with brute force and with other solvers, and matches against simple
//! opponents.

mod connect_four;
mod level;
mod queen_rooks;
mod royal_match;
mod support;
mod triple_triad;
