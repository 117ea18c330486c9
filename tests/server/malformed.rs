//! Malformed requests fail with `INVALID_ARGUMENT` and a reason, and the server keeps serving.

use std::time::{Duration, Instant};

use arbiter::{games::GameId, wire::proto};
use bytes::Bytes;
use prost::Message;
use tonic::Code;

use crate::support::{
    TestServer,
    grpc_client::{GrpcClient, code_and_reason, read},
    requests::{BatchResponse, apply_move, framed, framed_with},
    wait::eventually,
};

/// The key of a length-delimited field.
const fn key(field: u8) -> u8 {
    field << 3 | 2
}

const STATE: u8 = key(1);
const NOTATION: u8 = key(1);

async fn start() -> (TestServer, GrpcClient) {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    (server, client)
}

/// Makes a malformed call, then a valid one.
async fn assert_malformed(call: &str, headers: &[(&str, &str)], body: Bytes) {
    assert_fails(call, headers, body, (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST")).await;
}

async fn assert_fails(call: &str, headers: &[(&str, &str)], body: Bytes, (code, reason): (Code, &str)) {
    let (_server, client) = start().await;
    let response = client.send(call, headers, body).await;
    assert_eq!(code_and_reason(&response.status), (code, reason.to_owned()), "{:?}", response.status);
    client.assert_call_succeeds().await;
}

fn valid_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

#[tokio::test]
async fn invalid_protobuf_is_malformed() {
    assert_malformed("ApplyMove", &[], framed(&[0xff; 32])).await;
}

#[tokio::test]
async fn a_field_of_the_wrong_wire_type_is_malformed() {
    let state_as_a_number = [1 << 3, 1];
    assert_malformed("ApplyMove", &[], framed(&state_as_a_number)).await;
}

#[tokio::test]
async fn a_string_that_is_not_utf8_is_malformed() {
    assert_malformed("ApplyMove", &[], framed(&[STATE, 4, NOTATION, 2, 0xc3, 0x28])).await;
}

#[tokio::test]
async fn a_field_longer_than_its_message_is_malformed() {
    assert_malformed("ApplyMove", &[], framed(&[STATE, 100, NOTATION, 1, b'c'])).await;
}

/// The game decodes its state, so the rest of the request is still validated.
#[tokio::test]
async fn a_malformed_state_is_reported_with_all_other_violations() {
    let (_server, client) = start().await;
    for game in GameId::ALL {
        // An unterminated varint, a string beyond the end, and a number in place of the rules.
        for wire in [&[0xff; 3][..], &[key(2), 9, b'.'], &[1 << 3, 1]] {
            let state = proto::State::typed(game, wire.to_vec());
            let request = proto::ValidateMoveRequest { state: Some(state), r#move: None };
            let response = client.call("ValidateMove", &request).await;
            let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
            assert_eq!(code_and_reason(&response.status), expected);
            let message = response.status.message();
            assert!(
                message.starts_with(&format!("state.{}: cannot decode this state: ", game.name())),
                "{message}"
            );
            assert!(message.ends_with("; move: this field is required"), "{message}");
        }
    }
    client.assert_call_succeeds().await;
}

#[tokio::test]
async fn deep_nesting_is_malformed() {
    // Nested groups of an unknown field.
    let start_groups = [15 << 3 | 3].repeat(2000);
    let end_groups = [15 << 3 | 4].repeat(2000);
    assert_malformed("ApplyMove", &[], framed(&[start_groups, end_groups].concat())).await;
}

#[tokio::test]
async fn an_empty_body_is_malformed() {
    assert_malformed("ApplyMove", &[], Bytes::new()).await;
}

#[tokio::test]
async fn a_body_truncated_in_the_length_is_malformed() {
    assert_malformed("ApplyMove", &[], valid_body().slice(..3)).await;
}

#[tokio::test]
async fn a_body_truncated_in_the_message_is_malformed() {
    let body = valid_body();
    assert_malformed("ApplyMove", &[], body.slice(..body.len() - 1)).await;
}

#[tokio::test]
async fn an_unknown_compression_flag_is_malformed() {
    assert_malformed("ApplyMove", &[], framed_with(7, &apply_move().encode_to_vec())).await;
}

#[tokio::test]
async fn a_compressed_message_without_an_encoding_header_is_malformed() {
    assert_malformed("ApplyMove", &[], framed_with(1, &apply_move().encode_to_vec())).await;
}

#[tokio::test]
async fn a_message_that_is_not_valid_gzip_is_malformed() {
    let body = framed_with(1, &apply_move().encode_to_vec());
    assert_malformed("ApplyMove", &[("grpc-encoding", "gzip")], body).await;
}

#[tokio::test]
async fn a_malformed_item_does_not_affect_the_others() {
    let (_server, client) = start().await;
    let valid = proto::Call { kind: Some(proto::call::Kind::ApplyMove(apply_move())) };
    let mut batch = proto::EvaluateBatchRequest::default();
    batch.push(&[0xff]);
    batch.push(&valid.encode_to_vec());
    let response: BatchResponse = client.call("EvaluateBatch", &batch).await.message();
    let [Some(proto::answer::Kind::Refusal(refusal)), Some(proto::answer::Kind::ApplyMove(_))] =
        [0, 1].map(|index: usize| response.answers[index].kind.clone())
    else {
        panic!("not a refusal and a success: {response:?}");
    };
    assert_eq!(refusal.reasons[0].code(), proto::ErrorReason::MalformedRequest);
}

#[tokio::test]
async fn an_unsupported_encoding_is_unimplemented() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE");
    for (call, encoding) in [("ApplyMove", "br"), ("ApplyMove", "zstd"), ("EvaluateBatch", "br")] {
        assert_fails(call, &[("grpc-encoding", encoding)], valid_body(), expected).await;
    }
}

#[tokio::test]
async fn an_unsupported_encoding_of_a_stream_is_unimplemented() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE");
    assert_fails("Evaluate", &[("grpc-encoding", "br")], valid_body(), expected).await;
}

#[tokio::test]
async fn an_unknown_method_is_unimplemented() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE");
    assert_fails("NoSuchCall", &[], valid_body(), expected).await;
}

