//! Limits, metrics and logs of Connect calls: the same as for gRPC.

use std::process::Stdio;

use arbiter::wire::MAX_TOP_LEVEL_FIELDS;
use bytes::Bytes;
use http::{Method, StatusCode, Version};
use prost::Message;
use tonic::Code;

use crate::support::{
    TestServer,
    grpc_client::{GrpcClient, code_and_reason},
    http_client::{HttpClient, JSON, PROTO, VALID_MOVE, VERSIONS},
    metrics::{call_counts, handled_calls},
    process::{Process, arbiter},
    requests::apply_move,
    wait::{TIMEOUT, eventually},
};

const BATCH: &str = r#"{"calls": [{"listGames": {}}]}"#;

fn start(flags: &[&str]) -> TestServer {
    TestServer::start_with(&[&["--log", "off"], flags].concat())
}

fn resource_exhausted(reason: &str) -> (Code, String) {
    (Code::ResourceExhausted, reason.to_owned())
}

fn deadline_exceeded() -> (Code, String) {
    (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned())
}

/// JSON padded with spaces to a size.
fn padded_to(size: usize, json: &str) -> String {
    json.to_owned() + &" ".repeat(size - json.len())
}

fn calls_in_flight(server: &TestServer) -> usize {
    let metrics = server.admin_get("/metrics").1;
    let value = metrics.lines().find_map(|line| line.strip_prefix("arbiter_calls_in_flight "));
    value.and_then(|number| number.parse().ok()).expect("the metric is exposed")
}

