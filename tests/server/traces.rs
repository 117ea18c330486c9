//! A span for every call, as a collector receives it: below the span of its caller, and never in the way of a call.

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
    raw::{
        Client, Log, PATIENCE, Process, Reply, apply_move, arbiter, eventually, framed, free_address, soon,
    },
    web::{GOOD_MOVE, JSON, VERSIONS, WebClient},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const SAMPLED: (&str, &str) = ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
const NOT_SAMPLED: (&str, &str) = ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");

/// How often spans are sent, in milliseconds: so seldom that only the end of the server sends them, or at once.
const NEVER: &str = "3600000";
const AT_ONCE: &str = "50";

/// Someone who collects spans.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<ResourceSpans>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().expect("nobody panics here").extend(request.into_inner().resource_spans);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Starts to collect. Answers where, too.
    async fn start() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let endpoint = format!("http://{}", listener.local_addr().expect("it has an address"));
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
        self.0.lock().expect("nobody panics here").clone()
    }

    fn spans(&self) -> Vec<Span> {
        let scopes = self.received().into_iter().flat_map(|received| received.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }
}

/// A server that sends spans.
struct Traced {
    process: Process,
    log: Log,
}

impl Traced {
    fn start(endpoint: &str, delay: &str, flags: &[&str]) -> Self {
        let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
        let log = ["--log", "info,arbiter=debug", "--log-format", "json", "--drain-delay", "0s"];
        let mut command = arbiter();
        command.args(ports).args(log).args(["--otlp-endpoint", endpoint]).args(flags);
        let command = command.env("OTEL_BSP_SCHEDULE_DELAY", delay).stderr(Stdio::piped());
        let mut process = Process::start(command);
        let log = process.log();
        Self { process, log }
    }

    async fn client(&self) -> Client {
        Client::connect(&self.process.address).await
    }

    async fn web_client(&self, version: Version) -> WebClient {
        WebClient::connect(&self.process.address, version).await
    }

    /// Makes a good call with further headers.
    async fn call(&self, headers: &[(&str, &str)]) -> Reply {
        let reply = self.client().await.send("ApplyMove", headers, good_body()).await;
        assert!(reply.is_ok(), "{:?}", reply.status);
        reply
    }

    /// Ends the server. Answers the lines of all its calls.
    async fn end(&mut self) -> Vec<Value> {
        self.process.terminate();
        let ended = self.process.wait(PATIENCE).await;
        assert!(ended.as_ref().is_some_and(ExitStatus::success), "the server ends well: {ended:?}");
        self.log.end().await;
        self.log.calls()
    }
}

/// What came of a server from its start to its end: the spans, and the lines of its calls.
struct Told {
    received: Vec<ResourceSpans>,
    spans: Vec<Span>,
    lines: Vec<Value>,
}

impl Told {
    /// Of a server with these flags to which this is done.
    async fn of(flags: &[&str], calls: impl AsyncFnOnce(&Traced)) -> Self {
        let (collector, endpoint) = Collector::start().await;
        let mut server = Traced::start(&endpoint, NEVER, flags);
        calls(&server).await;
        let lines = server.end().await;
        Self { received: collector.received(), spans: collector.spans(), lines }
    }

    #[track_caller]
    fn one_span(&self) -> &Span {
        let [span] = self.spans.as_slice() else { panic!("not one span: {:?}", self.spans) };
        span
    }
}

fn good_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

fn hex(id: &[u8]) -> String {
    id.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// All attributes, each of which must be a text.
fn texts(attributes: &[KeyValue]) -> BTreeMap<&str, &str> {
    attributes.iter().map(|attribute| (attribute.key.as_str(), text(attribute))).collect()
}

fn text(attribute: &KeyValue) -> &str {
    match attribute.value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(AnyValue::StringValue(text)) => text,
        _ => panic!("not a text: {attribute:?}"),
    }
}

fn attribute<'a>(span: &'a Span, name: &str) -> Option<&'a str> {
    texts(&span.attributes).get(name).copied()
}

