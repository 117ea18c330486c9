//! OTLP traces: one span per call, with the span of the client as its parent. Export problems never affect calls.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant, SystemTime},
};

use arbiter::wire::proto;
use bytes::Bytes;
use http::{Method, Version};
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{KeyValue, any_value::Value as AnyValue},
    trace::v1::{ResourceSpans, Span, Status as SpanStatus, span::SpanKind, status::StatusCode},
};
use prost::Message;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Code, Request, Response, Status, transport::Server};

use crate::support::{
    grpc_client::{GrpcClient, GrpcResponse},
    http_client::{HttpClient, JSON, VALID_MOVE, VERSIONS},
    process::{Log, Process, arbiter, free_address},
    requests::{apply_move, framed},
    wait::{TIMEOUT, eventually, with_timeout},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const SAMPLED: (&str, &str) = ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
const NOT_SAMPLED: (&str, &str) = ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");

/// Export intervals in milliseconds. With `NEVER` spans are exported only at shutdown.
const NEVER: &str = "3600000";
const IMMEDIATELY: &str = "50";

/// An OTLP collector.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<ResourceSpans>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().expect("the lock is not poisoned").extend(request.into_inner().resource_spans);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Starts a collector and returns its endpoint.
    async fn start() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let endpoint = format!("http://{}", listener.local_addr().expect("the listener has an address"));
        (Self::listen(listener), endpoint)
    }

    fn listen(listener: TcpListener) -> Self {
        let collector = Self::default();
        let service = TraceServiceServer::new(collector.clone());
        tokio::spawn(
            Server::builder().add_service(service).serve_with_incoming(TcpListenerStream::new(listener)),
        );
        collector
    }

    fn received(&self) -> Vec<ResourceSpans> {
        self.0.lock().expect("the lock is not poisoned").clone()
    }

    fn spans(&self) -> Vec<Span> {
        let scopes = self.received().into_iter().flat_map(|received| received.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }
}

/// A server that exports spans.
struct TracedServer {
    process: Process,
    log: Log,
}

impl TracedServer {
    fn start(endpoint: &str, delay: &str, flags: &[&str]) -> Self {
        let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
        let log = ["--log", "info,arbiter=debug", "--log-format", "json", "--drain-delay", "0s"];
        let mut command = arbiter();
        // Few connections: the machine may limit the number of open files, about which the server would warn.
        command
            .args(ports)
            .args(log)
            .args(["--otlp-endpoint", endpoint, "--max-connections", "100"])
            .args(flags);
        let command = command.env("OTEL_BSP_SCHEDULE_DELAY", delay).stderr(Stdio::piped());
        let mut process = Process::start(command);
        let log = process.capture_log();
        Self { process, log }
    }

    async fn client(&self) -> GrpcClient {
        GrpcClient::connect(&self.process.address).await
    }

    async fn http_client(&self, version: Version) -> HttpClient {
        HttpClient::connect(&self.process.address, version).await
    }

    /// Makes a valid call with these headers.
    async fn call(&self, headers: &[(&str, &str)]) -> GrpcResponse {
        let response = self.client().await.send("ApplyMove", headers, valid_body()).await;
        assert!(response.is_ok(), "{:?}", response.status);
        response
    }

    /// Shuts the server down and returns the log lines of all calls.
    async fn shut_down(&mut self) -> Vec<Value> {
        self.process.terminate();
        let status = self.process.wait(TIMEOUT).await;
        assert!(status.as_ref().is_some_and(ExitStatus::success), "the server exits with 0: {status:?}");
        self.log.wait_until_closed().await;
        self.log.calls()
    }
}

/// Everything that a server has exported and logged.
struct Telemetry {
    received: Vec<ResourceSpans>,
    spans: Vec<Span>,
    lines: Vec<Value>,
}

