//! Conversion of states, moves and rule sets between messages and rules, without a server.

mod random_play;
