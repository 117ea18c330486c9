//! A client of plain HTTP, for the protocols beside gRPC: any request over HTTP/1.1 or HTTP/2, and the answer as it
//! came. And what Connect writes when it refuses, read strictly.

use std::{
    collections::BTreeMap, convert::Infallible, future::Future, pin::Pin, sync::LazyLock, time::Duration,
};

use arbiter::wire::proto;
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, Version, header};
use http_body::Frame;
use http_body_util::{BodyExt, Either, Full, StreamBody};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};
use prost_types::Any;
use serde::Deserialize;
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::mpsc::{UnboundedSender, unbounded_channel},
};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Status};
use tonic_types::{StatusExt, pb};

/// Longer than anything here takes, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// Both versions of HTTP that are answered.
pub const VERSIONS: [Version; 2] = [Version::HTTP_11, Version::HTTP_2];

pub const JSON: (&str, &str) = ("content-type", "application/json");
pub const PROTO: (&str, &str) = ("content-type", "application/proto");

/// A request that is answered well, in JSON, and the notation of the state that it leads to.
pub const GOOD_MOVE: &str = r#"{"state": {"notation": "c4:7x6x4:4453"}, "move": {"notation": "4"}}"#;
pub const STATE_AFTER_IT: &str = "c4:7x6x4:44534";

type Body = Either<Full<Bytes>, StreamBody<UnboundedReceiverStream<Result<Frame<Bytes>, Infallible>>>>;

/// An answer on its way. It is an error if the connection ends before it is there.
type Awaited = Pin<Box<dyn Future<Output = Result<Answer, hyper::Error>> + Send>>;

/// An answer, whole.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("it is text"))
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("it is text")
    }

    /// The JSON of an answer of Connect that must be no refusal.
    pub fn json(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// What Connect was refused with.
    pub fn refusal(&self) -> Status {
        read_refusal(self).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code of a refusal of Connect, and its reason, which must say that it is ours.
    pub fn refused(&self) -> (Code, String) {
        let status = self.refusal();
        let info = status.get_details_error_info().unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"));
        assert_eq!(info.domain, "arbiter.v1", "the domain of {status:?}");
        (status.code(), info.reason)
    }

    /// The field that a refusal of Connect is about, and what is said of it.
    pub fn violation(&self) -> (String, String) {
        let status = self.refusal();
        let bad_request = status.get_details_bad_request().unwrap_or_else(|| panic!("none in {status:?}"));
        let [violation] = bad_request.field_violations.as_slice() else { panic!("not one: {bad_request:?}") };
        (violation.field.clone(), violation.description.clone())
    }
}

/// A call whose headers are sent and whose body is still to come.
pub struct OpenCall {
    body: UnboundedSender<Result<Frame<Bytes>, Infallible>>,
    answer: Awaited,
}

impl OpenCall {
    pub fn send(&self, data: impl Into<Bytes>) {
        self.body.send(Ok(Frame::data(data.into()))).expect("the connection holds");
    }

    /// Sends the rest and waits for the answer.
    pub async fn finish(self, data: impl Into<Bytes>) -> Answer {
        self.send(data);
        drop(self.body);
        soon(self.answer).await.expect("the connection holds")
    }

    /// Sends nothing more and waits for the answer, with the call still open.
    pub async fn answer(self) -> Answer {
        let Self { body, answer } = self;
        let answer = soon(answer).await.expect("the connection holds");
        drop(body);
        answer
    }
}

/// One connection of HTTP.
pub struct WebClient {
    sender: Sender,
    address: String,
    /// Lives as long as the connection.
    pub driver: tokio::task::JoinHandle<hyper::Result<()>>,
}

enum Sender {
    Http1(http1::SendRequest<Body>),
    Http2(http2::SendRequest<Body>),
}

impl WebClient {
    pub async fn connect(address: &str, version: Version) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server can be reached");
        stream.set_nodelay(true).expect("it is open");
        Self::over(stream, address, version).await
    }

    /// Speaks over a connection that is open.
    pub async fn over<S>(stream: S, address: &str, version: Version) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let io = TokioIo::new(stream);
        let (sender, driver) = if version == Version::HTTP_2 {
            let handshake = http2::handshake(TokioExecutor::new(), io).await;
            let (sender, connection) = handshake.expect("the server speaks HTTP/2");
            (Sender::Http2(sender), tokio::spawn(connection))
        } else {
            let (sender, connection) = http1::handshake(io).await.expect("HTTP/1.1 begins with nothing");
            (Sender::Http1(sender), tokio::spawn(connection))
        };
        Self { sender, address: address.to_owned(), driver }
    }

    pub async fn post(&mut self, path: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Answer {
        self.request(Method::POST, path, headers, body).await
    }

    /// Sends a request to a call of the referee, or to any path, and waits for the answer.
    pub async fn request(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Answer {
        let body = Either::Left(Full::new(body.into()));
        soon(self.send(method, path, headers, body)).await.expect("the connection holds")
    }

    /// Makes a call of Connect in JSON.
    pub async fn call(&mut self, call: &str, json: &str) -> Answer {
        self.post(call, &[JSON], json.to_owned()).await
    }

    pub async fn assert_answers(&mut self) {
        let answer = self.call("ApplyMove", GOOD_MOVE).await;
        assert_eq!(answer.json()["state"]["notation"], STATE_AFTER_IT);
    }

    /// Sends the headers of a request and nothing else.
    pub fn open(&mut self, path: &str, headers: &[(&str, &str)]) -> OpenCall {
        let (body, frames) = unbounded_channel();
        let frames = StreamBody::new(UnboundedReceiverStream::new(frames));
        // It must be on its way without being asked for its answer.
        let answer = tokio::spawn(self.send(Method::POST, path, headers, Either::Right(frames)));
        OpenCall { body, answer: Box::pin(async { answer.await.expect("nobody panics here") }) }
    }

    fn send(&mut self, method: Method, path: &str, headers: &[(&str, &str)], body: Body) -> Awaited {
        let path =
            if path.starts_with('/') { path.to_owned() } else { format!("/arbiter.v1.RulesService/{path}") };
        // HTTP/2 tells the host in the address, HTTP/1.1 in a header.
        let mut request = match self.sender {
            Sender::Http1(_) => Request::builder().uri(path).header(header::HOST, &self.address),
            Sender::Http2(_) => Request::builder().uri(format!("http://{}{path}", self.address)),
        };
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.method(method).body(body).expect("the request is one");
        match &mut self.sender {
            Sender::Http1(sender) => Box::pin(read(sender.send_request(request))),
            Sender::Http2(sender) => Box::pin(read(sender.send_request(request))),
        }
    }
}

async fn read(
    answer: impl Future<Output = hyper::Result<http::Response<hyper::body::Incoming>>>,
) -> hyper::Result<Answer> {
    let (head, body) = answer.await?.into_parts();
    Ok(Answer { status: head.status, headers: head.headers, body: body.collect().await?.to_bytes() })
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("no answer in {PATIENCE:?}"))
}

