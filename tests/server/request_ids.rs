//! The name of a request: every answer bears it, and the one line that the log has of its call.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Stdio,
    time::{Duration, Instant},
};

use arbiter::wire::proto;
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{HeaderMap, Method, Version};
use prost::Message;
use serde_json::Value;
use tonic::Code;

use crate::support::{
    TestServer,
    folder::Folder,
    raw::{Client, Log, PATIENCE, Process, apply_move, arbiter, framed, soon},
    web::{Answer, GOOD_MOVE, JSON, PROTO, VERSIONS, WebClient},
};

const ORIGIN: &str = "https://play.example";

const GRPC: (&str, &str) = ("content-type", "application/grpc");
const GRPC_WEB: (&str, &str) = ("content-type", "application/grpc-web+proto");
const GRPC_WEB_TEXT: (&str, &str) = ("content-type", "application/grpc-web-text+proto");

/// The one name that an answer bears.
fn name_in(headers: &HeaderMap) -> String {
    let names: Vec<_> = headers.get_all("x-request-id").iter().collect();
    let [name] = names.as_slice() else { panic!("not one name: {headers:?}") };
    name.to_str().expect("it is text").to_owned()
}

/// Whether a name is one that the server gives.
fn is_new(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// A request, what it is answered with, and what the log says of it.
struct Way {
    version: Version,
    method: Method,
    path: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    body: Bytes,
    /// The status of HTTP, and that of gRPC if it is among the headers.
    answered: (u16, Option<&'static str>),
    /// The code of its line. None: it is no call of the referee's, and has no line.
    logged: Option<&'static str>,
}

impl Way {
    fn post(version: Version, path: &'static str, content_type: (&'static str, &'static str)) -> Self {
        Self {
            version,
            method: Method::POST,
            path,
            headers: vec![content_type],
            body: Bytes::new(),
            answered: (200, None),
            logged: None,
        }
    }

    fn grpc(path: &'static str) -> Self {
        Self::post(Version::HTTP_2, path, GRPC).with("te", "trailers").body(framed(&[]))
    }

    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    fn body(self, body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..self }
    }

    fn status(self, http: u16, grpc: impl Into<Option<&'static str>>) -> Self {
        Self { answered: (http, grpc.into()), ..self }
    }

    fn logged(self, code: &'static str) -> Self {
        Self { logged: Some(code), ..self }
    }

    fn name(&self) -> String {
        format!("{:?} {} {} {:?}", self.version, self.method, self.path, self.headers)
    }

    /// Asks, by this name or by none, and sees to it that the answer is the one that is meant.
    async fn ask(self, address: &str, id: Option<&str>) -> Answer {
        let mut headers = self.headers.clone();
        headers.extend(id.map(|id| ("x-request-id", id)));
        let mut client = WebClient::connect(address, self.version).await;
        let answer = client.request(self.method.clone(), self.path, &headers, self.body.clone()).await;
        let answered = (answer.status.as_u16(), answer.header("grpc-status"));
        assert_eq!(answered, self.answered, "{}: {answer:?}", self.name());
        answer
    }
}

/// A message that is longer than any call may be.
fn too_long() -> Vec<u8> {
    vec![b' '; 70_000]
}

/// Calls of gRPC, and what is asked of the services beside the referee.
fn ways_of_grpc() -> Vec<Way> {
    let call = |path| Way::grpc(path).body(good_body());
    vec![
        call("ApplyMove").logged("OK"),
        Way::grpc("ApplyMove").status(200, "3").logged("INVALID_ARGUMENT"),
        call("ApplyMove").body(framed(&[0xff])).status(200, "3").logged("INVALID_ARGUMENT"),
        call("ApplyMove").body(framed(&too_long())).status(200, "8").logged("RESOURCE_EXHAUSTED"),
        call("ApplyMove").with("grpc-timeout", "0m").status(200, "4").logged("DEADLINE_EXCEEDED"),
        call("ApplyMove").with("grpc-timeout", "soon").status(200, "3").logged("INVALID_ARGUMENT"),
        call("ApplyMove").with("grpc-encoding", "br").status(200, "12").logged("UNIMPLEMENTED"),
        Way::grpc("EvaluateBatch").logged("OK"),
        call("NoSuchCall").status(200, "12").logged("UNIMPLEMENTED"),
        Way::grpc("Evaluate").body("").logged("OK"),
        Way::grpc("Evaluate").logged("OK"),
        Way::grpc("Evaluate").body(framed(&[0xff])).logged("INVALID_ARGUMENT"),
        Way::grpc("Evaluate").with("grpc-timeout", "0m").status(200, "4").logged("DEADLINE_EXCEEDED"),
        Way::grpc("Evaluate").with("grpc-encoding", "br").status(200, "12").logged("UNIMPLEMENTED"),
        Way::grpc("/no.such.Service/Call").status(200, "12"),
        Way::grpc("/").status(200, "12"),
        Way::grpc("/grpc.health.v1.Health/Check"),
        // A list of services is asked for by an empty field 7.
        Way::grpc("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo").body(framed(&[0x3a, 0])),
        Way::post(Version::HTTP_11, "ApplyMove", GRPC).status(505, None),
    ]
}

/// Calls by the other protocols, and what is asked in none.
fn ways_of_the_web(version: Version) -> Vec<Way> {
    let call = |content_type| Way::post(version, "ApplyMove", content_type);
    let other = |path, content_type| Way::post(version, path, content_type);
    let asks = |method| Way { method, headers: vec![], ..other("ApplyMove", JSON) };
    vec![
        call(GRPC_WEB).body(good_body()).logged("OK"),
        call(GRPC_WEB).body(framed(&[0xff])).status(200, "3").logged("INVALID_ARGUMENT"),
        call(GRPC_WEB).with("grpc-timeout", "0m").status(200, "4").logged("DEADLINE_EXCEEDED"),
        other("NoSuchCall", GRPC_WEB).status(200, "12").logged("UNIMPLEMENTED"),
        other("Evaluate", GRPC_WEB).logged("OK"),
        call(GRPC_WEB_TEXT).body(STANDARD.encode(good_body())).logged("OK"),
        call(JSON).body(GOOD_MOVE).logged("OK"),
        call(JSON).body("{}").status(400, None).logged("INVALID_ARGUMENT"),
        call(JSON).body("{").status(400, None).logged("INVALID_ARGUMENT"),
        call(JSON).body(too_long()).status(429, None).logged("RESOURCE_EXHAUSTED"),
        call(JSON).with("connect-protocol-version", "2").status(400, None).logged("INVALID_ARGUMENT"),
        call(JSON).with("connect-timeout-ms", "0").status(504, None).logged("DEADLINE_EXCEEDED"),
        other("NoSuchCall", JSON).body("{}").status(501, None).logged("UNIMPLEMENTED"),
        other("Evaluate", JSON).status(501, None).logged("UNIMPLEMENTED"),
        call(PROTO).body(apply_move().encode_to_vec()).logged("OK"),
        call(PROTO).body(&[0xff][..]).status(400, None).logged("INVALID_ARGUMENT"),
        other("/grpc.health.v1.Health/Check", JSON).body("{}").status(501, None),
        other("/", JSON).body("{}").status(501, None),
        call(("content-type", "text/plain")).status(415, None),
        asks(Method::POST).status(415, None),
        asks(Method::GET).status(405, None),
        asks(Method::OPTIONS).with("origin", ORIGIN).with("access-control-request-method", "POST"),
    ]
}

fn ways() -> Vec<Way> {
    VERSIONS.into_iter().flat_map(ways_of_the_web).chain(ways_of_grpc()).collect()
}

fn good_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

/// A server whose log can be read, with a line for every call.
struct Logged {
    process: Process,
    log: Log,
}

impl Logged {
    fn start(flags: &[&str]) -> Self {
        Self::start_with("arbiter=debug", flags)
    }

    fn start_with(log: &str, flags: &[&str]) -> Self {
        let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
        let log = ["--log", log, "--log-format", "json", "--drain-delay", "0s"];
        let flags = [&ports[..], &log, flags].concat();
        let mut process = Process::start(arbiter().args(flags).stderr(Stdio::piped()));
        let log = process.log();
        Self { process, log }
    }

    fn address(&self) -> &str {
        &self.process.address
    }

    async fn client(&self) -> Client {
        Client::connect(self.address()).await
    }

    /// Ends the server. Answers the lines of all its calls.
    async fn end(mut self) -> Vec<Value> {
        self.process.terminate();
        assert!(self.process.wait(PATIENCE).await.is_some(), "the server ends");
        self.log.end().await;
        self.log.calls()
    }

    /// Ends the server. Answers the one line that there must be.
    async fn end_with_one_line(self) -> Value {
        let lines = self.end().await;
        let [line] = lines.as_slice() else { panic!("not one line: {lines:?}") };
        line.clone()
    }
}

/// What is given up may be seen to end first, or to be cut off.
#[track_caller]
fn assert_given_up(line: &Value) {
    assert_eq!((&line["request_id"], &line["level"]), (&"given-up".into(), &"INFO".into()), "{line}");
    assert!(["CANCELLED", "INVALID_ARGUMENT"].map(Value::from).contains(&line["code"]), "{line}");
}

#[track_caller]
fn assert_line(line: &Value, request_id: &str, level: &str, code: &str) {
    assert_eq!(line["request_id"], request_id, "{line}");
    assert_eq!((line["level"].as_str(), line["code"].as_str()), (Some(level), Some(code)), "{line}");
    assert!(line["micros"].is_u64(), "{line}");
}

#[tokio::test]
async fn every_answer_bears_a_name() {
    let server = TestServer::start_with(&["--log", "off", "--cors-allow-origin", ORIGIN]);
    for way in ways() {
        let way_name = way.name();
        let name = name_in(&way.ask(&server.address, None).await.headers);
        assert!(is_new(&name), "{way_name}: {name}");
    }
}

#[tokio::test]
async fn every_answer_bears_the_name_that_its_request_came_with() {
    let server = TestServer::start_with(&["--log", "off", "--cors-allow-origin", ORIGIN]);
    for way in ways() {
        let way_name = way.name();
        let answer = way.ask(&server.address, Some("move-17/of=Game~4")).await;
        assert_eq!(name_in(&answer.headers), "move-17/of=Game~4", "{way_name}");
    }
}

#[tokio::test]
async fn every_call_is_one_line_that_has_its_name() {
    let server = Logged::start(&["--cors-allow-origin", ORIGIN]);
    let mut wanted = BTreeMap::new();
    for (number, way) in ways().into_iter().enumerate() {
        let id = format!("way-{number}");
        wanted.extend(way.logged.map(|code| (id.clone(), (code, way.name()))));
        way.ask(server.address(), Some(&id)).await;
    }
    let lines = server.end().await;
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
    for (id, (code, way)) in &wanted {
        let lines_of_it = lines.iter().filter(|line| line["request_id"] == *id);
        let codes: Vec<_> = lines_of_it.map(|line| text(line, "code")).collect();
        assert_eq!(codes, [*code], "{way}");
    }
    let others: Vec<_> =
        lines.iter().filter(|line| !wanted.contains_key(&text(line, "request_id"))).collect();
    assert!(others.is_empty(), "lines of no call: {others:?}");
}

#[tokio::test]
async fn a_name_that_can_stand_in_a_log_is_kept() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    let longest = "x".repeat(128);
    for id in ["a", "0", "7f3c/x=~!\"{}\\", "550e8400-e29b-41d4-a716-446655440000", &longest] {
        let reply = client.send("ApplyMove", &[("x-request-id", id)], good_body()).await;
        assert_eq!(name_in(&reply.headers), id);
    }
}