/// Whether a span counts as an error.
fn is_error(span: &Span) -> bool {
    match span.status.as_ref().map(SpanStatus::code) {
        None | Some(StatusCode::Unset) => false,
        Some(StatusCode::Error) => true,
        Some(StatusCode::Ok) => panic!("only who reads spans may say that all is well: {span:?}"),
    }
}

/// The code of each span, and whether it counts as an error, in order.
fn codes(spans: &[Span]) -> Vec<(&str, bool)> {
    let code = |span| attribute(span, "rpc.response.status_code").expect("it is told");
    spans.iter().map(|span| (code(span), is_error(span))).collect()
}

/// Nanoseconds since 1970.
fn now() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later").as_nanos()
}

#[tokio::test]
async fn a_call_is_a_span_of_a_server_with_its_name_and_its_time() {
    let began = now();
    let told = Told::of(&[], async |server| drop(server.call(&[]).await)).await;
    let span = told.one_span();
    assert_eq!(span.name, "arbiter.v1.RulesService/ApplyMove");
    assert_eq!(span.kind(), SpanKind::Server);
    let times = [began, span.start_time_unix_nano.into(), span.end_time_unix_nano.into(), now()];
    assert!(times.is_sorted(), "{times:?}");
}

#[tokio::test]
async fn a_span_tells_of_its_call_what_the_log_does() {
    let given = [("x-request-id", "move-17")];
    let told = Told::of(&[], async |server| drop(server.call(&given).await)).await;
    let span = told.one_span();
    let wanted = BTreeMap::from([
        ("rpc.system.name", "grpc"),
        ("rpc.method", "arbiter.v1.RulesService/ApplyMove"),
        ("rpc.response.status_code", "OK"),
        ("arbiter.request_id", "move-17"),
        ("arbiter.game", "connect_four"),
    ]);
    assert_eq!(texts(&span.attributes), wanted);
    assert!(!is_error(span), "{span:?}");
}

#[tokio::test]
async fn spans_tell_which_service_sends_them() {
    let told = Told::of(&[], async |server| drop(server.call(&[]).await)).await;
    let resource = told.received[0].resource.as_ref().expect("it is told");
    let wanted =
        BTreeMap::from([("service.name", "arbiter"), ("service.version", env!("CARGO_PKG_VERSION"))]);
    let attributes = texts(&resource.attributes);
    for (name, value) in wanted {
        assert_eq!(attributes.get(name), Some(&value), "{attributes:?}");
    }
}

#[tokio::test]
async fn a_span_is_below_that_of_its_caller() {
    let told = Told::of(&[], async |server| drop(server.call(&[SAMPLED]).await)).await;
    let span = told.one_span();
    assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
    assert_eq!(span.span_id.len(), 8);
    assert!(![PARENT, "0000000000000000"].contains(&hex(&span.span_id).as_str()), "{span:?}");
}

#[tokio::test]
async fn a_call_without_a_span_of_its_caller_begins_a_trace() {
    let told = Told::of(&[], async |server| {
        server.call(&[]).await;
        server.call(&[]).await;
    })
    .await;
    assert_eq!(told.spans.len(), 2);
    let traces: BTreeSet<_> = told.spans.iter().map(|span| hex(&span.trace_id)).collect();
    assert_eq!(traces.len(), 2, "each is a trace of its own: {traces:?}");
    for span in &told.spans {
        assert!(span.trace_id.len() == 16 && span.trace_id.iter().any(|&byte| byte != 0), "{span:?}");
        assert_eq!(hex(&span.parent_span_id), "", "it has no parent");
    }
}

#[tokio::test]
async fn a_traceparent_that_cannot_be_read_begins_a_trace() {
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
    let told = Told::of(&[], async |server| {
        for traceparent in malformed {
            // As if it had not been sent: no state of a trace either.
            let headers =
                [("traceparent", traceparent), ("tracestate", "lobby=1"), ("x-request-id", "given")];
            server.call(&headers).await;
        }
    })
    .await;
    assert_eq!(told.spans.len(), malformed.len());
    for (span, traceparent) in told.spans.iter().zip(malformed) {
        assert_eq!(hex(&span.parent_span_id), "", "{traceparent:?} is taken for a parent");
        assert!(!hex(&span.trace_id).starts_with(&TRACE[..8]), "{traceparent:?} is taken for a trace");
        assert_eq!(span.trace_state, "", "{traceparent:?}");
    }
}

