//! More and more connections on which nothing happens: what they take, and what a call costs beside them.

use std::iter;

use prost::Message;
use tokio::{task::JoinSet, time::sleep};

use super::{
    calls::{CONNECTIONS, UNDER_WAY, micros_each},
    client::{Call, Client},
    connection::Connection,
    curve::Curve,
    requests::{APPLY_MOVE, connect_four, framed},
    server::Server,
    streams::PAUSE,
};

/// Above all that is opened here: by default the server takes 10,000.
const FLAGS: [&str; 2] = ["--max-connections", "11000"];
/// Connections that are being opened at the same time.
const AT_ONCE: usize = 50;

const MEMORY_ROUNDS: usize = 3;
const OPEN: [usize; 5] = [0, 1000, 2500, 5000, 10_000];

const ROUNDS: usize = 9;
const CALLS_A_ROUND: usize = 5000;
const BESIDE: [usize; 5] = [0, 10, 100, 1000, 10_000];

pub async fn measure() {
    measure_memory(
        false,
        "Growth of memory with idle connections",
        "Resident memory of the server; connections that have shaken hands (HTTP/2, without TLS) and answered a ping",
    )
    .await;
    measure_memory(
        true,
        "Growth of memory with connections after a call",
        "Resident memory of the server; connections that have each made one ApplyMove of Connect Four",
    )
    .await;

    let mut servers = Vec::new();
    for count in BESIDE {
        let server = Server::start_with(&format!("growth-beside-{count}"), &FLAGS);
        let client = Client::connect(&server.address, CONNECTIONS).await;
        let idle = open(&server, count, false).await;
        servers.push((server, client, idle));
    }
    let call = Call::new(APPLY_MOVE, &connect_four(7).encode_to_vec());
    let mut costs = Curve::new(BESIDE);
    for round in 0..=ROUNDS {
        let mut figures = Vec::new();
        for (server, client, _) in &servers {
            figures.push(micros_each(server, client, &call, CALLS_A_ROUND, UNDER_WAY).await);
        }
        // The first is to warm up.
        if round > 0 {
            costs.push(figures);
        }
    }
    costs.print_cost(
        "Growth of a call with idle connections",
        &format!(
            "ApplyMove of Connect Four, 7 × 7, {CONNECTIONS} connections with {UNDER_WAY} calls under way, {ROUNDS} rounds of \
             {CALLS_A_ROUND} calls; CPU time of the server per call, with what it asks idle connections each 30 s."
        ),
        "idle beside",
        "µs",
    );
}

async fn measure_memory(with_call: bool, part: &'static str, note: &str) {
    let mut memory = Curve::new(OPEN);
    for _ in 0..MEMORY_ROUNDS {
        let server = Server::start_with("growth-connections", &FLAGS);
        let (mut connections, mut figures) = (Vec::new(), Vec::new());
        for (already, count) in iter::zip(iter::once(0).chain(OPEN), OPEN) {
            connections.extend(open(&server, count - already, with_call).await);
            sleep(PAUSE).await;
            figures.push(server.resident_megabytes());
        }
        memory.push(figures);
    }
    memory.print_memory(part, &format!("{note}; {MEMORY_ROUNDS} servers."), "open");
}

/// So many connections more, perhaps each with a call behind it.
async fn open(server: &Server, count: usize, with_call: bool) -> Vec<Connection> {
    let request = framed(&connect_four(7));
    let mut tasks = JoinSet::new();
    let mut connections = Vec::new();
    for _ in 0..count {
        if tasks.len() == AT_ONCE {
            connections.extend(tasks.join_next().await.map(|opened| opened.expect("no task fails")));
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