#[tokio::test]
async fn a_name_that_cannot_is_replaced() {
    let server = TestServer::start_with(&["--log", "off"]);
    let too_long = "x".repeat(129);
    for id in ["", "two words", "tab\tbed", &too_long] {
        let client = Client::connect(&server.address).await;
        let reply = client.send("ApplyMove", &[("x-request-id", id)], good_body()).await;
        assert!(reply.is_ok(), "{id:?} is no reason to refuse: {:?}", reply.status);
        assert!(is_new(&name_in(&reply.headers)), "{id:?}: {:?}", reply.headers);
        for version in VERSIONS {
            let mut client = WebClient::connect(&server.address, version).await;
            let answer = client.post("ApplyMove", &[JSON, ("x-request-id", id)], GOOD_MOVE).await;
            assert_eq!(answer.status, 200, "{id:?} is no reason to refuse");
            assert!(is_new(&name_in(&answer.headers)), "{id:?}: {:?}", answer.headers);
        }
    }
}

#[tokio::test]
async fn a_name_that_is_replaced_is_not_logged() {
    let server = Logged::start(&[]);
    let headers = [("x-request-id", "two words")];
    let reply = server.client().await.send("ApplyMove", &headers, good_body()).await;
    assert_line(&server.end_with_one_line().await, &name_in(&reply.headers), "DEBUG", "OK");
}

