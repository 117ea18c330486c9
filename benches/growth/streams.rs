//! More and more `Evaluate` streams at a time: what an item costs, and what an open stream takes.

use std::time::Duration;

use bytes::Bytes;
use tokio::{task::JoinSet, time::sleep};

use super::{
    connection::{Connection, Stream, assert_applied},
    curve::Curve,
    requests::{EVALUATE, evaluate, framed},
    server::Server,
};

/// The streams are spread over so many: one may have 200 of them (`--max-streams-per-connection`).
const CONNECTIONS: usize = 10;
const ROUNDS: usize = 7;
const ITEMS_A_ROUND: usize = 5000;
const STREAMS: [usize; 7] = [1, 3, 10, 30, 100, 300, 1000];

const MEMORY_ROUNDS: usize = 3;
/// Up to all that the connections may have: memory grows in steps, which are too coarse for fewer.
const OPEN_STREAMS: [usize; 6] = [0, 100, 300, 600, 1000, 2000];
/// How long memory has to settle.
pub const PAUSE: Duration = Duration::from_millis(300);

pub async fn measure() {
    let item = framed(&evaluate());

    let server = Server::start("growth-streams");
    let connections = open(&server).await;
    let mut costs = Curve::new(STREAMS);
    for round in 0..=ROUNDS {
        let mut figures = Vec::new();
        for streams in STREAMS {
            figures.push(micros_an_item(&server, &connections, streams, &item).await);
        }
        // The first is to warm up.
        if round > 0 {
            costs.push(figures);
        }
    }
    costs.print_cost(
        "Growth of an item with the streams",
        &format!(
            "Evaluate streams on {CONNECTIONS} connections, moves of Connect Four, 7 × 7, one under way in each stream, \
             {ROUNDS} rounds of at least {ITEMS_A_ROUND}; CPU time of the server per item."
        ),
        "at a time",
        "µs",
    );

    let mut memory = Curve::new(OPEN_STREAMS);
    for _ in 0..MEMORY_ROUNDS {
        let server = Server::start("growth-open-streams");
        let connections = open(&server).await;
        let (mut streams, mut figures) = (Vec::new(), Vec::new());
        for count in OPEN_STREAMS {
            while streams.len() < count {
                streams.push(begin(&connections[streams.len() % CONNECTIONS], &item).await);
            }
            sleep(PAUSE).await;
            figures.push(server.resident_megabytes());
        }
        memory.push(figures);
    }
    memory.print_memory(
        "Growth of memory with open streams",
        &format!(
            "Resident memory of the server; Evaluate streams on {CONNECTIONS} connections, each with one item answered and no \
             other sent; {MEMORY_ROUNDS} servers."
        ),
        "open",
    );
}

async fn open(server: &Server) -> Vec<Connection> {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Connection::open(&server.address).await);
    }
    connections
}

/// A stream with one item answered.
async fn begin(connection: &Connection, item: &Bytes) -> Stream {
    let mut stream = connection.stream(EVALUATE, item).await;
    assert_applied(&stream.answer().await);
    stream
}

/// CPU time of the server for an item, in microseconds, while so many streams ask for one at a time. Beginning and ending
/// the streams does not count.
async fn micros_an_item(server: &Server, connections: &[Connection], count: usize, item: &Bytes) -> f64 {
    let mut streams = Vec::new();
    for index in 0..count {
        streams.push(begin(&connections[index % CONNECTIONS], item).await);
    }
    let items = ITEMS_A_ROUND.div_ceil(count);
    let before = server.cpu_seconds();
    let mut tasks = JoinSet::new();
    for mut stream in streams {
        let item = item.clone();
        tasks.spawn(async move {
            for _ in 0..items {
                stream.send(&item);
                stream.answer().await;
            }
            stream
        });
    }
    let streams = tasks.join_all().await;
    let taken = server.cpu_seconds() - before;
    for stream in streams {
        stream.end().await;
    }
    taken * 1e6 / (items * count) as f64
}
