//! gRPC-Web, binary and as text, over both versions of HTTP: the answers, refusals and limits are those of gRPC.

use arbiter::wire::proto::{self, answer, call};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::{Buf, Bytes};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version};
use prost::Message;
use tonic::{Code, Status};

use crate::support::{
    TestServer,
    raw::{apply_move, eventually, framed, refusal},
    web::{Answer, VERSIONS, WebClient, counts, handled},
};

/// How the bytes are written.
#[derive(Clone, Copy, Debug)]
enum Form {
    Binary,
    /// In base64.
    Text,
}

const FORMS: [Form; 2] = [Form::Binary, Form::Text];

impl Form {
    fn content_type(self) -> &'static str {
        match self {
            Self::Binary => "application/grpc-web+proto",
            Self::Text => "application/grpc-web-text+proto",
        }
    }

    fn headers(self) -> [(&'static str, &'static str); 3] {
        [("content-type", self.content_type()), ("accept", self.content_type()), ("x-grpc-web", "1")]
    }

    fn write(self, body: &[u8]) -> Bytes {
        match self {
            Self::Binary => Bytes::copy_from_slice(body),
            Self::Text => STANDARD.encode(body).into(),
        }
    }

    /// A text may be several texts of base64, each padded.
    fn read(self, body: &Bytes) -> Bytes {
        let decode = |quad| STANDARD.decode(quad).expect("it is base64");
        match self {
            Self::Binary => body.clone(),
            Self::Text => body.chunks(4).flat_map(decode).collect(),
        }
    }
}

/// What came of a call: its messages, and its status wherever it was put.
struct Reply {
    messages: Vec<Bytes>,
    status: Status,
    /// Whether the status came after the messages, in a frame of its own.
    has_trailers: bool,
}

impl Reply {
    fn read(form: Form, answer: &Answer) -> Self {
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        assert_eq!(answer.header("content-type"), Some(form.content_type()));
        let mut body = form.read(&answer.body);
        let (mut messages, mut trailers) = (Vec::new(), None);
        while body.has_remaining() {
            assert!(trailers.is_none(), "something follows the trailers");
            let (flag, length) = (body.get_u8(), body.get_u32() as usize);
            let frame = body.split_to(length);
            match flag {
                0 => messages.push(frame),
                0x80 => trailers = Some(read_trailers(&frame)),
                other => panic!("a frame of kind {other:#x}"),
            }
        }
        let has_trailers = trailers.is_some();
        let status = Status::from_header_map(&trailers.unwrap_or_else(|| answer.headers.clone()));
        Self { messages, status: status.expect("an answer has a status"), has_trailers }
    }

    fn message<M: Message + Default>(&self) -> M {
        assert_eq!(self.status.code(), Code::Ok, "{:?}", self.status);
        assert_eq!(self.messages.len(), 1);
        M::decode(self.messages[0].clone()).expect("the answer is a message of its type")
    }
}

fn read_trailers(frame: &[u8]) -> HeaderMap {
    let lines = std::str::from_utf8(frame).expect("trailers are text").split_terminator("\r\n");
    let read = |line: &str| {
        let (name, value) = line.split_once(':').expect("a trailer has a name");
        assert_eq!(name, name.to_ascii_lowercase(), "the names of trailers are in lower case");
        let name: HeaderName = name.parse().expect("it is a name");
        (name, HeaderValue::from_str(value.trim()).expect("it is a value"))
    };
    lines.map(read).collect()
}

fn start(flags: &[&str]) -> TestServer {
    TestServer::start_with(&[&["--log", "off"], flags].concat())
}

