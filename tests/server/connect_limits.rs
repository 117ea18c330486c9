//! The limits hold whichever way a call comes, and it is counted and logged like any other: here by Connect.

use std::process::Stdio;

use bytes::Bytes;
use http::{Method, StatusCode, Version};
use prost::Message;
use tonic::Code;

use crate::support::{
    TestServer,
    raw::{Client, PATIENCE, Process, apply_move, arbiter, eventually, refusal},
    web::{GOOD_MOVE, JSON, PROTO, VERSIONS, WebClient, counts, handled},
};

const BATCH: &str = r#"{"calls": [{"listGames": {}}]}"#;

fn start(flags: &[&str]) -> TestServer {
    TestServer::start_with(&[&["--log", "off"], flags].concat())
}

fn exhausted(reason: &str) -> (Code, String) {
    (Code::ResourceExhausted, reason.to_owned())
}

fn out_of_time() -> (Code, String) {
    (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned())
}

/// A text of JSON filled up to a size.
fn filled_to(size: usize, json: &str) -> String {
    json.to_owned() + &" ".repeat(size - json.len())
}

fn calls_under_way(server: &TestServer) -> usize {
    let metrics = server.admin_get("/metrics").1;
    let told = metrics.lines().find_map(|line| line.strip_prefix("arbiter_calls_in_flight "));
    told.and_then(|number| number.parse().ok()).expect("it is told")
}

