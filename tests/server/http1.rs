//! HTTP/1.1 connections: keep-alive, pipelining, header limits, connection age and shutdown.

use std::{
    process::ExitStatus,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use http::{StatusCode, Version};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{
    TestServer,
    http_client::{HttpClient, JSON, STATE_AFTER_MOVE, VALID_MOVE},
    metrics::handled_calls,
    process::Process,
    temp_dir::TempDir,
    wait::{TIMEOUT, eventually, with_timeout},
};

/// A timeout that never expires during a test.
const LONG_TIMEOUT: &str = "60s";

fn start(flags: &[&str]) -> TestServer {
    TestServer::start_with(&[&["--log", "off"], flags].concat())
}

async fn connect(address: &str) -> HttpClient {
    HttpClient::connect(address, Version::HTTP_11).await
}

/// Opens a connection and sends these bytes.
async fn connect_and_send(server: &TestServer, bytes: impl AsRef<[u8]>) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).await.expect("the server is reachable");
    stream.write_all(bytes.as_ref()).await.expect("the data is sent");
    stream
}

/// Reads everything until the server closes the connection.
async fn read_until_closed(mut stream: TcpStream) -> String {
    let mut received = Vec::new();
    // The connection may end with a reset.
    let _ = with_timeout("the server closes the connection", stream.read_to_end(&mut received)).await;
    String::from_utf8(received).expect("valid UTF-8")
}

/// The head of an `ApplyMove` request with additional headers.
fn head(length: usize, headers: &str) -> String {
    format!(
        "POST /arbiter.v1.RulesService/ApplyMove HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n"
    )
}

fn valid_request(headers: &str) -> String {
    head(VALID_MOVE.len(), headers) + VALID_MOVE
}

fn calls_in_flight(metrics: &str) -> usize {
    let value = metrics.lines().find_map(|line| line.strip_prefix("arbiter_calls_in_flight "));
    value.and_then(|number| number.parse().ok()).expect("the metric is exposed")
}

