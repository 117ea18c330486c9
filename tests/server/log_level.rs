//! The log filter can be read and changed on the admin port at run time.

use std::process::Stdio;

use http::{Method, Version};
use prost::Message;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{
    grpc_client::GrpcClient,
    http_client::{HttpClient, HttpResponse, VERSIONS},
    process::{Log, Process, arbiter},
    requests::{apply_move, framed},
    wait::{TIMEOUT, with_timeout},
};

/// A server with a captured log.
struct LoggedServer {
    process: Process,
    log: Log,
}

impl LoggedServer {
    /// Starts a server with this log filter.
    fn start(filter: &str) -> Self {
        let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
        let flags = ["--log", filter, "--log-format", "json", "--drain-delay", "0s"];
        let mut process = Process::start(arbiter().args(ports).args(flags).stderr(Stdio::piped()));
        let log = process.capture_log();
        Self { process, log }
    }

    async fn request(&self, method: Method, body: &str) -> HttpResponse {
        let mut admin = HttpClient::connect(&self.process.admin_address, Version::HTTP_11).await;
        admin.request(method, "/log-level", &[], body.to_owned()).await
    }

    /// The current filter.
    async fn filter(&self) -> String {
        let response = self.request(Method::GET, "").await;
        assert_eq!(response.status, 200, "{response:?}");
        response.text().to_owned()
    }

    async fn change(&self, filter: &str) {
        let response = self.request(Method::PUT, filter).await;
        assert_eq!(response.status, 200, "{response:?}");
        assert_eq!(response.text(), self.filter().await, "the response is the new filter");
    }

    /// Makes a call that succeeds and one that fails, with these request ids.
    async fn call(&self, valid_id: &str, invalid_id: &str) {
        let client = GrpcClient::connect(&self.process.address).await;
        let valid = framed(&apply_move().encode_to_vec());
        assert!(client.send("ApplyMove", &[("x-request-id", valid_id)], valid).await.is_ok());
        assert!(!client.send("ApplyMove", &[("x-request-id", invalid_id)], framed(&[])).await.is_ok());
    }

    /// Shuts the server down and returns its log.
    async fn shut_down(mut self) -> Vec<Value> {
        self.process.terminate();
        assert!(self.process.wait(TIMEOUT).await.is_some(), "the server exits");
        self.log.wait_until_closed().await;
        self.log.lines()
    }
}

/// The request ids of the logged calls, in order.
fn request_ids(log: &[Value]) -> Vec<&str> {
    log.iter().filter_map(|line| line["request_id"].as_str()).collect()
}

#[tokio::test]
async fn get_returns_the_current_filter() {
    for filter in ["info", "warn", "arbiter=debug", "off"] {
        assert_eq!(LoggedServer::start(filter).filter().await, format!("{filter}\n"));
    }
}

#[tokio::test]
async fn a_change_takes_effect_immediately() {
    let server = LoggedServer::start("info");
    server.call("ok-at-info", "failed-at-info").await;
    server.change("arbiter=debug").await;
    server.call("ok-at-debug", "failed-at-debug").await;
    server.change("warn").await;
    server.call("ok-at-warn", "failed-at-warn").await;
    server.change("info").await;
    server.call("ok-at-last", "failed-at-last").await;
    let log = server.shut_down().await;
    let expected = ["failed-at-info", "ok-at-debug", "failed-at-debug", "failed-at-last"];
    assert_eq!(request_ids(&log), expected, "{log:?}");
}

#[tokio::test]
async fn the_new_filter_applies_to_open_connections() {
    let server = LoggedServer::start("info");
    let client = GrpcClient::connect(&server.process.address).await;
    client.assert_call_succeeds().await;
    server.change("debug,h2=off,hyper=off,tonic=off,tower=off").await;
    client.assert_call_succeeds().await;
    drop(client);
    let log = server.shut_down().await;
    assert_eq!(request_ids(&log).len(), 1, "{log:?}");
}