#[tokio::test]
async fn the_state_of_a_trace_is_carried_on() {
    let state = ("tracestate", "lobby=t61rcWkgMzE,other=00f067aa0ba902b7");
    let told = Told::of(&[], async |server| drop(server.call(&[SAMPLED, state]).await)).await;
    assert_eq!(told.one_span().trace_state, state.1);
}

#[tokio::test]
async fn a_state_of_a_trace_that_cannot_be_read_costs_only_itself() {
    let told =
        Told::of(&[], async |server| drop(server.call(&[SAMPLED, ("tracestate", "lobby")]).await)).await;
    assert_eq!((hex(&told.one_span().trace_id).as_str(), told.one_span().trace_state.as_str()), (TRACE, ""));
}

#[tokio::test]
async fn a_call_whose_caller_is_not_traced_has_no_span() {
    let told = Told::of(&[], async |server| {
        server.call(&[NOT_SAMPLED, ("x-request-id", "not-traced")]).await;
        server.call(&[SAMPLED, ("x-request-id", "traced")]).await;
    })
    .await;
    assert_eq!(attribute(told.one_span(), "arbiter.request_id"), Some("traced"));
    // It is in the log all the same: the caller's other lines have the same trace.
    let traces: Vec<_> = told.lines.iter().map(|line| (&line["request_id"], &line["trace_id"])).collect();
    assert_eq!(traces, [(&"not-traced".into(), &TRACE.into()), (&"traced".into(), &TRACE.into())]);
}

#[tokio::test]
async fn without_sampling_only_calls_whose_callers_are_traced_have_spans() {
    let told = Told::of(&["--otlp-sampling", "0"], async |server| {
        server.call(&[]).await;
        server.call(&[NOT_SAMPLED]).await;
        server.call(&[SAMPLED, ("x-request-id", "traced")]).await;
    })
    .await;
    assert_eq!(attribute(told.one_span(), "arbiter.request_id"), Some("traced"));
}

#[tokio::test]
async fn a_share_of_the_traces_can_be_asked_for() {
    const CALLS: usize = 400;
    let told = Told::of(&["--otlp-sampling", "0.5"], async |server| {
        let client = server.client().await;
        for _ in 0..CALLS {
            client.assert_answers().await;
        }
    })
    .await;
    // Half of them, give or take eight standard deviations.
    assert!((120..=280).contains(&told.spans.len()), "{} of {CALLS}", told.spans.len());
}

#[tokio::test]
async fn what_is_the_callers_fault_is_no_error_of_the_server() {
    let told = Told::of(&[], async |server| {
        let client = server.client().await;
        client.send("ApplyMove", &[], framed(&[])).await;
        client.send("ApplyMove", &[], framed(&[0xff])).await;
        let full = proto::State::notation("c4:7x6x4:444444");
        client.call("ApplyMove", &proto::ApplyMoveRequest { state: Some(full), ..apply_move() }).await;
        client.send("ApplyMove", &[], framed(&vec![0; 70_000])).await;
        client.send("ApplyMove", &[("grpc-timeout", "soon")], good_body()).await;
    })
    .await;
    let wanted = [
        ("INVALID_ARGUMENT", false),
        ("INVALID_ARGUMENT", false),
        ("FAILED_PRECONDITION", false),
        ("RESOURCE_EXHAUSTED", false),
        ("INVALID_ARGUMENT", false),
    ];
    assert_eq!(codes(&told.spans), wanted);
    assert_eq!(attribute(&told.spans[1], "arbiter.game"), None, "nobody saw which game it is of");
    assert_eq!(attribute(&told.spans[2], "arbiter.game"), Some("connect_four"));
}

