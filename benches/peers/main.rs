//! Compares Arbiter with other projects, on the same machine in the same run: `make bench-peers`, which installs them, or
//! `cargo bench --bench peers`, which skips those that are not installed.
//!
//! **Connect Four compared with other libraries.** Random moves per second on one core: uniformly chosen legal moves from the
//! start to the end of the game, repeatedly. Each library runs in a small program that plays for a second per round, with the
//! fastest API of the library that still applies its rules (see the comment of each program). All use the same core and
//! alternate.
//!
//! **Calls compared with other services.** Each server runs in a separate process and may use all cores, over plaintext
//! HTTP/2 on this machine. The load generator is the same for all: one thread, 4 connections, requests encoded beforehand,
//! 200 calls in flight (16 for batches) in a closed loop. The servers alternate, and CPU time is that of all threads of the
//! server.
//!
//! - Arbiter, the normal binary with default flags: `ApplyMove` of Connect Four with a typed state.
//! - Cerbos, an authorization service: `CheckResources` with one policy, one rule and one condition, no audit log (its
//!   default), no telemetry, and no request log (by default it logs one line per call).
//! - tonic's hello world, built with defaults: one runtime with one thread per core, the system allocator, no LTO.
//! - grpcio and grpc-js: servers that echo the request bytes without decoding them.
//!
//! Requests to the last three have the size of the `ApplyMove` request. Before the rounds, each service must return a
//! correct response. A call that fails ends the run.
//!
//! The argument `libraries` or `services` selects one of the two.

#![allow(clippy::cast_precision_loss, reason = "the figures are rounded anyway")]

mod arbiter_calls;
mod cerbos;
#[path = "../load/client.rs"]
#[expect(dead_code, reason = "the load test uses more of it")]
mod client;
mod connect_four;
#[path = "../support/cpu.rs"]
mod cpu;
mod echo;
#[path = "../support/frames.rs"]
mod frames;
mod libraries;
mod load_generator;
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
    let argument = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    match argument.as_deref() {
        Some(connect_four::ARGUMENT) => connect_four::play_rounds(),
        Some("libraries") => libraries::measure(),
        Some("services") => services::measure(),
        Some(other) => panic!("unknown argument {other}"),
        None => {
            libraries::measure();
            services::measure();
        }
    }
}

/// A path relative to the root of the project.
fn project(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), path].iter().collect()
}

/// A path in the folder where `make bench-peers` installs the other projects.
fn tool(path: &str) -> PathBuf {
    project("target/tools").join(path)
}
