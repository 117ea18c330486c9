//! What is logged can be asked for and changed on the admin port while the server runs.

use std::process::Stdio;

use http::{Method, Version};
use prost::Message;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{
    raw::{Client, Log, PATIENCE, Process, apply_move, arbiter, framed, soon},
    web::{Answer, VERSIONS, WebClient},
};

/// A server whose log can be read.
struct Logged {
    process: Process,
    log: Log,
}

impl Logged {
    /// Starts a server that logs by this filter.
    fn start(filter: &str) -> Self {
        let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
        let flags = ["--log", filter, "--log-format", "json", "--drain-delay", "0s"];
        let mut process = Process::start(arbiter().args(ports).args(flags).stderr(Stdio::piped()));
        let log = process.log();
        Self { process, log }
    }

    async fn ask(&self, method: Method, body: &str) -> Answer {
        let mut admin = WebClient::connect(&self.process.admin_address, Version::HTTP_11).await;
        admin.request(method, "/log-level", &[], body.to_owned()).await
    }

    /// The filter that is in force.
    async fn filter(&self) -> String {
        let answer = self.ask(Method::GET, "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.text().to_owned()
    }

    async fn change(&self, filter: &str) {
        let answer = self.ask(Method::PUT, filter).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.text(), self.filter().await, "it tells what is in force now");
    }

    /// Makes a call that is answered, and one that is refused.
    async fn call(&self, answered: &str, refused: &str) {
        let client = Client::connect(&self.process.address).await;
        let good = framed(&apply_move().encode_to_vec());
        assert!(client.send("ApplyMove", &[("x-request-id", answered)], good).await.is_ok());
        assert!(!client.send("ApplyMove", &[("x-request-id", refused)], framed(&[])).await.is_ok());
    }

    /// Ends the server. Answers its log.
    async fn end(mut self) -> Vec<Value> {
        self.process.terminate();
        assert!(self.process.wait(PATIENCE).await.is_some(), "the server ends");
        self.log.end().await;
        self.log.lines()
    }
}

/// The calls that a log has, in order.
fn calls(log: &[Value]) -> Vec<&str> {
    log.iter().filter_map(|line| line["request_id"].as_str()).collect()
}

#[tokio::test]
async fn the_filter_in_force_is_told() {
    for filter in ["info", "warn", "arbiter=debug", "off"] {
        assert_eq!(Logged::start(filter).filter().await, format!("{filter}\n"));
    }
}

#[tokio::test]
async fn more_is_logged_at_once_and_then_less() {
    let server = Logged::start("info");
    server.call("answered-at-info", "refused-at-info").await;
    server.change("arbiter=debug").await;
    server.call("answered-at-debug", "refused-at-debug").await;
    server.change("warn").await;
    server.call("answered-at-warn", "refused-at-warn").await;
    server.change("info").await;
    server.call("answered-at-last", "refused-at-last").await;
    let log = server.end().await;
    let wanted = ["refused-at-info", "answered-at-debug", "refused-at-debug", "refused-at-last"];
    assert_eq!(calls(&log), wanted, "{log:?}");
}

#[tokio::test]
async fn a_connection_that_is_open_is_logged_by_the_new_filter() {
    let server = Logged::start("info");
    let client = Client::connect(&server.process.address).await;
    client.assert_answers().await;
    server.change("debug,h2=off,hyper=off,tonic=off,tower=off").await;
    client.assert_answers().await;
    drop(client);
    let log = server.end().await;
    assert_eq!(calls(&log).len(), 1, "{log:?}");
}

#[tokio::test]
async fn a_filter_may_have_several_parts_and_space_around_it() {
    let server = Logged::start("off");
    server.change("\n  warn,arbiter=debug \n").await;
    let filter = server.filter().await;
    let mut parts: Vec<_> = filter.trim_end().split(',').collect();
    parts.sort_unstable();
    assert_eq!(parts, ["arbiter=debug", "warn"]);
}

#[tokio::test]
async fn a_change_is_logged_with_what_was_before() {
    let server = Logged::start("warn");
    server.change("info").await;
    let log = server.end().await;
    let told: Vec<_> = log.iter().filter(|line| line["before"].is_string()).collect();
    let [line] = told.as_slice() else { panic!("not one line: {log:?}") };
    assert_eq!((&line["before"], &line["now"]), (&"warn".into(), &"info".into()));
}

#[tokio::test]
async fn a_bad_filter_is_refused_with_a_reason_and_changes_nothing() {
    let server = Logged::start("info");
    for bad in
        ["", " ", "arbiter=loud", "=", "info,[", "a=b=c", "arbiter=debug=info", "debgu", "warn,arbiter"]
    {
        let answer = server.ask(Method::PUT, bad).await;
        assert_eq!(answer.status, 400, "{bad:?}: {answer:?}");
        assert!(answer.text().contains("arbiter=debug"), "{bad:?} is refused without an example: {answer:?}");
        assert_eq!(server.filter().await, "info\n", "{bad:?}");
    }
    server.call("answered", "refused").await;
    let log = server.end().await;
    assert_eq!(calls(&log), ["refused"], "{log:?}");
}

#[tokio::test]
async fn what_is_no_text_is_refused_and_changes_nothing() {
    let server = Logged::start("info");
    let mut admin = WebClient::connect(&server.process.admin_address, Version::HTTP_11).await;
    let answer = admin.request(Method::PUT, "/log-level", &[], &[0xff, 0xfe][..]).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(server.filter().await, "info\n");
}

/// A filter of so many bytes.
fn filter_of(bytes: usize) -> String {
    let level = "=debug";
    "a".repeat(bytes - level.len()) + level
}

#[tokio::test]
async fn a_filter_has_at_most_a_kibibyte() {
    let server = Logged::start("info");
    let answer = server.ask(Method::PUT, &filter_of(1025)).await;
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_eq!(server.filter().await, "info\n");
    server.change(&filter_of(1024)).await;
    assert_eq!(server.filter().await, filter_of(1024) + "\n");
}

#[tokio::test]
async fn a_filter_whose_length_is_not_told_has_at_most_a_kibibyte_too() {
    let server = Logged::start("info");
    let mut stream = TcpStream::connect(&server.process.admin_address).await.expect("it can be reached");
    let head =
        "PUT /log-level HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n";
    let request = format!("{head}\r\n401\r\n{}\r\n0\r\n\r\n", filter_of(1025));
    stream.write_all(request.as_bytes()).await.expect("it can be asked");
    let mut answer = String::new();
    soon("an answer", stream.read_to_string(&mut answer)).await.expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert_eq!(server.filter().await, "info\n");
}

#[tokio::test]
async fn it_is_changed_by_put_only() {
    let server = Logged::start("info");
    for method in [Method::POST, Method::PATCH, Method::DELETE] {
        assert_eq!(server.ask(method.clone(), "debug").await.status, 405, "{method}");
    }
    assert_eq!(server.filter().await, "info\n");
}

#[tokio::test]
async fn callers_cannot_change_it() {
    let server = Logged::start("info");
    for version in VERSIONS {
        let mut client = WebClient::connect(&server.process.address, version).await;
        let answer = client.request(Method::PUT, "/log-level", &[], "debug").await;
        assert_eq!(answer.status, 405, "{answer:?}");
    }
    assert_eq!(server.filter().await, "info\n");
}