#[tokio::test]
async fn a_call_whose_time_is_over_is_an_error() {
    let told = Told::of(&[], async |server| {
        let client = server.client().await;
        let reply = client.send("ApplyMove", &[("grpc-timeout", "0m")], good_body()).await;
        assert_eq!(reply.status.code(), Code::DeadlineExceeded);
        let waiting = client.open("ApplyMove", &[("grpc-timeout", "100m")]).await;
        let reply = waiting.expect("the connection holds").reply().await;
        assert_eq!(reply.status.code(), Code::DeadlineExceeded);
        let stream = client.open("Evaluate", &[("grpc-timeout", "100m")]).await;
        let reply = stream.expect("the connection holds").reply().await;
        assert_eq!(reply.status.code(), Code::DeadlineExceeded);
    })
    .await;
    assert_eq!(codes(&told.spans), [("DEADLINE_EXCEEDED", true); 3]);
    for span in &told.spans[1..] {
        let lasted = Duration::from_nanos(span.end_time_unix_nano - span.start_time_unix_nano);
        assert!(lasted >= Duration::from_millis(100), "{lasted:?}");
    }
}

#[tokio::test]
async fn a_call_that_does_not_exist_is_a_span_that_does_not_take_its_name() {
    let told = Told::of(&[], async |server| {
        server.client().await.send("NoSuchCall", &[], good_body()).await;
    })
    .await;
    // Callers could make up as many names as they like.
    assert_eq!(told.one_span().name, "arbiter.v1.RulesService/unknown");
    assert_eq!(codes(&told.spans), [("UNIMPLEMENTED", true)]);
}

#[tokio::test]
async fn a_batch_is_one_span() {
    let told = Told::of(&[], async |server| {
        let call = proto::Call { kind: Some(proto::call::Kind::ApplyMove(apply_move())) };
        let batch = proto::EvaluateBatchRequest::from_iter(vec![call; 3]);
        assert!(server.client().await.call("EvaluateBatch", &batch).await.is_ok());
    })
    .await;
    assert_eq!(told.one_span().name, "arbiter.v1.RulesService/EvaluateBatch");
}

#[tokio::test]
async fn a_stream_is_one_span_that_ends_with_it() {
    const HELD: Duration = Duration::from_millis(400);
    let (collector, endpoint) = Collector::start().await;
    let server = Traced::start(&endpoint, AT_ONCE, &[]);
    let client = server.client().await;
    let mut stream = client.open("Evaluate", &[SAMPLED]).await.expect("the connection holds");
    let call = proto::Call { kind: Some(proto::call::Kind::ApplyMove(apply_move())) };
    let call = framed(&proto::EvaluateRequest { call: Some(call) }.encode_to_vec());
    stream.body.send_data(call.clone(), false).expect("it can be sent");
    server.process.has_under_way(1).await;
    tokio::time::sleep(HELD).await;
    assert!(collector.spans().is_empty(), "it has not ended");
    let reply = soon("the end", stream.finish(call)).await.expect("the connection holds");
    assert_eq!((reply.status.code(), reply.messages.len()), (Code::Ok, 2));
    eventually("its span is sent", async || !collector.spans().is_empty()).await;
    let spans = collector.spans();
    let [span] = spans.as_slice() else { panic!("not one span: {spans:?}") };
    assert_eq!(span.name, "arbiter.v1.RulesService/Evaluate");
    assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
    let lasted = Duration::from_nanos(span.end_time_unix_nano - span.start_time_unix_nano);
    assert!(lasted >= HELD, "{lasted:?}");
    assert_eq!(codes(&spans), [("OK", false)]);
}

#[tokio::test]
async fn what_is_given_up_by_its_caller_is_one_span_and_no_error() {
    for call in ["ApplyMove", "Evaluate"] {
        let told = Told::of(&[], async |server| {
            let client = server.client().await;
            let mut call = client.open(call, &[]).await.expect("the connection holds");
            server.process.has_under_way(1).await;
            call.body.send_reset(h2::Reason::CANCEL);
            server.process.has_under_way(0).await;
        })
        .await;
        assert!(!is_error(told.one_span()), "{call}: {:?}", told.spans);
    }
}

