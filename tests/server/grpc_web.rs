//! gRPC-Web, binary and text, over HTTP/1.1 and HTTP/2: responses, errors and limits are those of gRPC.

use arbiter::wire::proto::{self, answer, call};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::{Buf, Bytes};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version};
use prost::Message;
use tonic::{Code, Status};

use crate::support::{
    TestServer,
    grpc_client::code_and_reason,
    http_client::{HttpClient, HttpResponse, VERSIONS},
    metrics::{call_counts, handled_calls},
    requests::{apply_move, framed},
    wait::eventually,
};

/// Body encoding.
#[derive(Clone, Copy, Debug)]
enum Encoding {
    Binary,
    /// Base64.
    Text,
}

const ENCODINGS: [Encoding; 2] = [Encoding::Binary, Encoding::Text];

impl Encoding {
    fn content_type(self) -> &'static str {
        match self {
            Self::Binary => "application/grpc-web+proto",
            Self::Text => "application/grpc-web-text+proto",
        }
    }

    fn headers(self) -> [(&'static str, &'static str); 3] {
        [("content-type", self.content_type()), ("accept", self.content_type()), ("x-grpc-web", "1")]
    }

    fn encode(self, body: &[u8]) -> Bytes {
        match self {
            Self::Binary => Bytes::copy_from_slice(body),
            Self::Text => STANDARD.encode(body).into(),
        }
    }

    /// The text encoding may consist of several padded base64 texts.
    fn decode(self, body: &Bytes) -> Bytes {
        let decode_quad = |quad| STANDARD.decode(quad).expect("valid base64");
        match self {
            Self::Binary => body.clone(),
            Self::Text => body.chunks(4).flat_map(decode_quad).collect(),
        }
    }
}

/// A decoded response. The status is in the trailers or in the headers.
struct GrpcWebResponse {
    messages: Vec<Bytes>,
    status: Status,
    /// Whether the status was in a trailers frame.
    has_trailers: bool,
}

impl GrpcWebResponse {
    fn decode(encoding: Encoding, response: &HttpResponse) -> Self {
        assert_eq!(response.status, StatusCode::OK, "{response:?}");
        assert_eq!(response.header("content-type"), Some(encoding.content_type()));
        let mut body = encoding.decode(&response.body);
        let (mut messages, mut trailers) = (Vec::new(), None);
        while body.has_remaining() {
            assert!(trailers.is_none(), "data after the trailers");
            let (flag, length) = (body.get_u8(), body.get_u32() as usize);
            let frame = body.split_to(length);
            match flag {
                0 => messages.push(frame),
                0x80 => trailers = Some(parse_trailers(&frame)),
                other => panic!("unknown frame flag {other:#x}"),
            }
        }
        let has_trailers = trailers.is_some();
        let status = Status::from_header_map(&trailers.unwrap_or_else(|| response.headers.clone()));
        Self { messages, status: status.expect("a response has a status"), has_trailers }
    }

    fn message<M: Message + Default>(&self) -> M {
        assert_eq!(self.status.code(), Code::Ok, "{:?}", self.status);
        assert_eq!(self.messages.len(), 1);
        M::decode(self.messages[0].clone()).expect("the response decodes")
    }
}

fn parse_trailers(frame: &[u8]) -> HeaderMap {
    let lines = std::str::from_utf8(frame).expect("valid UTF-8").split_terminator("\r\n");
    let parse = |line: &str| {
        let (name, value) = line.split_once(':').expect("a trailer has a name");
        assert_eq!(name, name.to_ascii_lowercase(), "trailer names are lower case");
        let name: HeaderName = name.parse().expect("the name is valid");
        (name, HeaderValue::from_str(value.trim()).expect("the value is valid"))
    };
    lines.map(parse).collect()
}

fn start(flags: &[&str]) -> TestServer {
    TestServer::start_with(&[&["--log", "off"], flags].concat())
}

