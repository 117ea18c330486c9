//! Many calls in one: the batch and the stream.

use std::{future::poll_fn, pin::pin, time::Duration};

use arbiter::wire::{
    StateKind,
    proto::{self, answer, call, rules_service_client::RulesServiceClient},
};
use bytes::Bytes;
use prost::Message;
use tokio::{sync::mpsc, task::JoinSet};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Streaming, transport::Channel};

use crate::support::{
    TestServer,
    raw::{Client, apply_move, framed, refusal, soon},
};

/// Asks for a token in a column of an empty board, from 1. The answered state tells which it was.
fn drop_into(column: usize) -> proto::Call {
    let state = proto::State::notation("c4:7x6x4:");
    let r#move = proto::Move { kind: Some(proto::r#move::Kind::Notation(column.to_string())) };
    let request = proto::ApplyMoveRequest { state: Some(state), r#move: Some(r#move) };
    proto::Call { kind: Some(call::Kind::ApplyMove(request)) }
}

fn list_games() -> proto::Call {
    proto::Call { kind: Some(call::Kind::ListGames(proto::ListGamesRequest::default())) }
}

/// The state that an answer tells, or the code of its refusal.
fn outcome(answer: &proto::Answer) -> Result<String, Code> {
    match answer.kind.as_ref().expect("an answer says something") {
        answer::Kind::ApplyMove(proto::ApplyMoveResponse { state: Some(state), .. }) => match &state.kind {
            Some(StateKind::Notation(notation)) => Ok(notation.clone()),
            other => panic!("not a notation: {other:?}"),
        },
        answer::Kind::Refusal(refusal) => Err(Code::from(refusal.code)),
        other => panic!("not an answer to a move: {other:?}"),
    }
}

#[allow(clippy::unnecessary_wraps, reason = "it is compared with an outcome")]
fn dropped_into(column: usize) -> Result<String, Code> {
    Ok(format!("c4:7x6x4:{column}"))
}

async fn evaluate_batch(calls: Vec<proto::Call>) -> Vec<proto::Answer> {
    let server = TestServer::start_with(&["--log", "off"]);
    ask_batch(&mut server.client().await, calls).await
}

async fn ask_batch(
    client: &mut RulesServiceClient<Channel>,
    calls: impl IntoIterator<Item = proto::Call>,
) -> Vec<proto::Answer> {
    let answer = client.evaluate_batch(proto::EvaluateBatchRequest::from_iter(calls)).await;
    let answers = answer.expect("a batch is answered").into_inner();
    answers.iter().map(|answer| proto::Answer::decode(answer).expect("it is an answer")).collect()
}

#[tokio::test]
async fn a_batch_is_answered_in_order() {
    let columns = [3, 1, 4, 1, 5, 7, 2, 6];
    let answers = evaluate_batch(columns.map(drop_into).to_vec()).await;
    assert_eq!(answers.iter().map(outcome).collect::<Vec<_>>(), columns.map(dropped_into));
}

#[tokio::test]
async fn a_refused_item_does_not_spoil_the_others() {
    let answers = evaluate_batch([1, 8, 2].map(drop_into).to_vec()).await;
    let outcomes: Vec<_> = answers.iter().map(outcome).collect();
    assert_eq!(outcomes, [dropped_into(1), Err(Code::FailedPrecondition), dropped_into(2)]);
}

#[tokio::test]
async fn an_empty_item_is_refused_alone() {
    let answers = evaluate_batch(vec![drop_into(1), proto::Call::default(), drop_into(2)]).await;
    let outcomes: Vec<_> = answers.iter().map(outcome).collect();
    assert_eq!(outcomes, [dropped_into(1), Err(Code::InvalidArgument), dropped_into(2)]);
}

#[tokio::test]
async fn an_item_is_refused_as_a_call_of_its_own_would_be() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut client = server.client().await;
    let Some(call::Kind::ApplyMove(request)) = drop_into(8).kind else { unreachable!("it is a move") };
    let alone = client.apply_move(request).await.expect_err("the column does not exist");
    let answers = ask_batch(&mut client, [drop_into(8)]).await;
    let Some(answer::Kind::Refusal(inside)) = &answers[0].kind else { panic!("it is answered") };
    assert_eq!((Code::from(inside.code), inside.message.as_str()), (alone.code(), alone.message()));
    assert_eq!(inside.reasons[0].code().as_str_name(), refusal(&alone).1);
}

#[tokio::test]
async fn an_empty_batch_has_no_answers() {
    assert_eq!(evaluate_batch(Vec::new()).await, []);
}

/// An open stream: what goes in, and what comes out.
struct Stream {
    calls: mpsc::Sender<proto::EvaluateRequest>,
    answers: Streaming<proto::EvaluateResponse>,
}

