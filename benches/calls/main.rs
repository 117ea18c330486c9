//! CPU time of the server per call, compared with a no-op call with messages of the same sizes, in one run:
//! `cargo bench --bench calls`.
//!
//! The server runs in a separate process, and its CPU time comes from the kernel, so the client does not count. Both calls
//! alternate, so that noise affects both equally. The no-op decodes a message with one field of bytes and returns another.
//! It uses the same sockets, HTTP/2, request pipeline and gRPC framing, but takes no in-flight permit and is not counted in
//! the metrics.
//!
//! The same is then measured for batches and streams: see `items.rs`.
//!
//! An argument selects the measurements whose names contain it, and runs more rounds of them:
//! `cargo bench --bench calls -- 'connect_four ApplyMove'`, or `-- batch`.

#![allow(clippy::cast_precision_loss, reason = "the figures are rounded anyway")]

mod comparison;
#[path = "../support/cpu.rs"]
mod cpu;
#[path = "../support/frames.rs"]
mod frames;
mod items;
mod load_generator;
mod noop;
mod requests;
mod server;
#[path = "../support/spread.rs"]
mod spread;
mod stream_client;
#[path = "../support/table.rs"]
mod table;

use std::env;

use self::{
    comparison::Comparison,
    load_generator::{CONNECTIONS, LoadGenerator},
    requests::calls,
    server::{SERVE, ServerProcess},
    table::Table,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Odd, so that the median is one of them.
const ROUNDS: usize = 11;
/// For selected measurements.
const ROUNDS_IF_SELECTED: usize = 51;
const CALLS_PER_ROUND: usize = 10_000;
const CALLS_IN_FLIGHT: usize = 50;

fn main() {
    let argument = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    match argument.as_deref() {
        Some(SERVE) => server::serve(),
        Some(part) => compare(ROUNDS_IF_SELECTED, |name| name.contains(part)),
        None => compare(ROUNDS, |_| true),
    }
}

/// Compares the selected calls and items with no-ops.
fn compare(rounds: usize, is_selected: impl Fn(&str) -> bool) {
    let server = ServerProcess::start();
    let load = LoadGenerator::new(&server.address);
    let calls = compare_calls(&server, &load, rounds, &is_selected);
    let items = items::measure(&server, &load, rounds, &is_selected);
    assert!(calls || items, "no measurement has this name");
}

/// Measures the selected calls. Returns false if none is selected.
fn compare_calls(
    server: &ServerProcess,
    load: &LoadGenerator,
    rounds: usize,
    is_selected: impl Fn(&str) -> bool,
) -> bool {
    let comparisons: Vec<_> = calls()
        .into_iter()
        .filter(|(name, _)| is_selected(name))
        .map(|(name, call)| {
            let response = load.call(&call);
            let noop = noop::call(&call, response.len());
            noop::assert_similar_size(load.call(&noop).len(), response.len());
            Comparison {
                name,
                sizes: format!(", {} in, {} out", call.request.len(), response.len()),
                count: CALLS_PER_ROUND,
                run: Box::new(move || load.run(&call, CALLS_PER_ROUND, CALLS_IN_FLIGHT)),
                run_noop: Box::new(move || load.run(&noop, CALLS_PER_ROUND, CALLS_IN_FLIGHT)),
            }
        })
        .collect();
    if comparisons.is_empty() {
        return false;
    }
    let note = format!(
        "CPU time of the server per call, typed states, {rounds} rounds of {CALLS_PER_ROUND}; {CONNECTIONS} connections with \
         {CALLS_IN_FLIGHT} in flight each.\n\
         The no-op has messages of the same sizes, takes no in-flight permit and is not counted in the metrics."
    );
    let table = Table::begin("Unary calls", &note);
    comparison::measure(server, &table, &comparisons, rounds, false);
    true
}