/// Makes a call with this body, which includes the gRPC framing, in every encoding over every HTTP version.
async fn call_in_every_encoding(
    flags: &[&str],
    method: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Vec<GrpcWebResponse> {
    let server = start(flags);
    let mut responses = Vec::new();
    for version in VERSIONS {
        let mut client = HttpClient::connect(&server.address, version).await;
        for encoding in ENCODINGS {
            let headers = [&encoding.headers(), headers].concat();
            let response = client.post(method, &headers, encoding.encode(body)).await;
            responses.push(GrpcWebResponse::decode(encoding, &response));
        }
        client.assert_call_succeeds().await;
    }
    responses
}

async fn assert_fails(flags: &[&str], method: &str, body: &[u8], code: Code, reason: &str) {
    for response in call_in_every_encoding(flags, method, &[], body).await {
        assert_eq!(code_and_reason(&response.status), (code, reason.to_owned()), "{:?}", response.status);
        assert!(response.messages.is_empty(), "an error has no message");
    }
}

fn valid_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

#[tokio::test]
async fn a_successful_call_returns_its_message_and_then_its_status() {
    for response in call_in_every_encoding(&[], "ApplyMove", &[], &valid_body()).await {
        let message: proto::ApplyMoveResponse = response.message();
        assert_eq!(message.events.len(), 1);
        assert!(response.has_trailers, "the status follows the message");
    }
}

#[tokio::test]
async fn the_message_format_in_the_content_type_is_optional() {
    let server = start(&[]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    for content_type in ["application/grpc-web", "Application/gRPC-Web", "application/grpc-web+proto; x=y"] {
        let response = client.post("ApplyMove", &[("content-type", content_type)], valid_body()).await;
        GrpcWebResponse::decode(Encoding::Binary, &response).message::<proto::ApplyMoveResponse>();
    }
    let headers = [("content-type", "application/grpc-web-text"), ("accept", "application/grpc-web-text")];
    let response = client.post("ApplyMove", &headers, Encoding::Text.encode(&valid_body())).await;
    GrpcWebResponse::decode(Encoding::Text, &response).message::<proto::ApplyMoveResponse>();
}

#[tokio::test]
async fn an_error_has_a_code_a_message_and_details() {
    let request = proto::ApplyMoveRequest { r#move: None, ..apply_move() };
    for response in call_in_every_encoding(&[], "ApplyMove", &[], &framed(&request.encode_to_vec())).await {
        let expected = (Code::InvalidArgument, "ERROR_REASON_FIELD_REQUIRED".to_owned());
        assert_eq!(code_and_reason(&response.status), expected);
        assert!(response.status.message().contains("move"), "{:?}", response.status);
        assert!(response.messages.is_empty(), "an error has no message");
    }
}

#[tokio::test]
async fn a_malformed_message_is_invalid() {
    let reason = "ERROR_REASON_MALFORMED_REQUEST";
    let valid = valid_body();
    for body in [framed(&[0xff; 32]), Bytes::new(), valid.slice(..3), valid.slice(..valid.len() - 1)] {
        assert_fails(&[], "ApplyMove", &body, Code::InvalidArgument, reason).await;
    }
}

/// Texts that are not valid base64.
fn invalid_texts() -> Vec<Bytes> {
    let valid = STANDARD.encode(valid_body());
    let texts = [
        format!("!{}", &valid[1..]),
        valid[..valid.len() - 1].to_owned(),
        format!("{valid}AAA"),
        "not base64 at all".to_owned(),
        format!("{}\n{}", &valid[..8], &valid[8..]),
    ];
    texts.map(Bytes::from).to_vec()
}

#[tokio::test]
async fn malformed_base64_is_invalid() {
    let server = start(&[]);
    for version in VERSIONS {
        let mut client = HttpClient::connect(&server.address, version).await;
        for text in invalid_texts() {
            let response = client.post("ApplyMove", &Encoding::Text.headers(), text.clone()).await;
            let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
            assert_eq!(
                code_and_reason(&GrpcWebResponse::decode(Encoding::Text, &response).status),
                expected,
                "{text:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_message_size_limit_is_configurable() {
    let flags = ["--max-message-bytes", "100"];
    // A request padded with an unknown field. The size excludes the frame header.
    let message = |size: usize| {
        let request = apply_move().encode_to_vec();
        let unknown = vec![0; size - request.len() - 2];
        let length = u8::try_from(unknown.len()).expect("the padding is short");
        framed(&[request.as_slice(), &[15 << 3 | 2, length], &unknown].concat())
    };
    for response in call_in_every_encoding(&flags, "ApplyMove", &[], &message(100)).await {
        response.message::<proto::ApplyMoveResponse>();
    }
    let reason = "ERROR_REASON_MESSAGE_TOO_LARGE";
    assert_fails(&flags, "ApplyMove", &message(101), Code::ResourceExhausted, reason).await;
}

#[tokio::test]
async fn an_unknown_method_is_unimplemented() {
    let reason = "ERROR_REASON_CALL_NOT_AVAILABLE";
    for call in ["NoSuchCall", "/some.other.Service/Call", "/grpc.health.v1.Health/Check"] {
        assert_fails(&[], call, &valid_body(), Code::Unimplemented, reason).await;
    }
}

#[tokio::test]
async fn an_unknown_method_is_reported_with_a_suggestion() {
    for response in call_in_every_encoding(&[], "NewGme", &[], &valid_body()).await {
        assert_eq!(response.status.message(), "unknown method `NewGme`: did you mean `NewGame`?");
    }
}

#[tokio::test]
async fn a_timeout_of_zero_exceeds_the_deadline() {
    for response in call_in_every_encoding(&[], "ApplyMove", &[("grpc-timeout", "0m")], &valid_body()).await {
        let expected = (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned());
        assert_eq!(code_and_reason(&response.status), expected);
    }
}

#[tokio::test]
async fn a_call_without_a_body_times_out() {
    for version in VERSIONS {
        let server = start(&["--call-timeout", "200ms"]);
        let mut client = HttpClient::connect(&server.address, version).await;
        let response = client.open("ApplyMove", &Encoding::Binary.headers()).response().await;
        let expected = (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned());
        assert_eq!(code_and_reason(&GrpcWebResponse::decode(Encoding::Binary, &response).status), expected);
    }
}

fn evaluate(kind: call::Kind) -> Bytes {
    let call = Some(proto::Call { kind: Some(kind) });
    framed(&proto::EvaluateRequest { call }.encode_to_vec())
}

fn three_calls() -> Vec<u8> {
    let invalid = proto::ApplyMoveRequest { r#move: None, ..apply_move() };
    let calls = [
        call::Kind::ApplyMove(apply_move()),
        call::Kind::ApplyMove(invalid),
        call::Kind::ListGames(proto::ListGamesRequest::default()),
    ];
    calls.map(evaluate).concat()
}

#[tokio::test]
async fn a_stream_with_all_calls_in_one_body_returns_one_answer_per_call() {
    for response in call_in_every_encoding(&[], "Evaluate", &[], &three_calls()).await {
        assert_eq!(response.status.code(), Code::Ok, "{:?}", response.status);
        let decode = |message: &Bytes| {
            let answer =
                proto::EvaluateResponse::decode(message.clone()).expect("the response decodes").answer;
            proto::Answer::decode(&*answer)
                .ok()
                .and_then(|answer| answer.kind)
                .expect("the answer is not empty")
        };
        let answers: Vec<_> = response.messages.iter().map(decode).collect();
        let [answer::Kind::ApplyMove(_), answer::Kind::Refusal(_), answer::Kind::ListGames(_)] =
            answers.as_slice()
        else {
            panic!("not one answer per call: {answers:?}");
        };
    }
}

#[tokio::test]
async fn a_truncated_stream_returns_the_preceding_answers_and_an_error() {
    let body = [three_calls(), vec![0, 0, 0, 0, 9, 1]].concat();
    for response in call_in_every_encoding(&[], "Evaluate", &[], &body).await {
        let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
        assert_eq!((response.messages.len(), code_and_reason(&response.status)), (3, expected));
        assert!(response.has_trailers, "the status follows the messages");
    }
}

#[tokio::test]
async fn calls_above_the_in_flight_limit_are_shed_until_one_ends() {
    let server = start(&["--max-in-flight", "1"]);
    let mut first = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let held = first.open("ApplyMove", &Encoding::Binary.headers());
    eventually("one call is in flight", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 1")
    })
    .await;
    let mut second = HttpClient::connect(&server.address, Version::HTTP_2).await;
    let mut call = async || {
        let response = second.post("ApplyMove", &Encoding::Binary.headers(), valid_body()).await;
        GrpcWebResponse::decode(Encoding::Binary, &response).status
    };
    let expected = (Code::ResourceExhausted, "ERROR_REASON_OVERLOADED".to_owned());
    assert_eq!(code_and_reason(&call().await), expected);
    GrpcWebResponse::decode(Encoding::Binary, &held.finish(valid_body()).await)
        .message::<proto::ApplyMoveResponse>();
    eventually("the permit is released", async || call().await.code() == Code::Ok).await;
}

#[tokio::test]
async fn every_call_is_counted_once() {
    let server = start(&[]);
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    let without_move = proto::ApplyMoveRequest { r#move: None, ..apply_move() };
    for (call, body) in [
        ("ApplyMove", valid_body()),
        ("ApplyMove", framed(&without_move.encode_to_vec())),
        ("ApplyMove", framed(&[0xff])),
        ("NoSuchCall", valid_body()),
        ("Evaluate", three_calls().into()),
        ("/some.other.Service/Call", valid_body()),
    ] {
        client.post(call, &Encoding::Binary.headers(), body).await;
    }
    client.post("ApplyMove", &Encoding::Text.headers(), "not base64 at all").await;
    let expected = call_counts(&[
        ("ApplyMove", "connect_four", "OK", 1),
        ("ApplyMove", "connect_four", "INVALID_ARGUMENT", 1),
        ("ApplyMove", "none", "INVALID_ARGUMENT", 2),
        ("unknown", "none", "UNIMPLEMENTED", 1),
        ("Evaluate", "none", "OK", 1),
    ]);
    assert_eq!(handled_calls(&server.admin_get("/metrics").1), expected);
}
