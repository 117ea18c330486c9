//! CPU time of the server per call, with boards and batches of increasing size.

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
const CALLS_PER_ROUND: usize = 3000;
const ITEMS_PER_ROUND: usize = 6000;
const BATCH_SIZES: [usize; 7] = [1, 3, 10, 30, 100, 300, 1000];

pub const CONNECTIONS: usize = 4;
/// Calls in flight on all connections together.
pub const CALLS_IN_FLIGHT: usize = 100;
const BATCHES_IN_FLIGHT: usize = 8;

pub async fn measure() {
    let server = Server::start("growth-calls");
    let client = Client::connect(&server.address, CONNECTIONS).await;

    let note = format!(
        "ApplyMove with a typed state, {CONNECTIONS} connections with {CALLS_IN_FLIGHT} calls in flight, \
         {ROUNDS} rounds of {CALLS_PER_ROUND} calls."
    );
    let calls: Vec<_> = CONNECT_FOUR.into_iter().map(|side| call(&requests::connect_four(side))).collect();
    let by_board = Curve::new(squares(&CONNECT_FOUR));
    measure_calls(&server, &client, &calls, by_board).await.print_cost(
        "Scaling: Connect Four call by board size",
        &note,
        "squares",
        "µs",
    );
    let calls: Vec<_> = QUEEN_ROOKS.into_iter().map(|side| call(&requests::queen_rooks(side))).collect();
    let by_board = Curve::new(squares(&QUEEN_ROOKS));
    measure_calls(&server, &client, &calls, by_board).await.print_cost(
        "Scaling: Queen and rooks call by board size",
        &note,
        "squares",
        "µs",
    );

    let mut by_items = Curve::new(BATCH_SIZES);
    let batches = BATCH_SIZES.map(|items| Call::new(EVALUATE_BATCH, &requests::batch(items).encode_to_vec()));
    for round in 0..=ROUNDS {
        let mut figures = Vec::new();
        for (call, items) in iter::zip(&batches, BATCH_SIZES) {
            let count = ITEMS_PER_ROUND.div_ceil(items).max(BATCHES_IN_FLIGHT);
            figures
                .push(micros_per_call(&server, &client, call, count, BATCHES_IN_FLIGHT).await / items as f64);
        }
        // The first round is a warm-up.
        if round > 0 {
            by_items.push(figures);
        }
    }
    by_items.print_cost(
        "Scaling: item by batch size",
        &format!(
            "EvaluateBatch of Connect Four moves, 7 × 7, {CONNECTIONS} connections with {BATCHES_IN_FLIGHT} batches in flight, \
             {ROUNDS} rounds of at least {ITEMS_PER_ROUND} items; CPU time of the server per item."
        ),
        "items",
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
            figures.push(micros_per_call(server, client, call, CALLS_PER_ROUND, CALLS_IN_FLIGHT).await);
        }
        // The first round is a warm-up.
        if round > 0 {
            curve.push(figures);
        }
    }
    curve
}

/// CPU time of the server per call, in microseconds. All calls must succeed.
pub async fn micros_per_call(
    server: &Server,
    client: &Arc<Client>,
    call: &Call,
    count: usize,
    in_flight: usize,
) -> f64 {
    let before = server.cpu_seconds();
    let mut callers = JoinSet::new();
    for caller in 0..in_flight {
        let (client, call) = (client.clone(), call.clone());
        // The first callers make the remaining calls.
        let share = count / in_flight + usize::from(caller < count % in_flight);
        callers.spawn(async move {
            for _ in 0..share {
                let result = client.call(&call, Instant::now(), None).await;
                assert_eq!(result.outcome, Outcome::Succeeded);
            }
        });
    }
    callers.join_all().await;
    (server.cpu_seconds() - before) * 1e6 / count as f64
}
