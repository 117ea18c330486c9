//! Increasing numbers of idle connections: memory of the server, and CPU time of calls on other connections.

use std::iter;

use prost::Message;
use tokio::{task::JoinSet, time::sleep};

use super::{
    calls::{CALLS_IN_FLIGHT, CONNECTIONS, micros_per_call},
    client::{Call, Client},
    connection::Connection,
    curve::Curve,
    requests::{APPLY_MOVE, connect_four, framed},
    server::Server,
    streams::SETTLE_TIME,
};

/// More than this benchmark opens.
const FLAGS: [&str; 2] = ["--max-connections", "11000"];
/// Concurrent connection attempts.
const MAX_CONNECTING: usize = 50;

const MEMORY_ROUNDS: usize = 3;
const OPEN_CONNECTIONS: [usize; 5] = [0, 1000, 2500, 5000, 10_000];

const ROUNDS: usize = 9;
const CALLS_PER_ROUND: usize = 5000;
const IDLE_CONNECTIONS: [usize; 5] = [0, 10, 100, 1000, 10_000];

pub async fn measure() {
    measure_memory(
        false,
        "Scaling: memory by idle connections",
        "Resident memory of the server; HTTP/2 connections without TLS, after the handshake and a ping",
    )
    .await;
    measure_memory(
        true,
        "Scaling: memory by connections after a call",
        "Resident memory of the server; connections after one ApplyMove of Connect Four each",
    )
    .await;

    let mut servers = Vec::new();
    for count in IDLE_CONNECTIONS {
        let server = Server::start_with(&format!("growth-idle-{count}"), &FLAGS);
        let client = Client::connect(&server.address, CONNECTIONS).await;
        let idle = open(&server, count, false).await;
        servers.push((server, client, idle));
    }
    let call = Call::new(APPLY_MOVE, &connect_four(7).encode_to_vec());
    let mut costs = Curve::new(IDLE_CONNECTIONS);
    for round in 0..=ROUNDS {
        let mut figures = Vec::new();
        for (server, client, _) in &servers {
            figures.push(micros_per_call(server, client, &call, CALLS_PER_ROUND, CALLS_IN_FLIGHT).await);
        }
        // The first round is a warm-up.
        if round > 0 {
            costs.push(figures);
        }
    }
    costs.print_cost(
        "Scaling: call by idle connections",
        &format!(
            "ApplyMove of Connect Four, 7 × 7, {CONNECTIONS} connections with {CALLS_IN_FLIGHT} calls in flight, {ROUNDS} rounds of \
             {CALLS_PER_ROUND} calls; CPU time of the server per call, including keep-alive pings to idle connections every 30 s."
        ),
        "idle",
        "µs",
    );
}

async fn measure_memory(with_call: bool, part: &'static str, note: &str) {
    let mut memory = Curve::new(OPEN_CONNECTIONS);
    for _ in 0..MEMORY_ROUNDS {
        let server = Server::start_with("growth-connections", &FLAGS);
        let (mut connections, mut figures) = (Vec::new(), Vec::new());
        for (open_before, count) in iter::zip(iter::once(0).chain(OPEN_CONNECTIONS), OPEN_CONNECTIONS) {
            connections.extend(open(&server, count - open_before, with_call).await);
            sleep(SETTLE_TIME).await;
            figures.push(server.resident_megabytes());
        }
        memory.push(figures);
    }
    memory.print_memory(part, &format!("{note}; {MEMORY_ROUNDS} servers."), "open");
}

/// Opens connections, each after a call if `with_call`.
async fn open(server: &Server, count: usize, with_call: bool) -> Vec<Connection> {
    let request = framed(&connect_four(7));
    let mut tasks = JoinSet::new();
    let mut connections = Vec::new();
    for _ in 0..count {
        if tasks.len() == MAX_CONNECTING {
            connections.extend(tasks.join_next().await.map(|opened| opened.expect("no task panics")));
        }
        let (address, request) = (server.address.clone(), request.clone());
        tasks.spawn(async move {
            let connection = Connection::open(&address).await;
            if with_call {
                connection.call(APPLY_MOVE, &request).await;
            }
            connection
        });
    }
    connections.extend(tasks.join_all().await);
    connections
}
