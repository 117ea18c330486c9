//! Requests that are no requests: each is refused as the caller's mistake, with a reason, and the server goes on.

use std::time::{Duration, Instant};

use arbiter::{games::GameId, wire::proto};
use bytes::Bytes;
use prost::Message;
use tonic::Code;

use crate::support::{
    TestServer,
    raw::{BatchAnswer, Client, apply_move, eventually, framed, framed_with, read, refusal},
};

/// The key of a field that is a text, a message or bytes.
const fn key(field: u8) -> u8 {
    field << 3 | 2
}

const STATE: u8 = key(1);
const NOTATION: u8 = key(1);

async fn start() -> (TestServer, Client) {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    (server, client)
}

/// Makes a call that cannot be read, then one that can.
async fn assert_malformed(call: &str, headers: &[(&str, &str)], body: Bytes) {
    assert_refused(call, headers, body, (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST")).await;
}

async fn assert_refused(call: &str, headers: &[(&str, &str)], body: Bytes, (code, reason): (Code, &str)) {
    let (_server, client) = start().await;
    let reply = client.send(call, headers, body).await;
    assert_eq!(refusal(&reply.status), (code, reason.to_owned()), "{:?}", reply.status);
    client.assert_answers().await;
}

fn good_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

#[tokio::test]
async fn bytes_that_are_no_message_are_the_callers_mistake() {
    assert_malformed("ApplyMove", &[], framed(&[0xff; 32])).await;
}

#[tokio::test]
async fn a_field_of_the_wrong_kind_is_the_callers_mistake() {
    let state_as_a_number = [1 << 3, 1];
    assert_malformed("ApplyMove", &[], framed(&state_as_a_number)).await;
}

#[tokio::test]
async fn a_text_that_is_not_utf8_is_the_callers_mistake() {
    assert_malformed("ApplyMove", &[], framed(&[STATE, 4, NOTATION, 2, 0xc3, 0x28])).await;
}

#[tokio::test]
async fn a_field_longer_than_its_message_is_the_callers_mistake() {
    assert_malformed("ApplyMove", &[], framed(&[STATE, 100, NOTATION, 1, b'c'])).await;
}

/// It is its game that reads a state, so that the rest of the request is read all the same.
#[tokio::test]
async fn a_state_that_its_game_cannot_read_is_told_with_whatever_else_is_wrong() {
    let (_server, client) = start().await;
    for game in GameId::ALL {
        // Fields that no message has: a number that does not end, a text beyond the end, rules that are a number.
        for wire in [&[0xff; 3][..], &[key(2), 9, b'.'], &[1 << 3, 1]] {
            let state = proto::State::typed(game, wire.to_vec());
            let request = proto::ValidateMoveRequest { state: Some(state), r#move: None };
            let reply = client.call("ValidateMove", &request).await;
            let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
            assert_eq!(refusal(&reply.status), expected);
            let message = reply.status.message();
            assert!(
                message.starts_with(&format!("state.{}: this cannot be read: ", game.name())),
                "{message}"
            );
            assert!(message.ends_with("; move: this field is required"), "{message}");
        }
    }
    client.assert_answers().await;
}

#[tokio::test]
async fn nesting_without_end_is_the_callers_mistake() {
    // Groups of an unknown field, each in the one before.
    let opened = [15 << 3 | 3].repeat(2000);
    let closed = [15 << 3 | 4].repeat(2000);
    assert_malformed("ApplyMove", &[], framed(&[opened, closed].concat())).await;
}

#[tokio::test]
async fn a_body_without_a_message_is_the_callers_mistake() {
    assert_malformed("ApplyMove", &[], Bytes::new()).await;
}

#[tokio::test]
async fn a_body_that_ends_inside_the_length_is_the_callers_mistake() {
    assert_malformed("ApplyMove", &[], good_body().slice(..3)).await;
}

#[tokio::test]
async fn a_body_that_ends_inside_the_message_is_the_callers_mistake() {
    let body = good_body();
    assert_malformed("ApplyMove", &[], body.slice(..body.len() - 1)).await;
}

#[tokio::test]
async fn a_compression_flag_that_does_not_exist_is_the_callers_mistake() {
    assert_malformed("ApplyMove", &[], framed_with(7, &apply_move().encode_to_vec())).await;
}

#[tokio::test]
async fn a_compressed_message_without_its_encoding_is_the_callers_mistake() {
    assert_malformed("ApplyMove", &[], framed_with(1, &apply_move().encode_to_vec())).await;
}

#[tokio::test]
async fn a_message_that_is_not_compressed_as_it_says_is_the_callers_mistake() {
    let body = framed_with(1, &apply_move().encode_to_vec());
    assert_malformed("ApplyMove", &[("grpc-encoding", "gzip")], body).await;
}

#[tokio::test]
async fn a_malformed_item_does_not_spoil_its_batch() {
    let (_server, client) = start().await;
    let good = proto::Call { kind: Some(proto::call::Kind::ApplyMove(apply_move())) };
    let mut batch = proto::EvaluateBatchRequest::default();
    batch.push(&[0xff]);
    batch.push(&good.encode_to_vec());
    let answers: BatchAnswer = client.call("EvaluateBatch", &batch).await.message();
    let [Some(proto::answer::Kind::Refusal(refusal)), Some(proto::answer::Kind::ApplyMove(_))] =
        [0, 1].map(|index: usize| answers.answers[index].kind.clone())
    else {
        panic!("not a refusal and an answer: {answers:?}");
    };
    assert_eq!(refusal.reasons[0].code(), proto::ErrorReason::MalformedRequest);
}

#[tokio::test]
async fn a_compression_that_is_not_offered_is_not_available() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE");
    for (call, encoding) in [("ApplyMove", "br"), ("ApplyMove", "zstd"), ("EvaluateBatch", "br")] {
        assert_refused(call, &[("grpc-encoding", encoding)], good_body(), expected).await;
    }
}

#[tokio::test]
async fn a_compression_that_is_not_offered_is_not_available_on_a_stream() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE");
    assert_refused("Evaluate", &[("grpc-encoding", "br")], good_body(), expected).await;
}

#[tokio::test]
async fn a_call_that_does_not_exist_is_not_available() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE");
    assert_refused("NoSuchCall", &[], good_body(), expected).await;
}

