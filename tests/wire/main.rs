//! States, moves and rule sets between their messages and the rules, without a server.

mod random_play;