#[tokio::test]
async fn two_requests_have_different_names() {
    let server = TestServer::start_with(&["--log", "off", "--threads", "2"]);
    let mut names = BTreeSet::new();
    // Several connections: each worker thread gives names of its own.
    for _ in 0..4 {
        let client = Client::connect(&server.address).await;
        for _ in 0..50 {
            names.insert(name_in(&client.call("ApplyMove", &apply_move()).await.headers));
        }
    }
    assert_eq!(names.len(), 200);
}

#[tokio::test]
async fn who_shows_no_token_is_told_a_name_and_logged_by_it() {
    let folder = Folder::new();
    let file = folder.write("tokens", format!("alice {}\n", "0".repeat(64)));
    let server = Logged::start(&["--token-file", &file]);
    let reply = server.client().await.call("ApplyMove", &apply_move()).await;
    assert_eq!(reply.status.code(), Code::Unauthenticated);
    let mut connect = WebClient::connect(server.address(), Version::HTTP_11).await;
    let answer = connect.call("NewGame", "{}").await;
    assert_eq!(answer.status, 401);
    drop(connect);
    let lines = server.end().await;
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_line(&lines[0], &name_in(&reply.headers), "INFO", "UNAUTHENTICATED");
    assert_line(&lines[1], &name_in(&answer.headers), "INFO", "UNAUTHENTICATED");
}

