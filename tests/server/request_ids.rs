//! Request ids: every response has one, and every call has one log line with it.

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
    grpc_client::GrpcClient,
    http_client::{HttpClient, HttpResponse, JSON, PROTO, VALID_MOVE, VERSIONS},
    process::{Log, Process, arbiter},
    requests::{apply_move, framed},
    temp_dir::TempDir,
    wait::{TIMEOUT, with_timeout},
};

const ORIGIN: &str = "https://play.example";

const GRPC: (&str, &str) = ("content-type", "application/grpc");
const GRPC_WEB: (&str, &str) = ("content-type", "application/grpc-web+proto");
const GRPC_WEB_TEXT: (&str, &str) = ("content-type", "application/grpc-web-text+proto");

/// The only request id in the headers of a response.
fn request_id_in(headers: &HeaderMap) -> String {
    let ids: Vec<_> = headers.get_all("x-request-id").iter().collect();
    let [id] = ids.as_slice() else { panic!("not exactly one request id: {headers:?}") };
    id.to_str().expect("valid UTF-8").to_owned()
}

/// Whether a request id has the format of a generated one.
fn is_generated(id: &str) -> bool {
    id.len() == 16 && id.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// A request with the expected response and log line.
struct RequestCase {
    version: Version,
    method: Method,
    path: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    body: Bytes,
    /// The HTTP status, and the gRPC status if it is in the headers.
    expected_status: (u16, Option<&'static str>),
    /// The code in the log line. `None` if the request is not a call of `RulesService`, which is not logged.
    logged_code: Option<&'static str>,
}

impl RequestCase {
    fn post(version: Version, path: &'static str, content_type: (&'static str, &'static str)) -> Self {
        Self {
            version,
            method: Method::POST,
            path,
            headers: vec![content_type],
            body: Bytes::new(),
            expected_status: (200, None),
            logged_code: None,
        }
    }

    fn grpc(path: &'static str) -> Self {
        Self::post(Version::HTTP_2, path, GRPC).header("te", "trailers").body(framed(&[]))
    }

    fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    fn body(self, body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..self }
    }

    fn status(self, http: u16, grpc: impl Into<Option<&'static str>>) -> Self {
        Self { expected_status: (http, grpc.into()), ..self }
    }

    fn logged(self, code: &'static str) -> Self {
        Self { logged_code: Some(code), ..self }
    }

    fn description(&self) -> String {
        format!("{:?} {} {} {:?}", self.version, self.method, self.path, self.headers)
    }

    /// Sends the request, with this request id if any, and checks the status of the response.
    async fn send(self, address: &str, id: Option<&str>) -> HttpResponse {
        let mut headers = self.headers.clone();
        headers.extend(id.map(|id| ("x-request-id", id)));
        let mut client = HttpClient::connect(address, self.version).await;
        let response = client.request(self.method.clone(), self.path, &headers, self.body.clone()).await;
        let status = (response.status.as_u16(), response.header("grpc-status"));
        assert_eq!(status, self.expected_status, "{}: {response:?}", self.description());
        response
    }
}

/// A message above the size limit.
fn oversized_message() -> Vec<u8> {
    vec![b' '; 70_000]
}

/// gRPC calls of `RulesService` and of the other services.
fn grpc_cases() -> Vec<RequestCase> {
    let call = |path| RequestCase::grpc(path).body(valid_body());
    vec![
        call("ApplyMove").logged("OK"),
        RequestCase::grpc("ApplyMove").status(200, "3").logged("INVALID_ARGUMENT"),
        call("ApplyMove").body(framed(&[0xff])).status(200, "3").logged("INVALID_ARGUMENT"),
        call("ApplyMove").body(framed(&oversized_message())).status(200, "8").logged("RESOURCE_EXHAUSTED"),
        call("ApplyMove").header("grpc-timeout", "0m").status(200, "4").logged("DEADLINE_EXCEEDED"),
        call("ApplyMove").header("grpc-timeout", "soon").status(200, "3").logged("INVALID_ARGUMENT"),
        call("ApplyMove").header("grpc-encoding", "br").status(200, "12").logged("UNIMPLEMENTED"),
        RequestCase::grpc("EvaluateBatch").logged("OK"),
        call("NoSuchCall").status(200, "12").logged("UNIMPLEMENTED"),
        RequestCase::grpc("Evaluate").body("").logged("OK"),
        RequestCase::grpc("Evaluate").logged("OK"),
        RequestCase::grpc("Evaluate").body(framed(&[0xff])).logged("INVALID_ARGUMENT"),
        RequestCase::grpc("Evaluate")
            .header("grpc-timeout", "0m")
            .status(200, "4")
            .logged("DEADLINE_EXCEEDED"),
        RequestCase::grpc("Evaluate").header("grpc-encoding", "br").status(200, "12").logged("UNIMPLEMENTED"),
        RequestCase::grpc("/no.such.Service/Call").status(200, "12"),
        RequestCase::grpc("/").status(200, "12"),
        RequestCase::grpc("/grpc.health.v1.Health/Check"),
        // An empty field 7 is `list_services`.
        RequestCase::grpc("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
            .body(framed(&[0x3a, 0])),
        RequestCase::post(Version::HTTP_11, "ApplyMove", GRPC).status(505, None),
    ]
}

/// gRPC-Web and Connect calls, and requests in no protocol.
fn http_cases(version: Version) -> Vec<RequestCase> {
    let call = |content_type| RequestCase::post(version, "ApplyMove", content_type);
    let other = |path, content_type| RequestCase::post(version, path, content_type);
    let without_content_type = |method| RequestCase { method, headers: vec![], ..other("ApplyMove", JSON) };
    vec![
        call(GRPC_WEB).body(valid_body()).logged("OK"),
        call(GRPC_WEB).body(framed(&[0xff])).status(200, "3").logged("INVALID_ARGUMENT"),
        call(GRPC_WEB).header("grpc-timeout", "0m").status(200, "4").logged("DEADLINE_EXCEEDED"),
        other("NoSuchCall", GRPC_WEB).status(200, "12").logged("UNIMPLEMENTED"),
        other("Evaluate", GRPC_WEB).logged("OK"),
        call(GRPC_WEB_TEXT).body(STANDARD.encode(valid_body())).logged("OK"),
        call(JSON).body(VALID_MOVE).logged("OK"),
        call(JSON).body("{}").status(400, None).logged("INVALID_ARGUMENT"),
        call(JSON).body("{").status(400, None).logged("INVALID_ARGUMENT"),
        call(JSON).body(oversized_message()).status(429, None).logged("RESOURCE_EXHAUSTED"),
        call(JSON).header("connect-protocol-version", "2").status(400, None).logged("INVALID_ARGUMENT"),
        call(JSON).header("connect-timeout-ms", "0").status(504, None).logged("DEADLINE_EXCEEDED"),
        other("NoSuchCall", JSON).body("{}").status(501, None).logged("UNIMPLEMENTED"),
        other("Evaluate", JSON).status(501, None).logged("UNIMPLEMENTED"),
        call(PROTO).body(apply_move().encode_to_vec()).logged("OK"),
        call(PROTO).body(&[0xff][..]).status(400, None).logged("INVALID_ARGUMENT"),
        other("/grpc.health.v1.Health/Check", JSON).body("{}").status(501, None),
        other("/", JSON).body("{}").status(501, None),
        call(("content-type", "text/plain")).status(415, None),
        without_content_type(Method::POST).status(415, None),
        without_content_type(Method::GET).status(405, None),
        without_content_type(Method::OPTIONS)
            .header("origin", ORIGIN)
            .header("access-control-request-method", "POST"),
    ]
}

fn all_cases() -> Vec<RequestCase> {
    VERSIONS.into_iter().flat_map(http_cases).chain(grpc_cases()).collect()
}

fn valid_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

/// A server with a captured log that has a line for every call.
struct LoggedServer {
    process: Process,
    log: Log,
}

impl LoggedServer {
    fn start(flags: &[&str]) -> Self {
        Self::start_with("arbiter=debug", flags)
    }

    fn start_with(log: &str, flags: &[&str]) -> Self {
        let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
        let log = ["--log", log, "--log-format", "json", "--drain-delay", "0s"];
        let flags = [&ports[..], &log, flags].concat();
        let mut process = Process::start(arbiter().args(flags).stderr(Stdio::piped()));
        let log = process.capture_log();
        Self { process, log }
    }

    fn address(&self) -> &str {
        &self.process.address
    }

    async fn client(&self) -> GrpcClient {
        GrpcClient::connect(self.address()).await
    }

    /// Shuts the server down and returns the log lines of all calls.
    async fn shut_down(mut self) -> Vec<Value> {
        self.process.terminate();
        assert!(self.process.wait(TIMEOUT).await.is_some(), "the server exits");
        self.log.wait_until_closed().await;
        self.log.calls()
    }

    /// Shuts the server down and returns the only log line of a call.
    async fn shut_down_with_one_line(self) -> Value {
        let lines = self.shut_down().await;
        let [line] = lines.as_slice() else { panic!("not exactly one line: {lines:?}") };
        line.clone()
    }
}

/// The server may see the cancellation or the truncated body first.
#[track_caller]
fn assert_cancelled_or_truncated(line: &Value) {
    assert_eq!((&line["request_id"], &line["level"]), (&"cancelled".into(), &"INFO".into()), "{line}");
    assert!(["CANCELLED", "INVALID_ARGUMENT"].map(Value::from).contains(&line["code"]), "{line}");
}

#[track_caller]
fn assert_line(line: &Value, request_id: &str, level: &str, code: &str) {
    assert_eq!(line["request_id"], request_id, "{line}");
    assert_eq!((line["level"].as_str(), line["code"].as_str()), (Some(level), Some(code)), "{line}");
    assert!(line["micros"].is_u64(), "{line}");
}

#[tokio::test]
async fn every_response_has_a_request_id() {
    let server = TestServer::start_with(&["--log", "off", "--cors-allow-origin", ORIGIN]);
    for case in all_cases() {
        let description = case.description();
        let id = request_id_in(&case.send(&server.address, None).await.headers);
        assert!(is_generated(&id), "{description}: {id}");
    }
}

#[tokio::test]
async fn every_response_has_the_request_id_of_its_request() {
    let server = TestServer::start_with(&["--log", "off", "--cors-allow-origin", ORIGIN]);
    for case in all_cases() {
        let description = case.description();
        let response = case.send(&server.address, Some("move-17/of=Game~4")).await;
        assert_eq!(request_id_in(&response.headers), "move-17/of=Game~4", "{description}");
    }
}

#[tokio::test]
async fn every_call_is_one_log_line_with_its_request_id() {
    let server = LoggedServer::start(&["--cors-allow-origin", ORIGIN]);
    let mut expected = BTreeMap::new();
    for (number, case) in all_cases().into_iter().enumerate() {
        let id = format!("case-{number}");
        expected.extend(case.logged_code.map(|code| (id.clone(), (code, case.description()))));
        case.send(server.address(), Some(&id)).await;
    }
    let lines = server.shut_down().await;
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
    for (id, (code, description)) in &expected {
        let lines_of_call = lines.iter().filter(|line| line["request_id"] == *id);
        let codes: Vec<_> = lines_of_call.map(|line| text(line, "code")).collect();
        assert_eq!(codes, [*code], "{description}");
    }
    let others: Vec<_> =
        lines.iter().filter(|line| !expected.contains_key(&text(line, "request_id"))).collect();
    assert!(others.is_empty(), "unexpected lines: {others:?}");
}

#[tokio::test]
async fn a_valid_request_id_is_kept() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    let longest = "x".repeat(128);
    for id in ["a", "0", "7f3c/x=~!\"{}\\", "550e8400-e29b-41d4-a716-446655440000", &longest] {
        let response = client.send("ApplyMove", &[("x-request-id", id)], valid_body()).await;
        assert_eq!(request_id_in(&response.headers), id);
    }
}

/// Of many headers, the server keeps only those that it reads.
#[tokio::test]
async fn a_request_id_among_many_headers_is_kept() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    let names: Vec<_> = (0..100).map(|index| format!("x-other-{index}")).collect();
    let mut headers: Vec<_> = names.iter().map(|name| (name.as_str(), "x")).collect();
    headers.push(("x-request-id", "among-many"));
    headers.push(("grpc-timeout", "5S"));
    let response = client.send("ApplyMove", &headers, valid_body()).await;
    assert!(response.is_ok(), "{response:?}");
    assert_eq!(request_id_in(&response.headers), "among-many");
}