impl Stream {
    async fn open(client: &mut RulesServiceClient<Channel>) -> Self {
        let (calls, receiver) = mpsc::channel(16);
        let answers = soon("the stream opens", client.evaluate(ReceiverStream::new(receiver))).await;
        Self { calls, answers: answers.expect("a stream is taken").into_inner() }
    }

    async fn send(&self, call: proto::Call) {
        let request = proto::EvaluateRequest { call: Some(call) };
        self.calls.send(request).await.expect("the stream is open");
    }

    async fn receive(&mut self) -> Result<String, Code> {
        let answer = soon("an answer", self.answers.message()).await.expect("the stream holds");
        let answer = answer.expect("there is an answer").answer;
        outcome(&proto::Answer::decode(&*answer).expect("it says something"))
    }
}

#[tokio::test]
async fn a_stream_answers_each_call_while_it_is_open() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut stream = Stream::open(&mut server.client().await).await;
    for column in 1..=7 {
        stream.send(drop_into(column)).await;
        assert_eq!(stream.receive().await, dropped_into(column));
    }
}

#[tokio::test]
async fn a_refused_call_does_not_end_its_stream() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut stream = Stream::open(&mut server.client().await).await;
    stream.send(drop_into(8)).await;
    stream.send(proto::Call::default()).await;
    stream.send(drop_into(1)).await;
    assert_eq!(stream.receive().await, Err(Code::FailedPrecondition));
    assert_eq!(stream.receive().await, Err(Code::InvalidArgument));
    assert_eq!(stream.receive().await, dropped_into(1));
}

#[tokio::test]
async fn a_stream_ends_well_when_its_caller_has_no_more() {
    let server = TestServer::start_with(&["--log", "off"]);
    let Stream { calls, mut answers } = Stream::open(&mut server.client().await).await;
    drop(calls);
    let end = soon("the end", answers.message()).await;
    assert!(matches!(end, Ok(None)), "{end:?}");
}

#[tokio::test]
async fn what_was_sent_before_the_end_is_answered() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    let calls = (1..=7).map(|column| proto::EvaluateRequest { call: Some(drop_into(column)) });
    let body: Vec<u8> = calls.flat_map(|call| framed(&call.encode_to_vec())).collect();
    let reply = client.send("Evaluate", &[], Bytes::from(body)).await;
    assert_eq!((reply.status.code(), reply.messages.len()), (Code::Ok, 7), "{:?}", reply.status);
}

#[tokio::test]
async fn a_message_that_cannot_be_read_ends_its_stream_after_the_answers_before_it() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    let good = framed(&proto::EvaluateRequest { call: Some(drop_into(1)) }.encode_to_vec());
    let body = [good, framed(&[0xff; 8])].concat();
    let reply = client.send("Evaluate", &[], Bytes::from(body)).await;
    let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
    assert_eq!((refusal(&reply.status), reply.messages.len()), (expected, 1));
}

#[tokio::test]
async fn a_stream_ends_when_its_deadline_is_over() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    let call = client.open("Evaluate", &[("grpc-timeout", "200m")]).await.expect("the connection holds");
    let expected = (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned());
    assert_eq!(refusal(&call.reply().await.status), expected);
}

#[tokio::test]
async fn a_stream_lasts_longer_than_a_call() {
    let server = TestServer::start_with(&["--log", "off", "--call-timeout", "100ms"]);
    let mut stream = Stream::open(&mut server.client().await).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    stream.send(drop_into(1)).await;
    assert_eq!(stream.receive().await, dropped_into(1));
}

/// The memory that the process holds now.
fn resident_megabytes(server: &TestServer) -> usize {
    let statm = std::fs::read_to_string(format!("/proc/{}/statm", server.pid())).expect("it runs");
    let pages: usize = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("it is told");
    pages * 4096 / (1024 * 1024)
}

#[tokio::test]
async fn a_caller_that_does_not_read_its_answers_is_not_read_from_either() {
    const FAR_TOO_MUCH: usize = 16 * 1024 * 1024;
    const AT_A_TIME: usize = 16 * 1024;
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    let before = resident_megabytes(&server);

    // The answer is hundreds of times longer than the call.
    let call = framed(&proto::EvaluateRequest { call: Some(list_games()) }.encode_to_vec());
    let calls = Bytes::from(call.repeat(AT_A_TIME / call.len() + 1));
    let mut stream = client.open("Evaluate", &[]).await.expect("the connection holds");
    let mut sent = 0;
    let sends_on = async {
        while sent < FAR_TOO_MUCH {
            stream.body.reserve_capacity(calls.len());
            while stream.body.capacity() < calls.len() {
                poll_fn(|context| stream.body.poll_capacity(context)).await.expect("open").expect("open");
            }
            stream.body.send_data(calls.clone(), false).expect("the stream is open");
            sent += calls.len();
        }
    };
    let stopped = tokio::time::timeout(Duration::from_secs(1), sends_on).await;
    assert!(stopped.is_err(), "the server has read {FAR_TOO_MUCH} bytes of which no answer was taken");
    let grown = resident_megabytes(&server).saturating_sub(before);
    assert!(grown < 32, "the server holds {grown} MiB more for a caller that does not read");
    Client::connect(&server.address).await.assert_answers().await;
}

