#![doc = include_str!("../README.md")]

pub mod config;
pub mod server;
pub mod service;
pub mod wire;

/// The rules: a crate of their own, so that the compiler keeps I/O out of them.
pub use arbiter_games as games;

/// The analysis of the games: a crate of its own, so that it can be optimised in tests.
pub use arbiter_engine as engine;
