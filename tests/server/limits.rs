//! Every limit at its edge: the maximum is accepted, one more is rejected with its reason.

use std::{pin::pin, time::Duration};

use arbiter::{
    games::GameId,
    wire::{
        MAX_TOP_LEVEL_FIELDS, State,
        proto::{self, rules_service_client::RulesServiceClient},
    },
};
use prost::{Message, encoding::encode_varint};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};
use tonic::{Code, codec::CompressionEncoding, transport::Channel};

use crate::support::{
    TestServer,
    grpc_client::{GrpcClient, OpenCall, call_until_goaway, code_and_reason, read},
    http2_frames::{PREFACE, ReceivedFrames, frame_type, http2_frame},
    requests::{BatchResponse, apply_move, framed, long_typed_replay, state_and_move},
    wait::{eventually, with_timeout},
};

fn start(flags: &[&str]) -> TestServer {
    TestServer::start_with(&[&["--log", "off"], flags].concat())
}

/// A message padded to a size with an unknown field.
fn padded_to(size: usize, message: &impl Message) -> Vec<u8> {
    let mut bytes = message.encode_to_vec();
    let missing = size - bytes.len() - 2;
    let length = (1..=4)
        .find_map(|prefix| {
            let length = missing - prefix;
            (prost::length_delimiter_len(length) == prefix).then_some(length)
        })
        .expect("the size is reachable");
    encode_varint(1000 << 3 | 2, &mut bytes);
    encode_varint(length as u64, &mut bytes);
    bytes.resize(size, 0);
    bytes
}

async fn assert_max_bytes(flags: &[&str], call: &str, message: &impl Message, max_bytes: usize) {
    let server = start(flags);
    let client = GrpcClient::connect(&server.address).await;
    let response = client.send(call, &[], framed(&padded_to(max_bytes, message))).await;
    assert!(response.is_ok(), "{max_bytes} bytes are rejected: {:?}", response.status);
    let response = client.send(call, &[], framed(&padded_to(max_bytes + 1, message))).await;
    assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
    client.assert_call_succeeds().await;
}

fn resource_exhausted(reason: &str) -> (Code, String) {
    (Code::ResourceExhausted, reason.to_owned())
}

fn deadline_exceeded() -> (Code, String) {
    (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned())
}

fn batch_of(items: usize) -> proto::EvaluateBatchRequest {
    proto::EvaluateBatchRequest::from_iter(vec![proto::Call::default(); items])
}

fn replay_of(moves: usize) -> proto::ReplayGameRequest {
    let (state, mv) = state_and_move();
    proto::ReplayGameRequest { state, moves: mv.into_iter().cycle().take(moves).collect() }
}

/// Peak resident memory of the process.
fn peak_megabytes(server: &TestServer) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("the server runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the status has a peak");
    peak.trim().trim_end_matches(" kB").parse::<u64>().expect("the peak is a number") / 1024
}

