//! CPU time of the server for a call, on larger and larger boards and in larger and larger batches.

use std::{iter, sync::Arc};

use prost::Message;
use tokio::{task::JoinSet, time::Instant};

use super::{
    boards::{CONNECT_FOUR, QUEEN_ROOKS, squares},
    client::{Call, Client, Outcome},
    curve::Curve,
    requests::{self, APPLY_MOVE, EVALUATE_BATCH},
    server::Server,
};

const ROUNDS: usize = 9;
const CALLS_A_ROUND: usize = 3000;
const ITEMS_A_ROUND: usize = 6000;
const BATCHES: [usize; 7] = [1, 3, 10, 30, 100, 300, 1000];

/// Connections of a loader, and its calls under way on all of them together.
pub const CONNECTIONS: usize = 4;
pub const UNDER_WAY: usize = 100;
/// Batches under way.
const BATCHES_UNDER_WAY: usize = 8;

pub async fn measure() {
    let server = Server::start("growth-calls");
    let client = Client::connect(&server.address, CONNECTIONS).await;

    let note = format!(
        "ApplyMove with a typed state, {CONNECTIONS} connections with {UNDER_WAY} calls under way, \
         {ROUNDS} rounds of {CALLS_A_ROUND} calls."
    );
    let calls: Vec<_> = CONNECT_FOUR.into_iter().map(|side| call(&requests::connect_four(side))).collect();
    let by_board = Curve::new(squares(&CONNECT_FOUR));
    measure_calls(&server, &client, &calls, by_board).await.print_cost(
        "Growth of a call of Connect Four with the board",
        &note,
        "squares",
        "µs",
    );
    let calls: Vec<_> = QUEEN_ROOKS.into_iter().map(|side| call(&requests::queen_rooks(side))).collect();
    let by_board = Curve::new(squares(&QUEEN_ROOKS));
    measure_calls(&server, &client, &calls, by_board).await.print_cost(
        "Growth of a call of Queen and rooks with the board",
        &note,
        "squares",
        "µs",
    );

    let mut by_items = Curve::new(BATCHES);
    let batches = BATCHES.map(|items| Call::new(EVALUATE_BATCH, &requests::batch(items).encode_to_vec()));
    for round in 0..=ROUNDS {
        let mut figures = Vec::new();
        for (call, items) in iter::zip(&batches, BATCHES) {
            let count = ITEMS_A_ROUND.div_ceil(items).max(BATCHES_UNDER_WAY);
            figures.push(micros_each(&server, &client, call, count, BATCHES_UNDER_WAY).await / items as f64);
        }
        // The first is to warm up.
        if round > 0 {
            by_items.push(figures);
        }
    }
    by_items.print_cost(
        "Growth of an item with the batch",
        &format!(
            "EvaluateBatch of moves of Connect Four, 7 × 7, {CONNECTIONS} connections with {BATCHES_UNDER_WAY} batches under way, \
             {ROUNDS} rounds of at least {ITEMS_A_ROUND} items; CPU time of the server per item."
        ),
        "in a batch",
        "µs",
    );
}

fn call(request: &impl Message) -> Call {
    Call::new(APPLY_MOVE, &request.encode_to_vec())
}

async fn measure_calls(server: &Server, client: &Arc<Client>, calls: &[Call], mut curve: Curve) -> Curve {
    for round in 0..=ROUNDS {
        let mut figures = Vec::new();
        for call in calls {
            figures.push(micros_each(server, client, call, CALLS_A_ROUND, UNDER_WAY).await);
        }
        // The first is to warm up.
        if round > 0 {
            curve.push(figures);
        }
    }
    curve
}

/// CPU time of the server for each of so many calls, in microseconds. None may be refused.
pub async fn micros_each(
    server: &Server,
    client: &Arc<Client>,
    call: &Call,
    count: usize,
    under_way: usize,
) -> f64 {
    let before = server.cpu_seconds();
    let mut callers = JoinSet::new();
    for caller in 0..under_way {
        let (client, call) = (client.clone(), call.clone());
        // Each its share, and the first ones what is left over.
        let share = count / under_way + usize::from(caller < count % under_way);
        callers.spawn(async move {
            for _ in 0..share {
                let answer = client.call(&call, Instant::now(), None).await;
                assert_eq!(answer.outcome, Outcome::Served);
            }
        });
    }
    callers.join_all().await;
    (server.cpu_seconds() - before) * 1e6 / count as f64
}
