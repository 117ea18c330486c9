//! `EvaluateBatch` and `Evaluate`.

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
    grpc_client::{GrpcClient, code_and_reason},
    requests::{apply_move, framed},
    wait::with_timeout,
};

/// A move in a column of an empty board, counted from 1. The state in the response identifies the column.
fn drop_into(column: usize) -> proto::Call {
    let state = proto::State::notation("c4:7x6x4:");
    let r#move = proto::Move { kind: Some(proto::r#move::Kind::Notation(column.to_string())) };
    let request = proto::ApplyMoveRequest { state: Some(state), r#move: Some(r#move) };
    proto::Call { kind: Some(call::Kind::ApplyMove(request)) }
}

fn list_games() -> proto::Call {
    proto::Call { kind: Some(call::Kind::ListGames(proto::ListGamesRequest::default())) }
}

/// The state in an answer, or the code of its refusal.
fn outcome(answer: &proto::Answer) -> Result<String, Code> {
    match answer.kind.as_ref().expect("the answer is not empty") {
        answer::Kind::ApplyMove(proto::ApplyMoveResponse { state: Some(state), .. }) => match &state.kind {
            Some(StateKind::Notation(notation)) => Ok(notation.clone()),
            other => panic!("not a notation: {other:?}"),
        },
        answer::Kind::Refusal(refusal) => Err(Code::from(refusal.code)),
        other => panic!("not a response to `ApplyMove`: {other:?}"),
    }
}

#[allow(clippy::unnecessary_wraps, reason = "compared with an outcome")]
fn dropped_into(column: usize) -> Result<String, Code> {
    Ok(format!("c4:7x6x4:{column}"))
}

async fn evaluate_batch(calls: Vec<proto::Call>) -> Vec<proto::Answer> {
    let server = TestServer::start_with(&["--log", "off"]);
    call_batch(&mut server.client().await, calls).await
}

async fn call_batch(
    client: &mut RulesServiceClient<Channel>,
    calls: impl IntoIterator<Item = proto::Call>,
) -> Vec<proto::Answer> {
    let response = client.evaluate_batch(proto::EvaluateBatchRequest::from_iter(calls)).await;
    let answers = response.expect("the batch succeeds").into_inner();
    answers.iter().map(|answer| proto::Answer::decode(answer).expect("the answer decodes")).collect()
}

#[tokio::test]
async fn the_answers_of_a_batch_are_in_order() {
    let columns = [3, 1, 4, 1, 5, 7, 2, 6];
    let answers = evaluate_batch(columns.map(drop_into).to_vec()).await;
    assert_eq!(answers.iter().map(outcome).collect::<Vec<_>>(), columns.map(dropped_into));
}

#[tokio::test]
async fn a_failed_item_does_not_affect_the_others() {
    let answers = evaluate_batch([1, 8, 2].map(drop_into).to_vec()).await;
    let outcomes: Vec<_> = answers.iter().map(outcome).collect();
    assert_eq!(outcomes, [dropped_into(1), Err(Code::FailedPrecondition), dropped_into(2)]);
}

#[tokio::test]
async fn an_empty_item_fails_without_affecting_the_others() {
    let answers = evaluate_batch(vec![drop_into(1), proto::Call::default(), drop_into(2)]).await;
    let outcomes: Vec<_> = answers.iter().map(outcome).collect();
    assert_eq!(outcomes, [dropped_into(1), Err(Code::InvalidArgument), dropped_into(2)]);
}

#[tokio::test]
async fn an_item_fails_with_the_error_of_a_single_call() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut client = server.client().await;
    let Some(call::Kind::ApplyMove(request)) = drop_into(8).kind else {
        unreachable!("`drop_into` returns a move")
    };
    let status = client.apply_move(request).await.expect_err("the column does not exist");
    let answers = call_batch(&mut client, [drop_into(8)]).await;
    let Some(answer::Kind::Refusal(refusal)) = &answers[0].kind else { panic!("the item succeeded") };
    assert_eq!((Code::from(refusal.code), refusal.message.as_str()), (status.code(), status.message()));
    assert_eq!(refusal.reasons[0].code().as_str_name(), code_and_reason(&status).1);
}

#[tokio::test]
async fn an_empty_batch_has_no_answers() {
    assert_eq!(evaluate_batch(Vec::new()).await, []);
}

/// An open `Evaluate` stream.
struct Stream {
    calls: mpsc::Sender<proto::EvaluateRequest>,
    responses: Streaming<proto::EvaluateResponse>,
}

