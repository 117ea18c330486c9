//! CPU time of the server for a call, against a call that does nothing with messages of the same sizes, in one run:
//! `cargo bench --bench calls`.
//!
//! The server is a process of its own and its CPU time is read from the kernel, so that the client does not count.
//! The two calls take turns, so that a noisy machine disturbs both alike. The call that does nothing reads a message
//! with one field of bytes and answers another; it passes the same sockets, HTTP/2, gate and gRPC framing, but takes no
//! place among the calls under way and is not counted: that is ours.
//!
//! With `shapes` as its argument it compares ways to run the server instead: see
//! `docs/decisions/0003-runtime-shape.md`.

#![allow(clippy::cast_precision_loss, reason = "figures for people")]

mod load;
mod noop;
mod requests;
mod shapes;
#[path = "../support/spread.rs"]
mod spread;

use std::env;

use self::{
    load::Load,
    requests::calls,
    shapes::{ServerProcess, Shape},
    spread::Spread,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 15;
const CALLS_A_ROUND: usize = 20_000;

fn main() {
    let argument = env::args().find(|argument| !argument.starts_with("--") && !argument.contains("/calls"));
    match argument.as_deref() {
        Some(shape) if shape.starts_with("serve-") => Shape::named(&shape["serve-".len()..]).serve(),
        Some("shapes") => compare_shapes(),
        _ => compare_calls(),
    }
}

/// Each call against the one that does nothing.
fn compare_calls() {
    let server = ServerProcess::start(Shape::Arbiter);
    let load = Load::new(&server.address);
    println!(
        "CPU time of the server per call, {ROUNDS} rounds of {CALLS_A_ROUND} (median, lowest to highest)"
    );
    println!(
        "{:<32} {:>5} {:>5}  {:<24} {:<24} ratio",
        "call", "in", "out", "µs", "no-op of the same sizes, µs"
    );
    for (name, call) in calls() {
        let answer = load.answer(&call);
        let noop = noop::call(call.request.len(), answer.len());
        let (mut costs, mut noops, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let cost = server.cpu_micros(|| load.run(&call, CALLS_A_ROUND)) / CALLS_A_ROUND as f64;
            let nothing = server.cpu_micros(|| load.run(&noop, CALLS_A_ROUND)) / CALLS_A_ROUND as f64;
            costs.push(cost);
            noops.push(nothing);
            ratios.push(cost / nothing);
        }
        println!(
            "{name:<32} {:>5} {:>5}  {:<24} {:<24} {}",
            call.request.len(),
            answer.len(),
            Spread::of(&mut costs).to_string(),
            Spread::of(&mut noops).to_string(),
            Spread::of(&mut ratios),
        );
    }
}

/// The same call on servers of different shapes.
fn compare_shapes() {
    let servers = Shape::ALL.map(|shape| (shape, ServerProcess::start(shape)));
    let servers = servers.map(|(shape, server)| (shape, Load::new(&server.address), server, Vec::new()));
    let (_, call) = calls().remove(0);
    let mut servers = Vec::from(servers);
    for _ in 0..ROUNDS {
        for (_, load, server, costs) in &mut servers {
            let cpu = server.cpu_micros(|| load.run(&call, CALLS_A_ROUND));
            costs.push(cpu / CALLS_A_ROUND as f64);
        }
    }
    println!(
        "CPU time of the server per ApplyMove, {ROUNDS} rounds of {CALLS_A_ROUND} (median, lowest to highest)"
    );
    for (shape, _, _, mut costs) in servers {
        println!("{:<48} {} µs", shape.describe(), Spread::of(&mut costs));
    }
}
