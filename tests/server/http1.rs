//! HTTP/1.1, for those who cannot speak HTTP/2: how long a connection lasts, what it may carry, and how it ends.

use std::{process::ExitStatus, time::Duration};

use http::{StatusCode, Version};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{
    TestServer,
    folder::Folder,
    raw::{PATIENCE, Process, eventually, soon},
    web::{GOOD_MOVE, JSON, STATE_AFTER_IT, WebClient, handled},
};

/// Long enough for whatever must happen in it, on a busy machine; the tests that use it do not wait for its end.
const LONG: &str = "60s";

fn start(flags: &[&str]) -> TestServer {
    TestServer::start_with(&[&["--log", "off"], flags].concat())
}

async fn connect(address: &str) -> WebClient {
    WebClient::connect(address, Version::HTTP_11).await
}

/// A peer that writes this by hand.
async fn peer(server: &TestServer, bytes: impl AsRef<[u8]>) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).await.expect("the server can be reached");
    stream.write_all(bytes.as_ref()).await.expect("it can be sent");
    stream
}

/// Everything that the server sends until it closes the connection.
async fn until_closed(who: &str, mut stream: TcpStream) -> String {
    let mut received = Vec::new();
    // An end or a reset.
    let _ = soon(&format!("{who} is closed"), stream.read_to_end(&mut received)).await;
    String::from_utf8(received).expect("it is text")
}

/// The head of a good move, with further headers.
fn head(length: usize, more: &str) -> String {
    format!(
        "POST /arbiter.v1.RulesService/ApplyMove HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n{more}\r\n"
    )
}

fn good_move(more: &str) -> String {
    head(GOOD_MOVE.len(), more) + GOOD_MOVE
}

/// How many calls the metrics of a server tell to be under way.
fn calls_under_way(metrics: &str) -> usize {
    let told = metrics.lines().find_map(|line| line.strip_prefix("arbiter_calls_in_flight "));
    told.and_then(|number| number.parse().ok()).expect("it is told")
}

#[tokio::test]
async fn a_connection_carries_one_call_after_the_other() {
    let server = start(&[]);
    let mut client = connect(&server.address).await;
    client.assert_answers().await;
    assert_eq!(client.call("ApplyMove", "{").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(client.call("NoSuchCall", "{}").await.status, StatusCode::NOT_IMPLEMENTED);
    assert_eq!(client.post("ApplyMove", &[], "").await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    client.assert_answers().await;
    assert!(server.admin_get("/metrics").1.contains("arbiter_connections 1"), "it is still the one");
}

#[tokio::test]
async fn calls_that_are_sent_at_once_are_answered_in_order() {
    let server = start(&[]);
    let unknown = "POST /no.such.Service/Call HTTP/1.1\r\nhost: localhost\r\n\
                   content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    let requests = good_move("") + unknown + &good_move("connection: close\r\n");
    let answers = until_closed("who says so", peer(&server, requests).await).await;
    let statuses: Vec<_> =
        answers.lines().filter_map(|line| line.split("HTTP/1.1 ").nth(1)?.get(..3)).collect();
    assert_eq!(statuses, ["200", "501", "200"], "{answers}");
}

#[tokio::test]
async fn a_caller_who_would_rather_speak_http2_is_answered_all_the_same() {
    let server = start(&[]);
    let upgrade =
        "connection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n";
    let answer = until_closed("who says so", peer(&server, good_move(upgrade)).await).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains(STATE_AFTER_IT), "{answer}");
}

#[tokio::test]
async fn a_caller_who_asks_before_sending_is_told_to_go_on() {
    let server = start(&[]);
    let mut caller =
        peer(&server, head(GOOD_MOVE.len(), "expect: 100-continue\r\nconnection: close\r\n")).await;
    let mut told = [0; 25];
    soon("a word", caller.read_exact(&mut told)).await.expect("the connection holds");
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    caller.write_all(GOOD_MOVE.as_bytes()).await.expect("it can be sent");
    let answer = until_closed("who says so", caller).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains(STATE_AFTER_IT), "{answer}");
}

