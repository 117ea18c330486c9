#![doc = include_str!("../README.md")]

pub mod config;
pub mod games;
pub mod server;
pub mod service;
pub mod wire;