#[tokio::test]
async fn a_connection_is_reused_for_further_calls_and_after_errors() {
    let server = start(&[]);
    let mut client = connect(&server.address).await;
    client.assert_call_succeeds().await;
    assert_eq!(client.call("ApplyMove", "{").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(client.call("NoSuchCall", "{}").await.status, StatusCode::NOT_IMPLEMENTED);
    assert_eq!(client.post("ApplyMove", &[], "").await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    client.assert_call_succeeds().await;
    assert!(
        server.admin_get("/metrics").1.contains("arbiter_connections 1"),
        "there is more than one connection"
    );
}

#[tokio::test]
async fn pipelined_calls_are_answered_in_order() {
    let server = start(&[]);
    let unknown = "POST /no.such.Service/Call HTTP/1.1\r\nhost: localhost\r\n\
                   content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    let requests = valid_request("") + unknown + &valid_request("connection: close\r\n");
    let responses = read_until_closed(connect_and_send(&server, requests).await).await;
    let statuses: Vec<_> =
        responses.lines().filter_map(|line| line.split("HTTP/1.1 ").nth(1)?.get(..3)).collect();
    assert_eq!(statuses, ["200", "501", "200"], "{responses}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pipelined_calls_do_not_delay_other_connections() {
    const PIPELINED: usize = 400;
    // The largest board: each of these calls takes a time slice or more.
    const CALL: &str = r#"{"queen_rooks": {}, "rules": {"queen_rooks": {"size": 26}}}"#;
    let server = start(&["--threads", "1"]);
    let mut other = connect(&server.address).await;
    other.assert_call_succeeds().await;
    let request = head(CALL.len(), "").replace("ApplyMove", "NewGame") + CALL;
    let (mut reader, mut writer) =
        TcpStream::connect(&server.address).await.expect("the server is reachable").into_split();
    let received = Arc::new(AtomicUsize::new(0));
    let counter = received.clone();
    let reads = tokio::spawn(async move {
        let (mut buffer, mut pending) = (vec![0; 64 * 1024], Vec::new());
        while let Ok(length @ 1..) = reader.read(&mut buffer).await {
            pending.extend_from_slice(&buffer[..length]);
            let responses = String::from_utf8_lossy(&pending).matches("HTTP/1.1 200").count();
            counter.store(responses, Relaxed);
        }
    });
    writer.write_all(request.repeat(PIPELINED).as_bytes()).await.expect("the data is sent");
    eventually("the first call is answered", async || received.load(Relaxed) > 0).await;
    other.assert_call_succeeds().await;
    let answered = received.load(Relaxed);
    assert!(answered < PIPELINED / 2, "{answered} calls ran before that of another connection");
    reads.abort();
}

#[tokio::test]
async fn an_http2_upgrade_request_is_answered_over_http1() {
    let server = start(&[]);
    let upgrade =
        "connection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n";
    let response = read_until_closed(connect_and_send(&server, valid_request(upgrade)).await).await;
    assert!(response.starts_with("HTTP/1.1 200 ") && response.contains(STATE_AFTER_MOVE), "{response}");
}

#[tokio::test]
async fn expect_100_continue_is_supported() {
    let server = start(&[]);
    let mut stream =
        connect_and_send(&server, head(VALID_MOVE.len(), "expect: 100-continue\r\nconnection: close\r\n"))
            .await;
    let mut interim_response = [0; 25];
    with_timeout("100 Continue", stream.read_exact(&mut interim_response))
        .await
        .expect("the connection stays open");
    assert_eq!(&interim_response, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(VALID_MOVE.as_bytes()).await.expect("the data is sent");
    let response = read_until_closed(stream).await;
    assert!(response.starts_with("HTTP/1.1 200 ") && response.contains(STATE_AFTER_MOVE), "{response}");
}

#[tokio::test]
async fn a_connection_that_is_not_http_is_closed_and_the_server_keeps_serving() {
    let server = start(&[]);
    let tls_client_hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice();
    for bytes in [tls_client_hello, b"\r\n\r\n\r\n\0", b"what is this?\r\n\r\n", b"POST / HTTP/9.9\r\n\r\n"] {
        let response = read_until_closed(connect_and_send(&server, bytes).await).await;
        assert!(response.is_empty() || response.starts_with("HTTP/1.1 400 "), "{bytes:?}: {response}");
    }
    connect(&server.address).await.assert_call_succeeds().await;
}

/// Sends a request with these Host headers, and after it a valid one.
async fn responses_with_hosts(server: &TestServer, version: &str, hosts: &str) -> String {
    let first = valid_request("").replace("host: localhost\r\n", hosts).replace("HTTP/1.1", version);
    let requests = first + &valid_request("connection: close\r\n");
    read_until_closed(connect_and_send(server, requests).await).await
}

#[tokio::test]
async fn a_request_without_exactly_one_valid_host_is_a_bad_request_and_closes_the_connection() {
    let server = start(&[]);
    for (version, hosts, explanation) in [
        ("HTTP/1.1", "", "Host header is missing"),
        ("HTTP/1.1", "host: localhost\r\nhost: localhost\r\n", "more than one Host header"),
        ("HTTP/1.1", "host: localhost\r\nHOST: other\r\n", "more than one Host header"),
        ("HTTP/1.1", "host: local host\r\n", "Host header is invalid"),
        ("HTTP/1.1", "host: me@localhost\r\n", "Host header is invalid"),
        ("HTTP/1.1", "host: http://localhost\r\n", "Host header is invalid"),
        ("HTTP/1.1", "host: localhost:65536\r\n", "Host header is invalid"),
        ("HTTP/1.0", "host: localhost\r\nhost: other\r\n", "more than one Host header"),
        ("HTTP/1.0", "host: local/host\r\n", "Host header is invalid"),
    ] {
        let response = responses_with_hosts(&server, version, hosts).await;
        assert!(response.starts_with(&format!("{version} 400 ")), "{hosts:?}: {response}");
        assert!(response.contains(explanation), "{hosts:?}: {response}");
        let responses = response.matches("\r\nx-request-id: ").count();
        assert_eq!(responses, 1, "{hosts:?}: the connection stays open: {response}");
    }
    let calls: u64 = handled_calls(&server.admin_get("/metrics").1).values().sum();
    assert_eq!(calls, 0, "a bad request is a call");
}

#[tokio::test]
async fn an_absolute_target_does_not_replace_the_host() {
    let server = start(&[]);
    let request =
        valid_request("").replace("host: localhost\r\n", "").replace("POST ", "POST http://localhost");
    let response = read_until_closed(connect_and_send(&server, request).await).await;
    assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
}

#[tokio::test]
async fn a_request_with_a_valid_host_succeeds() {
    let server = start(&[]);
    for host in ["play.example:50051", "127.0.0.1", "[::1]:50051", ""] {
        let responses = responses_with_hosts(&server, "HTTP/1.1", &format!("host: {host}\r\n")).await;
        assert_eq!(responses.matches("HTTP/1.1 200 ").count(), 2, "{host:?}: {responses}");
    }
}

#[tokio::test]
async fn an_http_1_0_request_needs_no_host() {
    let server = start(&[]);
    let response = responses_with_hosts(&server, "HTTP/1.0", "").await;
    assert!(response.starts_with("HTTP/1.0 200 ") && response.contains(STATE_AFTER_MOVE), "{response}");
}

#[tokio::test]
async fn a_connection_that_is_idle_after_a_call_is_closed() {
    let server = start(&["--keepalive-interval", "200ms"]);
    let mut client = connect(&server.address).await;
    client.assert_call_succeeds().await;
    let _ = with_timeout("the idle connection is closed", client.driver).await;
}

#[tokio::test]
async fn a_connection_that_stalls_in_its_headers_is_closed() {
    let server = start(&["--keepalive-interval", "200ms"]);
    let request = valid_request("");
    let line_end = request.find('\n').expect("the request has several lines") + 1;
    for length in [2, line_end, line_end + 5] {
        read_until_closed(connect_and_send(&server, &request[..length]).await).await;
    }
}

#[tokio::test]
async fn a_connection_with_a_call_in_flight_is_not_idle() {
    let server = start(&["--keepalive-interval", "100ms", "--call-timeout", LONG_TIMEOUT]);
    let mut client = connect(&server.address).await;
    let call = client.open("ApplyMove", &[JSON]);
    call.send(&b" "[..]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(call.finish(VALID_MOVE).await.json()["state"]["notation"], STATE_AFTER_MOVE);
}

#[tokio::test]
async fn oversized_or_excessive_headers_are_rejected_and_the_server_keeps_serving() {
    let server = start(&[]);
    let long = format!("x-long: {}\r\n", "x".repeat(20_000));
    let many = "x-one-of-many: x\r\n".repeat(200);
    for headers in [long, many] {
        let mut stream = TcpStream::connect(&server.address).await.expect("the server is reachable");
        // The server may close the connection during the write.
        let _ = stream.write_all(valid_request(&headers).as_bytes()).await;
        let response = read_until_closed(stream).await;
        assert!(response.is_empty() || response.starts_with("HTTP/1.1 431 "), "{response}");
    }
    connect(&server.address).await.assert_call_succeeds().await;
}

#[tokio::test]
async fn headers_of_8_kb_are_accepted() {
    let server = start(&[]);
    let headers = format!("connection: close\r\ncookie: {}\r\n", "x".repeat(8_000));
    let response = read_until_closed(connect_and_send(&server, valid_request(&headers)).await).await;
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
}

#[tokio::test]
async fn a_connection_closed_within_the_body_cancels_the_call() {
    let server = start(&["--call-timeout", LONG_TIMEOUT]);
    let chunked = head(0, "").replace("content-length: 0", "transfer-encoding: chunked") + "43\r\n{\"state\"";
    for partial_request in [head(1000, "") + VALID_MOVE, head(1000, ""), chunked] {
        let before: u64 = handled_calls(&server.admin_get("/metrics").1).values().sum();
        let stream = connect_and_send(&server, partial_request).await;
        let metrics = || server.admin_get("/metrics").1;
        eventually("the call is in flight", async || calls_in_flight(&metrics()) == 1).await;
        drop(stream);
        eventually("no call is in flight", async || calls_in_flight(&metrics()) == 0).await;
        let after: u64 = handled_calls(&metrics()).values().sum();
        assert_eq!(after - before, 1, "{}", metrics());
    }
    connect(&server.address).await.assert_call_succeeds().await;
}

#[tokio::test]
async fn a_malformed_chunk_is_a_bad_request() {
    let server = start(&["--call-timeout", LONG_TIMEOUT]);
    let headers = "connection: close\r\n";
    let chunked =
        head(0, headers).replace("content-length: 0", "transfer-encoding: chunked") + "zzz\r\n{}\r\n";
    let response = read_until_closed(connect_and_send(&server, chunked).await).await;
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 400 "), "{response}");
    connect(&server.address).await.assert_call_succeeds().await;
}

#[tokio::test]
async fn a_call_in_flight_at_the_maximum_age_succeeds_and_is_the_last() {
    let server = start(&["--max-connection-age", "200ms", "--call-timeout", LONG_TIMEOUT]);
    let mut client = connect(&server.address).await;
    let call = client.open("ApplyMove", &[JSON]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let response = call.finish(VALID_MOVE).await;
    assert_eq!(response.json()["state"]["notation"], STATE_AFTER_MOVE);
    assert_eq!(response.header("connection"), Some("close"), "the connection accepts no further call");
    let _ = with_timeout("the connection is closed", client.driver).await;
}

#[tokio::test]
async fn an_idle_connection_is_closed_at_its_maximum_age() {
    let server = start(&["--max-connection-age", "200ms"]);
    let mut client = connect(&server.address).await;
    client.assert_call_succeeds().await;
    let _ = with_timeout("the connection is closed", client.driver).await;
}

/// Starts a server for a test that shuts it down.
fn start_process(flags: &[&str]) -> Process {
    Process::start_on_fixed_port(&[&["--log", "off", "--drain-delay", "0s"], flags].concat())
}

async fn assert_exits_successfully(server: &mut Process) {
    let ended = server.wait(TIMEOUT).await;
    assert!(ended.as_ref().is_some_and(ExitStatus::success), "the server exits with 0: {ended:?}");
}

#[tokio::test]
async fn a_call_in_flight_succeeds_after_the_listener_has_closed() {
    let mut server = start_process(&["--drain-timeout", LONG_TIMEOUT, "--call-timeout", LONG_TIMEOUT]);
    let mut client = connect(&server.address).await;
    client.assert_call_succeeds().await;
    let call = client.open("ApplyMove", &[JSON]);
    eventually("the call is in flight", async || calls_in_flight(&server.metrics().await) == 1).await;
    server.terminate();
    eventually("the listener closes", async || TcpStream::connect(&server.address).await.is_err()).await;
    let response = call.finish(VALID_MOVE).await;
    assert_eq!(response.json()["state"]["notation"], STATE_AFTER_MOVE);
    assert_eq!(response.header("connection"), Some("close"), "the connection accepts no further call");
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn idle_connections_do_not_delay_shutdown() {
    let mut server = start_process(&["--drain-timeout", LONG_TIMEOUT]);
    let mut client = connect(&server.address).await;
    client.assert_call_succeeds().await;
    server.terminate();
    let _ = with_timeout("the connection is closed", client.driver).await;
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn a_call_without_a_body_does_not_block_shutdown() {
    let mut server = start_process(&["--drain-timeout", "300ms", "--call-timeout", LONG_TIMEOUT]);
    let mut client = connect(&server.address).await;
    let _call = client.open("ApplyMove", &[JSON]);
    eventually("the call is in flight", async || calls_in_flight(&server.metrics().await) == 1).await;
    server.terminate();
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn connections_accepted_before_shutdown_are_still_served() {
    let mut server = start_process(&["--drain-timeout", LONG_TIMEOUT, "--call-timeout", LONG_TIMEOUT]);
    // A call in flight keeps the server from exiting.
    let mut client = connect(&server.address).await;
    let held = client.open("ApplyMove", &[JSON]);
    let mut streams = Vec::new();
    for _ in 0..16 {
        streams.push(TcpStream::connect(&server.address).await.expect("the server is reachable"));
    }
    eventually("all connections are accepted", async || {
        server.metrics().await.contains("arbiter_connections 17")
    })
    .await;
    eventually("the call is in flight", async || calls_in_flight(&server.metrics().await) == 1).await;
    server.terminate();
    eventually("the listener closes", async || TcpStream::connect(&server.address).await.is_err()).await;
    for mut stream in streams {
        stream.write_all(valid_request("").as_bytes()).await.expect("the data is sent");
        let response = read_until_closed(stream).await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{response:?}");
    }
    held.finish(VALID_MOVE).await;
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn a_response_that_the_client_does_not_read_is_dropped() {
    let server = start_process(&["--keepalive-interval", "1s", "--keepalive-timeout", "1s"]);
    // Larger than the socket buffers.
    let call = r#"{"listGames": {"includeCards": true}}"#;
    let batch = format!(r#"{{"calls": [{}]}}"#, vec![call; 1000].join(","));
    let head = head(batch.len(), "").replace("ApplyMove", "EvaluateBatch");
    let mut stream = TcpStream::connect(&server.address).await.expect("the server is reachable");
    stream.write_all((head + &batch).as_bytes()).await.expect("the data is sent");
    eventually("the batch is in flight", async || calls_in_flight(&server.metrics().await) == 1).await;
    eventually("its response is dropped", async || calls_in_flight(&server.metrics().await) == 0).await;
}

#[tokio::test]
async fn an_eighth_of_the_connections_may_have_clients_that_do_not_read() {
    let server = start_process(&["--max-connections", "8", "--send-timeout", "1h"]);
    let batch = format!(r#"{{"calls": [{}]}}"#, vec![r#"{"listGames": {}}"#; 1000].join(","));
    let request = head(batch.len(), "connection: close\r\n").replace("ApplyMove", "EvaluateBatch") + &batch;
    let mut streams = Vec::new();
    for (refused, blocked) in [(0, 1), (1, 1)] {
        let mut stream = TcpStream::connect(&server.address).await.expect("the server is reachable");
        stream.write_all(request.as_bytes()).await.expect("the data is sent");
        streams.push(stream);
        eventually("the connection is blocked or closed", async || {
            server.metric("arbiter_connections_blocked").await == blocked
                && server.metric("arbiter_connections_blocked_refused_total").await == refused
        })
        .await;
    }
    eventually("one is closed", async || server.metric("arbiter_connections").await == 1).await;
    // The first has been blocked for longer. The second reads now, and gets all of its response.
    let second = streams.pop().expect("two connections");
    let response = read_until_closed(second).await;
    assert!(response.ends_with("]}"), "the response is not complete");
}

#[tokio::test]
async fn unread_responses_are_bounded_by_the_byte_budget() {
    const MAX_BYTES: u64 = 32 << 20;
    const CALLS: u64 = 6;
    let server = start_process(&[
        "--threads",
        "1",
        "--max-wait",
        "1h",
        "--call-timeout",
        "2h",
        "--max-bytes-in-flight",
        &MAX_BYTES.to_string(),
    ]);
    let batch = format!(r#"{{"calls": [{}]}}"#, vec![r#"{"listGames": {}}"#; 1000].join(","));
    let head = head(batch.len(), "").replace("ApplyMove", "EvaluateBatch");
    let mut streams = Vec::new();
    for _ in 0..CALLS {
        let mut stream = TcpStream::connect(&server.address).await.expect("the server is reachable");
        stream.write_all((head.clone() + &batch).as_bytes()).await.expect("the data is sent");
        streams.push(stream);
    }
    eventually("every batch succeeds or fails", async || {
        handled_calls(&server.metrics().await).values().sum::<u64>() == CALLS
    })
    .await;
    // Above half of it, a large response is refused. Refused calls are counted without their messages.
    let bytes = server.metric("arbiter_bytes_in_flight").await;
    assert!((MAX_BYTES / 4..=MAX_BYTES).contains(&bytes), "{bytes} bytes held for {CALLS} responses");
}

/// Reads one complete response and returns its status code.
async fn read_response_status(stream: &mut TcpStream) -> String {
    let mut received = String::new();
    loop {
        let mut bytes = [0; 4096];
        let read = with_timeout("a response", stream.read(&mut bytes)).await.expect("the socket is readable");
        assert!(read > 0, "the connection was closed after {received:?}");
        received += std::str::from_utf8(&bytes[..read]).expect("valid UTF-8");
        let Some((head, body)) = received.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if length.is_some_and(|length| length.parse() == Ok(body.len())) {
            return head.split(' ').nth(1).unwrap_or_default().to_owned();
        }
    }
}

#[tokio::test]
async fn a_connection_stays_usable_after_a_call_is_rejected_by_its_headers() {
    // Missing token, unknown content type and unsupported HTTP method: all are detected before the body arrives.
    let dir = TempDir::new();
    let tokens = dir.write("tokens", format!("nobody {}\n", "0".repeat(64)));
    let server = start(&["--token-file", &tokens]);
    let json = head(VALID_MOVE.len(), "");
    let unknown = json.replace("application/json", "text/plain");
    let grpc_web = json.replace("application/json", "application/grpc-web+proto");
    let put = json.replace("POST", "PUT");
    for (head, status) in [(json, "401"), (unknown, "415"), (grpc_web, "200"), (put, "405")] {
        let mut stream = connect_and_send(&server, head.as_str()).await;
        for _ in 0..2 {
            assert_eq!(read_response_status(&mut stream).await, status, "{head}");
            stream.write_all(VALID_MOVE.as_bytes()).await.expect("the body is sent");
            stream.write_all(head.as_bytes()).await.expect("the next head is sent");
        }
    }
}