impl Telemetry {
    /// Starts a server with these flags, makes these calls and shuts it down.
    async fn collect(flags: &[&str], calls: impl AsyncFnOnce(&TracedServer)) -> Self {
        let (collector, endpoint) = Collector::start().await;
        let mut server = TracedServer::start(&endpoint, NEVER, flags);
        calls(&server).await;
        let lines = server.shut_down().await;
        Self { received: collector.received(), spans: collector.spans(), lines }
    }

    #[track_caller]
    fn one_span(&self) -> &Span {
        let [span] = self.spans.as_slice() else { panic!("not exactly one span: {:?}", self.spans) };
        span
    }
}

fn valid_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

fn hex(id: &[u8]) -> String {
    id.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// All attributes, which must be strings.
fn string_attributes(attributes: &[KeyValue]) -> BTreeMap<&str, &str> {
    attributes.iter().map(|attribute| (attribute.key.as_str(), string_value(attribute))).collect()
}

fn string_value(attribute: &KeyValue) -> &str {
    match attribute.value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(AnyValue::StringValue(text)) => text,
        _ => panic!("not a string: {attribute:?}"),
    }
}

fn attribute<'a>(span: &'a Span, name: &str) -> Option<&'a str> {
    string_attributes(&span.attributes).get(name).copied()
}

/// Whether the status of a span is an error.
fn is_error(span: &Span) -> bool {
    match span.status.as_ref().map(SpanStatus::code) {
        None | Some(StatusCode::Unset) => false,
        Some(StatusCode::Error) => true,
        Some(StatusCode::Ok) => panic!("servers must leave the status of a successful span unset: {span:?}"),
    }
}

/// The gRPC code of each span, and whether its status is an error.
fn codes(spans: &[Span]) -> Vec<(&str, bool)> {
    let code = |span| attribute(span, "rpc.response.status_code").expect("the span has a code");
    spans.iter().map(|span| (code(span), is_error(span))).collect()
}

/// Nanoseconds since the Unix epoch.
fn unix_nanos() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("the clock is after 1970").as_nanos()
}

#[tokio::test]
async fn a_call_is_a_server_span_with_its_method_and_its_times() {
    let start_time = unix_nanos();
    let telemetry = Telemetry::collect(&[], async |server| drop(server.call(&[]).await)).await;
    let span = telemetry.one_span();
    assert_eq!(span.name, "arbiter.v1.RulesService/ApplyMove");
    assert_eq!(span.kind(), SpanKind::Server);
    let times = [start_time, span.start_time_unix_nano.into(), span.end_time_unix_nano.into(), unix_nanos()];
    assert!(times.is_sorted(), "{times:?}");
}

#[tokio::test]
async fn a_span_has_the_attributes_of_its_call() {
    let headers = [("x-request-id", "move-17")];
    let telemetry = Telemetry::collect(&[], async |server| drop(server.call(&headers).await)).await;
    let span = telemetry.one_span();
    let expected = BTreeMap::from([
        ("rpc.system.name", "grpc"),
        ("rpc.method", "arbiter.v1.RulesService/ApplyMove"),
        ("rpc.response.status_code", "OK"),
        ("arbiter.request_id", "move-17"),
        ("arbiter.game", "connect_four"),
    ]);
    assert_eq!(string_attributes(&span.attributes), expected);
    assert!(!is_error(span), "{span:?}");
}

#[tokio::test]
async fn spans_name_the_service_and_its_version() {
    let telemetry = Telemetry::collect(&[], async |server| drop(server.call(&[]).await)).await;
    let resource = telemetry.received[0].resource.as_ref().expect("the spans have a resource");
    let expected =
        BTreeMap::from([("service.name", "arbiter"), ("service.version", env!("CARGO_PKG_VERSION"))]);
    let attributes = string_attributes(&resource.attributes);
    for (name, value) in expected {
        assert_eq!(attributes.get(name), Some(&value), "{attributes:?}");
    }
}