impl Stream {
    async fn open(client: &mut RulesServiceClient<Channel>) -> Self {
        let (calls, receiver) = mpsc::channel(16);
        let responses =
            with_timeout("the stream opens", client.evaluate(ReceiverStream::new(receiver))).await;
        Self { calls, responses: responses.expect("the stream is accepted").into_inner() }
    }

    async fn send(&self, call: proto::Call) {
        let request = proto::EvaluateRequest { call: Some(call) };
        self.calls.send(request).await.expect("the stream is open");
    }

    async fn receive(&mut self) -> Result<String, Code> {
        let response =
            with_timeout("a response", self.responses.message()).await.expect("the stream stays open");
        let answer = response.expect("the stream has not ended").answer;
        outcome(&proto::Answer::decode(&*answer).expect("the answer decodes"))
    }
}

#[tokio::test]
async fn a_stream_answers_each_call_before_the_next_is_sent() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut stream = Stream::open(&mut server.client().await).await;
    for column in 1..=7 {
        stream.send(drop_into(column)).await;
        assert_eq!(stream.receive().await, dropped_into(column));
    }
}

#[tokio::test]
async fn a_failed_call_does_not_end_its_stream() {
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
async fn a_stream_ends_with_ok_when_the_client_half_closes() {
    let server = TestServer::start_with(&["--log", "off"]);
    let Stream { calls, mut responses } = Stream::open(&mut server.client().await).await;
    drop(calls);
    let end = with_timeout("the end of the stream", responses.message()).await;
    assert!(matches!(end, Ok(None)), "{end:?}");
}

#[tokio::test]
async fn calls_sent_before_the_half_close_are_answered() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    let calls = (1..=7).map(|column| proto::EvaluateRequest { call: Some(drop_into(column)) });
    let body: Vec<u8> = calls.flat_map(|call| framed(&call.encode_to_vec())).collect();
    let response = client.send("Evaluate", &[], Bytes::from(body)).await;
    assert_eq!((response.status.code(), response.messages.len()), (Code::Ok, 7), "{:?}", response.status);
}

#[tokio::test]
async fn a_malformed_message_ends_its_stream_after_the_preceding_answers() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    let valid = framed(&proto::EvaluateRequest { call: Some(drop_into(1)) }.encode_to_vec());
    let body = [valid, framed(&[0xff; 8])].concat();
    let response = client.send("Evaluate", &[], Bytes::from(body)).await;
    let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
    assert_eq!((code_and_reason(&response.status), response.messages.len()), (expected, 1));
}

#[tokio::test]
async fn a_stream_ends_at_its_deadline() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    let call = client.open("Evaluate", &[("grpc-timeout", "200m")]).await.expect("the connection stays open");
    let expected = (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned());
    assert_eq!(code_and_reason(&call.response().await.status), expected);
}

#[tokio::test]
async fn the_call_timeout_does_not_apply_to_streams() {
    let server = TestServer::start_with(&["--log", "off", "--call-timeout", "100ms"]);
    let mut stream = Stream::open(&mut server.client().await).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    stream.send(drop_into(1)).await;
    assert_eq!(stream.receive().await, dropped_into(1));
}

/// Resident memory of the process.
fn resident_megabytes(server: &TestServer) -> usize {
    let statm = std::fs::read_to_string(format!("/proc/{}/statm", server.pid())).expect("the server runs");
    let pages: usize = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .expect("the file lists the resident pages");
    pages * 4096 / (1024 * 1024)
}

#[tokio::test]
async fn a_stream_applies_backpressure_if_the_client_does_not_read() {
    const MAX_SENT_BYTES: usize = 16 * 1024 * 1024;
    const CHUNK_BYTES: usize = 16 * 1024;
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let before = resident_megabytes(&server);

    // The response is hundreds of times larger than the request.
    let call = framed(&proto::EvaluateRequest { call: Some(list_games()) }.encode_to_vec());
    let calls = Bytes::from(call.repeat(CHUNK_BYTES / call.len() + 1));
    let mut stream = client.open("Evaluate", &[]).await.expect("the connection stays open");
    let mut sent = 0;
    let send_all = async {
        while sent < MAX_SENT_BYTES {
            stream.body.reserve_capacity(calls.len());
            while stream.body.capacity() < calls.len() {
                poll_fn(|context| stream.body.poll_capacity(context))
                    .await
                    .expect("the stream is open")
                    .expect("capacity");
            }
            stream.body.send_data(calls.clone(), false).expect("the stream is open");
            sent += calls.len();
        }
    };
    let stopped = tokio::time::timeout(Duration::from_secs(1), send_all).await;
    assert!(stopped.is_err(), "the server has read {MAX_SENT_BYTES} bytes although no response was read");
    let growth = resident_megabytes(&server).saturating_sub(before);
    assert!(growth < 32, "memory grew by {growth} MiB for a client that does not read");
    GrpcClient::connect(&server.address).await.assert_call_succeeds().await;
}

