//! Every limit at its edge: as much as it allows is answered, one more is refused with its reason.

use std::{pin::pin, time::Duration};

use arbiter::{
    games::GameId,
    wire::{
        MAX_TOP_LEVEL_FIELDS,
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
    raw::{
        BatchAnswer, Client, OpenCall, PREFACE, Seen, apply_move, call_until_sent_away, eventually,
        frame_kind, framed, http2_frame, refusal, soon, turn,
    },
};

fn start(flags: &[&str]) -> TestServer {
    TestServer::start_with(&[&["--log", "off"], flags].concat())
}

/// A message filled up to a size with a field that nobody knows.
fn filled_to(size: usize, message: &impl Message) -> Vec<u8> {
    let mut bytes = message.encode_to_vec();
    let missing = size - bytes.len() - 2;
    let length = (1..=4)
        .find_map(|prefix| {
            let length = missing - prefix;
            (prost::length_delimiter_len(length) == prefix).then_some(length)
        })
        .expect("the size can be reached");
    encode_varint(1000 << 3 | 2, &mut bytes);
    encode_varint(length as u64, &mut bytes);
    bytes.resize(size, 0);
    bytes
}

async fn assert_largest(flags: &[&str], call: &str, message: &impl Message, largest: usize) {
    let server = start(flags);
    let client = Client::connect(&server.address).await;
    let reply = client.send(call, &[], framed(&filled_to(largest, message))).await;
    assert!(reply.is_ok(), "{largest} bytes are refused: {:?}", reply.status);
    let reply = client.send(call, &[], framed(&filled_to(largest + 1, message))).await;
    assert_eq!(refusal(&reply.status), exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
    client.assert_answers().await;
}

fn exhausted(reason: &str) -> (Code, String) {
    (Code::ResourceExhausted, reason.to_owned())
}

fn out_of_time() -> (Code, String) {
    (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned())
}

fn batch_of(items: usize) -> proto::EvaluateBatchRequest {
    proto::EvaluateBatchRequest::from_iter(vec![proto::Call::default(); items])
}

fn replay_of(moves: usize) -> proto::ReplayGameRequest {
    let (state, mv) = turn();
    proto::ReplayGameRequest { state, moves: mv.into_iter().cycle().take(moves).collect() }
}

/// The most memory that the process ever held.
fn peak_megabytes(server: &TestServer) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("it runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak is told");
    peak.trim().trim_end_matches(" kB").parse::<u64>().expect("it is a number") / 1024
}

fn batches_handled(server: &TestServer) -> u64 {
    let metrics = server.admin_get("/metrics").1;
    let handled = metrics.lines().filter(|line| {
        line.starts_with("grpc_server_handled_total") && line.contains("grpc_method=\"EvaluateBatch\"")
    });
    handled.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// How many bytes are held of batches.
fn held_of_batches(server: &TestServer) -> Option<usize> {
    let metrics = server.admin_get("/metrics").1;
    metrics.lines().find_map(|line| line.strip_prefix("arbiter_batches_in_flight_bytes ")?.parse().ok())
}

#[tokio::test]
async fn a_message_has_at_most_64_kib() {
    assert_largest(&[], "ApplyMove", &apply_move(), 65_536).await;
}

#[tokio::test]
async fn a_message_has_at_most_as_many_bytes_as_configured() {
    assert_largest(&["--max-message-bytes", "100"], "ApplyMove", &apply_move(), 100).await;
}

#[tokio::test]
async fn a_batch_has_at_most_1_mib() {
    assert_largest(&[], "EvaluateBatch", &batch_of(1), 1_048_576).await;
}

#[tokio::test]
async fn a_message_of_a_stream_has_at_most_as_many_bytes_as_a_single_call() {
    let call = proto::EvaluateRequest::default();
    assert_largest(&["--max-message-bytes", "100"], "Evaluate", &call, 100).await;
}

#[tokio::test]
async fn compressed_messages_are_read() {
    let server = start(&[]);
    let mut client = server.client().await.send_compressed(CompressionEncoding::Gzip);
    client.apply_move(apply_move()).await.expect("a compressed request is answered");
}

/// Sends a notation of 8 MiB, which gzip compresses to a few KiB.
async fn send_bomb(mut client: RulesServiceClient<Channel>) -> (Code, String) {
    let notation = "c".repeat(8 * 1024 * 1024);
    let state = Some(proto::State::notation(notation));
    refusal(&client.render_state(proto::RenderStateRequest { state }).await.expect_err("it is too large"))
}

#[tokio::test]
async fn a_compressed_message_is_measured_by_what_it_holds() {
    let server = start(&[]);
    let refused = send_bomb(server.client().await.send_compressed(CompressionEncoding::Gzip)).await;
    assert_eq!(refused, exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
    server.client().await.apply_move(apply_move()).await.expect("the server goes on");
}

#[tokio::test]
async fn a_batch_has_at_most_1000_calls() {
    let server = start(&[]);
    let client = Client::connect(&server.address).await;
    let answers: BatchAnswer = client.call("EvaluateBatch", &batch_of(1000)).await.message();
    assert_eq!(answers.answers.len(), 1000);
    let reply = client.call("EvaluateBatch", &batch_of(1001)).await;
    assert_eq!(refusal(&reply.status), exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
}

#[tokio::test]
async fn the_answers_of_a_batch_have_at_most_as_many_bytes_as_configured_its_refusals_among_them() {
    use proto::{answer::Kind::Refusal, call::Kind::ListGames};
    let list_games = proto::Call { kind: Some(ListGames(proto::ListGamesRequest::default())) };
    let batch = proto::EvaluateBatchRequest::from_iter(vec![list_games; 3]);
    let whole: BatchAnswer = {
        let server = start(&[]);
        Client::connect(&server.address).await.call("EvaluateBatch", &batch).await.message()
    };
    let one = whole.encoded_len() / 3;
    for (bytes, answered) in [(3 * one, 3), (3 * one - 1, 2), (2 * one, 1)] {
        let server = start(&["--max-batch-answer-bytes", &bytes.to_string()]);
        let client = Client::connect(&server.address).await;
        let found: BatchAnswer = client.call("EvaluateBatch", &batch).await.message();
        assert!(found.encoded_len() <= bytes, "{} of {bytes} bytes", found.encoded_len());
        assert_eq!(found.answers[..answered], whole.answers[..answered], "what fits is answered");
        for answer in &found.answers[answered..] {
            let Some(Refusal(refusal)) = &answer.kind else { panic!("{answer:?} does not fit") };
            assert_eq!(refusal.reasons[0].code(), proto::ErrorReason::AnswerTooLarge);
        }
    }
}

#[tokio::test]
async fn a_replay_has_at_most_as_many_moves_as_configured() {
    let server = start(&["--max-replay-moves", "3"]);
    let client = Client::connect(&server.address).await;
    let answer: proto::ReplayGameResponse = client.call("ReplayGame", &replay_of(3)).await.message();
    assert_eq!(answer.events.len(), 3);
    let reply = client.call("ReplayGame", &replay_of(4)).await;
    assert_eq!(refusal(&reply.status), exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
}

#[tokio::test]
async fn a_replay_inside_a_batch_has_the_same_limit() {
    let server = start(&["--max-replay-moves", "3"]);
    let client = Client::connect(&server.address).await;
    let kind = Some(proto::call::Kind::ReplayGame(replay_of(4)));
    let batch = proto::EvaluateBatchRequest::from_iter([proto::Call { kind }]);
    let answers: BatchAnswer = client.call("EvaluateBatch", &batch).await.message();
    let Some(proto::answer::Kind::Refusal(refused)) = &answers.answers[0].kind else {
        panic!("it is answered: {answers:?}");
    };
    assert_eq!(refused.reasons[0].code(), proto::ErrorReason::TooManyItems);
}

#[tokio::test]
async fn no_configuration_allows_more_than_16384_items() {
    let server = start(&["--max-batch-items", "16384"]);
    let client = Client::connect(&server.address).await;
    let most: BatchAnswer = client.call("EvaluateBatch", &batch_of(MAX_TOP_LEVEL_FIELDS)).await.message();
    assert_eq!(most.answers.len(), 16_384);
    let reply = client.call("EvaluateBatch", &batch_of(MAX_TOP_LEVEL_FIELDS + 1)).await;
    assert_eq!(refusal(&reply.status), exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
}

#[tokio::test]
async fn a_request_does_not_cost_many_times_its_size() {
    let server = start(&[]);
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    let before = peak_megabytes(&server);
    // A group that nobody knows stands before half a million calls.
    let group = [15 << 3 | 3, 15 << 3 | 4];
    let batch = [group.as_slice(), &batch_of(500_000).encode_to_vec()].concat();
    let reply = client.send("EvaluateBatch", &[], framed(&batch)).await;
    assert_eq!(reply.status.code(), Code::ResourceExhausted);
    let grown = peak_megabytes(&server) - before;
    assert!(grown < 32, "a request of 1 MiB took {grown} MiB");
}

#[tokio::test]
async fn a_batch_of_many_small_messages_inside_each_other_does_not_take_many_times_its_size() {
    let server = start(&[]);
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    let before = peak_megabytes(&server);
    let board = vec![proto::TripleTriadSquare::default(); 500_000];
    let state = proto::TripleTriadState { board, ..Default::default() };
    let state = proto::State::typed(GameId::TripleTriad, state.encode_to_vec());
    let request = proto::RenderStateRequest { state: Some(state) };
    let kind = Some(proto::call::Kind::RenderState(request));
    let batch = proto::EvaluateBatchRequest::from_iter([proto::Call { kind }]);
    let answers: BatchAnswer = client.call("EvaluateBatch", &batch).await.message();
    let Some(proto::answer::Kind::Refusal(refusal)) = &answers.answers[0].kind else {
        panic!("it is answered: {answers:?}");
    };
    assert_eq!(refusal.reasons[0].code(), proto::ErrorReason::MessageTooLarge);
    let grown = peak_megabytes(&server) - before;
    assert!(grown < 16, "a request of 1 MiB took {grown} MiB");
}

#[tokio::test]
async fn a_call_in_a_batch_has_at_most_as_many_bytes_as_on_its_own() {
    let server = start(&[]);
    let client = Client::connect(&server.address).await;
    // A call and an unknown field beside it, which together have this size.
    let mut batch = proto::EvaluateBatchRequest::default();
    for size in [65_536, 65_537, 65_536] {
        batch.push(&filled_to(size, &proto::Call::default()));
    }
    let answers: BatchAnswer = client.call("EvaluateBatch", &batch).await.message();
    let reason = |answer: &proto::Answer| match &answer.kind {
        Some(proto::answer::Kind::Refusal(refusal)) => refusal.reasons[0].code(),
        other => panic!("it is answered: {other:?}"),
    };
    let reasons: Vec<_> = answers.answers.iter().map(reason).collect();
    let (empty, large) = (proto::ErrorReason::FieldRequired, proto::ErrorReason::MessageTooLarge);
    assert_eq!(reasons, [empty, large, empty]);
}

#[tokio::test]
async fn answers_that_nobody_reads_do_not_pile_up() {
    let server = start(&["--max-wait", "1h"]);
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    let kind = Some(proto::call::Kind::ListGames(proto::ListGamesRequest::default()));
    let batch = proto::EvaluateBatchRequest::from_iter(vec![proto::Call { kind }; 1000]);
    let mut unread = Vec::new();
    for _ in 0..100 {
        let mut call = client.open("EvaluateBatch", &[]).await.expect("the connection holds");
        call.body.send_data(framed(&batch.encode_to_vec()), true).expect("it can be sent");
        unread.push(call);
    }
    eventually("all are answered or refused", async || batches_handled(&server) == 100).await;
    let peak = peak_megabytes(&server);
    // Batches may hold 128 MiB, and those that are being answered then 4 MiB each.
    assert!(peak < 192, "100 requests of 4 KB hold {peak} MiB");
}

#[tokio::test]
async fn a_batch_that_does_not_end_keeps_no_other_from_its_turn() {
    let server = start(&["--threads", "1", "--max-wait", "1h", "--call-timeout", "1h"]);
    let client = Client::connect(&server.address).await;
    let mut endless = client.open("EvaluateBatch", &[]).await.expect("the connection holds");
    endless.body.send_data(framed(&filled_to(1 << 20, &batch_of(1))), false).expect("it can be sent");
    eventually("it has come", async || held_of_batches(&server) == Some((1 << 20) + 5)).await;
    assert!(client.call("EvaluateBatch", &batch_of(1)).await.is_ok());
}

#[tokio::test]
async fn a_message_that_is_followed_by_another_is_refused_as_soon_as_it_is_too_much() {
    let server = start(&["--call-timeout", "1h"]);
    let client = Client::connect(&server.address).await;
    let mut endless = client.open("EvaluateBatch", &[]).await.expect("the connection holds");
    endless.body.send_data(framed(&batch_of(1).encode_to_vec()), false).expect("it can be sent");
    endless.body.send_data(framed(&vec![0; 1 << 20]), false).expect("it can be sent");
    assert_eq!(refusal(&endless.reply().await.status), exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
}

#[tokio::test]
async fn many_small_batches_are_taken_at_once() {
    let server = start(&["--max-wait", "1h"]);
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    let mut replies = JoinSet::new();
    for _ in 0..200 {
        let call = client.open("EvaluateBatch", &[]).await.expect("the connection holds");
        replies.spawn(call.finish(framed(&batch_of(100).encode_to_vec())));
    }
    for reply in soon("all are answered", replies.join_all()).await {
        let reply = reply.expect("the connection holds");
        assert!(reply.is_ok(), "{:?}", reply.status);
    }
}

#[tokio::test]
async fn batches_hold_at_most_as_many_bytes_as_configured_and_then_some_are_taken_again() {
    let server = start(&["--max-batch-bytes-in-flight", "1000"]);
    let client = Client::connect(&server.address).await;
    let holds = async |bytes: usize| {
        eventually("so much is held", async || held_of_batches(&server) == Some(bytes)).await;
    };
    // Each call in it has two bytes.
    let batch = framed(&batch_of(400).encode_to_vec());
    let mut held = client.open("EvaluateBatch", &[]).await.expect("the connection holds");
    held.body.send_data(batch.slice(..700), false).expect("it can be sent");
    holds(700).await;
    assert!(client.call("EvaluateBatch", &batch_of(100)).await.is_ok(), "there is room for it");
    holds(700).await;
    let reply = client.call("EvaluateBatch", &batch_of(200)).await;
    assert_eq!(refusal(&reply.status), exhausted("ERROR_REASON_OVERLOADED"));
    client.assert_answers().await;
    let reply = held.finish(batch.slice(700..)).await.expect("the connection holds");
    assert!(reply.is_ok(), "a held batch is answered: {:?}", reply.status);
    holds(0).await;
    assert!(client.call("EvaluateBatch", &batch_of(200)).await.is_ok(), "there is room again");
    holds(0).await;
    let alone = client.call("EvaluateBatch", &batch_of(600)).await;
    assert!(alone.is_ok(), "one alone is answered, whatever its size: {:?}", alone.status);
}

#[tokio::test]
async fn an_answer_to_a_batch_is_held_until_it_is_read() {
    let server = start(&["--max-batch-bytes-in-flight", "1000"]);
    let client = Client::connect_with_window(&server.address, 0).await;
    let mut unread = client.open("EvaluateBatch", &[]).await.expect("the connection holds");
    unread.body.send_data(framed(&batch_of(100).encode_to_vec()), true).expect("it can be sent");
    eventually("the answer is held", async || held_of_batches(&server).is_some_and(|held| held > 1000)).await;
    let other = Client::connect(&server.address).await;
    let reply = other.call("EvaluateBatch", &batch_of(1)).await;
    assert_eq!(refusal(&reply.status), exhausted("ERROR_REASON_OVERLOADED"));
    drop(unread);
    eventually("nothing is held", async || held_of_batches(&server) == Some(0)).await;
    assert!(other.call("EvaluateBatch", &batch_of(1)).await.is_ok(), "there is room again");
}

#[tokio::test]
async fn one_call_more_than_may_be_under_way_is_shed_and_then_taken_again() {
    let server = start(&["--max-in-flight", "4"]);
    let clients = [Client::connect(&server.address).await, Client::connect(&server.address).await];
    let mut held: Vec<OpenCall> = Vec::new();
    for client in clients.iter().cycle().take(4) {
        held.push(client.open("ApplyMove", &[]).await.expect("the connection holds"));
    }
    eventually("four calls are under way", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 4")
    })
    .await;
    for client in &clients {
        let reply = client.call("ApplyMove", &apply_move()).await;
        assert_eq!(refusal(&reply.status), exhausted("ERROR_REASON_OVERLOADED"));
    }
    let released = held.pop().expect("one is held");
    let body = framed(&apply_move().encode_to_vec());
    assert!(released.finish(body).await.expect("the connection holds").is_ok(), "a held call is answered");
    clients[0].assert_answers().await;
}

#[tokio::test]
async fn a_stream_counts_as_under_way_until_it_ends() {
    let server = start(&["--max-in-flight", "1"]);
    let client = Client::connect(&server.address).await;
    let stream = client.open("Evaluate", &[]).await.expect("the connection holds");
    let reply = client.call("ApplyMove", &apply_move()).await;
    assert_eq!(refusal(&reply.status), exhausted("ERROR_REASON_OVERLOADED"));
    drop(stream);
    eventually("the place is free again", async || client.call("ApplyMove", &apply_move()).await.is_ok())
        .await;
}

#[tokio::test]
async fn a_connection_carries_as_many_calls_as_configured() {
    let server = start(&["--max-streams-per-connection", "2"]);
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    assert_eq!(client.max_streams(), 2);
    let first = client.open("ApplyMove", &[]).await.expect("the connection holds");
    let _second = client.open("ApplyMove", &[]).await.expect("the connection holds");
    let request = apply_move();
    let mut third = pin!(client.call("ApplyMove", &request));
    let waits = tokio::time::timeout(Duration::from_millis(200), third.as_mut()).await;
    assert!(waits.is_err(), "a third call waits in the client: {waits:?}");
    drop(first);
    assert!(third.await.is_ok(), "it is taken when another has ended");
}

#[tokio::test]
async fn one_connection_too_many_is_closed_at_once() {
    let server = start(&["--max-connections", "2"]);
    let first = Client::connect(&server.address).await;
    let second = Client::connect(&server.address).await;
    first.assert_answers().await;
    second.assert_answers().await;
    assert_closed("the third", TcpStream::connect(&server.address).await.expect("it is accepted")).await;
    drop(first);
    eventually("there is room again", async || match Client::try_connect(&server.address).await {
        Ok(client) => answers(&client).await,
        Err(_) => false,
    })
    .await;
}

async fn answers(client: &Client) -> bool {
    let body = framed(&apply_move().encode_to_vec());
    match client.open("ApplyMove", &[]).await {
        Ok(call) => soon("an answer or an end", call.finish(body)).await.is_ok_and(|reply| reply.is_ok()),
        Err(_) => false,
    }
}

#[tokio::test]
async fn a_call_whose_body_never_comes_ends_in_time() {
    let server = start(&["--call-timeout", "200ms"]);
    let client = Client::connect(&server.address).await;
    let call = client.open("ApplyMove", &[]).await.expect("the connection holds");
    assert_eq!(refusal(&call.reply().await.status), out_of_time());
}

#[tokio::test]
async fn a_call_that_never_ends_its_body_ends_in_time() {
    let server = start(&["--call-timeout", "200ms"]);
    let client = Client::connect(&server.address).await;
    let mut call = client.open("ApplyMove", &[]).await.expect("the connection holds");
    call.body.send_data(framed(&apply_move().encode_to_vec()), false).expect("it can be sent");
    assert_eq!(refusal(&call.reply().await.status), out_of_time());
}

#[tokio::test]
async fn a_shorter_deadline_of_the_caller_wins() {
    let server = start(&["--call-timeout", "1h"]);
    let client = Client::connect(&server.address).await;
    let call = client.open("ApplyMove", &[("grpc-timeout", "100m")]).await.expect("the connection holds");
    assert_eq!(refusal(&call.reply().await.status), out_of_time());
}

#[tokio::test]
async fn a_longer_deadline_of_the_caller_does_not() {
    let server = start(&["--call-timeout", "200ms"]);
    let client = Client::connect(&server.address).await;
    let call = client.open("ApplyMove", &[("grpc-timeout", "1H")]).await.expect("the connection holds");
    assert_eq!(refusal(&call.reply().await.status), out_of_time());
}

#[tokio::test]
async fn a_deadline_that_cannot_be_read_is_the_callers_mistake() {
    let server = start(&[]);
    let client = Client::connect(&server.address).await;
    let body = framed(&apply_move().encode_to_vec());
    for deadline in ["", "1", "S", "1s", "-1S", "1.5S", "123456789S", "1 S", "soon"] {
        for call in ["ApplyMove", "Evaluate"] {
            let reply = client.send(call, &[("grpc-timeout", deadline)], body.clone()).await;
            let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
            assert_eq!(refusal(&reply.status), expected, "{call} with {deadline:?}");
        }
    }
}

#[tokio::test]
async fn the_longest_deadline_that_can_be_written_is_read() {
    let server = start(&[]);
    let client = Client::connect(&server.address).await;
    for (call, body) in [("ApplyMove", apply_move().encode_to_vec()), ("Evaluate", Vec::new())] {
        let reply = client.send(call, &[("grpc-timeout", "99999999H")], framed(&body)).await;
        assert!(reply.is_ok(), "{call}: {:?}", reply.status);
    }
}

#[tokio::test]
async fn a_client_whose_connections_grow_old_loses_no_call() {
    let server = start(&["--max-connection-age", "200ms"]);
    for _ in 0..5 {
        let tally = call_until_sent_away(&server.address).await.expect("the connection is taken");
        assert!(tally.answered > 0, "{tally:?}");
    }
}

/// Waits until the server closes a connection, whatever it sends before.
async fn assert_closed(who: &str, mut stream: TcpStream) {
    let mut received = Vec::new();
    // An end or a reset.
    let _ = soon(&format!("{who} is closed"), stream.read_to_end(&mut received)).await;
}

/// A peer that writes this and then falls silent.
async fn silent_after(server: &TestServer, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).await.expect("the server can be reached");
    stream.write_all(bytes).await.expect("it can be sent");
    stream
}

fn handshake() -> Vec<u8> {
    [PREFACE, &http2_frame(frame_kind::SETTINGS, 0, 0, &[])].concat()
}

#[tokio::test]
async fn a_peer_that_says_nothing_at_all_is_closed_after_the_time_of_a_call() {
    let server = start(&["--call-timeout", "200ms"]);
    assert_closed("who says nothing", silent_after(&server, &[]).await).await;
}

#[tokio::test]
async fn peers_that_fall_silent_are_closed_when_their_connection_is_old() {
    let server = start(&["--max-connection-age", "200ms", "--max-connection-age-grace", "200ms"]);
    let said_nothing = silent_after(&server, &[]).await;
    let broke_off = silent_after(&server, &PREFACE[..10]).await;
    let shook_hands = silent_after(&server, &handshake()).await;
    assert_closed("who says nothing", said_nothing).await;
    assert_closed("who breaks off in the preface", broke_off).await;
    assert_closed("who says nothing after the handshake", shook_hands).await;
}

#[tokio::test]
async fn a_half_open_call_does_not_hold_an_old_connection() {
    let server = start(&["--max-connection-age", "200ms", "--max-connection-age-grace", "200ms"]);
    let client = Client::connect(&server.address).await;
    let call = client.open("Evaluate", &[]).await.expect("the connection holds");
    let _ = soon("the connection is closed", client.driver).await;
    drop(call);
}

#[tokio::test]
async fn a_peer_that_does_not_answer_pings_is_closed() {
    let server = start(&["--keepalive-interval", "200ms", "--keepalive-timeout", "200ms"]);
    assert_closed("who does not answer", silent_after(&server, &handshake()).await).await;
}

#[tokio::test]
async fn a_peer_that_answers_pings_stays() {
    let server = start(&["--keepalive-interval", "100ms", "--keepalive-timeout", "5s"]);
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    let pings = || client.seen.lock().expect("nobody panics here").pings;
    eventually("the server asks a few times", async || pings() >= 5).await;
    client.assert_answers().await;
}

/// Breaks the protocol so many times, asks whether the server is there, and tells what it sends until
/// it answers or ends the connection.
async fn after_breaches(breaches: u32) -> Seen {
    const PATH_WITHOUT_A_METHOD: [u8; 1] = [0x84];
    const END_OF_STREAM_AND_HEADERS: u8 = 0x5;
    let server = start(&[]);
    let mut stream = silent_after(&server, &handshake()).await;
    let breach = |index| {
        http2_frame(frame_kind::HEADERS, END_OF_STREAM_AND_HEADERS, 2 * index + 1, &PATH_WITHOUT_A_METHOD)
    };
    let mut frames: Vec<u8> = (0..breaches).flat_map(breach).collect();
    frames.extend(http2_frame(frame_kind::PING, 0, 0, &[0; 8]));
    // It may be cut off while it is still writing.
    let _ = stream.write_all(&frames).await;
    let mut seen = Seen::default();
    let mut buffer = [0; 4096];
    while seen.pings == 0
        && let Ok(length @ 1..) = soon("an answer or the end", stream.read(&mut buffer)).await
    {
        seen.read(&buffer[..length]);
    }
    Client::connect(&server.address).await.assert_answers().await;
    seen
}

#[tokio::test]
async fn a_peer_that_breaks_the_protocol_1024_times_is_borne_with() {
    let seen = after_breaches(1024).await;
    assert!(seen.pings == 1 && seen.go_aways.is_empty(), "{seen:?}");
}

#[tokio::test]
async fn a_peer_that_breaks_the_protocol_once_more_is_cut_off() {
    const ENHANCE_YOUR_CALM: u32 = 11;
    let seen = after_breaches(1025).await;
    assert_eq!(seen.go_aways.last().map(|go_away| go_away.code), Some(ENHANCE_YOUR_CALM), "{seen:?}");
}

const END_OF_STREAM: u8 = 0x1;
const END_OF_HEADERS: u8 = 0x4;

/// The headers of a call, in a frame, with a body to follow.
fn call_begins(stream: u32) -> Vec<u8> {
    const HEADERS: [(&str, &str); 5] = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/arbiter.v1.RulesService/ApplyMove"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    // Each as it is: neither compressed nor remembered.
    let text = |text: &'static str| [&[text.len() as u8], text.as_bytes()].concat();
    let header = |(name, value)| [vec![0], text(name), text(value)].concat();
    let block: Vec<u8> = HEADERS.into_iter().flat_map(header).collect();
    http2_frame(frame_kind::HEADERS, END_OF_HEADERS, stream, &block)
}

/// Writes frames by hand, asks whether the server is there, and tells what it has sent when it answers, or has ended
/// the connection.
async fn sent_after(stream: &mut TcpStream, seen: &mut Seen, frames: &[u8]) {
    let asked = [frames, &http2_frame(frame_kind::PING, 0, 0, &[0; 8])].concat();
    // It may be cut off while it is still writing.
    let _ = stream.write_all(&asked).await;
    let before = seen.pings;
    let mut buffer = [0; 4096];
    while seen.pings == before
        && let Ok(length @ 1..) = soon("an answer or the end", stream.read(&mut buffer)).await
    {
        seen.read(&buffer[..length]);
    }
}

#[tokio::test]
async fn a_connection_outlives_its_refusals_though_their_messages_come_late() {
    let server = start(&["--max-in-flight", "1"]);
    let other = Client::connect(&server.address).await;
    let held = other.open("ApplyMove", &[]).await.expect("the connection holds");
    eventually("it is under way", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 1\n")
    })
    .await;
    let mut stream = silent_after(&server, &handshake()).await;
    let mut seen = Seen::default();
    let message = framed(&apply_move().encode_to_vec());
    // More than the breaches of the protocol that are borne with.
    for first in (1..3000).step_by(200) {
        let streams = || (first..first + 200).step_by(2);
        sent_after(&mut stream, &mut seen, &streams().flat_map(call_begins).collect::<Vec<u8>>()).await;
        // All are refused by the time that more of them is sent.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let rest = |stream| http2_frame(frame_kind::DATA, END_OF_STREAM, stream, &message);
        sent_after(&mut stream, &mut seen, &streams().flat_map(rest).collect::<Vec<u8>>()).await;
    }
    assert!(seen.go_aways.is_empty() && seen.pings >= 30, "{seen:?}");
    drop(held);
}

#[tokio::test]
async fn who_gives_up_all_its_calls_at_once_keeps_its_connection() {
    const CANCEL: [u8; 4] = [0, 0, 0, 8];
    let server = start(&[]);
    let mut stream = silent_after(&server, &handshake()).await;
    let mut seen = Seen::default();
    let given_up =
        |stream| [call_begins(stream), http2_frame(frame_kind::RST_STREAM, 0, stream, &CANCEL)].concat();
    let frames: Vec<u8> = (1..400).step_by(2).flat_map(given_up).collect();
    sent_after(&mut stream, &mut seen, &frames).await;
    assert!(seen.go_aways.is_empty() && seen.pings == 1, "{seen:?}");
}