#[tokio::test]
async fn a_span_is_a_child_of_the_span_of_its_client() {
    let telemetry = Telemetry::collect(&[], async |server| drop(server.call(&[SAMPLED]).await)).await;
    let span = telemetry.one_span();
    assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
    assert_eq!(span.span_id.len(), 8);
    assert!(![PARENT, "0000000000000000"].contains(&hex(&span.span_id).as_str()), "{span:?}");
}

#[tokio::test]
async fn a_call_without_a_traceparent_starts_a_trace() {
    let telemetry = Telemetry::collect(&[], async |server| {
        server.call(&[]).await;
        server.call(&[]).await;
    })
    .await;
    assert_eq!(telemetry.spans.len(), 2);
    let traces: BTreeSet<_> = telemetry.spans.iter().map(|span| hex(&span.trace_id)).collect();
    assert_eq!(traces.len(), 2, "the calls share a trace: {traces:?}");
    for span in &telemetry.spans {
        assert!(span.trace_id.len() == 16 && span.trace_id.iter().any(|&byte| byte != 0), "{span:?}");
        assert_eq!(hex(&span.parent_span_id), "", "a root span has no parent");
    }
}

#[tokio::test]
async fn a_malformed_traceparent_starts_a_trace() {
    let malformed = [
        "",
        "00",
        "anything",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "zz-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473x-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902bx-01",
        "00-4bf92f3577b34da6a3ce929d0e0e47361-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-x1",
        "00-1-1-01",
        "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b71-01",
    ];
    let telemetry = Telemetry::collect(&[], async |server| {
        for traceparent in malformed {
            // The trace state is ignored as well.
            let headers =
                [("traceparent", traceparent), ("tracestate", "lobby=1"), ("x-request-id", "given")];
            server.call(&headers).await;
        }
    })
    .await;
    assert_eq!(telemetry.spans.len(), malformed.len());
    for (span, traceparent) in telemetry.spans.iter().zip(malformed) {
        assert_eq!(hex(&span.parent_span_id), "", "{traceparent:?} is accepted as a parent");
        assert!(!hex(&span.trace_id).starts_with(&TRACE[..8]), "{traceparent:?} is accepted as a trace");
        assert_eq!(span.trace_state, "", "{traceparent:?}");
    }
}

#[tokio::test]
async fn the_tracestate_is_propagated() {
    let state = ("tracestate", "lobby=t61rcWkgMzE,other=00f067aa0ba902b7");
    let telemetry = Telemetry::collect(&[], async |server| drop(server.call(&[SAMPLED, state]).await)).await;
    assert_eq!(telemetry.one_span().trace_state, state.1);
}

#[tokio::test]
async fn a_malformed_tracestate_is_dropped_and_the_trace_is_kept() {
    let telemetry =
        Telemetry::collect(&[], async |server| drop(server.call(&[SAMPLED, ("tracestate", "lobby")]).await))
            .await;
    assert_eq!(
        (hex(&telemetry.one_span().trace_id).as_str(), telemetry.one_span().trace_state.as_str()),
        (TRACE, "")
    );
}

#[tokio::test]
async fn a_call_with_an_unsampled_parent_has_no_span() {
    let telemetry = Telemetry::collect(&[], async |server| {
        server.call(&[NOT_SAMPLED, ("x-request-id", "not-traced")]).await;
        server.call(&[SAMPLED, ("x-request-id", "traced")]).await;
    })
    .await;
    assert_eq!(attribute(telemetry.one_span(), "arbiter.request_id"), Some("traced"));
    // The log has the trace id of both calls, so that it can be correlated with the log of the client.
    let traces: Vec<_> =
        telemetry.lines.iter().map(|line| (&line["request_id"], &line["trace_id"])).collect();
    assert_eq!(traces, [(&"not-traced".into(), &TRACE.into()), (&"traced".into(), &TRACE.into())]);
}

#[tokio::test]
async fn with_sampling_0_only_calls_with_a_sampled_parent_have_spans() {
    let telemetry = Telemetry::collect(&["--otlp-sampling", "0"], async |server| {
        server.call(&[]).await;
        server.call(&[NOT_SAMPLED]).await;
        server.call(&[SAMPLED, ("x-request-id", "traced")]).await;
    })
    .await;
    assert_eq!(attribute(telemetry.one_span(), "arbiter.request_id"), Some("traced"));
}