#[tokio::test]
async fn many_streams_are_answered_side_by_side() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut streams = JoinSet::new();
    for _ in 0..4 {
        let client = server.client().await;
        for first in 0..8 {
            let mut client = client.clone();
            streams.spawn(async move {
                let mut stream = Stream::open(&mut client).await;
                for column in (first..first + 50).map(|index| index % 7 + 1) {
                    stream.send(drop_into(column)).await;
                    assert_eq!(stream.receive().await, dropped_into(column));
                }
            });
        }
    }
    soon("all are answered", streams.join_all()).await;
}

#[tokio::test]
async fn a_stream_does_not_hold_up_the_calls_beside_it() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut client = server.client().await;
    let _stream = Stream::open(&mut client).await;
    soon("a call beside it", client.apply_move(apply_move())).await.expect("it is answered");
}

/// A batch of few bytes, sent at once, that takes long: each call lists all cards.
fn long_batch() -> proto::EvaluateBatchRequest {
    let request = proto::ListGamesRequest { include_cards: true, include_clauses: false };
    let call = proto::Call { kind: Some(call::Kind::ListGames(request)) };
    proto::EvaluateBatchRequest::from_iter(vec![call; 500])
}

#[tokio::test]
async fn a_batch_does_not_hold_up_the_calls_beside_it() {
    let server = TestServer::start_with(&["--log", "off", "--threads", "1"]);
    let (beside, client) = (Client::connect(&server.address).await, Client::connect(&server.address).await);
    beside.assert_answers().await;
    let mut batch = client.open("EvaluateBatch", &[]).await.expect("the connection holds");
    batch.body.send_data(framed(&long_batch().encode_to_vec()), true).expect("it can be sent");
    // Its headers come when all of it is answered.
    let mut answered = 0;
    loop {
        tokio::select! {
            biased;
            head = &mut batch.answer => break assert!(head.is_ok(), "{head:?}"),
            () = beside.assert_answers() => answered += 1,
        }
    }
    assert!(answered >= 10, "{answered} calls were answered while the batch was");
}

#[tokio::test]
async fn a_busy_stream_does_not_hold_up_the_calls_beside_it() {
    const CALLS: usize = 20_000;
    let server = TestServer::start_with(&["--log", "off", "--threads", "1"]);
    let beside = Client::connect(&server.address).await;
    // So much room for answers that the server never has to wait for it.
    let client = Client::connect_with_window(&server.address, 8 << 20).await;
    beside.assert_answers().await;
    client.assert_answers().await;
    let message = framed(&proto::EvaluateRequest { call: Some(drop_into(4)) }.encode_to_vec());
    let mut stream = client.open("Evaluate", &[]).await.expect("the connection holds");
    stream.body.send_data(message.repeat(CALLS).into(), true).expect("it can be sent");
    let mut reply = pin!(stream.reply());
    let mut answered = 0;
    let reply = loop {
        tokio::select! {
            biased;
            reply = &mut reply => break reply,
            () = beside.assert_answers() => answered += 1,
        }
    };
    assert_eq!(reply.messages.len(), CALLS);
    assert!(answered >= 30, "{answered} calls were answered while the stream was");
}

/// Each call in a frame of its own, as clients send them: HTTP/2 takes many small ones that nobody reads for an attack.
#[tokio::test]
async fn a_caller_may_be_far_ahead_of_its_answers() {
    const CALLS: usize = 20_000;
    let server = TestServer::start_with(&["--log", "off", "--threads", "1"]);
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    let message = framed(&proto::EvaluateRequest { call: Some(list_games()) }.encode_to_vec());
    let mut stream = client.open("Evaluate", &[]).await.expect("the connection holds");
    for _ in 0..CALLS {
        stream.body.send_data(message.clone(), false).expect("it can be sent");
    }
    stream.body.send_data(Bytes::new(), true).expect("it can be sent");
    // So much is answered until nobody reads the answers; the rest waits.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(stream.reply().await.messages.len(), CALLS);
}
