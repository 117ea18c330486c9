//! Analysis of the games on one core: `cargo bench -p arbiter-engine`. Arguments select games, such as `connect_four`.
//!
//! The node counts are a checksum of behaviour: a change that only makes the search faster does not alter them.

#![allow(clippy::cast_precision_loss, reason = "the figures are rounded anyway")]

mod connect_four;
mod cpu_time;
mod queen_rooks;
mod royal_match;
mod triple_triad;

use std::env;

fn main() {
    // `cargo bench` adds flags.
    let selected: Vec<_> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_selected = |game: &str| selected.is_empty() || selected.iter().any(|name| name == game);
    if is_selected("connect_four") {
        connect_four::measure();
    }
    if is_selected("queen_rooks") {
        queen_rooks::run();
    }
    if is_selected("royal_match") {
        royal_match::run();
    }
    if is_selected("triple_triad") {
        triple_triad::run();
    }
}