#[tokio::test]
async fn who_finds_no_room_is_told_a_name_and_logged_by_it() {
    let server = Logged::start(&["--max-in-flight", "1"]);
    let client = server.client().await;
    let held = client.open("ApplyMove", &[("x-request-id", "held")]).await.expect("the connection holds");
    server.process.has_under_way(1).await;
    let reply = client.call("ApplyMove", &apply_move()).await;
    assert_eq!(reply.status.code(), Code::ResourceExhausted);
    assert!(soon("the answer", held.finish(good_body())).await.is_ok_and(|reply| reply.is_ok()));
    drop(client);
    let lines = server.end().await;
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_line(&lines[0], &name_in(&reply.headers), "WARN", "RESOURCE_EXHAUSTED");
    assert_line(&lines[1], "held", "DEBUG", "OK");
}

#[tokio::test]
async fn the_line_of_an_answered_call_has_the_name_that_its_answer_bears() {
    let server = Logged::start(&[]);
    let reply = server.client().await.call("ApplyMove", &apply_move()).await;
    assert!(reply.is_ok(), "{:?}", reply.status);
    assert_line(&server.end_with_one_line().await, &name_in(&reply.headers), "DEBUG", "OK");
}

#[tokio::test]
async fn the_line_of_a_refused_call_has_the_name_that_its_answer_bears() {
    // What is logged unless told otherwise.
    let server = Logged::start_with("info", &[]);
    let without_move = proto::ApplyMoveRequest { r#move: None, ..apply_move() };
    let reply = server.client().await.call("ApplyMove", &without_move).await;
    assert_line(&server.end_with_one_line().await, &name_in(&reply.headers), "INFO", "INVALID_ARGUMENT");
}

#[tokio::test]
async fn the_line_of_json_that_cannot_be_read_has_the_name_that_its_answer_bears() {
    let server = Logged::start_with("info", &[]);
    let answer = WebClient::connect(server.address(), Version::HTTP_11).await.call("ApplyMove", "{").await;
    assert_eq!(answer.refused().0, Code::InvalidArgument);
    assert_line(&server.end_with_one_line().await, &name_in(&answer.headers), "INFO", "INVALID_ARGUMENT");
}

#[tokio::test]
async fn the_line_of_a_stream_comes_at_its_end_and_tells_how_long_it_was_open() {
    const HELD: Duration = Duration::from_millis(300);
    let server = Logged::start(&[]);
    let client = server.client().await;
    let began = Instant::now();
    let stream = client.open("Evaluate", &[]).await.expect("the connection holds");
    server.process.has_under_way(1).await;
    tokio::time::sleep(HELD).await;
    assert!(server.log.calls().is_empty(), "it has not ended");
    let reply = soon("the end", stream.finish(Bytes::new())).await.expect("the connection holds");
    let lasted = began.elapsed();
    assert!(reply.is_ok(), "{:?}", reply.status);
    drop(client);
    let line = server.end_with_one_line().await;
    assert_line(&line, &name_in(&reply.headers), "DEBUG", "OK");
    let micros = u128::from(line["micros"].as_u64().expect("it is a number"));
    assert!((HELD.as_micros()..=lasted.as_micros()).contains(&micros), "{micros} of {lasted:?}");
}

#[tokio::test]
async fn the_line_of_a_stream_whose_time_is_over_has_the_name_that_its_answer_bears() {
    let server = Logged::start(&[]);
    let client = server.client().await;
    let stream = client.open("Evaluate", &[("grpc-timeout", "200m")]).await.expect("the connection holds");
    let reply = stream.reply().await;
    drop(client);
    assert_line(&server.end_with_one_line().await, &name_in(&reply.headers), "WARN", "DEADLINE_EXCEEDED");
}

/// The one line of a call that is given up by its caller once so much of its message is sent.
async fn line_of_given_up(call: &str, begin: &[u8]) -> Value {
    let server = Logged::start(&[]);
    let client = server.client().await;
    let named = [("x-request-id", "given-up")];
    let mut call = client.open(call, &named).await.expect("the connection holds");
    if !begin.is_empty() {
        call.body.send_data(Bytes::copy_from_slice(begin), false).expect("it can be sent");
    }
    server.process.has_under_way(1).await;
    call.body.send_reset(h2::Reason::CANCEL);
    server.process.has_under_way(0).await;
    drop((call, client));
    server.end_with_one_line().await
}

#[tokio::test]
async fn a_call_given_up_before_its_message_is_one_line() {
    assert_line(&line_of_given_up("ApplyMove", &[]).await, "given-up", "INFO", "CANCELLED");
}

#[tokio::test]
async fn a_call_given_up_within_its_message_is_one_line() {
    assert_line(&line_of_given_up("ApplyMove", &good_body()[..7]).await, "given-up", "INFO", "CANCELLED");
}

#[tokio::test]
async fn a_stream_given_up_is_one_line() {
    assert_line(&line_of_given_up("Evaluate", &[]).await, "given-up", "INFO", "CANCELLED");
    assert_given_up(&line_of_given_up("Evaluate", &good_body()[..7]).await);
}

#[tokio::test]
async fn a_call_of_another_protocol_given_up_is_one_line() {
    for content_type in ["application/json", "application/proto", "application/grpc-web+proto"] {
        for version in VERSIONS {
            let server = Logged::start(&[]);
            let stream = std::net::TcpStream::connect(server.address()).expect("the server can be reached");
            let line = stream.try_clone().expect("it is open");
            stream.set_nonblocking(true).expect("it is open");
            let stream = tokio::net::TcpStream::from_std(stream).expect("it is open");
            let mut client = WebClient::over(stream, server.address(), version).await;
            let headers = [("content-type", content_type), ("x-request-id", "given-up")];
            let call = client.open("ApplyMove", &headers);
            call.send(good_body().slice(..7));
            server.process.has_under_way(1).await;
            line.shutdown(std::net::Shutdown::Both).expect("it is open");
            server.process.has_under_way(0).await;
            assert_given_up(&server.end_with_one_line().await);
        }
    }
}