#[tokio::test]
async fn a_ratio_of_the_traces_can_be_sampled() {
    const CALLS: usize = 400;
    let telemetry = Telemetry::collect(&["--otlp-sampling", "0.5"], async |server| {
        let client = server.client().await;
        for _ in 0..CALLS {
            client.assert_call_succeeds().await;
        }
    })
    .await;
    // Half of them, plus or minus eight standard deviations.
    assert!((120..=280).contains(&telemetry.spans.len()), "{} of {CALLS}", telemetry.spans.len());
}

#[tokio::test]
async fn client_errors_are_not_error_spans() {
    let telemetry = Telemetry::collect(&[], async |server| {
        let client = server.client().await;
        client.send("ApplyMove", &[], framed(&[])).await;
        client.send("ApplyMove", &[], framed(&[0xff])).await;
        let full = proto::State::notation("c4:7x6x4:444444");
        client.call("ApplyMove", &proto::ApplyMoveRequest { state: Some(full), ..apply_move() }).await;
        client.send("ApplyMove", &[], framed(&vec![0; 70_000])).await;
        client.send("ApplyMove", &[("grpc-timeout", "soon")], valid_body()).await;
    })
    .await;
    let expected = [
        ("INVALID_ARGUMENT", false),
        ("INVALID_ARGUMENT", false),
        ("FAILED_PRECONDITION", false),
        ("RESOURCE_EXHAUSTED", false),
        ("INVALID_ARGUMENT", false),
    ];
    assert_eq!(codes(&telemetry.spans), expected);
    assert_eq!(
        attribute(&telemetry.spans[1], "arbiter.game"),
        None,
        "the game of a malformed request is unknown"
    );
    assert_eq!(attribute(&telemetry.spans[2], "arbiter.game"), Some("connect_four"));
}

#[tokio::test]
async fn a_call_past_its_deadline_is_an_error_span() {
    let telemetry = Telemetry::collect(&[], async |server| {
        let client = server.client().await;
        let response = client.send("ApplyMove", &[("grpc-timeout", "0m")], valid_body()).await;
        assert_eq!(response.status.code(), Code::DeadlineExceeded);
        let call = client.open("ApplyMove", &[("grpc-timeout", "100m")]).await;
        let response = call.expect("the connection stays open").response().await;
        assert_eq!(response.status.code(), Code::DeadlineExceeded);
        let stream = client.open("Evaluate", &[("grpc-timeout", "100m")]).await;
        let response = stream.expect("the connection stays open").response().await;
        assert_eq!(response.status.code(), Code::DeadlineExceeded);
    })
    .await;
    assert_eq!(codes(&telemetry.spans), [("DEADLINE_EXCEEDED", true); 3]);
    for span in &telemetry.spans[1..] {
        let duration = Duration::from_nanos(span.end_time_unix_nano - span.start_time_unix_nano);
        assert!(duration >= Duration::from_millis(100), "{duration:?}");
    }
}

#[tokio::test]
async fn the_span_of_an_unknown_method_does_not_contain_its_name() {
    let telemetry = Telemetry::collect(&[], async |server| {
        server.client().await.send("NoSuchCall", &[], valid_body()).await;
    })
    .await;
    // Clients could otherwise create unlimited span names.
    assert_eq!(telemetry.one_span().name, "arbiter.v1.RulesService/unknown");
    assert_eq!(codes(&telemetry.spans), [("UNIMPLEMENTED", true)]);
}

#[tokio::test]
async fn a_batch_is_one_span() {
    let telemetry = Telemetry::collect(&[], async |server| {
        let call = proto::Call { kind: Some(proto::call::Kind::ApplyMove(apply_move())) };
        let batch = proto::EvaluateBatchRequest::from_iter(vec![call; 3]);
        assert!(server.client().await.call("EvaluateBatch", &batch).await.is_ok());
    })
    .await;
    assert_eq!(telemetry.one_span().name, "arbiter.v1.RulesService/EvaluateBatch");
}

