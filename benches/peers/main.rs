//! Arbiter beside others, on the same machine in the same run: `make bench-peers`, which installs them, or
//! `cargo bench --bench peers`, which leaves out those that are not there.
//!
//! **Connect Four beside other libraries.** Random moves a second on one core: from the start a legal move, each as likely
//! as any other, until the game ends, and again. Each library is a small program of its own that plays for a second when it
//! is told to, by the quickest way that the library has without leaving out its rules (each program says which). All are
//! held to the same core and take turns.
//!
//! **Calls beside other services.** Each is a server in a process of its own, free to use every core, over plain HTTP/2 on
//! this machine. The loader is the same for all: one thread, 4 connections, requests encoded in advance, 200 calls under way
//! (16 of them if they are batches), each followed by another as soon as it is answered. The servers take turns, and CPU time
//! is that of all threads of the server.
//!
//! - Arbiter, the program as it is built to be used, with its defaults: `ApplyMove` of Connect Four with a typed state.
//! - Cerbos, the decision service: `CheckResources` by one policy with one rule and one condition, no audit log (its
//!   default), no telemetry, and no log of requests (by default it writes a line a call).
//! - tonic's own hello world, as it is built by default: one runtime with a thread a core, the system's allocator, no LTO.
//! - grpcio and grpc-js: servers that answer the bytes that they were sent, without reading them.
//!
//! What is sent to the last three is as long as the request of `ApplyMove`. Every service is asked once before, and has to
//! answer what is right; and whatever is not answered with the status 0 ends the run.
//!
//! With `libraries` or `services` as its argument it measures only those.

#![allow(clippy::cast_precision_loss, reason = "figures for people")]

mod arbiter_calls;
mod cerbos;
#[path = "../load/client.rs"]
#[expect(dead_code, reason = "the load test also asks when calls are refused and how long they waited")]
mod client;
mod connect_four;
#[path = "../support/cpu.rs"]
mod cpu;
mod echo;
#[path = "../support/frames.rs"]
mod frames;
mod libraries;
mod loader;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/random_games.rs"]
mod random_games;
mod server;
mod services;
#[path = "../support/spread.rs"]
mod spread;
#[path = "../support/table.rs"]
mod table;

use std::{env, path::PathBuf};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let asked = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    match asked.as_deref() {
        Some(connect_four::ARGUMENT) => connect_four::play_rounds(),
        Some("libraries") => libraries::measure(),
        Some("services") => services::measure(),
        Some(other) => panic!("there is no part {other}"),
        None => {
            libraries::measure();
            services::measure();
        }
    }
}

/// A file of the project: a path from its root.
fn project(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), path].iter().collect()
}

/// Where `make bench-peers` installs the peers.
fn tool(path: &str) -> PathBuf {
    project("target/tools").join(path)
}