#[tokio::test]
async fn a_stream_that_the_end_of_the_server_ends_is_sent_as_an_error() {
    let (collector, endpoint) = Collector::start().await;
    let mut server = Traced::start(&endpoint, NEVER, &["--drain-timeout", "200ms"]);
    let client = server.client().await;
    let stream = client.open("Evaluate", &[]).await.expect("the connection holds");
    server.process.has_under_way(1).await;
    server.end().await;
    assert_eq!(stream.reply().await.status.code(), Code::Unavailable);
    assert_eq!(codes(&collector.spans()), [("UNAVAILABLE", true)]);
}

#[tokio::test]
async fn a_call_of_another_protocol_is_the_same_span() {
    for version in VERSIONS {
        let given = [SAMPLED, ("x-request-id", "move-17")];
        let told = Told::of(&[], async |server| {
            let mut client = server.web_client(version).await;
            let answer = client.post("ApplyMove", &[&[JSON], &given[..]].concat(), GOOD_MOVE).await;
            assert_eq!(answer.status, 200);
            let grpc_web = ("content-type", "application/grpc-web+proto");
            let answer = client.post("ApplyMove", &[&[grpc_web], &given[..]].concat(), good_body()).await;
            assert_eq!(answer.header("grpc-status"), None, "{answer:?}");
            server.call(&given).await;
        })
        .await;
        let kept = |span: &Span| {
            let attributes: BTreeMap<_, _> = texts(&span.attributes)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            let ids = (hex(&span.trace_id), hex(&span.parent_span_id));
            (span.name.clone(), span.kind, ids, attributes, is_error(span))
        };
        let [json, web, grpc] = told.spans.as_slice() else { panic!("not one each: {:?}", told.spans) };
        assert_eq!(kept(json), kept(grpc), "Connect, {version:?}");
        assert_eq!(kept(web), kept(grpc), "gRPC-Web, {version:?}");
    }
}

#[tokio::test]
async fn json_that_cannot_be_read_is_one_span() {
    let told = Told::of(&[], async |server| {
        let mut client = server.web_client(Version::HTTP_11).await;
        assert_eq!(client.post("ApplyMove", &[JSON, SAMPLED], "{").await.status, 400);
        assert_eq!(client.post("Evaluate", &[JSON, SAMPLED], "").await.status, 501);
    })
    .await;
    assert_eq!(codes(&told.spans), [("INVALID_ARGUMENT", false), ("UNIMPLEMENTED", true)]);
    for span in &told.spans {
        assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
    }
}

#[tokio::test]
async fn only_calls_of_the_referee_are_spans() {
    let told = Told::of(&[], async |server| {
        let client = server.client().await;
        for (path, question) in [
            ("/grpc.health.v1.Health/Check", &[][..]),
            ("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", &[0x3a, 0]),
        ] {
            assert!(client.send(path, &[SAMPLED], framed(question)).await.is_ok(), "{path}");
        }
        client.send("/no.such.Service/Call", &[SAMPLED], framed(&[])).await;
        let mut client = server.web_client(Version::HTTP_11).await;
        assert_eq!(client.request(Method::GET, "ApplyMove", &[SAMPLED], "").await.status, 405);
        assert_eq!(client.post("ApplyMove", &[SAMPLED], "").await.status, 415);
        server.call(&[]).await;
    })
    .await;
    assert_eq!(told.one_span().name, "arbiter.v1.RulesService/ApplyMove");
}

#[tokio::test]
async fn spans_are_sent_while_the_server_runs() {
    let (collector, endpoint) = Collector::start().await;
    let server = Traced::start(&endpoint, AT_ONCE, &[]);
    for calls in 1..=2 {
        server.call(&[]).await;
        eventually("its span is sent", async || collector.spans().len() == calls).await;
    }
}