#[tokio::test]
async fn a_stream_is_one_span_that_ends_with_the_stream() {
    const HELD: Duration = Duration::from_millis(400);
    let (collector, endpoint) = Collector::start().await;
    let server = TracedServer::start(&endpoint, IMMEDIATELY, &[]);
    let client = server.client().await;
    let mut stream = client.open("Evaluate", &[SAMPLED]).await.expect("the connection stays open");
    let call = proto::Call { kind: Some(proto::call::Kind::ApplyMove(apply_move())) };
    let call = framed(&proto::EvaluateRequest { call: Some(call) }.encode_to_vec());
    stream.body.send_data(call.clone(), false).expect("the data is sent");
    server.process.wait_for_in_flight(1).await;
    tokio::time::sleep(HELD).await;
    assert!(collector.spans().is_empty(), "the span is exported before its stream ends");
    let response =
        with_timeout("the end of the stream", stream.finish(call)).await.expect("the connection stays open");
    assert_eq!((response.status.code(), response.messages.len()), (Code::Ok, 2));
    eventually("the span is exported", async || !collector.spans().is_empty()).await;
    let spans = collector.spans();
    let [span] = spans.as_slice() else { panic!("not exactly one span: {spans:?}") };
    assert_eq!(span.name, "arbiter.v1.RulesService/Evaluate");
    assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
    let duration = Duration::from_nanos(span.end_time_unix_nano - span.start_time_unix_nano);
    assert!(duration >= HELD, "{duration:?}");
    assert_eq!(codes(&spans), [("OK", false)]);
}

#[tokio::test]
async fn a_cancelled_call_is_one_span_without_error() {
    for method in ["ApplyMove", "Evaluate"] {
        let telemetry = Telemetry::collect(&[], async |server| {
            let client = server.client().await;
            let mut call = client.open(method, &[]).await.expect("the connection stays open");
            server.process.wait_for_in_flight(1).await;
            call.body.send_reset(h2::Reason::CANCEL);
            server.process.wait_for_in_flight(0).await;
        })
        .await;
        assert!(!is_error(telemetry.one_span()), "{method}: {:?}", telemetry.spans);
    }
}

#[tokio::test]
async fn a_stream_ended_by_shutdown_is_an_error_span() {
    let (collector, endpoint) = Collector::start().await;
    let mut server = TracedServer::start(&endpoint, NEVER, &["--drain-timeout", "200ms"]);
    let client = server.client().await;
    let stream = client.open("Evaluate", &[]).await.expect("the connection stays open");
    server.process.wait_for_in_flight(1).await;
    server.shut_down().await;
    assert_eq!(stream.response().await.status.code(), Code::Unavailable);
    assert_eq!(codes(&collector.spans()), [("UNAVAILABLE", true)]);
}

#[tokio::test]
async fn grpc_web_and_connect_calls_have_the_same_spans_as_grpc() {
    for version in VERSIONS {
        let headers = [SAMPLED, ("x-request-id", "move-17")];
        let telemetry = Telemetry::collect(&[], async |server| {
            let mut client = server.http_client(version).await;
            let response = client.post("ApplyMove", &[&[JSON], &headers[..]].concat(), VALID_MOVE).await;
            assert_eq!(response.status, 200);
            let grpc_web = ("content-type", "application/grpc-web+proto");
            let response =
                client.post("ApplyMove", &[&[grpc_web], &headers[..]].concat(), valid_body()).await;
            assert_eq!(response.header("grpc-status"), None, "{response:?}");
            server.call(&headers).await;
        })
        .await;
        let essentials = |span: &Span| {
            let attributes: BTreeMap<_, _> = string_attributes(&span.attributes)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            let ids = (hex(&span.trace_id), hex(&span.parent_span_id));
            (span.name.clone(), span.kind, ids, attributes, is_error(span))
        };
        let [json, grpc_web, grpc] = telemetry.spans.as_slice() else {
            panic!("not one span per call: {:?}", telemetry.spans)
        };
        assert_eq!(essentials(json), essentials(grpc), "Connect, {version:?}");
        assert_eq!(essentials(grpc_web), essentials(grpc), "gRPC-Web, {version:?}");
    }
}