#[tokio::test]
async fn an_invalid_request_id_is_replaced() {
    let server = TestServer::start_with(&["--log", "off"]);
    let too_long = "x".repeat(129);
    for id in ["", "two words", "tab\tbed", &too_long] {
        let client = GrpcClient::connect(&server.address).await;
        let response = client.send("ApplyMove", &[("x-request-id", id)], valid_body()).await;
        assert!(response.is_ok(), "{id:?} must not fail the call: {:?}", response.status);
        assert!(is_generated(&request_id_in(&response.headers)), "{id:?}: {:?}", response.headers);
        for version in VERSIONS {
            let mut client = HttpClient::connect(&server.address, version).await;
            let response = client.post("ApplyMove", &[JSON, ("x-request-id", id)], VALID_MOVE).await;
            assert_eq!(response.status, 200, "{id:?} must not fail the call");
            assert!(is_generated(&request_id_in(&response.headers)), "{id:?}: {:?}", response.headers);
        }
    }
}

#[tokio::test]
async fn a_replaced_request_id_is_not_logged() {
    let server = LoggedServer::start(&[]);
    let headers = [("x-request-id", "two words")];
    let response = server.client().await.send("ApplyMove", &headers, valid_body()).await;
    assert_line(&server.shut_down_with_one_line().await, &request_id_in(&response.headers), "DEBUG", "OK");
}