/// Makes a call with this body, framing and all, in every form over every version of HTTP.
async fn in_every_way(flags: &[&str], call: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<Reply> {
    let server = start(flags);
    let mut replies = Vec::new();
    for version in VERSIONS {
        let mut client = WebClient::connect(&server.address, version).await;
        for form in FORMS {
            let headers = [&form.headers(), headers].concat();
            let answer = client.post(call, &headers, form.write(body)).await;
            replies.push(Reply::read(form, &answer));
        }
        client.assert_answers().await;
    }
    replies
}

async fn assert_refused(flags: &[&str], call: &str, body: &[u8], code: Code, reason: &str) {
    for reply in in_every_way(flags, call, &[], body).await {
        assert_eq!(refusal(&reply.status), (code, reason.to_owned()), "{:?}", reply.status);
        assert!(reply.messages.is_empty(), "a refusal has no message");
    }
}

fn good_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

#[tokio::test]
async fn a_call_is_answered_with_its_message_and_then_its_status() {
    for reply in in_every_way(&[], "ApplyMove", &[], &good_body()).await {
        let answer: proto::ApplyMoveResponse = reply.message();
        assert_eq!(answer.events.len(), 1);
        assert!(reply.has_trailers, "the status follows the message");
    }
}

#[tokio::test]
async fn a_content_type_need_not_say_that_it_is_protobuf() {
    let server = start(&[]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    for content_type in ["application/grpc-web", "Application/gRPC-Web", "application/grpc-web+proto; x=y"] {
        let answer = client.post("ApplyMove", &[("content-type", content_type)], good_body()).await;
        Reply::read(Form::Binary, &answer).message::<proto::ApplyMoveResponse>();
    }
    let headers = [("content-type", "application/grpc-web-text"), ("accept", "application/grpc-web-text")];
    let answer = client.post("ApplyMove", &headers, Form::Text.write(&good_body())).await;
    Reply::read(Form::Text, &answer).message::<proto::ApplyMoveResponse>();
}

#[tokio::test]
async fn a_refusal_has_its_code_its_message_and_its_details() {
    let request = proto::ApplyMoveRequest { r#move: None, ..apply_move() };
    for reply in in_every_way(&[], "ApplyMove", &[], &framed(&request.encode_to_vec())).await {
        let expected = (Code::InvalidArgument, "ERROR_REASON_FIELD_REQUIRED".to_owned());
        assert_eq!(refusal(&reply.status), expected);
        assert!(reply.status.message().contains("move"), "{:?}", reply.status);
        assert!(reply.messages.is_empty(), "a refusal has no message");
    }
}

#[tokio::test]
async fn a_message_that_is_none_is_the_callers_mistake() {
    let reason = "ERROR_REASON_MALFORMED_REQUEST";
    let good = good_body();
    for body in [framed(&[0xff; 32]), Bytes::new(), good.slice(..3), good.slice(..good.len() - 1)] {
        assert_refused(&[], "ApplyMove", &body, Code::InvalidArgument, reason).await;
    }
}

/// A text of base64, and what is wrong with it.
fn broken_texts() -> Vec<Bytes> {
    let good = STANDARD.encode(good_body());
    let texts = [
        format!("!{}", &good[1..]),
        good[..good.len() - 1].to_owned(),
        format!("{good}AAA"),
        "not base64 at all".to_owned(),
        format!("{}\n{}", &good[..8], &good[8..]),
    ];
    texts.map(Bytes::from).to_vec()
}

#[tokio::test]
async fn base64_that_is_none_is_the_callers_mistake() {
    let server = start(&[]);
    for version in VERSIONS {
        let mut client = WebClient::connect(&server.address, version).await;
        for text in broken_texts() {
            let answer = client.post("ApplyMove", &Form::Text.headers(), text.clone()).await;
            let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
            assert_eq!(refusal(&Reply::read(Form::Text, &answer).status), expected, "{text:?}");
        }
    }
}

#[tokio::test]
async fn a_message_has_at_most_as_many_bytes_as_configured() {
    let flags = ["--max-message-bytes", "100"];
    // The message without its frame, and a text that nobody knows beside it.
    let message = |size: usize| {
        let request = apply_move().encode_to_vec();
        let unknown = vec![0; size - request.len() - 2];
        let length = u8::try_from(unknown.len()).expect("it is short");
        framed(&[request.as_slice(), &[15 << 3 | 2, length], &unknown].concat())
    };
    for reply in in_every_way(&flags, "ApplyMove", &[], &message(100)).await {
        reply.message::<proto::ApplyMoveResponse>();
    }
    let reason = "ERROR_REASON_MESSAGE_TOO_LARGE";
    assert_refused(&flags, "ApplyMove", &message(101), Code::ResourceExhausted, reason).await;
}

#[tokio::test]
async fn a_call_that_does_not_exist_is_not_available() {
    let reason = "ERROR_REASON_CALL_NOT_AVAILABLE";
    for call in ["NoSuchCall", "/some.other.Service/Call", "/grpc.health.v1.Health/Check"] {
        assert_refused(&[], call, &good_body(), Code::Unimplemented, reason).await;
    }
}

#[tokio::test]
async fn an_unknown_call_is_answered_with_a_suggestion() {
    for reply in in_every_way(&[], "NewGme", &[], &good_body()).await {
        assert_eq!(reply.status.message(), "unknown method `NewGme`: did you mean `NewGame`?");
    }
}

#[tokio::test]
async fn a_call_without_time_is_out_of_time() {
    for reply in in_every_way(&[], "ApplyMove", &[("grpc-timeout", "0m")], &good_body()).await {
        let expected = (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned());
        assert_eq!(refusal(&reply.status), expected);
    }
}

#[tokio::test]
async fn a_call_whose_body_never_comes_ends_in_time() {
    for version in VERSIONS {
        let server = start(&["--call-timeout", "200ms"]);
        let mut client = WebClient::connect(&server.address, version).await;
        let answer = client.open("ApplyMove", &Form::Binary.headers()).answer().await;
        let expected = (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned());
        assert_eq!(refusal(&Reply::read(Form::Binary, &answer).status), expected);
    }
}

fn evaluate(kind: call::Kind) -> Bytes {
    let call = Some(proto::Call { kind: Some(kind) });
    framed(&proto::EvaluateRequest { call }.encode_to_vec())
}

fn three_calls() -> Vec<u8> {
    let illegal = proto::ApplyMoveRequest { r#move: None, ..apply_move() };
    let calls = [
        call::Kind::ApplyMove(apply_move()),
        call::Kind::ApplyMove(illegal),
        call::Kind::ListGames(proto::ListGamesRequest::default()),
    ];
    calls.map(evaluate).concat()
}

#[tokio::test]
async fn a_stream_whose_calls_come_in_one_body_is_answered_call_by_call() {
    for reply in in_every_way(&[], "Evaluate", &[], &three_calls()).await {
        assert_eq!(reply.status.code(), Code::Ok, "{:?}", reply.status);
        let read = |message: &Bytes| {
            let answer = proto::EvaluateResponse::decode(message.clone()).expect("it is an answer").answer;
            proto::Answer::decode(&*answer).ok().and_then(|answer| answer.kind).expect("it says something")
        };
        let answers: Vec<_> = reply.messages.iter().map(read).collect();
        let [answer::Kind::ApplyMove(_), answer::Kind::Refusal(_), answer::Kind::ListGames(_)] =
            answers.as_slice()
        else {
            panic!("not an answer for each call: {answers:?}");
        };
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_answered_as_far_as_it_came() {
    let body = [three_calls(), vec![0, 0, 0, 0, 9, 1]].concat();
    for reply in in_every_way(&[], "Evaluate", &[], &body).await {
        let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
        assert_eq!((reply.messages.len(), refusal(&reply.status)), (3, expected));
        assert!(reply.has_trailers, "the status follows the messages");
    }
}

#[tokio::test]
async fn one_call_more_than_may_be_under_way_is_shed_and_then_taken_again() {
    let server = start(&["--max-in-flight", "1"]);
    let mut first = WebClient::connect(&server.address, Version::HTTP_11).await;
    let held = first.open("ApplyMove", &Form::Binary.headers());
    eventually("one call is under way", async || {
        server.admin_get("/metrics").1.contains("arbiter_calls_in_flight 1")
    })
    .await;
    let mut second = WebClient::connect(&server.address, Version::HTTP_2).await;
    let mut ask = async || {
        let answer = second.post("ApplyMove", &Form::Binary.headers(), good_body()).await;
        Reply::read(Form::Binary, &answer).status
    };
    let expected = (Code::ResourceExhausted, "ERROR_REASON_OVERLOADED".to_owned());
    assert_eq!(refusal(&ask().await), expected);
    Reply::read(Form::Binary, &held.finish(good_body()).await).message::<proto::ApplyMoveResponse>();
    eventually("the place is free again", async || ask().await.code() == Code::Ok).await;
}

#[tokio::test]
async fn every_call_is_counted_once() {
    let server = start(&[]);
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    let without_move = proto::ApplyMoveRequest { r#move: None, ..apply_move() };
    for (call, body) in [
        ("ApplyMove", good_body()),
        ("ApplyMove", framed(&without_move.encode_to_vec())),
        ("ApplyMove", framed(&[0xff])),
        ("NoSuchCall", good_body()),
        ("Evaluate", three_calls().into()),
        ("/some.other.Service/Call", good_body()),
    ] {
        client.post(call, &Form::Binary.headers(), body).await;
    }
    client.post("ApplyMove", &Form::Text.headers(), "not base64 at all").await;
    let wanted = counts(&[
        ("ApplyMove", "connect_four", "OK", 1),
        ("ApplyMove", "connect_four", "INVALID_ARGUMENT", 1),
        ("ApplyMove", "none", "INVALID_ARGUMENT", 2),
        ("unknown", "none", "UNIMPLEMENTED", 1),
        ("Evaluate", "none", "OK", 1),
    ]);
    assert_eq!(handled(&server.admin_get("/metrics").1), wanted);
}