#[tokio::test]
async fn malformed_json_is_one_span() {
    let telemetry = Telemetry::collect(&[], async |server| {
        let mut client = server.http_client(Version::HTTP_11).await;
        assert_eq!(client.post("ApplyMove", &[JSON, SAMPLED], "{").await.status, 400);
        assert_eq!(client.post("Evaluate", &[JSON, SAMPLED], "").await.status, 501);
    })
    .await;
    assert_eq!(codes(&telemetry.spans), [("INVALID_ARGUMENT", false), ("UNIMPLEMENTED", true)]);
    for span in &telemetry.spans {
        assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
    }
}

#[tokio::test]
async fn only_calls_of_the_rules_service_have_spans() {
    let telemetry = Telemetry::collect(&[], async |server| {
        let client = server.client().await;
        for (path, request) in [
            ("/grpc.health.v1.Health/Check", &[][..]),
            ("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", &[0x3a, 0]),
        ] {
            assert!(client.send(path, &[SAMPLED], framed(request)).await.is_ok(), "{path}");
        }
        client.send("/no.such.Service/Call", &[SAMPLED], framed(&[])).await;
        let mut client = server.http_client(Version::HTTP_11).await;
        assert_eq!(client.request(Method::GET, "ApplyMove", &[SAMPLED], "").await.status, 405);
        assert_eq!(client.post("ApplyMove", &[SAMPLED], "").await.status, 415);
        server.call(&[]).await;
    })
    .await;
    assert_eq!(telemetry.one_span().name, "arbiter.v1.RulesService/ApplyMove");
}

#[tokio::test]
async fn spans_are_exported_while_the_server_runs() {
    let (collector, endpoint) = Collector::start().await;
    let server = TracedServer::start(&endpoint, IMMEDIATELY, &[]);
    for calls in 1..=2 {
        server.call(&[]).await;
        eventually("the span is exported", async || collector.spans().len() == calls).await;
    }
}

#[tokio::test]
async fn pending_spans_are_exported_at_shutdown() {
    let (collector, endpoint) = Collector::start().await;
    let mut server = TracedServer::start(&endpoint, NEVER, &[]);
    server.call(&[]).await;
    server.call(&[]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(collector.spans().is_empty(), "spans are exported too early");
    server.shut_down().await;
    assert_eq!(collector.spans().len(), 2);
}

#[tokio::test]
async fn log_lines_have_the_trace_id_and_request_id_of_their_spans() {
    let telemetry = Telemetry::collect(&[], async |server| {
        server.call(&[]).await;
        server.call(&[SAMPLED]).await;
        server.client().await.send("ApplyMove", &[], framed(&[])).await;
        server.client().await.send("Evaluate", &[], Bytes::new()).await;
        server.http_client(Version::HTTP_11).await.post("ApplyMove", &[JSON], "{").await;
    })
    .await;
    let logged: Vec<_> =
        telemetry.lines.iter().map(|line| (&line["trace_id"], &line["request_id"])).collect();
    let traced: Vec<(Value, Value)> = telemetry
        .spans
        .iter()
        .map(|span| (hex(&span.trace_id).into(), attribute(span, "arbiter.request_id").into()))
        .collect();
    assert_eq!(traced.len(), 5);
    assert_eq!(logged, traced.iter().map(|(trace, id)| (trace, id)).collect::<Vec<_>>());
}

#[tokio::test]
async fn without_an_endpoint_no_trace_ids_are_logged() {
    let flags = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--drain-delay", "0s"];
    let log = ["--log", "arbiter=debug", "--log-format", "json"];
    let mut process = Process::start(arbiter().args(flags).args(log).stderr(Stdio::piped()));
    let mut server = TracedServer { log: process.capture_log(), process };
    server.call(&[SAMPLED]).await;
    let lines = server.shut_down().await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0].get("trace_id"), None, "{lines:?}");
}