#[tokio::test]
async fn many_streams_are_served_concurrently() {
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
    with_timeout("all streams are answered", streams.join_all()).await;
}

#[tokio::test]
async fn an_idle_stream_does_not_block_other_calls() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut client = server.client().await;
    let _stream = Stream::open(&mut client).await;
    with_timeout("a concurrent call", client.apply_move(apply_move())).await.expect("the call succeeds");
}

/// A small request that takes long: each call lists all cards.
fn long_batch() -> proto::EvaluateBatchRequest {
    let request = proto::ListGamesRequest { include_cards: true, include_clauses: false };
    let call = proto::Call { kind: Some(call::Kind::ListGames(request)) };
    proto::EvaluateBatchRequest::from_iter(vec![call; 500])
}

#[tokio::test]
async fn a_batch_does_not_block_other_calls() {
    let server = TestServer::start_with(&["--log", "off", "--threads", "1"]);
    let (other_client, client) =
        (GrpcClient::connect(&server.address).await, GrpcClient::connect(&server.address).await);
    other_client.assert_call_succeeds().await;
    let mut batch = client.open("EvaluateBatch", &[]).await.expect("the connection stays open");
    batch.body.send_data(framed(&long_batch().encode_to_vec()), true).expect("the data is sent");
    // The headers arrive when the whole batch is done.
    let mut succeeded = 0;
    loop {
        tokio::select! {
            biased;
            head = &mut batch.response => break assert!(head.is_ok(), "{head:?}"),
            () = other_client.assert_call_succeeds() => succeeded += 1,
        }
    }
    assert!(succeeded >= 10, "only {succeeded} calls succeeded during the batch");
}

#[tokio::test]
async fn a_busy_stream_does_not_block_other_calls() {
    const CALLS: usize = 20_000;
    let server = TestServer::start_with(&["--log", "off", "--threads", "1"]);
    let other_client = GrpcClient::connect(&server.address).await;
    // A window so large that flow control never blocks the server.
    let client = GrpcClient::connect_with_window(&server.address, 8 << 20).await;
    other_client.assert_call_succeeds().await;
    client.assert_call_succeeds().await;
    let message = framed(&proto::EvaluateRequest { call: Some(drop_into(4)) }.encode_to_vec());
    let mut stream = client.open("Evaluate", &[]).await.expect("the connection stays open");
    stream.body.send_data(message.repeat(CALLS).into(), true).expect("the data is sent");
    let mut response = pin!(stream.response());
    let mut succeeded = 0;
    let response = loop {
        tokio::select! {
            biased;
            response = &mut response => break response,
            () = other_client.assert_call_succeeds() => succeeded += 1,
        }
    };
    assert_eq!(response.messages.len(), CALLS);
    assert!(succeeded >= 30, "only {succeeded} calls succeeded during the stream");
}

/// Sends each call in a separate DATA frame, as clients do. h2 treats many small unread frames as an attack.
#[tokio::test]
async fn a_client_may_send_many_calls_before_reading_the_answers() {
    const CALLS: usize = 20_000;
    let server = TestServer::start_with(&["--log", "off", "--threads", "1"]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    // As short as a request about a game can be.
    let state = Some(proto::State::notation("4"));
    let mv = Some(proto::Move { kind: Some(proto::r#move::Kind::Notation("4".to_owned())) });
    let request = proto::ValidateMoveRequest { state, r#move: mv };
    let call = proto::Call { kind: Some(proto::call::Kind::ValidateMove(request)) };
    let message = framed(&proto::EvaluateRequest { call: Some(call) }.encode_to_vec());
    assert!(message.len() < 25, "{message:?}");
    let mut stream = client.open("Evaluate", &[]).await.expect("the connection stays open");
    for _ in 0..CALLS {
        stream.body.send_data(message.clone(), false).expect("the data is sent");
    }
    stream.body.send_data(Bytes::new(), true).expect("the data is sent");
    // The server answers until the flow-control window is full. The remaining calls wait.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(stream.response().await.messages.len(), CALLS);
}
