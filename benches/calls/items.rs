//! Batches and streams: CPU time of the server per item, and throughput.
//!
//! The items are the moves of a random game, repeated, each an `ApplyMove` with a typed state. The items of the no-op have
//! the same sizes. It neither decodes nor creates them, and does not count them in the metrics.

use arbiter::{
    games::{connect_four::ConnectFour, triple_triad::TripleTriad},
    wire::{
        Form, WireGame,
        proto::{self, answer, call},
    },
};
use bytes::Bytes;
use prost::Message;

use super::{
    comparison::{self, Comparison},
    load_generator::{CONNECTIONS, Call, LoadGenerator},
    noop,
    requests::{TRIPLE_TRIAD, parse, random_game},
    server::ServerProcess,
    stream_client::{Framing, Messages, StreamClient},
    table::Table,
};

/// Batches in flight on each connection.
const BATCHES_IN_FLIGHT: usize = 2;

/// Items per round of batches.
const ITEMS_PER_ROUND: usize = 96_000;

/// A call and the expected next state.
struct Item {
    call: proto::Call,
    next: proto::State,
}

/// Measures the selected items. Returns false if none is selected.
pub fn measure(
    server: &ServerProcess,
    load: &LoadGenerator,
    rounds: usize,
    is_selected: impl Fn(&str) -> bool,
) -> bool {
    let stream_client = StreamClient::new(load, &server.address);
    let mut comparisons = Vec::new();
    for (game, items) in [
        ("connect_four", items::<ConnectFour>("c4:7x6x4:")),
        ("triple_triad", items::<TripleTriad>(TRIPLE_TRIAD)),
    ] {
        for size in [10, 100, 1000] {
            let name = format!("{game} batch of {size}");
            if is_selected(&name) {
                comparisons.push(batches(load, name, &items, size));
            }
        }
        for (in_flight, framing) in
            [(1, Framing::Shared), (10, Framing::Shared), (100, Framing::Shared), (100, Framing::Separate)]
        {
            let suffix = if framing == Framing::Separate { ", separate frames" } else { "" };
            let name = format!("{game} stream, {in_flight} in flight{suffix}");
            if is_selected(&name) {
                comparisons.push(stream(&stream_client, name, &items, in_flight, framing));
            }
        }
    }
    if comparisons.is_empty() {
        return false;
    }
    let note = format!(
        "CPU time of the server per item, each an ApplyMove with a typed state, {rounds} rounds.\n\
         Batches: {CONNECTIONS} connections with {BATCHES_IN_FLIGHT} in flight each, {ITEMS_PER_ROUND} items per round. Streams: one \
         on one connection.\n\
         Messages that are ready at the same time share an HTTP/2 frame; \"separate frames\" sends each in its own.\n\
         The no-op has items of the same sizes, which it neither decodes nor creates nor counts."
    );
    let table = Table::begin("Batches and streams", &note);
    comparison::measure(server, &table, &comparisons, rounds, true);
    true
}

/// The moves of a random game.
fn items<G: WireGame>(start: &str) -> Vec<Item> {
    random_game::<G>(&parse(start), usize::MAX)
        .into_iter()
        .map(|(game, mv)| {
            let request = proto::ApplyMoveRequest {
                state: Some(Form::Typed.write_state(&game)),
                r#move: Some(Form::Typed.write_move::<G>(&mv)),
            };
            let mut next = game;
            next.play(&mv).ok().expect("the move is legal");
            Item {
                call: proto::Call { kind: Some(call::Kind::ApplyMove(request)) },
                next: Form::Typed.write_state(&next),
            }
        })
        .collect()
}

impl Item {
    fn check(&self, answer: &proto::Answer) {
        let Some(answer::Kind::ApplyMove(response)) = &answer.kind else {
            panic!("the item failed: {answer:?}")
        };
        assert_eq!(response.state.as_ref(), Some(&self.next));
    }
}

fn batches<'a>(load: &'a LoadGenerator, name: String, items: &[Item], size: usize) -> Comparison<'a> {
    let repeated = || items.iter().cycle().take(size);
    let request: proto::EvaluateBatchRequest = repeated().map(|item| item.call.clone()).collect();
    let batch = Call::rules("EvaluateBatch", request.encode_to_vec());
    let response = load.call(&batch);
    let answers = proto::EvaluateBatchResponse::decode(response.clone()).expect("the response decodes");
    assert_eq!(answers.len(), size);
    for (item, answer) in repeated().zip(answers.iter()) {
        item.check(&proto::Answer::decode(answer).expect("the answer decodes"));
    }
    let sizes: Vec<_> = request.iter().map(<[u8]>::len).zip(answers.iter().map(<[u8]>::len)).collect();
    let noop = noop::batch(&sizes);
    assert_eq!(noop.request.len(), batch.request.len());
    assert_eq!(load.call(&noop).len(), response.len());
    Comparison {
        name,
        sizes: String::new(),
        count: ITEMS_PER_ROUND,
        run: Box::new(move || load.run(&batch, ITEMS_PER_ROUND / size, BATCHES_IN_FLIGHT)),
        run_noop: Box::new(move || load.run(&noop, ITEMS_PER_ROUND / size, BATCHES_IN_FLIGHT)),
    }
}

fn stream<'a>(
    client: &'a StreamClient<'_>,
    name: String,
    items: &[Item],
    in_flight: usize,
    framing: Framing,
) -> Comparison<'a> {
    let calls: Vec<Bytes> = items
        .iter()
        .map(|item| proto::EvaluateRequest { call: Some(item.call.clone()) }.encode_to_vec().into())
        .collect();
    let path = Call::rules("Evaluate", Vec::new()).path;
    let messages = Messages::new(path, &calls);
    let (mut expected, mut sizes) = (items.iter(), Vec::new());
    client.run(&messages, items.len(), in_flight, framing, |response| {
        sizes.push(response.len());
        let answer = proto::EvaluateResponse::decode(response).expect("the response decodes").answer;
        let answer = proto::Answer::decode(&*answer).expect("the answer decodes");
        expected.next().expect("one response per call").check(&answer);
    });
    let noop: Vec<Bytes> =
        calls.iter().zip(&sizes).map(|(call, &size)| noop::message(call.len(), size)).collect();
    let noop = Messages::new(noop::path("Evaluate"), &noop);
    let mut expected_sizes = sizes.iter();
    client.run(&noop, items.len(), in_flight, framing, |response| {
        noop::assert_similar_size(response.len(), *expected_sizes.next().expect("one response per call"));
    });
    // Fewer items in flight take longer per item.
    let count = match in_flight {
        1 => 10_000,
        10 => 40_000,
        _ => 100_000,
    };
    Comparison {
        name,
        sizes: String::new(),
        count,
        run: Box::new(move || client.run(&messages, count, in_flight, framing, |_| ())),
        run_noop: Box::new(move || client.run(&noop, count, in_flight, framing, |_| ())),
    }
}