fn batches_handled(server: &TestServer) -> u64 {
    let metrics = server.admin_get("/metrics").1;
    let handled = metrics.lines().filter(|line| {
        line.starts_with("grpc_server_handled_total") && line.contains("grpc_method=\"EvaluateBatch\"")
    });
    handled.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// The bytes held for batches in flight.
/// What a call in flight takes besides its messages, in bytes, with messages up to the second number included.
const CALL_BYTES: usize = 16 * 1024;
const INCLUDED_BYTES: usize = 4 * 1024;

fn bytes_in_flight(server: &TestServer) -> Option<usize> {
    let metrics = server.admin_get("/metrics").1;
    metrics.lines().find_map(|line| line.strip_prefix("arbiter_bytes_in_flight ")?.parse().ok())
}

#[tokio::test]
async fn a_message_has_at_most_64_kib_by_default() {
    assert_max_bytes(&[], "ApplyMove", &apply_move(), 65_536).await;
}

#[tokio::test]
async fn the_message_size_limit_is_configurable() {
    assert_max_bytes(&["--max-message-bytes", "100"], "ApplyMove", &apply_move(), 100).await;
}

#[tokio::test]
async fn a_batch_has_at_most_1_mib_by_default() {
    assert_max_bytes(&[], "EvaluateBatch", &batch_of(1), 1_048_576).await;
}

#[tokio::test]
async fn a_message_of_a_stream_has_the_size_limit_of_a_single_call() {
    let call = proto::EvaluateRequest::default();
    assert_max_bytes(&["--max-message-bytes", "100"], "Evaluate", &call, 100).await;
}

#[tokio::test]
async fn compressed_messages_are_accepted() {
    let server = start(&[]);
    let mut client = server.client().await.send_compressed(CompressionEncoding::Gzip);
    client.apply_move(apply_move()).await.expect("a compressed request succeeds");
}

/// Sends a notation of 8 MiB, which gzip compresses to a few KiB.
async fn send_compression_bomb(mut client: RulesServiceClient<Channel>) -> (Code, String) {
    let notation = "c".repeat(8 * 1024 * 1024);
    let state = Some(proto::State::notation(notation));
    code_and_reason(
        &client
            .render_state(proto::RenderStateRequest { state })
            .await
            .expect_err("the message is too large"),
    )
}

#[tokio::test]
async fn the_message_size_limit_applies_after_decompression() {
    let server = start(&[]);
    let error = send_compression_bomb(server.client().await.send_compressed(CompressionEncoding::Gzip)).await;
    assert_eq!(error, resource_exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
    server.client().await.apply_move(apply_move()).await.expect("the server keeps serving");
}

#[tokio::test]
async fn a_batch_has_at_most_1000_calls_by_default() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    let response: BatchResponse = client.call("EvaluateBatch", &batch_of(1000)).await.message();
    assert_eq!(response.answers.len(), 1000);
    let response = client.call("EvaluateBatch", &batch_of(1001)).await;
    assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
}

#[tokio::test]
async fn the_response_size_limit_of_a_batch_includes_its_refusals() {
    use proto::{answer::Kind::Refusal, call::Kind::ListGames};
    let list_games = proto::Call { kind: Some(ListGames(proto::ListGamesRequest::default())) };
    let batch = proto::EvaluateBatchRequest::from_iter(vec![list_games; 3]);
    let full: BatchResponse = {
        let server = start(&[]);
        GrpcClient::connect(&server.address).await.call("EvaluateBatch", &batch).await.message()
    };
    let one = full.encoded_len() / 3;
    for (max_bytes, succeeded) in [(3 * one, 3), (3 * one - 1, 2), (2 * one, 1)] {
        let server = start(&["--max-batch-answer-bytes", &max_bytes.to_string()]);
        let client = GrpcClient::connect(&server.address).await;
        let response: BatchResponse = client.call("EvaluateBatch", &batch).await.message();
        assert!(response.encoded_len() <= max_bytes, "{} of {max_bytes} bytes", response.encoded_len());
        assert_eq!(
            response.answers[..succeeded],
            full.answers[..succeeded],
            "items within the limit succeed"
        );
        for answer in &response.answers[succeeded..] {
            let Some(Refusal(refusal)) = &answer.kind else { panic!("{answer:?} exceeds the limit") };
            assert_eq!(refusal.reasons[0].code(), proto::ErrorReason::AnswerTooLarge);
        }
    }
}

#[tokio::test]
async fn the_move_limit_of_a_replay_is_configurable() {
    let server = start(&["--max-replay-moves", "3"]);
    let client = GrpcClient::connect(&server.address).await;
    let replay: proto::ReplayGameResponse = client.call("ReplayGame", &replay_of(3)).await.message();
    assert_eq!(replay.events.len(), 3);
    let response = client.call("ReplayGame", &replay_of(4)).await;
    assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
}

#[tokio::test]
async fn a_replay_in_a_batch_has_the_same_move_limit() {
    let server = start(&["--max-replay-moves", "3"]);
    let client = GrpcClient::connect(&server.address).await;
    let kind = Some(proto::call::Kind::ReplayGame(replay_of(4)));
    let batch = proto::EvaluateBatchRequest::from_iter([proto::Call { kind }]);
    let response: BatchResponse = client.call("EvaluateBatch", &batch).await.message();
    let Some(proto::answer::Kind::Refusal(refusal)) = &response.answers[0].kind else {
        panic!("the item succeeded: {response:?}");
    };
    assert_eq!(refusal.reasons[0].code(), proto::ErrorReason::TooManyItems);
}

#[tokio::test]
async fn a_batch_never_has_more_than_16384_items() {
    let server = start(&["--max-batch-items", "16384"]);
    let client = GrpcClient::connect(&server.address).await;
    let response: BatchResponse =
        client.call("EvaluateBatch", &batch_of(MAX_TOP_LEVEL_FIELDS)).await.message();
    assert_eq!(response.answers.len(), 16_384);
    let response = client.call("EvaluateBatch", &batch_of(MAX_TOP_LEVEL_FIELDS + 1)).await;
    assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
}

#[tokio::test]
async fn the_memory_of_a_batch_with_too_many_items_is_bounded() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let before = peak_megabytes(&server);
    // An unknown group before half a million calls.
    let group = [15 << 3 | 3, 15 << 3 | 4];
    let batch = [group.as_slice(), &batch_of(500_000).encode_to_vec()].concat();
    let response = client.send("EvaluateBatch", &[], framed(&batch)).await;
    assert_eq!(response.status.code(), Code::ResourceExhausted);
    let growth = peak_megabytes(&server) - before;
    assert!(growth < 32, "a request of 1 MiB took {growth} MiB");
}

#[tokio::test]
async fn the_memory_of_a_batch_with_many_nested_messages_is_bounded() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let before = peak_megabytes(&server);
    let board = vec![proto::TripleTriadSquare::default(); 500_000];
    let state = proto::TripleTriadState { board, ..Default::default() };
    let state = proto::State::typed(GameId::TripleTriad, state.encode_to_vec());
    let request = proto::RenderStateRequest { state: Some(state) };
    let kind = Some(proto::call::Kind::RenderState(request));
    let batch = proto::EvaluateBatchRequest::from_iter([proto::Call { kind }]);
    let response: BatchResponse = client.call("EvaluateBatch", &batch).await.message();
    let Some(proto::answer::Kind::Refusal(refusal)) = &response.answers[0].kind else {
        panic!("the item succeeded: {response:?}");
    };
    assert_eq!(refusal.reasons[0].code(), proto::ErrorReason::MessageTooLarge);
    let growth = peak_megabytes(&server) - before;
    assert!(growth < 16, "a request of 1 MiB took {growth} MiB");
}

