//! Increasing numbers of concurrent `Evaluate` streams: CPU time per item, and memory per open stream.

use std::time::Duration;

use bytes::Bytes;
use tokio::{task::JoinSet, time::sleep};

use super::{
    connection::{Connection, Stream, assert_applied},
    curve::Curve,
    requests::{EVALUATE, evaluate, framed},
    server::Server,
};

/// Enough for all streams, since one connection has at most 200 of them (`--max-streams-per-connection`).
const CONNECTIONS: usize = 10;
const ROUNDS: usize = 7;
const ITEMS_PER_ROUND: usize = 5000;
const CONCURRENT_STREAMS: [usize; 7] = [1, 3, 10, 30, 100, 300, 1000];

const MEMORY_ROUNDS: usize = 3;
/// Up to the limit of the connections, since memory grows in steps that are too coarse for fewer streams.
const OPEN_STREAMS: [usize; 6] = [0, 100, 300, 600, 1000, 2000];
/// Time for the memory to settle.
pub const SETTLE_TIME: Duration = Duration::from_millis(300);

pub async fn measure() {
    let item = framed(&evaluate());

    let server = Server::start("growth-streams");
    let connections = open_connections(&server).await;
    let mut costs = Curve::new(CONCURRENT_STREAMS);
    for round in 0..=ROUNDS {
        let mut figures = Vec::new();
        for streams in CONCURRENT_STREAMS {
            figures.push(micros_per_item(&server, &connections, streams, &item).await);
        }
        // The first round is a warm-up.
        if round > 0 {
            costs.push(figures);
        }
    }
    costs.print_cost(
        "Scaling: item by number of streams",
        &format!(
            "Evaluate streams on {CONNECTIONS} connections, Connect Four moves, 7 × 7, one in flight per stream, \
             {ROUNDS} rounds of at least {ITEMS_PER_ROUND}; CPU time of the server per item."
        ),
        "streams",
        "µs",
    );

    let mut memory = Curve::new(OPEN_STREAMS);
    for _ in 0..MEMORY_ROUNDS {
        let server = Server::start("growth-open-streams");
        let connections = open_connections(&server).await;
        let (mut streams, mut figures) = (Vec::new(), Vec::new());
        for count in OPEN_STREAMS {
            while streams.len() < count {
                streams.push(open_stream(&connections[streams.len() % CONNECTIONS], &item).await);
            }
            sleep(SETTLE_TIME).await;
            figures.push(server.resident_megabytes());
        }
        memory.push(figures);
    }
    memory.print_memory(
        "Scaling: memory by open streams",
        &format!(
            "Resident memory of the server; Evaluate streams on {CONNECTIONS} connections, each idle after one \
             item; {MEMORY_ROUNDS} servers."
        ),
        "open",
    );
}

async fn open_connections(server: &Server) -> Vec<Connection> {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Connection::open(&server.address).await);
    }
    connections
}

/// Opens a stream and waits for the response to its first item.
async fn open_stream(connection: &Connection, item: &Bytes) -> Stream {
    let mut stream = connection.stream(EVALUATE, item).await;
    assert_applied(&stream.receive().await);
    stream
}

/// CPU time of the server per item in microseconds, with `count` streams that have one item in flight each. Opening and
/// closing the streams does not count.
async fn micros_per_item(server: &Server, connections: &[Connection], count: usize, item: &Bytes) -> f64 {
    let mut streams = Vec::new();
    for index in 0..count {
        streams.push(open_stream(&connections[index % CONNECTIONS], item).await);
    }
    let items = ITEMS_PER_ROUND.div_ceil(count);
    let before = server.cpu_seconds();
    let mut tasks = JoinSet::new();
    for mut stream in streams {
        let item = item.clone();
        tasks.spawn(async move {
            for _ in 0..items {
                stream.send(&item);
                stream.receive().await;
            }
            stream
        });
    }
    let streams = tasks.join_all().await;
    let cpu_seconds = server.cpu_seconds() - before;
    for stream in streams {
        stream.close().await;
    }
    cpu_seconds * 1e6 / (items * count) as f64
}