/// The names that Connect has for codes, and the status of HTTP that comes with each: those that are ever answered.
const CODES: [(&str, Code, u16); 8] = [
    ("invalid_argument", Code::InvalidArgument, 400),
    ("unauthenticated", Code::Unauthenticated, 401),
    ("failed_precondition", Code::FailedPrecondition, 400),
    ("deadline_exceeded", Code::DeadlineExceeded, 504),
    ("resource_exhausted", Code::ResourceExhausted, 429),
    ("unimplemented", Code::Unimplemented, 501),
    ("unavailable", Code::Unavailable, 503),
    ("internal", Code::Internal, 500),
];

/// A refusal as Connect writes it: nothing else may be in it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRefusal {
    code: String,
    message: String,
    #[serde(default)]
    details: Vec<WrittenDetail>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDetail {
    r#type: String,
    value: String,
    debug: Value,
}

/// Reads a refusal of Connect into the status that gRPC would have had. Everything that is told twice must agree.
pub fn read_refusal(answer: &Answer) -> Result<Status, String> {
    if answer.header("content-type") != Some("application/json") {
        return Err("a refusal is in JSON, whatever the request was in".to_owned());
    }
    let written: WrittenRefusal = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
    let known = CODES.iter().find(|(name, ..)| *name == written.code);
    let &(_, code, status) = known.ok_or_else(|| format!("there is no code {:?}", written.code))?;
    if answer.status != status {
        return Err(format!("{} comes with {status}, not with {}", written.code, answer.status));
    }
    let details = written.details.into_iter().map(WrittenDetail::read).collect::<Result<_, _>>()?;
    let status = pb::Status { code: code.into(), message: written.message.clone(), details };
    Ok(Status::with_details(code, written.message, status.encode_to_vec().into()))
}

impl WrittenDetail {
    fn read(self) -> Result<Any, String> {
        static DESCRIPTORS: LazyLock<DescriptorPool> = LazyLock::new(|| {
            let mut pool = DescriptorPool::new();
            for set in [proto::FILE_DESCRIPTOR_SET, pb::FILE_DESCRIPTOR_SET] {
                pool.decode_file_descriptor_set(set).expect("it is compiled");
            }
            pool
        });
        let Self { r#type, value, debug } = self;
        let value = STANDARD_NO_PAD.decode(value).map_err(|error| format!("the value of {type}: {error}"))?;
        let descriptor = DESCRIPTORS.get_message_by_name(&r#type).ok_or_else(|| format!("no {type}"))?;
        let told = DynamicMessage::decode(descriptor.clone(), value.as_slice());
        let shown = DynamicMessage::deserialize(descriptor, debug);
        if told.map_err(|error| error.to_string())? != shown.map_err(|error| error.to_string())? {
            return Err(format!("what {type} tells programs and what it shows people are not the same"));
        }
        Ok(Any { type_url: format!("type.googleapis.com/{type}"), value })
    }
}

/// How often each call was counted, by method, game and code.
pub fn handled(exposition: &str) -> BTreeMap<(String, String, String), u64> {
    let lines = exposition.lines().filter(|line| line.starts_with("grpc_server_handled_total{"));
    let read = |line: &str| {
        let label =
            |name: &str| Some(line.split_once(&format!("{name}=\""))?.1.split_once('"')?.0.to_owned());
        let labels = (label("grpc_method")?, label("game")?, label("grpc_code")?);
        Some((labels, line.rsplit(' ').next()?.parse().ok()?))
    };
    lines.map(|line| read(line).unwrap_or_else(|| panic!("not understood: {line}"))).collect()
}

/// What was counted, as it is written in a test.
pub fn counts(wanted: &[(&str, &str, &str, u64)]) -> BTreeMap<(String, String, String), u64> {
    let owned = |&(method, game, code, count): &(&str, &str, &str, u64)| {
        ((method.to_owned(), game.to_owned(), code.to_owned()), count)
    };
    wanted.iter().map(owned).collect()
}