#[tokio::test]
async fn what_has_not_been_sent_is_sent_when_the_server_ends() {
    let (collector, endpoint) = Collector::start().await;
    let mut server = Traced::start(&endpoint, NEVER, &[]);
    server.call(&[]).await;
    server.call(&[]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(collector.spans().is_empty(), "nothing is sent before its time");
    server.end().await;
    assert_eq!(collector.spans().len(), 2);
}

#[tokio::test]
async fn the_log_has_the_trace_and_the_name_that_the_span_has() {
    let told = Told::of(&[], async |server| {
        server.call(&[]).await;
        server.call(&[SAMPLED]).await;
        server.client().await.send("ApplyMove", &[], framed(&[])).await;
        server.client().await.send("Evaluate", &[], Bytes::new()).await;
        server.web_client(Version::HTTP_11).await.post("ApplyMove", &[JSON], "{").await;
    })
    .await;
    let logged: Vec<_> = told.lines.iter().map(|line| (&line["trace_id"], &line["request_id"])).collect();
    let traced: Vec<(Value, Value)> = told
        .spans
        .iter()
        .map(|span| (hex(&span.trace_id).into(), attribute(span, "arbiter.request_id").into()))
        .collect();
    assert_eq!(traced.len(), 5);
    assert_eq!(logged, traced.iter().map(|(trace, id)| (trace, id)).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_server_that_sends_no_spans_logs_no_traces() {
    let flags = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--drain-delay", "0s"];
    let log = ["--log", "arbiter=debug", "--log-format", "json"];
    let mut process = Process::start(arbiter().args(flags).args(log).stderr(Stdio::piped()));
    let mut server = Traced { log: process.log(), process };
    server.call(&[SAMPLED]).await;
    let lines = server.end().await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0].get("trace_id"), None, "{lines:?}");
}

#[tokio::test]
async fn the_variables_are_heeded() {
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
    let mut server = Traced { log: process.log(), process };
    server.call(&[]).await;
    server.call(&[SAMPLED]).await;
    server.end().await;
    let spans = collector.spans();
    assert_eq!(spans.iter().map(|span| hex(&span.trace_id)).collect::<Vec<_>>(), [TRACE]);
}

/// Longer than the last spans may keep a server from ending, and shorter than whoever sends them would wait.
const IN_TIME: Duration = Duration::from_secs(6);

/// A server that sends its spans to this address answers calls, ends in time, and says that they were not received.
async fn assert_unharmed(endpoint: &str, delay: &str) {
    let mut server = Traced::start(endpoint, delay, &[]);
    let client = server.client().await;
    for _ in 0..20 {
        client.assert_answers().await;
    }
    // Whoever sends spans has tried, if it tries before the end.
    tokio::time::sleep(Duration::from_millis(300)).await;
    client.assert_answers().await;
    drop(client);
    server.process.terminate();
    let asked = Instant::now();
    let ended = server.process.wait(IN_TIME).await;
    assert!(ended.as_ref().is_some_and(ExitStatus::success), "after {:?}: {ended:?}", asked.elapsed());
    server.log.end().await;
    let complaints: Vec<_> = ["WARN", "ERROR"].iter().flat_map(|level| server.log.at(level)).collect();
    assert!(!complaints.is_empty(), "nothing is said of it: {:?}", server.log.lines());
    assert!(complaints.iter().all(|line| line["target"] != "arbiter::server::record"), "{complaints:?}");
}

#[tokio::test]
async fn nobody_who_collects_does_no_harm() {
    for delay in [AT_ONCE, NEVER] {
        assert_unharmed(&format!("http://{}", free_address()), delay).await;
    }
}

#[tokio::test]
async fn a_collector_that_does_not_answer_does_no_harm() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let endpoint = format!("http://{}", silent.local_addr().expect("it has an address"));
    for delay in [AT_ONCE, NEVER] {
        assert_unharmed(&endpoint, delay).await;
    }
}

#[tokio::test]
async fn a_collector_whose_name_nobody_knows_does_no_harm() {
    assert_unharmed("http://collector.invalid:4317", AT_ONCE).await;
}

#[tokio::test]
async fn a_collector_that_comes_later_is_found() {
    let address = free_address();
    let server = Traced::start(&format!("http://{address}"), AT_ONCE, &[]);
    server.call(&[]).await;
    eventually("it is missed", async || !server.log.at("ERROR").is_empty()).await;
    let collector = Collector::listen(TcpListener::bind(&address).await.expect("it is still free"));
    eventually("a span is sent", async || {
        server.call(&[]).await;
        !collector.spans().is_empty()
    })
    .await;
}