#[tokio::test]
async fn what_is_not_http_is_closed_and_the_server_goes_on() {
    let server = start(&[]);
    let hello_of_tls = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice();
    for bytes in [hello_of_tls, b"\r\n\r\n\r\n\0", b"what is this?\r\n\r\n", b"POST / HTTP/9.9\r\n\r\n"] {
        let answer = until_closed("who speaks no HTTP", peer(&server, bytes).await).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400 "), "{bytes:?}: {answer}");
    }
    connect(&server.address).await.assert_answers().await;
}

#[tokio::test]
async fn a_connection_that_falls_silent_after_a_call_is_closed() {
    let server = start(&["--keepalive-interval", "200ms"]);
    let mut client = connect(&server.address).await;
    client.assert_answers().await;
    let _ = soon("who is silent is closed", client.driver).await;
}

#[tokio::test]
async fn a_connection_that_falls_silent_in_its_headers_is_closed() {
    let server = start(&["--keepalive-interval", "200ms"]);
    let request = good_move("");
    let line_end = request.find('\n').expect("it has lines") + 1;
    for length in [2, line_end, line_end + 5] {
        until_closed("who breaks off", peer(&server, &request[..length]).await).await;
    }
}

#[tokio::test]
async fn a_call_under_way_is_not_taken_for_silence() {
    let server = start(&["--keepalive-interval", "100ms", "--call-timeout", LONG]);
    let mut client = connect(&server.address).await;
    let call = client.open("ApplyMove", &[JSON]);
    call.send(&b" "[..]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(call.finish(GOOD_MOVE).await.json()["state"]["notation"], STATE_AFTER_IT);
}

#[tokio::test]
async fn headers_that_are_too_large_or_too_many_are_refused_and_the_server_goes_on() {
    let server = start(&[]);
    let long = format!("x-long: {}\r\n", "x".repeat(20_000));
    let many = "x-one-of-many: x\r\n".repeat(200);
    for more in [long, many] {
        let mut caller = TcpStream::connect(&server.address).await.expect("the server can be reached");
        // It may be cut off while it is still writing.
        let _ = caller.write_all(good_move(&more).as_bytes()).await;
        let answer = until_closed("who sends too much", caller).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
    connect(&server.address).await.assert_answers().await;
}

#[tokio::test]
async fn headers_of_a_few_kib_are_read() {
    let server = start(&[]);
    let more = format!("connection: close\r\ncookie: {}\r\n", "x".repeat(8_000));
    let answer = until_closed("who says so", peer(&server, good_move(&more)).await).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn a_call_that_is_cut_off_in_its_body_leaves_nothing_behind() {
    let server = start(&["--call-timeout", LONG]);
    let chunked = head(0, "").replace("content-length: 0", "transfer-encoding: chunked") + "43\r\n{\"state\"";
    for begun in [head(1000, "") + GOOD_MOVE, head(1000, ""), chunked] {
        let before: u64 = handled(&server.admin_get("/metrics").1).values().sum();
        let caller = peer(&server, begun).await;
        let metrics = || server.admin_get("/metrics").1;
        eventually("the call is under way", async || calls_under_way(&metrics()) == 1).await;
        drop(caller);
        eventually("the call is gone", async || calls_under_way(&metrics()) == 0).await;
        let after: u64 = handled(&metrics()).values().sum();
        assert_eq!(after - before, 1, "{}", metrics());
    }
    connect(&server.address).await.assert_answers().await;
}

#[tokio::test]
async fn a_chunk_that_is_none_is_the_callers_mistake() {
    let server = start(&["--call-timeout", LONG]);
    let more = "connection: close\r\n";
    let chunked = head(0, more).replace("content-length: 0", "transfer-encoding: chunked") + "zzz\r\n{}\r\n";
    let answer = until_closed("who speaks no HTTP", peer(&server, chunked).await).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400 "), "{answer}");
    connect(&server.address).await.assert_answers().await;
}

#[tokio::test]
async fn a_call_under_way_on_an_old_connection_is_answered_and_is_the_last() {
    let server = start(&["--max-connection-age", "200ms", "--call-timeout", LONG]);
    let mut client = connect(&server.address).await;
    let call = client.open("ApplyMove", &[JSON]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let answer = call.finish(GOOD_MOVE).await;
    assert_eq!(answer.json()["state"]["notation"], STATE_AFTER_IT);
    assert_eq!(answer.header("connection"), Some("close"), "nothing more is taken");
    let _ = soon("the connection is closed", client.driver).await;
}

#[tokio::test]
async fn an_old_connection_without_a_call_is_closed() {
    let server = start(&["--max-connection-age", "200ms"]);
    let mut client = connect(&server.address).await;
    client.assert_answers().await;
    let _ = soon("the connection is closed", client.driver).await;
}

/// Starts a server whose output is in view, for those that must end.
fn start_process(flags: &[&str]) -> Process {
    Process::start_on_low_port(&[&["--log", "off", "--drain-delay", "0s"], flags].concat())
}

async fn assert_ends_well(server: &mut Process) {
    let ended = server.wait(PATIENCE).await;
    assert!(ended.as_ref().is_some_and(ExitStatus::success), "the server ends well: {ended:?}");
}

#[tokio::test]
async fn a_call_under_way_is_answered_after_the_listener_has_closed() {
    let mut server = start_process(&["--drain-timeout", LONG, "--call-timeout", LONG]);
    let mut client = connect(&server.address).await;
    client.assert_answers().await;
    let call = client.open("ApplyMove", &[JSON]);
    eventually("the call is under way", async || calls_under_way(&server.metrics().await) == 1).await;
    server.terminate();
    eventually("the listener closes", async || TcpStream::connect(&server.address).await.is_err()).await;
    let answer = call.finish(GOOD_MOVE).await;
    assert_eq!(answer.json()["state"]["notation"], STATE_AFTER_IT);
    assert_eq!(answer.header("connection"), Some("close"), "nothing more is taken");
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn idle_connections_do_not_keep_the_server_from_ending() {
    let mut server = start_process(&["--drain-timeout", LONG]);
    let mut client = connect(&server.address).await;
    client.assert_answers().await;
    server.terminate();
    let _ = soon("the connection is closed", client.driver).await;
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn a_call_whose_body_never_comes_does_not_keep_the_server_from_ending() {
    let mut server = start_process(&["--drain-timeout", "300ms", "--call-timeout", LONG]);
    let mut client = connect(&server.address).await;
    let _call = client.open("ApplyMove", &[JSON]);
    eventually("the call is under way", async || calls_under_way(&server.metrics().await) == 1).await;
    server.terminate();
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn a_connection_that_begins_while_the_server_ends_is_still_answered() {
    let mut server = start_process(&["--drain-timeout", LONG, "--call-timeout", LONG]);
    // While a call is under way the server does not end.
    let mut client = connect(&server.address).await;
    let held = client.open("ApplyMove", &[JSON]);
    let mut peers = Vec::new();
    for _ in 0..16 {
        peers.push(TcpStream::connect(&server.address).await.expect("the server can be reached"));
    }
    eventually("all are accepted", async || server.metrics().await.contains("arbiter_connections 17")).await;
    eventually("the call is under way", async || calls_under_way(&server.metrics().await) == 1).await;
    server.terminate();
    eventually("the listener closes", async || TcpStream::connect(&server.address).await.is_err()).await;
    for mut peer in peers {
        peer.write_all(good_move("").as_bytes()).await.expect("it can be sent");
        let answer = until_closed("who was late", peer).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer:?}");
    }
    held.finish(GOOD_MOVE).await;
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn an_answer_that_nobody_takes_is_given_up() {
    let server = start_process(&["--keepalive-interval", "1s", "--keepalive-timeout", "1s"]);
    // Longer than what the sockets between hold.
    let call = r#"{"listGames": {"includeCards": true}}"#;
    let batch = format!(r#"{{"calls": [{}]}}"#, vec![call; 1000].join(","));
    let head = head(batch.len(), "").replace("ApplyMove", "EvaluateBatch");
    let mut silent = TcpStream::connect(&server.address).await.expect("the server can be reached");
    silent.write_all((head + &batch).as_bytes()).await.expect("it can be sent");
    eventually("the batch is under way", async || calls_under_way(&server.metrics().await) == 1).await;
    eventually("its answer is given up", async || calls_under_way(&server.metrics().await) == 0).await;
}

#[tokio::test]
async fn answers_that_nobody_takes_do_not_pile_up() {
    const MOST: u64 = 32 << 20;
    const CALLS: u64 = 20;
    let server = start_process(&[
        "--threads",
        "1",
        "--max-wait",
        "1h",
        "--call-timeout",
        "2h",
        "--max-batch-bytes-in-flight",
        &MOST.to_string(),
    ]);
    let batch = format!(r#"{{"calls": [{}]}}"#, vec![r#"{"listGames": {}}"#; 1000].join(","));
    let head = head(batch.len(), "").replace("ApplyMove", "EvaluateBatch");
    let mut silent = Vec::new();
    for _ in 0..CALLS {
        let mut stream = TcpStream::connect(&server.address).await.expect("the server can be reached");
        stream.write_all((head.clone() + &batch).as_bytes()).await.expect("it can be sent");
        silent.push(stream);
    }
    eventually("all are answered or refused", async || {
        handled(&server.metrics().await).values().sum::<u64>() == CALLS
    })
    .await;
    // One answer may be too much, but no second.
    let bytes = server.metric("arbiter_batches_in_flight_bytes").await;
    assert!((MOST..MOST + (16 << 20)).contains(&bytes), "{bytes} bytes are held of {CALLS} answers");
}

/// Reads until the head and the whole body of an answer are there, and answers its status.
async fn one_answer(stream: &mut TcpStream) -> String {
    let mut received = String::new();
    loop {
        let mut bytes = [0; 4096];
        let read = soon("an answer", stream.read(&mut bytes)).await.expect("it can be read");
        assert!(read > 0, "the connection was closed after {received:?}");
        received += std::str::from_utf8(&bytes[..read]).expect("it is text");
        let Some((head, body)) = received.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if length.is_some_and(|length| length.parse() == Ok(body.len())) {
            return head.split(' ').nth(1).unwrap_or_default().to_owned();
        }
    }
}

#[tokio::test]
async fn who_is_refused_before_having_sent_all_can_send_the_rest_and_go_on() {
    // A token is missing; no content type is known; there is no such method of HTTP: each is seen by the head.
    let folder = Folder::new();
    let tokens = folder.write("tokens", format!("nobody {}\n", "0".repeat(64)));
    let server = start(&["--token-file", &tokens]);
    let json = head(GOOD_MOVE.len(), "");
    let unknown = json.replace("application/json", "text/plain");
    let web = json.replace("application/json", "application/grpc-web+proto");
    let put = json.replace("POST", "PUT");
    for (head, status) in [(json, "401"), (unknown, "415"), (web, "200"), (put, "405")] {
        let mut stream = peer(&server, head.as_str()).await;
        for _ in 0..2 {
            assert_eq!(one_answer(&mut stream).await, status, "{head}");
            stream.write_all(GOOD_MOVE.as_bytes()).await.expect("the rest can be sent");
            stream.write_all(head.as_bytes()).await.expect("and another");
        }
    }
}