#[tokio::test]
async fn a_call_in_a_batch_has_the_size_limit_of_a_single_call() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    let mut batch = proto::EvaluateBatchRequest::default();
    for size in [65_536, 65_537, 65_536] {
        batch.push(&padded_to(size, &proto::Call::default()));
    }
    let response: BatchResponse = client.call("EvaluateBatch", &batch).await.message();
    let reason = |answer: &proto::Answer| match &answer.kind {
        Some(proto::answer::Kind::Refusal(refusal)) => refusal.reasons[0].code(),
        other => panic!("the item succeeded: {other:?}"),
    };
    let reasons: Vec<_> = response.answers.iter().map(reason).collect();
    let (empty, large) = (proto::ErrorReason::FieldRequired, proto::ErrorReason::MessageTooLarge);
    assert_eq!(reasons, [empty, large, empty]);
}

#[tokio::test]
async fn the_memory_of_unread_batch_responses_is_bounded() {
    let server = start(&["--max-wait", "1h"]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let kind = Some(proto::call::Kind::ListGames(proto::ListGamesRequest::default()));
    let batch = proto::EvaluateBatchRequest::from_iter(vec![proto::Call { kind }; 1000]);
    let mut unread = Vec::new();
    for _ in 0..100 {
        let mut call = client.open("EvaluateBatch", &[]).await.expect("the connection stays open");
        call.body.send_data(framed(&batch.encode_to_vec()), true).expect("the data is sent");
        unread.push(call);
    }
    eventually("every batch succeeds or fails", async || batches_handled(&server) == 100).await;
    let peak = peak_megabytes(&server);
    // Batches in flight may hold 128 MiB, and each running batch 4 MiB more.
    assert!(peak < 192, "100 requests of 4 KB hold {peak} MiB");
}

#[tokio::test]
async fn a_batch_with_an_unfinished_body_does_not_block_others() {
    let server = start(&["--threads", "1", "--max-wait", "1h", "--call-timeout", "1h"]);
    let client = GrpcClient::connect(&server.address).await;
    let mut unfinished = client.open("EvaluateBatch", &[]).await.expect("the connection stays open");
    unfinished.body.send_data(framed(&padded_to(1 << 20, &batch_of(1))), false).expect("the data is sent");
    let held = CALL_BYTES + (1 << 20) + 5 - INCLUDED_BYTES;
    eventually("the body has arrived", async || bytes_in_flight(&server) == Some(held)).await;
    assert!(client.call("EvaluateBatch", &batch_of(1)).await.is_ok());
}

#[tokio::test]
async fn a_second_message_is_rejected_once_the_body_exceeds_the_size_limit() {
    let server = start(&["--call-timeout", "1h"]);
    let client = GrpcClient::connect(&server.address).await;
    let mut unfinished = client.open("EvaluateBatch", &[]).await.expect("the connection stays open");
    unfinished.body.send_data(framed(&batch_of(1).encode_to_vec()), false).expect("the data is sent");
    unfinished.body.send_data(framed(&vec![0; 1 << 20]), false).expect("the data is sent");
    assert_eq!(
        code_and_reason(&unfinished.response().await.status),
        resource_exhausted("ERROR_REASON_MESSAGE_TOO_LARGE")
    );
}

#[tokio::test]
async fn many_small_batches_are_accepted_concurrently() {
    let server = start(&["--max-wait", "1h"]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let mut responses = JoinSet::new();
    for _ in 0..200 {
        let call = client.open("EvaluateBatch", &[]).await.expect("the connection stays open");
        responses.spawn(call.finish(framed(&batch_of(100).encode_to_vec())));
    }
    for response in with_timeout("all batches succeed", responses.join_all()).await {
        let response = response.expect("the connection stays open");
        assert!(response.is_ok(), "{:?}", response.status);
    }
}

#[tokio::test]
async fn calls_above_the_byte_budget_are_shed_until_one_ends() {
    // Room for four calls with small messages.
    let server = start(&["--max-bytes-in-flight", &(4 * CALL_BYTES).to_string()]);
    let client = GrpcClient::connect(&server.address).await;
    let wait_for_bytes = async |bytes: usize| {
        eventually("the bytes in flight", async || bytes_in_flight(&server) == Some(bytes)).await;
    };
    let message = framed(&padded_to(INCLUDED_BYTES + 3 * CALL_BYTES - 5, &apply_move()));
    let mut held = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    held.body.send_data(message.slice(..message.len() - 1), false).expect("the data is sent");
    wait_for_bytes(4 * CALL_BYTES - 1).await;
    let other = GrpcClient::connect(&server.address).await;
    for client in [&client, &other] {
        let response = client.call("ApplyMove", &apply_move()).await;
        assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_OVERLOADED"));
    }
    let response = held.finish(message.slice(message.len() - 1..)).await.expect("the connection stays open");
    assert!(response.is_ok(), "a held call succeeds: {:?}", response.status);
    wait_for_bytes(0).await;
    client.assert_call_succeeds().await;
    let single = client.send("ApplyMove", &[], framed(&padded_to(60_000, &apply_move()))).await;
    assert!(single.is_ok(), "a single call of any size is accepted: {:?}", single.status);
}

#[tokio::test]
async fn unread_responses_count_towards_the_byte_budget() {
    // A window of one byte lets h2 take over a whole response, and end the call, before it is sent.
    for window in [0, 1] {
        let server = start(&["--max-bytes-in-flight", &(2 * CALL_BYTES).to_string()]);
        let client = GrpcClient::connect_with_window(&server.address, window).await;
        let mut unread = client.open("EvaluateBatch", &[]).await.expect("the connection stays open");
        unread.body.send_data(framed(&batch_of(1000).encode_to_vec()), true).expect("the data is sent");
        eventually("the response is held", async || {
            bytes_in_flight(&server).is_some_and(|held| held > 2 * CALL_BYTES)
        })
        .await;
        let other = GrpcClient::connect(&server.address).await;
        let response = other.call("ApplyMove", &apply_move()).await;
        assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_OVERLOADED"));
        drop(unread);
        eventually("nothing is held", async || bytes_in_flight(&server) == Some(0)).await;
        other.assert_call_succeeds().await;
    }
}

#[tokio::test]
async fn a_client_that_leaves_a_response_unread_is_disconnected_after_its_other_calls() {
    let server = start(&["--send-timeout", "300ms", "--max-connection-age-grace", "1s"]);
    let client = GrpcClient::connect_with_window(&server.address, 1).await;
    let mut unread = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    unread.body.send_data(framed(&apply_move().encode_to_vec()), true).expect("the data is sent");
    let other = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    eventually("GOAWAY", async || !client.received.lock().expect("not poisoned").go_aways.is_empty()).await;
    let response = other.finish(framed(&[])).await.expect("the call in flight is answered");
    assert_eq!(response.status.code(), Code::InvalidArgument);
    eventually("the connection is closed", async || {
        let metrics = server.admin_get("/metrics").1;
        metrics.contains("arbiter_connections_stalled_total 1\n")
            && metrics.contains("arbiter_connections 0\n")
    })
    .await;
    eventually("nothing is held", async || bytes_in_flight(&server) == Some(0)).await;
}

#[tokio::test]
async fn a_client_that_reads_its_responses_stays_connected() {
    let server = start(&["--send-timeout", "200ms"]);
    let client = GrpcClient::connect(&server.address).await;
    for _ in 0..10 {
        client.assert_call_succeeds().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn an_incomplete_preface_is_closed() {
    let server = start(&["--send-timeout", "300ms"]);
    for length in [1, PREFACE.len() - 1] {
        let mut stream = TcpStream::connect(&server.address).await.expect("the server is reachable");
        stream.write_all(&PREFACE[..length]).await.expect("the data is sent");
        assert_closed("the incomplete preface", stream).await;
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed_gracefully() {
    let server = start(&["--send-timeout", "100ms", "--max-connection-idle", "300ms"]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    eventually("the connection is closed", async || {
        server.admin_get("/metrics").1.contains("arbiter_connections 0\n")
    })
    .await;
}

#[tokio::test]
async fn idle_connections_make_room_above_half_of_the_limit() {
    let server = start(&["--send-timeout", "300ms", "--max-connections", "4"]);
    let idle = [(); 3].map(|()| GrpcClient::connect(&server.address));
    let idle = futures_util::future::join_all(idle).await;
    for client in &idle {
        client.assert_call_succeeds().await;
    }
    eventually("idle connections are closed", async || {
        let metrics = server.admin_get("/metrics").1;
        let open = metrics.lines().find_map(|line| line.strip_prefix("arbiter_connections "));
        open.and_then(|open| open.parse::<u32>().ok()).is_some_and(|open| open <= 2)
    })
    .await;
}

#[tokio::test]
async fn calls_above_the_in_flight_limit_are_shed_until_one_ends() {
    let server = start(&["--max-in-flight", "4"]);
    let mut held: Vec<(GrpcClient, OpenCall)> = Vec::new();
    for _ in 0..4 {
        let client = GrpcClient::connect(&server.address).await;
        let call = client.open("ApplyMove", &[]).await.expect("the connection stays open");
        held.push((client, call));
    }
    eventually("four calls are in flight", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 4\n")
    })
    .await;
    let other = GrpcClient::connect(&server.address).await;
    for client in [&other, &held[0].0] {
        let response = client.call("ApplyMove", &apply_move()).await;
        assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_OVERLOADED"));
    }
    let (_client, released) = held.pop().expect("a call is held");
    let body = framed(&apply_move().encode_to_vec());
    assert!(released.finish(body).await.expect("the connection stays open").is_ok(), "a held call succeeds");
    other.assert_call_succeeds().await;
}

#[tokio::test]
async fn one_client_gets_half_of_the_calls_and_another_one_is_served() {
    let server = start(&["--max-in-flight", "8"]);
    let [greedy, other] =
        [GrpcClient::connect(&server.address).await, GrpcClient::connect(&server.address).await];
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(greedy.open("ApplyMove", &[]).await.expect("the connection stays open"));
    }
    eventually("four calls are in flight", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 4\n")
    })
    .await;
    let response = greedy.call("ApplyMove", &apply_move()).await;
    assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_OVERLOADED"));
    other.assert_call_succeeds().await;
    assert!(server.admin_get("/metrics").1.contains("arbiter_calls_in_flight_refused_total 1\n"));
}

#[tokio::test]
async fn connections_of_an_address_are_one_client_if_so_configured() {
    let server = start(&["--max-in-flight", "8", "--client-identity", "address"]);
    let [first, second] =
        [GrpcClient::connect(&server.address).await, GrpcClient::connect(&server.address).await];
    let mut held = Vec::new();
    for client in [&first, &second, &first, &second] {
        held.push(client.open("ApplyMove", &[]).await.expect("the connection stays open"));
    }
    eventually("four calls are in flight", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 4\n")
    })
    .await;
    for client in [&first, &second] {
        let response = client.call("ApplyMove", &apply_move()).await;
        assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_OVERLOADED"));
    }
}

#[tokio::test]
async fn streams_have_a_limit_of_their_own() {
    let server = start(&["--max-streams", "1", "--max-in-flight", "1"]);
    let client = GrpcClient::connect(&server.address).await;
    let stream = client.open("Evaluate", &[]).await.expect("the connection stays open");
    eventually("the stream is open", async || {
        server.admin_get("/metrics").1.contains("arbiter_streams_open 1\n")
    })
    .await;
    client.assert_call_succeeds().await;
    let response = client.open("Evaluate", &[]).await.expect("the connection stays open").response().await;
    assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_OVERLOADED"));
    drop(stream);
    eventually("the permit is released", async || {
        server.admin_get("/metrics").1.contains("arbiter_streams_open 0\n")
    })
    .await;
}

#[tokio::test]
async fn health_watches_and_reflection_count_as_streams() {
    let server = start(&["--max-streams", "2", "--stream-idle-timeout", "500ms"]);
    let watch = GrpcClient::connect(&server.address).await;
    let mut watch = watch.open("/grpc.health.v1.Health/Watch", &[]).await.expect("the connection stays open");
    watch.body.send_data(framed(&[]), true).expect("the data is sent");
    let client = GrpcClient::connect(&server.address).await;
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    let idle = client.open(reflection, &[]).await.expect("the connection stays open");
    eventually("both streams are open", async || {
        server.admin_get("/metrics").1.contains("arbiter_streams_open 2\n")
    })
    .await;
    let refused = client.open("Evaluate", &[]).await.expect("the connection stays open").response().await;
    assert_eq!(code_and_reason(&refused.status), resource_exhausted("ERROR_REASON_OVERLOADED"));
    let idle = with_timeout("the idle stream ends", idle.response()).await;
    assert_eq!(idle.status.code(), Code::DeadlineExceeded);
    eventually("only the watch is open", async || {
        server.admin_get("/metrics").1.contains("arbiter_streams_open 1\n")
    })
    .await;
}

/// The service reads requests on a separate task, which must not keep the stream open.
#[tokio::test]
async fn an_idle_reflection_stream_ends_in_both_directions() {
    let server = start(&["--stream-idle-timeout", "300ms", "--max-streams-per-connection", "4"]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    // The client leaves its side open, so a stream that the server does not end counts until then.
    let mut open = Vec::new();
    for _ in 0..12 {
        let opened = with_timeout("a stream can be opened", client.open(reflection, &[])).await;
        let OpenCall { body, response } = opened.expect("the connection stays open");
        let response = with_timeout("the idle stream ends", read(response)).await;
        assert!(response.is_ok_and(|response| response.status.code() == Code::DeadlineExceeded));
        open.push(body);
    }
}

#[tokio::test]
async fn an_idle_stream_ends() {
    let server = start(&["--stream-idle-timeout", "300ms"]);
    let client = GrpcClient::connect(&server.address).await;
    let stream = client.open("Evaluate", &[]).await.expect("the connection stays open");
    let response = with_timeout("the stream ends", stream.response()).await;
    assert_eq!(
        code_and_reason(&response.status),
        (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned())
    );
    client.assert_call_succeeds().await;
}

#[tokio::test]
async fn the_stream_limit_of_a_connection_is_configurable() {
    let server = start(&["--max-streams-per-connection", "2"]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    assert_eq!(client.max_streams(), 2);
    let first = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    let _second = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    let request = apply_move();
    let mut third = pin!(client.call("ApplyMove", &request));
    let blocked = tokio::time::timeout(Duration::from_millis(200), third.as_mut()).await;
    assert!(blocked.is_err(), "the third call does not wait in the client: {blocked:?}");
    drop(first);
    assert!(third.await.is_ok(), "the third call succeeds after another has ended");
}

#[tokio::test]
async fn a_connection_above_the_limit_is_closed_if_all_others_have_calls() {
    let server = start(&["--max-connections", "2"]);
    let clients = [GrpcClient::connect(&server.address).await, GrpcClient::connect(&server.address).await];
    let mut calls = Vec::new();
    for client in &clients {
        calls.push(client.open("ApplyMove", &[]).await.expect("the connection stays open"));
    }
    eventually("the calls are in flight", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 2\n")
    })
    .await;
    let third = TcpStream::connect(&server.address).await.expect("the kernel accepts the connection");
    assert_closed("the third", third).await;
    assert!(server.admin_get("/metrics").1.contains("arbiter_connections_refused_total 1\n"));
    for call in calls {
        let body = framed(&apply_move().encode_to_vec());
        assert!(call.finish(body).await.is_ok_and(|response| response.is_ok()));
    }
}

#[tokio::test]
async fn a_connection_above_the_limit_replaces_one_without_calls() {
    let server = start(&["--max-connections", "3", "--call-timeout", "1h"]);
    let longest_idle = GrpcClient::connect(&server.address).await;
    longest_idle.assert_call_succeeds().await;
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let silent = TcpStream::connect(&server.address).await.expect("the server is reachable");
    eventually("all are accepted", async || {
        server.admin_get("/metrics").1.contains("arbiter_connections 3\n")
    })
    .await;
    let fourth = GrpcClient::connect(&server.address).await;
    fourth.assert_call_succeeds().await;
    assert_closed("the connection that never made a call", silent).await;
    assert!(server.admin_get("/metrics").1.contains("arbiter_connections_evicted_total 1\n"));
    // For a second after a call, a connection is in use.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    GrpcClient::connect(&server.address).await.assert_call_succeeds().await;
    let _ =
        with_timeout("the connection whose last call was longest ago is closed", longest_idle.driver).await;
    client.assert_call_succeeds().await;
    fourth.assert_call_succeeds().await;
}

#[tokio::test]
async fn a_call_without_a_body_times_out() {
    let server = start(&["--call-timeout", "200ms"]);
    let client = GrpcClient::connect(&server.address).await;
    let call = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    assert_eq!(code_and_reason(&call.response().await.status), deadline_exceeded());
}

#[tokio::test]
async fn a_call_with_an_unfinished_body_times_out() {
    let server = start(&["--call-timeout", "200ms"]);
    let client = GrpcClient::connect(&server.address).await;
    let mut call = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    call.body.send_data(framed(&apply_move().encode_to_vec()), false).expect("the data is sent");
    assert_eq!(code_and_reason(&call.response().await.status), deadline_exceeded());
}

#[tokio::test]
async fn a_client_deadline_below_the_call_timeout_applies() {
    let server = start(&["--call-timeout", "1h"]);
    let client = GrpcClient::connect(&server.address).await;
    let call =
        client.open("ApplyMove", &[("grpc-timeout", "100m")]).await.expect("the connection stays open");
    assert_eq!(code_and_reason(&call.response().await.status), deadline_exceeded());
}

#[tokio::test]
async fn a_client_deadline_above_the_call_timeout_is_ignored() {
    let server = start(&["--call-timeout", "200ms"]);
    let client = GrpcClient::connect(&server.address).await;
    let call = client.open("ApplyMove", &[("grpc-timeout", "1H")]).await.expect("the connection stays open");
    assert_eq!(code_and_reason(&call.response().await.status), deadline_exceeded());
}

#[tokio::test]
async fn a_malformed_deadline_is_invalid() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    let body = framed(&apply_move().encode_to_vec());
    for deadline in ["", "1", "S", "1s", "-1S", "1.5S", "123456789S", "1 S", "soon"] {
        for call in ["ApplyMove", "Evaluate"] {
            let response = client.send(call, &[("grpc-timeout", deadline)], body.clone()).await;
            let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
            assert_eq!(code_and_reason(&response.status), expected, "{call} with {deadline:?}");
        }
    }
}

#[tokio::test]
async fn the_maximum_deadline_is_accepted() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    for (call, body) in [("ApplyMove", apply_move().encode_to_vec()), ("Evaluate", Vec::new())] {
        let response = client.send(call, &[("grpc-timeout", "99999999H")], framed(&body)).await;
        assert!(response.is_ok(), "{call}: {:?}", response.status);
    }
}

#[tokio::test]
async fn no_call_is_lost_when_connections_reach_their_maximum_age() {
    let server = start(&["--max-connection-age", "200ms"]);
    for _ in 0..5 {
        let counts = call_until_goaway(&server.address).await.expect("the connection is accepted");
        assert!(counts.succeeded > 0, "{counts:?}");
    }
}

/// Waits until the server closes a connection.
async fn assert_closed(peer: &str, mut stream: TcpStream) {
    let mut received = Vec::new();
    // The connection may end with a reset.
    let _ = with_timeout(&format!("{peer} is closed"), stream.read_to_end(&mut received)).await;
}

/// Opens a connection and sends these bytes.
async fn connect_and_send(server: &TestServer, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).await.expect("the server is reachable");
    stream.write_all(bytes).await.expect("the data is sent");
    stream
}

fn handshake() -> Vec<u8> {
    [PREFACE, &http2_frame(frame_type::SETTINGS, 0, 0, &[])].concat()
}

#[tokio::test]
async fn a_peer_that_sends_nothing_is_closed_after_the_call_timeout() {
    let server = start(&["--call-timeout", "200ms"]);
    assert_closed("a peer that sends nothing", connect_and_send(&server, &[]).await).await;
}

#[tokio::test]
async fn idle_peers_are_closed_at_the_maximum_connection_age() {
    let server = start(&["--max-connection-age", "200ms", "--max-connection-age-grace", "200ms"]);
    let no_data = connect_and_send(&server, &[]).await;
    let partial_preface = connect_and_send(&server, &PREFACE[..10]).await;
    let after_handshake = connect_and_send(&server, &handshake()).await;
    assert_closed("a peer that sends nothing", no_data).await;
    assert_closed("a peer with a partial preface", partial_preface).await;
    assert_closed("a peer that is idle after the handshake", after_handshake).await;
}

#[tokio::test]
async fn an_unfinished_call_does_not_keep_a_connection_beyond_its_age_and_grace() {
    let server = start(&["--max-connection-age", "200ms", "--max-connection-age-grace", "200ms"]);
    let client = GrpcClient::connect(&server.address).await;
    let call = client.open("Evaluate", &[]).await.expect("the connection stays open");
    let _ = with_timeout("the connection is closed", client.driver).await;
    drop(call);
}

#[tokio::test]
async fn a_peer_that_does_not_answer_pings_is_closed() {
    let server = start(&["--keepalive-interval", "200ms", "--keepalive-timeout", "200ms"]);
    assert_closed("a peer that does not answer pings", connect_and_send(&server, &handshake()).await).await;
}

#[tokio::test]
async fn a_peer_that_answers_pings_stays_connected() {
    let server = start(&["--keepalive-interval", "100ms", "--keepalive-timeout", "5s"]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let pings = || client.received.lock().expect("the lock is not poisoned").pings;
    eventually("the server sends several pings", async || pings() >= 5).await;
    client.assert_call_succeeds().await;
}

/// Sends this many malformed requests and a ping. Returns the frames received until the ping is answered or the
/// connection ends.
async fn frames_after_malformed_requests(count: u32) -> ReceivedFrames {
    const PATH_WITHOUT_METHOD: [u8; 1] = [0x84];
    const END_STREAM_AND_END_HEADERS: u8 = 0x5;
    let server = start(&[]);
    let mut stream = connect_and_send(&server, &handshake()).await;
    let request = |index| {
        http2_frame(frame_type::HEADERS, END_STREAM_AND_END_HEADERS, 2 * index + 1, &PATH_WITHOUT_METHOD)
    };
    let mut frames: Vec<u8> = (0..count).flat_map(request).collect();
    frames.extend(http2_frame(frame_type::PING, 0, 0, &[0; 8]));
    // The server may close the connection during the write.
    let _ = stream.write_all(&frames).await;
    let mut received = ReceivedFrames::default();
    let mut buffer = [0; 4096];
    while received.pings == 0
        && let Ok(length @ 1..) =
            with_timeout("a frame or the end of the connection", stream.read(&mut buffer)).await
    {
        received.parse(&buffer[..length]);
    }
    GrpcClient::connect(&server.address).await.assert_call_succeeds().await;
    received
}

#[tokio::test]
async fn a_connection_survives_1024_malformed_requests() {
    let received = frames_after_malformed_requests(1024).await;
    assert!(received.pings == 1 && received.go_aways.is_empty(), "{received:?}");
}

#[tokio::test]
async fn a_connection_is_closed_after_1025_malformed_requests() {
    const ENHANCE_YOUR_CALM: u32 = 11;
    let received = frames_after_malformed_requests(1025).await;
    assert_eq!(received.go_aways.last().map(|go_away| go_away.code), Some(ENHANCE_YOUR_CALM), "{received:?}");
}

const END_STREAM: u8 = 0x1;
const END_HEADERS: u8 = 0x4;

/// A HEADERS frame that starts a call.
fn call_headers(stream: u32) -> Vec<u8> {
    const HEADERS: [(&str, &str); 5] = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/arbiter.v1.RulesService/ApplyMove"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    // HPACK literals without indexing or Huffman coding.
    let string = |text: &'static str| [&[text.len() as u8], text.as_bytes()].concat();
    let header = |(name, value)| [vec![0], string(name), string(value)].concat();
    let block: Vec<u8> = HEADERS.into_iter().flat_map(header).collect();
    http2_frame(frame_type::HEADERS, END_HEADERS, stream, &block)
}

/// Sends frames and a ping, and records the frames received until the ping is answered or the connection ends.
async fn exchange(stream: &mut TcpStream, received: &mut ReceivedFrames, frames: &[u8]) {
    let data = [frames, &http2_frame(frame_type::PING, 0, 0, &[0; 8])].concat();
    // The server may close the connection during the write.
    let _ = stream.write_all(&data).await;
    let before = received.pings;
    let mut buffer = [0; 4096];
    while received.pings == before
        && let Ok(length @ 1..) =
            with_timeout("a frame or the end of the connection", stream.read(&mut buffer)).await
    {
        received.parse(&buffer[..length]);
    }
}

#[tokio::test]
async fn data_of_rejected_calls_does_not_close_the_connection() {
    let server = start(&["--max-in-flight", "1"]);
    let other = GrpcClient::connect(&server.address).await;
    let held = other.open("ApplyMove", &[]).await.expect("the connection stays open");
    eventually("the call is in flight", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 1\n")
    })
    .await;
    let mut stream = connect_and_send(&server, &handshake()).await;
    let mut received = ReceivedFrames::default();
    let message = framed(&apply_move().encode_to_vec());
    // More calls than the number of tolerated protocol errors.
    for first in (1..3000).step_by(200) {
        let streams = || (first..first + 200).step_by(2);
        exchange(&mut stream, &mut received, &streams().flat_map(call_headers).collect::<Vec<u8>>()).await;
        // The server rejects all of them before their data arrives.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let data = |stream| http2_frame(frame_type::DATA, END_STREAM, stream, &message);
        exchange(&mut stream, &mut received, &streams().flat_map(data).collect::<Vec<u8>>()).await;
    }
    assert!(received.go_aways.is_empty() && received.pings >= 30, "{received:?}");
    drop(held);
}

#[tokio::test]
async fn cancelling_many_calls_does_not_close_the_connection() {
    const CANCEL: [u8; 4] = [0, 0, 0, 8];
    let server = start(&[]);
    let mut stream = connect_and_send(&server, &handshake()).await;
    let mut received = ReceivedFrames::default();
    let cancelled_call =
        |stream| [call_headers(stream), http2_frame(frame_type::RST_STREAM, 0, stream, &CANCEL)].concat();
    let frames: Vec<u8> = (1..400).step_by(2).flat_map(cancelled_call).collect();
    exchange(&mut stream, &mut received, &frames).await;
    assert!(received.go_aways.is_empty() && received.pings == 1, "{received:?}");
}

/// Maximum number of fields of a message, nested ones included: 4096, and 8 for each of the 1000 moves of a replay.
const MAX_FIELDS: usize = 4096 + 8 * 1000;

/// The start of the refusal of a message with more fields.
const TOO_MANY_FIELDS: &str = "the message has more than 12096 fields";

/// A `NewGame` request with a hand of this many empty cards. It has one field more than cards.
fn new_game_with(cards: usize) -> proto::NewGameRequest {
    let hand_one = vec![proto::TripleTriadCard::default(); cards];
    let setup = proto::TripleTriadSetup { hand_one, ..Default::default() };
    let setup = Some(proto::new_game_request::Setup::TripleTriad(setup));
    proto::NewGameRequest { setup, ..Default::default() }
}

/// A `Call` with such a request. It has two fields more than cards.
fn call_with(cards: usize) -> proto::Call {
    proto::Call { kind: Some(proto::call::Kind::NewGame(new_game_with(cards))) }
}

#[tokio::test]
async fn a_message_has_a_maximum_number_of_nested_fields() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    let response = client.call("NewGame", &new_game_with(MAX_FIELDS - 1)).await;
    assert_eq!(response.status.code(), Code::InvalidArgument);
    let hand_size = "triple_triad.hand_one: the hand of player one has 12095 cards: it must have 5";
    assert!(response.status.message().starts_with(hand_size), "{:?}", response.status);
    let response = client.call("NewGame", &new_game_with(MAX_FIELDS)).await;
    assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
    assert!(response.status.message().starts_with(TOO_MANY_FIELDS), "{:?}", response.status);
}