#[tokio::test]
async fn a_filter_may_have_several_directives_and_surrounding_whitespace() {
    let server = LoggedServer::start("off");
    server.change("\n  warn,arbiter=debug \n").await;
    let filter = server.filter().await;
    let mut directives: Vec<_> = filter.trim_end().split(',').collect();
    directives.sort_unstable();
    assert_eq!(directives, ["arbiter=debug", "warn"]);
}

#[tokio::test]
async fn a_change_is_logged_with_the_previous_filter() {
    let server = LoggedServer::start("warn");
    server.change("info").await;
    let log = server.shut_down().await;
    let changes: Vec<_> = log.iter().filter(|line| line["before"].is_string()).collect();
    let [line] = changes.as_slice() else { panic!("not exactly one change: {log:?}") };
    assert_eq!((&line["before"], &line["now"]), (&"warn".into(), &"info".into()));
}

#[tokio::test]
async fn an_invalid_filter_returns_400_with_an_example_and_changes_nothing() {
    let server = LoggedServer::start("info");
    for invalid in
        ["", " ", "arbiter=loud", "=", "info,[", "a=b=c", "arbiter=debug=info", "debgu", "warn,arbiter"]
    {
        let response = server.request(Method::PUT, invalid).await;
        assert_eq!(response.status, 400, "{invalid:?}: {response:?}");
        assert!(
            response.text().contains("arbiter=debug"),
            "{invalid:?}: the error has no example: {response:?}"
        );
        assert_eq!(server.filter().await, "info\n", "{invalid:?}");
    }
    server.call("ok", "failed").await;
    let log = server.shut_down().await;
    assert_eq!(request_ids(&log), ["failed"], "{log:?}");
}

#[tokio::test]
async fn a_filter_that_is_not_utf8_returns_400_and_changes_nothing() {
    let server = LoggedServer::start("info");
    let mut admin = HttpClient::connect(&server.process.admin_address, Version::HTTP_11).await;
    let response = admin.request(Method::PUT, "/log-level", &[], &[0xff, 0xfe][..]).await;
    assert_eq!(response.status, 400, "{response:?}");
    assert_eq!(server.filter().await, "info\n");
}

/// A filter with this many bytes.
fn filter_of(bytes: usize) -> String {
    let level = "=debug";
    "a".repeat(bytes - level.len()) + level
}

#[tokio::test]
async fn a_filter_has_at_most_1_kib() {
    let server = LoggedServer::start("info");
    let response = server.request(Method::PUT, &filter_of(1025)).await;
    assert_eq!(response.status, 413, "{response:?}");
    assert_eq!(server.filter().await, "info\n");
    server.change(&filter_of(1024)).await;
    assert_eq!(server.filter().await, filter_of(1024) + "\n");
}

#[tokio::test]
async fn a_chunked_filter_has_at_most_1_kib() {
    let server = LoggedServer::start("info");
    let mut stream =
        TcpStream::connect(&server.process.admin_address).await.expect("the admin port is reachable");
    let head =
        "PUT /log-level HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n";
    let request = format!("{head}\r\n401\r\n{}\r\n0\r\n\r\n", filter_of(1025));
    stream.write_all(request.as_bytes()).await.expect("the request is sent");
    let mut response = String::new();
    with_timeout("a response", stream.read_to_string(&mut response)).await.expect("the response is text");
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    assert_eq!(server.filter().await, "info\n");
}

#[tokio::test]
async fn only_put_changes_the_filter() {
    let server = LoggedServer::start("info");
    for method in [Method::POST, Method::PATCH, Method::DELETE] {
        assert_eq!(server.request(method.clone(), "debug").await.status, 405, "{method}");
    }
    assert_eq!(server.filter().await, "info\n");
}

#[tokio::test]
async fn the_filter_cannot_be_changed_on_the_grpc_port() {
    let server = LoggedServer::start("info");
    for version in VERSIONS {
        let mut client = HttpClient::connect(&server.process.address, version).await;
        let response = client.request(Method::PUT, "/log-level", &[], "debug").await;
        assert_eq!(response.status, 405, "{response:?}");
    }
    assert_eq!(server.filter().await, "info\n");
}