#[tokio::test]
async fn generated_request_ids_are_unique() {
    let server = TestServer::start_with(&["--log", "off", "--threads", "2"]);
    let mut ids = BTreeSet::new();
    // Several connections, since each worker thread generates its own ids.
    for _ in 0..4 {
        let client = GrpcClient::connect(&server.address).await;
        for _ in 0..50 {
            ids.insert(request_id_in(&client.call("ApplyMove", &apply_move()).await.headers));
        }
    }
    assert_eq!(ids.len(), 200);
}

#[tokio::test]
async fn an_unauthenticated_call_has_a_request_id_in_its_response_and_log_line() {
    let dir = TempDir::new();
    let file = dir.write("tokens", format!("alice {}\n", "0".repeat(64)));
    let server = LoggedServer::start(&["--token-file", &file]);
    let response = server.client().await.call("ApplyMove", &apply_move()).await;
    assert_eq!(response.status.code(), Code::Unauthenticated);
    let mut http_client = HttpClient::connect(server.address(), Version::HTTP_11).await;
    let http_response = http_client.call("NewGame", "{}").await;
    assert_eq!(http_response.status, 401);
    drop(http_client);
    let lines = server.shut_down().await;
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_line(&lines[0], &request_id_in(&response.headers), "INFO", "UNAUTHENTICATED");
    assert_line(&lines[1], &request_id_in(&http_response.headers), "INFO", "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_shed_call_has_a_request_id_in_its_response_and_log_line() {
    let server = LoggedServer::start(&["--max-in-flight", "1"]);
    let client = server.client().await;
    let held =
        client.open("ApplyMove", &[("x-request-id", "held")]).await.expect("the connection stays open");
    server.process.wait_for_in_flight(1).await;
    let response = client.call("ApplyMove", &apply_move()).await;
    assert_eq!(response.status.code(), Code::ResourceExhausted);
    assert!(
        with_timeout("a response", held.finish(valid_body())).await.is_ok_and(|response| response.is_ok())
    );
    drop(client);
    let lines = server.shut_down().await;
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_line(&lines[0], &request_id_in(&response.headers), "WARN", "RESOURCE_EXHAUSTED");
    assert_line(&lines[1], "held", "DEBUG", "OK");
}

#[tokio::test]
async fn a_successful_call_is_logged_with_the_request_id_of_its_response() {
    let server = LoggedServer::start(&[]);
    let response = server.client().await.call("ApplyMove", &apply_move()).await;
    assert!(response.is_ok(), "{:?}", response.status);
    assert_line(&server.shut_down_with_one_line().await, &request_id_in(&response.headers), "DEBUG", "OK");
}

#[tokio::test]
async fn a_failed_call_is_logged_with_the_request_id_of_its_response() {
    // The default level.
    let server = LoggedServer::start_with("info", &[]);
    let without_move = proto::ApplyMoveRequest { r#move: None, ..apply_move() };
    let response = server.client().await.call("ApplyMove", &without_move).await;
    assert_line(
        &server.shut_down_with_one_line().await,
        &request_id_in(&response.headers),
        "INFO",
        "INVALID_ARGUMENT",
    );
}

#[tokio::test]
async fn malformed_json_is_logged_with_the_request_id_of_its_response() {
    let server = LoggedServer::start_with("info", &[]);
    let response = HttpClient::connect(server.address(), Version::HTTP_11).await.call("ApplyMove", "{").await;
    assert_eq!(response.code_and_reason().0, Code::InvalidArgument);
    assert_line(
        &server.shut_down_with_one_line().await,
        &request_id_in(&response.headers),
        "INFO",
        "INVALID_ARGUMENT",
    );
}

#[tokio::test]
async fn a_stream_is_logged_at_its_end_with_its_duration() {
    const HELD: Duration = Duration::from_millis(300);
    let server = LoggedServer::start(&[]);
    let client = server.client().await;
    let start_time = Instant::now();
    let stream = client.open("Evaluate", &[]).await.expect("the connection stays open");
    server.process.wait_for_in_flight(1).await;
    tokio::time::sleep(HELD).await;
    assert!(server.log.calls().is_empty(), "the stream is logged before its end");
    let response = with_timeout("the end of the stream", stream.finish(Bytes::new()))
        .await
        .expect("the connection stays open");
    let duration = start_time.elapsed();
    assert!(response.is_ok(), "{:?}", response.status);
    drop(client);
    let line = server.shut_down_with_one_line().await;
    assert_line(&line, &request_id_in(&response.headers), "DEBUG", "OK");
    let micros = u128::from(line["micros"].as_u64().expect("`micros` is a number"));
    assert!((HELD.as_micros()..=duration.as_micros()).contains(&micros), "{micros} µs of {duration:?}");
}

#[tokio::test]
async fn a_stream_past_its_deadline_is_logged_with_the_request_id_of_its_response() {
    let server = LoggedServer::start(&[]);
    let client = server.client().await;
    let stream =
        client.open("Evaluate", &[("grpc-timeout", "200m")]).await.expect("the connection stays open");
    let response = stream.response().await;
    drop(client);
    assert_line(
        &server.shut_down_with_one_line().await,
        &request_id_in(&response.headers),
        "WARN",
        "DEADLINE_EXCEEDED",
    );
}

/// The log line of a call that the client cancels after this part of its body.
async fn line_of_cancelled_call(method: &str, partial_body: &[u8]) -> Value {
    let server = LoggedServer::start(&[]);
    let client = server.client().await;
    let headers = [("x-request-id", "cancelled")];
    let mut call = client.open(method, &headers).await.expect("the connection stays open");
    if !partial_body.is_empty() {
        call.body.send_data(Bytes::copy_from_slice(partial_body), false).expect("the data is sent");
    }
    server.process.wait_for_in_flight(1).await;
    call.body.send_reset(h2::Reason::CANCEL);
    server.process.wait_for_in_flight(0).await;
    drop((call, client));
    server.shut_down_with_one_line().await
}

#[tokio::test]
async fn a_call_cancelled_before_its_body_is_one_log_line() {
    assert_line(&line_of_cancelled_call("ApplyMove", &[]).await, "cancelled", "INFO", "CANCELLED");
}

#[tokio::test]
async fn a_call_cancelled_within_its_body_is_one_log_line() {
    assert_line(
        &line_of_cancelled_call("ApplyMove", &valid_body()[..7]).await,
        "cancelled",
        "INFO",
        "CANCELLED",
    );
}

#[tokio::test]
async fn a_cancelled_stream_is_one_log_line() {
    assert_line(&line_of_cancelled_call("Evaluate", &[]).await, "cancelled", "INFO", "CANCELLED");
    assert_cancelled_or_truncated(&line_of_cancelled_call("Evaluate", &valid_body()[..7]).await);
}

#[tokio::test]
async fn a_cancelled_grpc_web_or_connect_call_is_one_log_line() {
    for content_type in ["application/json", "application/proto", "application/grpc-web+proto"] {
        for version in VERSIONS {
            let server = LoggedServer::start(&[]);
            let stream = std::net::TcpStream::connect(server.address()).expect("the server is reachable");
            let socket = stream.try_clone().expect("the socket is open");
            stream.set_nonblocking(true).expect("the socket is open");
            let stream = tokio::net::TcpStream::from_std(stream).expect("the socket is open");
            let mut client = HttpClient::over(stream, server.address(), version).await;
            let headers = [("content-type", content_type), ("x-request-id", "cancelled")];
            let call = client.open("ApplyMove", &headers);
            call.send(valid_body().slice(..7));
            server.process.wait_for_in_flight(1).await;
            socket.shutdown(std::net::Shutdown::Both).expect("the socket is open");
            server.process.wait_for_in_flight(0).await;
            assert_cancelled_or_truncated(&server.shut_down_with_one_line().await);
        }
    }
}