#[tokio::test]
async fn the_fields_of_a_state_count_as_fields_of_its_message() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    // The message has two fields more than the state: the state and its game.
    let call = async |fields: usize| {
        let state = State::typed(GameId::TripleTriad, [0x2a, 0].repeat(fields));
        let request = proto::DetermineWinnerRequest { state: Some(state), ..Default::default() };
        client.call("DetermineWinner", &request).await.status.code()
    };
    assert_eq!(call(MAX_FIELDS - 2).await, Code::InvalidArgument);
    assert_eq!(call(MAX_FIELDS - 1).await, Code::ResourceExhausted);
}

#[tokio::test]
async fn a_call_in_a_batch_has_the_same_maximum_number_of_fields() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    let batch = [MAX_FIELDS - 2, MAX_FIELDS - 1, MAX_FIELDS - 2].map(call_with);
    let batch = proto::EvaluateBatchRequest::from_iter(batch);
    let response: BatchResponse = client.call("EvaluateBatch", &batch).await.message();
    let is_refused = |answer: &proto::Answer| match &answer.kind {
        Some(proto::answer::Kind::Refusal(refusal)) => {
            let reason = &refusal.reasons[0];
            reason.code() == proto::ErrorReason::TooManyItems && reason.message.starts_with(TOO_MANY_FIELDS)
        }
        other => panic!("the item succeeded: {other:?}"),
    };
    assert_eq!(response.answers.iter().map(is_refused).collect::<Vec<_>>(), [false, true, false]);
}

#[tokio::test]
async fn a_message_of_a_stream_has_the_same_maximum_number_of_fields() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    let message = |cards| {
        let request = proto::EvaluateRequest { call: Some(call_with(cards)) };
        framed(&request.encode_to_vec())
    };
    let body = [message(MAX_FIELDS - 3), message(MAX_FIELDS - 2)].concat();
    let response = client.send("Evaluate", &[], body.into()).await;
    assert_eq!(response.messages.len(), 1);
    assert_eq!(code_and_reason(&response.status), resource_exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
    assert!(response.status.message().starts_with(TOO_MANY_FIELDS), "{:?}", response.status);
}

#[tokio::test]
async fn a_replay_of_the_maximum_number_of_typed_moves_is_accepted() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    let replay: proto::ReplayGameResponse = client.call("ReplayGame", &long_typed_replay()).await.message();
    assert_eq!(replay.events.len(), 1000);
}
