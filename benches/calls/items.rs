//! Many calls in one: what an item of a batch and of a stream costs the server, and how many are answered a second.
//!
//! The items are the moves of a random game, in turn, each an `ApplyMove` with the typed state that it is made in. The like of
//! them that does nothing has items of the same sizes, as bytes that are neither read nor made, and is not counted item by item.

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
    load::{CONNECTIONS, Call, Load},
    noop,
    pairs::{self, Pair},
    requests::{TRIPLE_TRIAD, parse, random_game},
    server::ServerProcess,
    stream::{Frames, Messages, Streamer},
    table::Table,
};

/// Batches under way on each connection.
const BATCHES_UNDER_WAY: usize = 2;

/// Items of a round of batches.
const BATCHED: usize = 96_000;

/// A call and what it must be answered.
struct Item {
    call: proto::Call,
    answer: proto::State,
}

/// Measures what is wanted. False: nothing is.
pub fn measure(server: &ServerProcess, load: &Load, rounds: usize, wanted: impl Fn(&str) -> bool) -> bool {
    let streamer = Streamer::new(load, &server.address);
    let mut pairs = Vec::new();
    for (game, items) in [
        ("connect_four", items::<ConnectFour>("c4:7x6x4:")),
        ("triple_triad", items::<TripleTriad>(TRIPLE_TRIAD)),
    ] {
        for size in [10, 100, 1000] {
            let name = format!("{game} batch of {size}");
            if wanted(&name) {
                pairs.push(batches(load, name, &items, size));
            }
        }
        for (under_way, frames) in
            [(1, Frames::Shared), (10, Frames::Shared), (100, Frames::Shared), (100, Frames::Apart)]
        {
            let how = if frames == Frames::Apart { ", apart" } else { "" };
            let name = format!("{game} stream, {under_way} under way{how}");
            if wanted(&name) {
                pairs.push(stream(&streamer, name, &items, under_way, frames));
            }
        }
    }
    if pairs.is_empty() {
        return false;
    }
    let note = format!(
        "CPU time of the server for an ApplyMove among many, typed states, {rounds} rounds.\n\
         Batches: {CONNECTIONS} connections with {BATCHES_UNDER_WAY} under way each, {BATCHED} items a round. Streams: one \
         on one connection.\n\
         What can be sent at once on a stream shares a frame of HTTP/2; with \"apart\" each message has its own.\n\
         The no-op has items of the same sizes, which it neither reads nor makes nor counts."
    );
    let table = Table::begin("Many calls in one", &note);
    pairs::measure(server, &table, &pairs, rounds, true);
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
                answer: Form::Typed.write_state(&next),
            }
        })
        .collect()
}

impl Item {
    fn check(&self, answer: &proto::Answer) {
        let Some(answer::Kind::ApplyMove(answer)) = &answer.kind else { panic!("refused: {answer:?}") };
        assert_eq!(answer.state.as_ref(), Some(&self.answer));
    }
}

fn batches<'a>(load: &'a Load, name: String, items: &[Item], size: usize) -> Pair<'a> {
    let in_turn = || items.iter().cycle().take(size);
    let request: proto::EvaluateBatchRequest = in_turn().map(|item| item.call.clone()).collect();
    let batch = Call::rules("EvaluateBatch", request.encode_to_vec());
    let answer = load.answer(&batch);
    let answers = proto::EvaluateBatchResponse::decode(answer.clone()).expect("a batch of answers");
    assert_eq!(answers.len(), size);
    for (item, answer) in in_turn().zip(answers.iter()) {
        item.check(&proto::Answer::decode(answer).expect("an answer"));
    }
    let sizes: Vec<_> = request.iter().map(<[u8]>::len).zip(answers.iter().map(<[u8]>::len)).collect();
    let nothing = noop::batch(&sizes);
    assert_eq!(nothing.request.len(), batch.request.len());
    assert_eq!(load.answer(&nothing).len(), answer.len());
    Pair {
        name,
        sizes: String::new(),
        count: BATCHED,
        ask: Box::new(move || load.run(&batch, BATCHED / size, BATCHES_UNDER_WAY)),
        ask_nothing: Box::new(move || load.run(&nothing, BATCHED / size, BATCHES_UNDER_WAY)),
    }
}

fn stream<'a>(
    streamer: &'a Streamer<'_>,
    name: String,
    items: &[Item],
    under_way: usize,
    frames: Frames,
) -> Pair<'a> {
    let calls: Vec<Bytes> = items
        .iter()
        .map(|item| proto::EvaluateRequest { call: Some(item.call.clone()) }.encode_to_vec().into())
        .collect();
    let path = Call::rules("Evaluate", Vec::new()).path;
    let messages = Messages::new(path, &calls);
    let (mut answered, mut sizes) = (items.iter(), Vec::new());
    streamer.run(&messages, items.len(), under_way, frames, |answer| {
        sizes.push(answer.len());
        let answer = proto::EvaluateResponse::decode(answer).expect("an answer").answer;
        let answer = proto::Answer::decode(&*answer).expect("it says something");
        answered.next().expect("there is a call").check(&answer);
    });
    let nothing: Vec<Bytes> =
        calls.iter().zip(&sizes).map(|(call, &answer_size)| noop::message(call.len(), answer_size)).collect();
    let nothing = Messages::new(noop::path("Evaluate"), &nothing);
    let mut sizes_of_nothing = sizes.iter();
    streamer.run(&nothing, items.len(), under_way, frames, |answer| {
        noop::assert_alike(answer.len(), *sizes_of_nothing.next().expect("there is a call"));
    });
    // The fewer are under way, the longer each takes.
    let count = match under_way {
        1 => 10_000,
        10 => 40_000,
        _ => 100_000,
    };
    Pair {
        name,
        sizes: String::new(),
        count,
        ask: Box::new(move || streamer.run(&messages, count, under_way, frames, |_| ())),
        ask_nothing: Box::new(move || streamer.run(&nothing, count, under_way, frames, |_| ())),
    }
}