#[tokio::test]
async fn environment_variables_configure_the_export() {
    let (collector, endpoint) = Collector::start().await;
    let environment = [
        ("ARBITER_LISTEN", "127.0.0.1:0"),
        ("ARBITER_ADMIN_LISTEN", "127.0.0.1:0"),
        ("ARBITER_DRAIN_DELAY", "0s"),
        ("ARBITER_LOG_FORMAT", "json"),
        ("ARBITER_OTLP_ENDPOINT", &endpoint),
        ("ARBITER_OTLP_SAMPLING", "0"),
    ];
    let mut process = Process::start(arbiter().envs(environment).stderr(Stdio::piped()));
    let mut server = TracedServer { log: process.capture_log(), process };
    server.call(&[]).await;
    server.call(&[SAMPLED]).await;
    server.shut_down().await;
    let spans = collector.spans();
    assert_eq!(spans.iter().map(|span| hex(&span.trace_id)).collect::<Vec<_>>(), [TRACE]);
}

/// Longer than the export at shutdown may take, and shorter than the timeout of the exporter.
const MAX_SHUTDOWN_TIME: Duration = Duration::from_secs(6);

/// Checks that a server with an endpoint that does not work serves calls, exits in time and logs the problem.
async fn assert_not_affected(endpoint: &str, delay: &str) {
    let mut server = TracedServer::start(endpoint, delay, &[]);
    let client = server.client().await;
    for _ in 0..20 {
        client.assert_call_succeeds().await;
    }
    // Time for a first export, unless spans are exported only at shutdown.
    tokio::time::sleep(Duration::from_millis(300)).await;
    client.assert_call_succeeds().await;
    drop(client);
    server.process.terminate();
    let start_time = Instant::now();
    let status = server.process.wait(MAX_SHUTDOWN_TIME).await;
    assert!(status.as_ref().is_some_and(ExitStatus::success), "after {:?}: {status:?}", start_time.elapsed());
    server.log.wait_until_closed().await;
    let problems: Vec<_> = ["WARN", "ERROR"].iter().flat_map(|level| server.log.at_level(level)).collect();
    assert!(!problems.is_empty(), "the problem is not logged: {:?}", server.log.lines());
    assert!(
        problems.iter().all(|line| line["target"] != "arbiter::server::telemetry::call_record"),
        "{problems:?}"
    );
}

#[tokio::test]
async fn a_missing_collector_does_not_affect_calls() {
    for delay in [IMMEDIATELY, NEVER] {
        assert_not_affected(&format!("http://{}", free_address()), delay).await;
    }
}

#[tokio::test]
async fn a_collector_that_does_not_respond_does_not_affect_calls() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let endpoint = format!("http://{}", silent.local_addr().expect("the listener has an address"));
    for delay in [IMMEDIATELY, NEVER] {
        assert_not_affected(&endpoint, delay).await;
    }
}

#[tokio::test]
async fn an_unresolvable_collector_does_not_affect_calls() {
    assert_not_affected("http://collector.invalid:4317", IMMEDIATELY).await;
}

#[tokio::test]
async fn a_collector_that_starts_later_receives_spans() {
    let address = free_address();
    let server = TracedServer::start(&format!("http://{address}"), IMMEDIATELY, &[]);
    server.call(&[]).await;
    eventually("the failed export is logged", async || !server.log.at_level("ERROR").is_empty()).await;
    let collector = Collector::listen(TcpListener::bind(&address).await.expect("the address is still free"));
    eventually("a span is exported", async || {
        server.call(&[]).await;
        !collector.spans().is_empty()
    })
    .await;
}