#[tokio::test]
async fn an_unknown_method_is_reported_with_a_suggestion() {
    let (_server, client) = start().await;
    let response = client.send("NewGme", &[], valid_body()).await;
    assert_eq!(response.status.message(), "unknown method `NewGme`: did you mean `NewGame`?");
}

#[tokio::test]
async fn an_unknown_service_is_unimplemented() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE");
    for path in ["/arbiter.v2.RulesService/ApplyMove", "/arbiter.v1.RulesService", "/", "/a/b/c"] {
        assert_fails(path, &[], valid_body(), expected).await;
    }
}

#[tokio::test]
async fn an_unsupported_compression_is_answered_with_the_supported_ones() {
    let (_server, client) = start().await;
    for method in ["ApplyMove", "EvaluateBatch", "Evaluate", HEALTH] {
        let response = client.send(method, &[("grpc-encoding", "br")], valid_body()).await;
        assert!(response.headers.contains_key("grpc-accept-encoding"), "{method}: {:?}", response.headers);
    }
}

const HEALTH: &str = "/grpc.health.v1.Health/Check";

#[tokio::test]
async fn an_expired_health_check_is_not_answered() {
    let (_server, client) = start().await;
    let response = client.send(HEALTH, &[("grpc-timeout", "0n")], framed(&[])).await;
    assert_eq!(response.status.code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_malformed_health_check_is_invalid() {
    let (_server, client) = start().await;
    for body in [framed(&[0xff; 8]), Bytes::new()] {
        let response = client.send(HEALTH, &[], body.clone()).await;
        assert_eq!(
            response.status.code(),
            Code::InvalidArgument,
            "{} bytes: {:?}",
            body.len(),
            response.status
        );
    }
}

#[tokio::test]
async fn a_health_check_of_20_kb_is_too_large() {
    let (_server, client) = start().await;
    let request = tonic_health::pb::HealthCheckRequest { service: "s".repeat(20_000) }.encode_to_vec();
    let response = client.send(HEALTH, &[], framed(&request)).await;
    assert_eq!(response.status.code(), Code::ResourceExhausted, "{:?}", response.status);
}

#[tokio::test]
async fn a_health_check_without_a_body_times_out() {
    let server = TestServer::start_with(&["--log", "off", "--call-timeout", "200ms"]);
    let client = GrpcClient::connect(&server.address).await;
    let call = client.open(HEALTH, &[]).await.expect("the connection stays open");
    let response = tokio::time::timeout(Duration::from_secs(3), read(call.response)).await;
    assert!(response.is_ok(), "the call timeout does not apply");
}

#[tokio::test]
async fn a_reset_call_releases_its_permit() {
    let (server, client) = start().await;
    let mut call = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    call.body.send_reset(h2::Reason::CANCEL);
    eventually("no call is in flight", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 0")
    })
    .await;
    client.assert_call_succeeds().await;
}

#[tokio::test]
async fn every_method_rejects_invalid_protobuf() {
    let (_server, client) = start().await;
    for method in arbiter::service::Method::ALL {
        let response = client.send(method.name(), &[], framed(&[0xff; 32])).await;
        let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
        assert_eq!(code_and_reason(&response.status), expected, "{}", method.name());
    }
    let games: proto::ListGamesResponse =
        client.call("ListGames", &proto::ListGamesRequest::default()).await.message();
    assert!(!games.games.is_empty());
}

/// A request with a hundred invalid cards with long names.
fn many_invalid_triple_triad_cards() -> proto::NewGameRequest {
    let card = proto::TripleTriadCard { notation: "♥".repeat(60), ..Default::default() };
    let setup = proto::TripleTriadSetup { collection_one: vec![card; 100], ..Default::default() };
    let setup = Some(proto::new_game_request::Setup::TripleTriad(setup));
    proto::NewGameRequest { setup, ..Default::default() }
}

/// The maximum number of cards, all of them invalid.
fn many_invalid_royal_match_cards() -> proto::CompareCardsRequest {
    let card = proto::RoyalMatchCard { notation: "😀".repeat(40), ..Default::default() };
    proto::CompareCardsRequest { cards: vec![card; 52], ..Default::default() }
}

/// The size of the status headers of an error response.
async fn header_bytes(call: &str, request: &impl Message) -> usize {
    let (_server, client) = start().await;
    let status = client.call(call, request).await.status;
    assert_eq!(status.code(), Code::InvalidArgument);
    // On the wire the details are base64, and each byte of the message other than a letter or digit takes three bytes.
    let length = |byte: u8| if byte.is_ascii_alphanumeric() { 1 } else { 3 };
    let message: usize = status.message().bytes().map(length).sum();
    message + status.details().len().div_ceil(3) * 4
}

#[tokio::test]
async fn an_error_with_many_violations_fits_into_the_header_limit_of_clients() {
    let max_bytes = 8 * 1024 - 512;
    let bytes = header_bytes("NewGame", &many_invalid_triple_triad_cards()).await;
    assert!(bytes < max_bytes, "{bytes} bytes of headers");
    let bytes = header_bytes("CompareCards", &many_invalid_royal_match_cards()).await;
    assert!(bytes < max_bytes, "{bytes} bytes of headers");
}

/// A client of a later version that opens an unknown stream gets the error at once, without half-closing.
#[tokio::test]
async fn an_unknown_method_fails_before_the_body_arrives() {
    let (_server, client) = start().await;
    let call = client.open("NoSuchCall", &[]).await.expect("the connection stays open");
    let start_time = Instant::now();
    let response = call.response().await;
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE".to_owned());
    assert_eq!(code_and_reason(&response.status), expected);
    assert!(start_time.elapsed() < Duration::from_secs(5), "the server waited for the body");
}
