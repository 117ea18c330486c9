//! Analysis of RoyalMatch.

mod brute_force;
mod evaluations;
mod matches;
mod support;
mod two_players;
mod views;
