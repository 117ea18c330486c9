//! CPU time of the server for a call, against a call that does nothing with messages of the same sizes, in one run:
//! `cargo bench --bench calls`.
//!
//! The server is a process of its own and its CPU time is read from the kernel, so that the client does not count.
//! The two calls take turns, so that a noisy machine disturbs both alike. The call that does nothing reads a message
//! with one field of bytes and answers another; it passes the same sockets, HTTP/2, gate and gRPC framing, but takes no
//! place among the calls under way and is not counted: that is ours.
//!
//! Then the same for many calls in one: see `items.rs`.
//!
//! An argument picks what has it in its name, and takes more rounds of it:
//! `cargo bench --bench calls -- 'connect_four ApplyMove'`, or `-- batch`.

#![allow(clippy::cast_precision_loss, reason = "figures for people")]

#[path = "../support/cpu.rs"]
mod cpu;
#[path = "../support/frames.rs"]
mod frames;
mod items;
mod load;
mod noop;
mod pairs;
mod requests;
mod server;
#[path = "../support/spread.rs"]
mod spread;
mod stream;
#[path = "../support/table.rs"]
mod table;

use std::env;

use self::{
    load::{CONNECTIONS, Load},
    pairs::Pair,
    requests::calls,
    server::{SERVE, ServerProcess},
    table::Table,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An odd number: one of them is the median.
const ROUNDS: usize = 11;
/// When only some are wanted, they can be told more exactly.
const ROUNDS_OF_FEW: usize = 51;
const CALLS_A_ROUND: usize = 10_000;
const CALLS_UNDER_WAY: usize = 50;

fn main() {
    let argument = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    match argument.as_deref() {
        Some(SERVE) => server::serve(),
        Some(part) => compare(ROUNDS_OF_FEW, |name| name.contains(part)),
        None => compare(ROUNDS, |_| true),
    }
}

/// Everything whose name is wanted against the like of it that does nothing.
fn compare(rounds: usize, wanted: impl Fn(&str) -> bool) {
    let server = ServerProcess::start();
    let load = Load::new(&server.address);
    let calls = compare_calls(&server, &load, rounds, &wanted);
    let items = items::measure(&server, &load, rounds, &wanted);
    assert!(calls || items, "nothing has this in its name");
}

/// Measures what is wanted. False: nothing is.
fn compare_calls(server: &ServerProcess, load: &Load, rounds: usize, wanted: impl Fn(&str) -> bool) -> bool {
    let pairs: Vec<_> = calls()
        .into_iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, call)| {
            let answer = load.answer(&call);
            let noop = noop::call(&call, answer.len());
            noop::assert_alike(load.answer(&noop).len(), answer.len());
            Pair {
                name,
                sizes: format!(", {} in, {} out", call.request.len(), answer.len()),
                count: CALLS_A_ROUND,
                ask: Box::new(move || load.run(&call, CALLS_A_ROUND, CALLS_UNDER_WAY)),
                ask_nothing: Box::new(move || load.run(&noop, CALLS_A_ROUND, CALLS_UNDER_WAY)),
            }
        })
        .collect();
    if pairs.is_empty() {
        return false;
    }
    let note = format!(
        "CPU time of the server for a call, typed states, {rounds} rounds of {CALLS_A_ROUND}; {CONNECTIONS} connections with \
         {CALLS_UNDER_WAY} under way each.\n\
         The no-op has messages of the same sizes, in bytes; it takes no place among the calls under way and is not counted."
    );
    let table = Table::begin("A call", &note);
    pairs::measure(server, &table, &pairs, rounds, false);
    true
}