async fn assert_largest(flags: &[&str], call: &str, json: &str, largest: usize) {
    for version in VERSIONS {
        let server = start(flags);
        let mut client = WebClient::connect(&server.address, version).await;
        let answer = client.call(call, &filled_to(largest, json)).await;
        assert_eq!(answer.status, StatusCode::OK, "{largest} bytes: {}", answer.text());
        let answer = client.call(call, &filled_to(largest + 1, json)).await;
        assert_eq!(answer.refused(), exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
        client.assert_answers().await;
    }
}

#[tokio::test]
async fn a_message_has_at_most_as_many_bytes_as_configured() {
    assert_largest(&["--max-message-bytes", "100"], "ApplyMove", GOOD_MOVE, 100).await;
}

#[tokio::test]
async fn a_message_has_at_most_64_kib() {
    assert_largest(&[], "ApplyMove", GOOD_MOVE, 65_536).await;
}

#[tokio::test]
async fn a_batch_has_at_most_as_many_bytes_as_configured() {
    assert_largest(&["--max-batch-bytes", "100"], "EvaluateBatch", BATCH, 100).await;
}

#[tokio::test]
async fn batches_count_by_what_has_come_of_them() {
    let server = start(&["--max-batch-bytes-in-flight", "100"]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_2).await;
    let spaces = " ".repeat(80);
    let held = client.open("EvaluateBatch", &[JSON]);
    held.send(spaces.clone());
    eventually("it is held", async || {
        server.admin_get("/metrics").1.contains("arbiter_batches_in_flight_bytes 80\n")
    })
    .await;
    let other = client.post("EvaluateBatch", &[JSON], BATCH).await;
    assert_eq!(other.refused(), exhausted("ERROR_REASON_OVERLOADED"));
    let answer = held.finish(BATCH).await;
    assert_eq!(answer.status, StatusCode::OK, "one that is alone is taken, whatever its size: {answer:?}");
    eventually("there is room again", async || {
        client.post("EvaluateBatch", &[JSON], BATCH).await.status == StatusCode::OK
    })
    .await;
}

#[tokio::test]
async fn a_message_in_binary_form_has_the_same_limit() {
    let server = start(&["--max-message-bytes", "100"]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    // A request, and a text that nobody knows beside it.
    let message = |size: usize| {
        let request = apply_move().encode_to_vec();
        let unknown = vec![0; size - request.len() - 2];
        let length = u8::try_from(unknown.len()).expect("it is short");
        [request.as_slice(), &[15 << 3 | 2, length], &unknown].concat()
    };
    let answer = client.post("ApplyMove", &[PROTO], message(100)).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let answer = client.post("ApplyMove", &[PROTO], message(101)).await;
    assert_eq!(answer.refused(), exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
}

#[tokio::test]
async fn a_message_whose_length_is_not_told_has_the_same_limit() {
    for version in VERSIONS {
        let server = start(&["--max-message-bytes", "100"]);
        let mut client = WebClient::connect(&server.address, version).await;
        let call = client.open("ApplyMove", &[JSON]);
        call.send(filled_to(100, GOOD_MOVE));
        assert_eq!(call.finish(" ").await.refused(), exhausted("ERROR_REASON_MESSAGE_TOO_LARGE"));
    }
}

#[tokio::test]
async fn a_batch_has_at_most_as_many_calls_as_configured() {
    let server = start(&["--max-batch-items", "3"]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    let batch = |calls| format!(r#"{{"calls": [{}]}}"#, vec!["{}"; calls].join(", "));
    let answer = client.call("EvaluateBatch", &batch(3)).await;
    assert_eq!(answer.json()["answers"].as_array().map(Vec::len), Some(3));
    let answer = client.call("EvaluateBatch", &batch(4)).await;
    assert_eq!(answer.refused(), exhausted("ERROR_REASON_TOO_MANY_ITEMS"));
}

#[tokio::test]
async fn a_call_in_a_batch_has_at_most_as_many_bytes_as_on_its_own() {
    let server = start(&["--max-message-bytes", "100"]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    let call = |size: usize| {
        let (begun, ended) = (r#"{"renderState": {"#, "}}");
        filled_to(size - ended.len(), begun) + ended
    };
    let batch = format!(r#"{{"calls": [{}, {}, {}]}}"#, call(100), call(101), call(100));
    let answer = client.call("EvaluateBatch", &batch).await.json();
    let reason = |index: usize| answer["answers"][index]["refusal"]["reasons"][0]["code"].clone();
    let (empty, large) = ("ERROR_REASON_FIELD_REQUIRED", "ERROR_REASON_MESSAGE_TOO_LARGE");
    assert_eq!([0, 1, 2].map(reason), [empty, large, empty], "{answer}");
}

/// The most memory that the process ever held.
fn peak_megabytes(server: &TestServer) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("it runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak is told");
    peak.trim().trim_end_matches(" kB").parse::<u64>().expect("it is a number") / 1024
}

#[tokio::test]
async fn a_batch_does_not_take_many_times_its_size() {
    let many = vec!["{}"; 349_000].join(",");
    let squares = format!(r#"{{"renderState": {{"state": {{"tripleTriad": {{"board": [{many}]}}}}}}}}"#);
    for (calls, reason) in [(&many, "TOO_MANY_ITEMS"), (&squares, "MESSAGE_TOO_LARGE")] {
        let server = start(&[]);
        let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
        client.assert_answers().await;
        let before = peak_megabytes(&server);
        let answer = client.call("EvaluateBatch", &format!(r#"{{"calls": [{calls}]}}"#)).await;
        assert!(answer.text().contains(reason), "{}", answer.text());
        let grown = peak_megabytes(&server) - before;
        assert!(grown < 32, "{reason}: a request of 1 MiB took {grown} MiB");
    }
}

#[tokio::test]
async fn one_call_more_than_may_be_under_way_is_shed_and_then_taken_again() {
    let server = start(&["--max-in-flight", "2"]);
    let mut clients = Vec::new();
    for version in VERSIONS {
        clients.push(WebClient::connect(&server.address, version).await);
    }
    let mut held: Vec<_> = clients.iter_mut().map(|client| client.open("ApplyMove", &[JSON])).collect();
    eventually("two calls are under way", async || calls_under_way(&server) == 2).await;

    let mut third = WebClient::connect(&server.address, Version::HTTP_11).await;
    let answer = third.call("ApplyMove", GOOD_MOVE).await;
    assert_eq!(answer.refused(), exhausted("ERROR_REASON_OVERLOADED"));
    let reply = Client::connect(&server.address).await.call("ApplyMove", &apply_move()).await;
    assert_eq!(refusal(&reply.status), exhausted("ERROR_REASON_OVERLOADED"), "gRPC has the same places");

    let released = held.pop().expect("one is held").finish(GOOD_MOVE).await;
    assert_eq!(released.status, StatusCode::OK, "a held call is answered");
    eventually("its place is free", async || calls_under_way(&server) == 1).await;
    third.assert_answers().await;
}

#[tokio::test]
async fn a_call_whose_body_never_comes_ends_in_time() {
    for version in VERSIONS {
        let server = start(&["--call-timeout", "200ms"]);
        let mut client = WebClient::connect(&server.address, version).await;
        let answer = client.open("ApplyMove", &[JSON]).answer().await;
        assert_eq!(answer.refused(), out_of_time());
        eventually("its place is free", async || calls_under_way(&server) == 0).await;
    }
}

#[tokio::test]
async fn a_call_that_never_ends_its_body_ends_in_time() {
    for version in VERSIONS {
        let server = start(&["--call-timeout", "200ms"]);
        let mut client = WebClient::connect(&server.address, version).await;
        let call = client.open("ApplyMove", &[JSON]);
        call.send(GOOD_MOVE);
        assert_eq!(call.answer().await.refused(), out_of_time());
    }
}

#[tokio::test]
async fn a_shorter_deadline_of_the_caller_wins() {
    let server = start(&["--call-timeout", "1h"]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    let call = client.open("ApplyMove", &[JSON, ("connect-timeout-ms", "100")]);
    assert_eq!(call.answer().await.refused(), out_of_time());
}

/// Makes one call on a server of its own and compares everything that is counted.
async fn assert_counted(
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
    wanted: &[(&str, &str, &str, u64)],
) {
    let server = start(&["--max-message-bytes", "100"]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    let answer = client.post(path, headers, body).await;
    let exposition = server.admin_get("/metrics").1;
    assert_eq!(handled(&exposition), counts(wanted), "{path} with {headers:?}: {}", answer.text());
}

#[tokio::test]
async fn a_call_that_is_answered_is_counted_once() {
    assert_counted("ApplyMove", &[JSON], GOOD_MOVE, &[("ApplyMove", "connect_four", "OK", 1)]).await;
    let request = apply_move().encode_to_vec();
    assert_counted("ApplyMove", &[PROTO], request, &[("ApplyMove", "connect_four", "OK", 1)]).await;
}

#[tokio::test]
async fn a_call_that_the_service_refuses_is_counted_once() {
    let no_move = r#"{"state": {"notation": "c4:"}}"#;
    let wanted = [("ApplyMove", "connect_four", "INVALID_ARGUMENT", 1)];
    assert_counted("ApplyMove", &[JSON], no_move, &wanted).await;
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_counted_once() {
    let wanted = [("ApplyMove", "none", "INVALID_ARGUMENT", 1)];
    assert_counted("ApplyMove", &[JSON], r#"{"state": 4}"#, &wanted).await;
    assert_counted("ApplyMove", &[PROTO], Bytes::from_static(&[0xff]), &wanted).await;
    let wanted = [("EvaluateBatch", "none", "INVALID_ARGUMENT", 1)];
    assert_counted("EvaluateBatch", &[JSON], r#"{"calls": [4]}"#, &wanted).await;
}

#[tokio::test]
async fn a_message_that_is_too_large_is_counted_once() {
    let wanted = [("ApplyMove", "none", "RESOURCE_EXHAUSTED", 1)];
    assert_counted("ApplyMove", &[JSON], filled_to(101, GOOD_MOVE), &wanted).await;
    assert_counted("ApplyMove", &[PROTO], vec![0; 101], &wanted).await;
}

#[tokio::test]
async fn a_header_that_is_refused_is_counted_once() {
    let wanted = [("ApplyMove", "none", "INVALID_ARGUMENT", 1)];
    for header in [("connect-protocol-version", "2"), ("connect-timeout-ms", "soon")] {
        assert_counted("ApplyMove", &[JSON, header], GOOD_MOVE, &wanted).await;
    }
    let wanted = [("ApplyMove", "none", "UNIMPLEMENTED", 1)];
    assert_counted("ApplyMove", &[JSON, ("content-encoding", "gzip")], GOOD_MOVE, &wanted).await;
    let wanted = [("ApplyMove", "none", "DEADLINE_EXCEEDED", 1)];
    assert_counted("ApplyMove", &[JSON, ("connect-timeout-ms", "0")], GOOD_MOVE, &wanted).await;
}

#[tokio::test]
async fn a_call_that_is_not_available_is_counted_once() {
    assert_counted("Evaluate", &[JSON], "{}", &[("Evaluate", "none", "UNIMPLEMENTED", 1)]).await;
    assert_counted("NoSuchCall", &[JSON], "{}", &[("unknown", "none", "UNIMPLEMENTED", 1)]).await;
}

#[tokio::test]
async fn what_is_no_call_of_the_referee_is_not_counted() {
    assert_counted("/some.other.Service/Call", &[JSON], "{}", &[]).await;
    assert_counted("/some.other.Service/Call", &[JSON, ("connect-protocol-version", "2")], "{}", &[]).await;
    assert_counted("ApplyMove", &[("content-type", "text/plain")], GOOD_MOVE, &[]).await;
    let server = start(&[]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    client.request(Method::GET, "ApplyMove", &[], Bytes::new()).await;
    assert_eq!(handled(&server.admin_get("/metrics").1), counts(&[]));
}

#[tokio::test]
async fn a_call_that_is_given_up_is_counted_once_and_leaves_its_place() {
    let server = start(&[]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_2).await;
    let call = client.open("ApplyMove", &[JSON]);
    eventually("the call is under way", async || calls_under_way(&server) == 1).await;
    client.driver.abort();
    drop((call, client));
    eventually("the call is gone", async || calls_under_way(&server) == 0).await;
    assert_eq!(handled(&server.admin_get("/metrics").1).values().sum::<u64>(), 1);
}

#[tokio::test]
async fn the_items_of_a_batch_are_counted_and_calls_are_timed() {
    let server = start(&[]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    client.call("EvaluateBatch", r#"{"calls": [{"listGames": {}}, {"listGames": {}}]}"#).await;
    let exposition = server.admin_get("/metrics").1;
    let value = |name: &str, label: &str| {
        let line = exposition.lines().find(|line| line.starts_with(name) && line.contains(label));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
    };
    assert_eq!(value("arbiter_items_handled_total", r#""ListGames""#), Some(2.0), "{exposition}");
    assert_eq!(value("grpc_server_handling_seconds_count", r#""EvaluateBatch""#), Some(1.0), "{exposition}");
}

/// What a server logs of these calls of `ApplyMove`, in JSON.
async fn log_of(level: &str, calls: &[(&str, &str)]) -> String {
    let flags = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--drain-delay", "0s"];
    let flags = [&flags[..], &["--log-format", "json", "--log", level]].concat();
    let mut server = Process::start(arbiter().args(flags).stderr(Stdio::piped()));
    let errors = server.errors();
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    for (call, json) in calls {
        client.call(call, json).await;
    }
    drop(client);
    server.terminate();
    assert!(server.wait(PATIENCE).await.is_some(), "the server ends");
    errors()
}

#[tokio::test]
async fn every_call_is_one_line_of_the_log() {
    let calls = [
        ("ApplyMove", GOOD_MOVE),
        ("ApplyMove", r#"{"state": {"notation": "c4:"}}"#),
        ("ApplyMove", r#"{"state": 4}"#),
        ("Evaluate", "{}"),
        ("NoSuchCall", "{}"),
    ];
    let log = log_of("arbiter=debug", &calls).await;
    let lines = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("it is JSON"));
    let lines: Vec<_> = lines.filter(|line| !line["method"].is_null()).collect();
    let told = |key: &str| -> Vec<_> { lines.iter().map(|line| line[key].clone()).collect() };
    assert_eq!(told("method"), ["ApplyMove", "ApplyMove", "ApplyMove", "Evaluate", "unknown"], "{log}");
    let codes = ["OK", "INVALID_ARGUMENT", "INVALID_ARGUMENT", "UNIMPLEMENTED", "UNIMPLEMENTED"];
    assert_eq!(told("code"), codes, "{log}");
    assert_eq!(told("level"), ["DEBUG", "INFO", "INFO", "INFO", "INFO"], "{log}");
}

#[tokio::test]
async fn a_state_is_never_logged_even_if_it_cannot_be_read() {
    // The reader quotes what it did not expect to the caller, and to nobody else.
    let calls = [("ApplyMove", GOOD_MOVE), ("ApplyMove", r#"{"state": "c4:7x6x4:4453"}"#)];
    let log = log_of("trace", &calls).await;
    assert!(log.contains("ERROR_REASON_MALFORMED_REQUEST"), "the calls are logged: {log}");
    assert!(!log.contains("c4:7x6x4"), "a state is logged: {log}");
}