async fn assert_max_bytes(flags: &[&str], call: &str, json: &str, max_bytes: usize) {
    for version in VERSIONS {
        let server = start(flags);
        let mut client = HttpClient::connect(&server.address, version).await;
        let response = client.call(call, &padded_to(max_bytes, json)).await;
        assert_eq!(response.status, StatusCode::OK, "{max_bytes} bytes: {}", response.text());
        let response = client.call(call, &padded_to(max_bytes + 1, json)).await;
        assert_eq!(response.code_and_reason(), resource_exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
        client.assert_call_succeeds().await;
    }
}

#[tokio::test]
async fn the_message_size_limit_is_configurable() {
    assert_max_bytes(&["--max-message-bytes", "100"], "ApplyMove", VALID_MOVE, 100).await;
}

#[tokio::test]
async fn a_message_has_at_most_64_kib_by_default() {
    assert_max_bytes(&[], "ApplyMove", VALID_MOVE, 65_536).await;
}

#[tokio::test]
async fn the_batch_size_limit_is_configurable() {
    assert_max_bytes(&["--max-batch-bytes", "100"], "EvaluateBatch", BATCH, 100).await;
}

#[tokio::test]
async fn a_call_counts_with_the_bytes_received_so_far() {
    // What a call takes without its message; the first 4096 bytes of a message are included.
    const CALL_BYTES: usize = 16 * 1024;
    let server = start(&["--max-bytes-in-flight", &(2 * CALL_BYTES).to_string()]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_2).await;
    let spaces = " ".repeat(4096 + CALL_BYTES);
    let held = client.open("EvaluateBatch", &[JSON]);
    held.send(spaces.clone());
    eventually("the bytes are counted", async || {
        server.admin_get("/metrics").1.contains(&format!("arbiter_bytes_in_flight {}\n", 2 * CALL_BYTES))
    })
    .await;
    let other = client.post("EvaluateBatch", &[JSON], BATCH).await;
    assert_eq!(other.code_and_reason(), resource_exhausted("ERROR_REASON_OVERLOADED"));
    let response = held.finish(BATCH).await;
    assert_eq!(response.status, StatusCode::OK, "a single batch of any size is accepted: {response:?}");
    eventually("the next batch is accepted", async || {
        client.post("EvaluateBatch", &[JSON], BATCH).await.status == StatusCode::OK
    })
    .await;
}

#[tokio::test]
async fn a_protobuf_message_has_the_same_size_limit() {
    let server = start(&["--max-message-bytes", "100"]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    // A request padded with an unknown field.
    let message = |size: usize| {
        let request = apply_move().encode_to_vec();
        let unknown = vec![0; size - request.len() - 2];
        let length = u8::try_from(unknown.len()).expect("the padding is short");
        [request.as_slice(), &[15 << 3 | 2, length], &unknown].concat()
    };
    let response = client.post("ApplyMove", &[PROTO], message(100)).await;
    assert_eq!(response.status, StatusCode::OK, "{response:?}");
    let response = client.post("ApplyMove", &[PROTO], message(101)).await;
    assert_eq!(response.code_and_reason(), resource_exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
}

#[tokio::test]
async fn a_message_of_unknown_length_has_the_same_size_limit() {
    for version in VERSIONS {
        let server = start(&["--max-message-bytes", "100"]);
        let mut client = HttpClient::connect(&server.address, version).await;
        let call = client.open("ApplyMove", &[JSON]);
        call.send(padded_to(100, VALID_MOVE));
        assert_eq!(
            call.finish(" ").await.code_and_reason(),
            resource_exhausted("ERROR_REASON_MESSAGE_TOO_LARGE")
        );
    }
}

#[tokio::test]
async fn the_item_limit_of_a_batch_is_configurable() {
    let server = start(&["--max-batch-items", "3"]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let batch = |calls| format!(r#"{{"calls": [{}]}}"#, vec!["{}"; calls].join(", "));
    let response = client.call("EvaluateBatch", &batch(3)).await;
    assert_eq!(response.json()["answers"].as_array().map(Vec::len), Some(3));
    let response = client.call("EvaluateBatch", &batch(4)).await;
    assert_eq!(response.code_and_reason(), resource_exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
}

#[tokio::test]
async fn a_call_in_a_batch_has_the_size_limit_of_a_single_call() {
    let server = start(&["--max-message-bytes", "100"]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let call = |size: usize| {
        let (start, end) = (r#"{"renderState": {"#, "}}");
        padded_to(size - end.len(), start) + end
    };
    let batch = format!(r#"{{"calls": [{}, {}, {}]}}"#, call(100), call(101), call(100));
    let response = client.call("EvaluateBatch", &batch).await.json();
    let reason = |index: usize| response["answers"][index]["refusal"]["reasons"][0]["code"].clone();
    let (empty, large) = ("ERROR_REASON_FIELD_REQUIRED", "ERROR_REASON_MESSAGE_TOO_LARGE");
    assert_eq!([0, 1, 2].map(reason), [empty, large, empty], "{response}");
}

/// Peak resident memory of the process.
fn peak_megabytes(server: &TestServer) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("the server runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the status has a peak");
    peak.trim().trim_end_matches(" kB").parse::<u64>().expect("the peak is a number") / 1024
}

/// Maximum number of members and list items of a message of 64 KiB: 4096, and one for every 8 bytes.
const MAX_FIELDS: usize = 4096 + 65_536 / 8;

/// The start of the refusal of a message with more.
const TOO_MANY_FIELDS: &str = "the message has more than 12288 fields";

/// A `CompareCards` request with this many empty cards. It has one field more than cards.
fn compare_cards(cards: usize) -> String {
    format!(r#"{{"cards": [{}]}}"#, vec!["{}"; cards].join(","))
}

#[tokio::test]
async fn a_message_has_a_maximum_number_of_nested_fields() {
    let server = start(&["--max-replay-moves", "2000"]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let response = client.call("CompareCards", &compare_cards(MAX_FIELDS - 1)).await;
    assert_eq!(response.status, StatusCode::BAD_REQUEST, "{}", response.text());
    let response = client.call("CompareCards", &compare_cards(MAX_FIELDS)).await;
    assert_eq!(response.code_and_reason(), resource_exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
    assert!(response.text().contains(TOO_MANY_FIELDS), "{}", response.text());
}

#[tokio::test]
async fn a_call_in_a_batch_has_the_same_maximum_number_of_fields() {
    let server = start(&["--max-replay-moves", "2000"]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    // A call has two fields more than cards.
    let batch = |cards| format!(r#"{{"calls": [{{}}, {{"compareCards": {}}}, {{}}]}}"#, compare_cards(cards));
    let response = client.call("EvaluateBatch", &batch(MAX_FIELDS - 2)).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text());
    let response = client.call("EvaluateBatch", &batch(MAX_FIELDS - 1)).await;
    assert_eq!(response.code_and_reason(), resource_exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
    assert!(response.text().contains(TOO_MANY_FIELDS), "{}", response.text());
}

#[tokio::test]
async fn a_batch_never_has_more_than_16384_items() {
    let server = start(&["--max-batch-items", "16384"]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let batch = |calls: usize| format!(r#"{{"calls": [{}]}}"#, vec!["{}"; calls].join(","));
    let response = client.call("EvaluateBatch", &batch(MAX_TOP_LEVEL_FIELDS)).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text());
    let response = client.call("EvaluateBatch", &batch(MAX_TOP_LEVEL_FIELDS + 1)).await;
    assert_eq!(response.code_and_reason(), resource_exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
}

#[tokio::test]
async fn a_replay_of_the_maximum_number_of_typed_moves_is_accepted() {
    let server = start(&["--max-message-bytes", "131072"]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let round = [(2, 1, 2, 2), (1, 2, 1, 1), (2, 2, 2, 1), (1, 1, 1, 2)];
    let mv = |(row, column, to_row, to_column)| {
        format!(
            r#"{{"queenRooks":{{"from":{{"row":{row},"column":{column}}},"to":{{"row":{to_row},"column":{to_column}}}}}}}"#
        )
    };
    let moves: Vec<_> = round.into_iter().cycle().take(1000).map(mv).collect();
    let replay =
        format!(r#"{{"state":{{"notation":"qr:2rq/2rr/RR2/QR2:1"}},"moves":[{}]}}"#, moves.join(","));
    let response = client.call("ReplayGame", &replay).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text());
}

#[tokio::test]
async fn the_memory_of_a_batch_is_bounded() {
    let many_items = vec!["{}"; 349_000].join(",");
    let many_squares =
        format!(r#"{{"renderState": {{"state": {{"tripleTriad": {{"board": [{many_items}]}}}}}}}}"#);
    for (calls, reason) in [(&many_items, "TOO_MANY_ITEMS"), (&many_squares, "MESSAGE_TOO_LARGE")] {
        let server = start(&[]);
        let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
        client.assert_call_succeeds().await;
        let before = peak_megabytes(&server);
        let response = client.call("EvaluateBatch", &format!(r#"{{"calls": [{calls}]}}"#)).await;
        assert!(response.text().contains(reason), "{}", response.text());
        let growth = peak_megabytes(&server) - before;
        assert!(growth < 32, "{reason}: a request of 1 MiB took {growth} MiB");
    }
}

#[tokio::test]
async fn calls_above_the_in_flight_limit_are_shed_until_one_ends() {
    let server = start(&["--max-in-flight", "2"]);
    let mut clients = Vec::new();
    for version in VERSIONS {
        clients.push(HttpClient::connect(&server.address, version).await);
    }
    let mut held: Vec<_> = clients.iter_mut().map(|client| client.open("ApplyMove", &[JSON])).collect();
    eventually("two calls are in flight", async || calls_in_flight(&server) == 2).await;

    let mut third = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let response = third.call("ApplyMove", VALID_MOVE).await;
    assert_eq!(response.code_and_reason(), resource_exhausted("ERROR_REASON_OVERLOADED"));
    let response = GrpcClient::connect(&server.address).await.call("ApplyMove", &apply_move()).await;
    assert_eq!(
        code_and_reason(&response.status),
        resource_exhausted("ERROR_REASON_OVERLOADED"),
        "gRPC calls share the limit"
    );

    let response = held.pop().expect("a call is held").finish(VALID_MOVE).await;
    assert_eq!(response.status, StatusCode::OK, "a held call succeeds");
    eventually("its permit is released", async || calls_in_flight(&server) == 1).await;
    third.assert_call_succeeds().await;
}

#[tokio::test]
async fn a_call_without_a_body_times_out() {
    for version in VERSIONS {
        let server = start(&["--call-timeout", "200ms"]);
        let mut client = HttpClient::connect(&server.address, version).await;
        let response = client.open("ApplyMove", &[JSON]).response().await;
        assert_eq!(response.code_and_reason(), deadline_exceeded());
        eventually("its permit is released", async || calls_in_flight(&server) == 0).await;
    }
}

#[tokio::test]
async fn a_call_with_an_unfinished_body_times_out() {
    for version in VERSIONS {
        let server = start(&["--call-timeout", "200ms"]);
        let mut client = HttpClient::connect(&server.address, version).await;
        let call = client.open("ApplyMove", &[JSON]);
        call.send(VALID_MOVE);
        assert_eq!(call.response().await.code_and_reason(), deadline_exceeded());
    }
}

#[tokio::test]
async fn a_client_deadline_below_the_call_timeout_applies() {
    let server = start(&["--call-timeout", "1h"]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let call = client.open("ApplyMove", &[JSON, ("connect-timeout-ms", "100")]);
    assert_eq!(call.response().await.code_and_reason(), deadline_exceeded());
}

/// Starts a server, makes one call and compares all call counters.
async fn assert_counted(
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
    expected: &[(&str, &str, &str, u64)],
) {
    let server = start(&["--max-message-bytes", "100"]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let response = client.post(path, headers, body).await;
    let exposition = server.admin_get("/metrics").1;
    assert_eq!(
        handled_calls(&exposition),
        call_counts(expected),
        "{path} with {headers:?}: {}",
        response.text()
    );
}

#[tokio::test]
async fn a_successful_call_is_counted_once() {
    assert_counted("ApplyMove", &[JSON], VALID_MOVE, &[("ApplyMove", "connect_four", "OK", 1)]).await;
    let request = apply_move().encode_to_vec();
    assert_counted("ApplyMove", &[PROTO], request, &[("ApplyMove", "connect_four", "OK", 1)]).await;
}

#[tokio::test]
async fn an_invalid_request_is_counted_once() {
    let no_move = r#"{"state": {"notation": "c4:"}}"#;
    let expected = [("ApplyMove", "connect_four", "INVALID_ARGUMENT", 1)];
    assert_counted("ApplyMove", &[JSON], no_move, &expected).await;
}

#[tokio::test]
async fn a_malformed_message_is_counted_once() {
    let expected = [("ApplyMove", "none", "INVALID_ARGUMENT", 1)];
    assert_counted("ApplyMove", &[JSON], r#"{"state": 4}"#, &expected).await;
    assert_counted("ApplyMove", &[PROTO], Bytes::from_static(&[0xff]), &expected).await;
    let expected = [("EvaluateBatch", "none", "INVALID_ARGUMENT", 1)];
    assert_counted("EvaluateBatch", &[JSON], r#"{"calls": [4]}"#, &expected).await;
}

#[tokio::test]
async fn a_message_that_is_too_large_is_counted_once() {
    let expected = [("ApplyMove", "none", "RESOURCE_EXHAUSTED", 1)];
    assert_counted("ApplyMove", &[JSON], padded_to(101, VALID_MOVE), &expected).await;
    assert_counted("ApplyMove", &[PROTO], vec![0; 101], &expected).await;
}

#[tokio::test]
async fn an_invalid_header_is_counted_once() {
    let expected = [("ApplyMove", "none", "INVALID_ARGUMENT", 1)];
    for header in [("connect-protocol-version", "2"), ("connect-timeout-ms", "soon")] {
        assert_counted("ApplyMove", &[JSON, header], VALID_MOVE, &expected).await;
    }
    let expected = [("ApplyMove", "none", "UNIMPLEMENTED", 1)];
    assert_counted("ApplyMove", &[JSON, ("content-encoding", "gzip")], VALID_MOVE, &expected).await;
    let expected = [("ApplyMove", "none", "DEADLINE_EXCEEDED", 1)];
    assert_counted("ApplyMove", &[JSON, ("connect-timeout-ms", "0")], VALID_MOVE, &expected).await;
}

#[tokio::test]
async fn an_unimplemented_call_is_counted_once() {
    assert_counted("Evaluate", &[JSON], "{}", &[("Evaluate", "none", "UNIMPLEMENTED", 1)]).await;
    assert_counted("NoSuchCall", &[JSON], "{}", &[("unknown", "none", "UNIMPLEMENTED", 1)]).await;
}

#[tokio::test]
async fn requests_that_are_not_calls_of_the_rules_service_are_not_counted() {
    assert_counted("/some.other.Service/Call", &[JSON], "{}", &[]).await;
    assert_counted("/some.other.Service/Call", &[JSON, ("connect-protocol-version", "2")], "{}", &[]).await;
    assert_counted("ApplyMove", &[("content-type", "text/plain")], VALID_MOVE, &[]).await;
    let server = start(&[]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    client.request(Method::GET, "ApplyMove", &[], Bytes::new()).await;
    assert_eq!(handled_calls(&server.admin_get("/metrics").1), call_counts(&[]));
}

#[tokio::test]
async fn a_cancelled_call_is_counted_once_and_releases_its_permit() {
    let server = start(&[]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_2).await;
    let call = client.open("ApplyMove", &[JSON]);
    eventually("the call is in flight", async || calls_in_flight(&server) == 1).await;
    client.driver.abort();
    drop((call, client));
    eventually("no call is in flight", async || calls_in_flight(&server) == 0).await;
    assert_eq!(handled_calls(&server.admin_get("/metrics").1).values().sum::<u64>(), 1);
}

#[tokio::test]
async fn batch_items_are_counted_and_call_durations_are_measured() {
    let server = start(&[]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    client.call("EvaluateBatch", r#"{"calls": [{"listGames": {}}, {"listGames": {}}]}"#).await;
    let exposition = server.admin_get("/metrics").1;
    let value = |name: &str, label: &str| {
        let line = exposition.lines().find(|line| line.starts_with(name) && line.contains(label));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
    };
    assert_eq!(value("arbiter_items_handled_total", r#""ListGames""#), Some(2.0), "{exposition}");
    assert_eq!(value("grpc_server_handling_seconds_count", r#""EvaluateBatch""#), Some(1.0), "{exposition}");
}

/// The JSON log of a server that receives these calls.
async fn log_of(level: &str, calls: &[(&str, &str)]) -> String {
    let flags = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--drain-delay", "0s"];
    let flags = [&flags[..], &["--log-format", "json", "--log", level]].concat();
    let mut server = Process::start(arbiter().args(flags).stderr(Stdio::piped()));
    let stderr = server.capture_stderr();
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    for (call, json) in calls {
        client.call(call, json).await;
    }
    drop(client);
    server.terminate();
    assert!(server.wait(TIMEOUT).await.is_some(), "the server exits");
    stderr()
}

#[tokio::test]
async fn every_call_is_one_log_line() {
    let calls = [
        ("ApplyMove", VALID_MOVE),
        ("ApplyMove", r#"{"state": {"notation": "c4:"}}"#),
        ("ApplyMove", r#"{"state": 4}"#),
        ("Evaluate", "{}"),
        ("NoSuchCall", "{}"),
    ];
    let log = log_of("arbiter=debug", &calls).await;
    let lines =
        log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("the log is JSON"));
    let lines: Vec<_> = lines.filter(|line| !line["method"].is_null()).collect();
    let values = |key: &str| -> Vec<_> { lines.iter().map(|line| line[key].clone()).collect() };
    assert_eq!(values("method"), ["ApplyMove", "ApplyMove", "ApplyMove", "Evaluate", "unknown"], "{log}");
    let codes = ["OK", "INVALID_ARGUMENT", "INVALID_ARGUMENT", "UNIMPLEMENTED", "UNIMPLEMENTED"];
    assert_eq!(values("code"), codes, "{log}");
    assert_eq!(values("level"), ["DEBUG", "INFO", "INFO", "INFO", "INFO"], "{log}");
}

#[tokio::test]
async fn a_malformed_state_is_never_logged() {
    // The parser quotes unexpected input in the response. The log must not contain it.
    let calls = [("ApplyMove", VALID_MOVE), ("ApplyMove", r#"{"state": "c4:7x6x4:4453"}"#)];
    let log = log_of("trace", &calls).await;
    assert!(log.contains("ERROR_REASON_MALFORMED_REQUEST"), "no call is logged: {log}");
    assert!(!log.contains("c4:7x6x4"), "a state is logged: {log}");
}