#[tokio::test]
async fn an_unknown_call_is_answered_with_a_suggestion() {
    let (_server, client) = start().await;
    let reply = client.send("NewGme", &[], good_body()).await;
    assert_eq!(reply.status.message(), "unknown method `NewGme`: did you mean `NewGame`?");
}

#[tokio::test]
async fn a_service_that_does_not_exist_is_not_available() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE");
    for path in ["/arbiter.v2.RulesService/ApplyMove", "/arbiter.v1.RulesService", "/", "/a/b/c"] {
        assert_refused(path, &[], good_body(), expected).await;
    }
}

const HEALTH: &str = "/grpc.health.v1.Health/Check";

#[tokio::test]
async fn a_malformed_question_about_health_is_the_callers_mistake() {
    let (_server, client) = start().await;
    for body in [framed(&[0xff; 8]), Bytes::new()] {
        let reply = client.send(HEALTH, &[], body.clone()).await;
        assert_eq!(reply.status.code(), Code::InvalidArgument, "{} bytes: {:?}", body.len(), reply.status);
    }
}

#[tokio::test]
async fn a_question_about_health_is_not_longer_than_16_kib() {
    let (_server, client) = start().await;
    let question = tonic_health::pb::HealthCheckRequest { service: "s".repeat(20_000) }.encode_to_vec();
    let reply = client.send(HEALTH, &[], framed(&question)).await;
    assert_eq!(reply.status.code(), Code::ResourceExhausted, "{:?}", reply.status);
}

#[tokio::test]
async fn a_question_about_health_that_never_comes_ends_in_time() {
    let server = TestServer::start_with(&["--log", "off", "--call-timeout", "200ms"]);
    let client = Client::connect(&server.address).await;
    let question = client.open(HEALTH, &[]).await.expect("the connection holds");
    let ended = tokio::time::timeout(Duration::from_secs(3), read(question.answer)).await;
    assert!(ended.is_ok(), "it is held for longer than any call");
}

#[tokio::test]
async fn a_caller_that_resets_its_call_leaves_nothing_behind() {
    let (server, client) = start().await;
    let mut call = client.open("ApplyMove", &[]).await.expect("the connection holds");
    call.body.send_reset(h2::Reason::CANCEL);
    eventually("the call is gone", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 0")
    })
    .await;
    client.assert_answers().await;
}

#[tokio::test]
async fn every_call_refuses_bytes_that_are_no_message() {
    let (_server, client) = start().await;
    for method in arbiter::service::Method::ALL {
        let reply = client.send(method.name(), &[], framed(&[0xff; 32])).await;
        let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
        assert_eq!(refusal(&reply.status), expected, "{}", method.name());
    }
    let games: proto::ListGamesResponse =
        client.call("ListGames", &proto::ListGamesRequest::default()).await.message();
    assert!(!games.games.is_empty());
}

/// A new game with a hundred cards that are none, each of which has a long name.
fn many_long_names() -> proto::NewGameRequest {
    let card = proto::TripleTriadCard { notation: "♥".repeat(60), ..Default::default() };
    let setup = proto::TripleTriadSetup { collection_one: vec![card; 100], ..Default::default() };
    let setup = Some(proto::new_game_request::Setup::TripleTriad(setup));
    proto::NewGameRequest { setup, ..Default::default() }
}

/// As many cards as can be compared, none of which is one.
fn many_strange_cards() -> proto::CompareCardsRequest {
    let card = proto::RoyalMatchCard { notation: "😀".repeat(40), ..Default::default() };
    proto::CompareCardsRequest { cards: vec![card; 52], ..Default::default() }
}

/// How many bytes of headers the refusal of a request takes.
async fn header_bytes(call: &str, request: &impl Message) -> usize {
    let (_server, client) = start().await;
    let status = client.call(call, request).await.status;
    assert_eq!(status.code(), Code::InvalidArgument);
    // As they are sent: details in base64, and three letters for each byte of the message that is no letter or digit.
    let length = |byte: u8| if byte.is_ascii_alphanumeric() { 1 } else { 3 };
    let message: usize = status.message().bytes().map(length).sum();
    message + status.details().len().div_ceil(3) * 4
}

#[tokio::test]
async fn a_refusal_of_many_faults_fits_into_the_headers_that_clients_accept() {
    let most = 8 * 1024 - 512;
    let bytes = header_bytes("NewGame", &many_long_names()).await;
    assert!(bytes < most, "{bytes} bytes of headers");
    let bytes = header_bytes("CompareCards", &many_strange_cards()).await;
    assert!(bytes < most, "{bytes} bytes of headers");
}

/// Whoever opens a stream that a later version has is told so at once, not when nothing more comes.
#[tokio::test]
async fn a_call_that_is_not_there_is_refused_before_it_has_come() {
    let (_server, client) = start().await;
    let call = client.open("NoSuchCall", &[]).await.expect("the connection holds");
    let asked = Instant::now();
    let reply = call.reply().await;
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE".to_owned());
    assert_eq!(refusal(&reply.status), expected);
    assert!(asked.elapsed() < Duration::from_secs(5), "it was waited for");
}
