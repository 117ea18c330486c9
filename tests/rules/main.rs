//! The rules of the games, without a server: every clause by examples and properties, against second implementations,
//! perft counts and golden games.

mod chance;
mod connect_four;
mod golden;
mod naive;
mod perft;
mod queen_rooks;
mod royal_match;
mod triple_triad;
