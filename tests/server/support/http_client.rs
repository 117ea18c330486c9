//! A plain HTTP client for the protocols other than gRPC: any request over HTTP/1.1 or HTTP/2, with a strict decoder
//! for Connect errors.

use std::{convert::Infallible, future::Future, pin::Pin, sync::LazyLock};

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

use super::{grpc_client::code_and_reason, wait::with_timeout};

/// The HTTP versions that the server supports.
pub const VERSIONS: [Version; 2] = [Version::HTTP_11, Version::HTTP_2];

pub const JSON: (&str, &str) = ("content-type", "application/json");
pub const PROTO: (&str, &str) = ("content-type", "application/proto");

/// A valid `ApplyMove` request in JSON, and the notation of the state after the move.
pub const VALID_MOVE: &str = r#"{"state": {"notation": "c4:7x6x4:4453"}, "move": {"notation": "4"}}"#;
pub const STATE_AFTER_MOVE: &str = "c4:7x6x4:44534";

type Body = Either<Full<Bytes>, StreamBody<UnboundedReceiverStream<Result<Frame<Bytes>, Infallible>>>>;

/// A pending response. Fails if the connection closes first.
type PendingResponse = Pin<Box<dyn Future<Output = Result<HttpResponse, hyper::Error>> + Send>>;

/// A complete response.
#[derive(Clone, Debug)]
pub struct HttpResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl HttpResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("valid UTF-8"))
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("valid UTF-8")
    }

    /// The JSON of a successful Connect response.
    pub fn json(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    /// The status of a failed Connect response.
    pub fn connect_error(&self) -> Status {
        decode_connect_error(self).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code and the reason of a failed Connect response.
    pub fn code_and_reason(&self) -> (Code, String) {
        code_and_reason(&self.connect_error())
    }

    /// The field and the description of the only violation in a failed Connect response.
    pub fn violation(&self) -> (String, String) {
        let status = self.connect_error();
        let bad_request =
            status.get_details_bad_request().unwrap_or_else(|| panic!("no BadRequest in {status:?}"));
        let [violation] = bad_request.field_violations.as_slice() else {
            panic!("not exactly one violation: {bad_request:?}")
        };
        (violation.field.clone(), violation.description.clone())
    }
}

/// A call whose headers are sent, with an open request body.
pub struct OpenCall {
    body: UnboundedSender<Result<Frame<Bytes>, Infallible>>,
    response: PendingResponse,
}

impl OpenCall {
    pub fn send(&self, data: impl Into<Bytes>) {
        self.body.send(Ok(Frame::data(data.into()))).expect("the connection stays open");
    }

    /// Sends the rest of the body and waits for the response.
    pub async fn finish(self, data: impl Into<Bytes>) -> HttpResponse {
        self.send(data);
        drop(self.body);
        with_timeout("a response", self.response).await.expect("the connection stays open")
    }

    /// Waits for the response with the request body still open.
    pub async fn response(self) -> HttpResponse {
        let Self { body, response } = self;
        let response = with_timeout("a response", response).await.expect("the connection stays open");
        drop(body);
        response
    }
}

/// One HTTP connection.
pub struct HttpClient {
    sender: Sender,
    address: String,
    /// Ends with the connection.
    pub driver: tokio::task::JoinHandle<hyper::Result<()>>,
}

enum Sender {
    Http1(http1::SendRequest<Body>),
    Http2(http2::SendRequest<Body>),
}

impl HttpClient {
    pub async fn connect(address: &str, version: Version) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server is reachable");
        stream.set_nodelay(true).expect("the socket is open");
        Self::over(stream, address, version).await
    }

    /// Uses an open connection.
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
            let (sender, connection) = http1::handshake(io).await.expect("HTTP/1.1 needs no handshake");
            (Sender::Http1(sender), tokio::spawn(connection))
        };
        Self { sender, address: address.to_owned(), driver }
    }

    pub async fn post(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> HttpResponse {
        self.request(Method::POST, path, headers, body).await
    }

    /// Sends a request to a method of `RulesService` or to a path, and waits for the response.
    pub async fn request(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> HttpResponse {
        let body = Either::Left(Full::new(body.into()));
        with_timeout("a response", self.send(method, path, headers, body))
            .await
            .expect("the connection stays open")
    }

    /// Makes a Connect call in JSON.
    pub async fn call(&mut self, method: &str, json: &str) -> HttpResponse {
        self.post(method, &[JSON], json.to_owned()).await
    }

    pub async fn assert_call_succeeds(&mut self) {
        let response = self.call("ApplyMove", VALID_MOVE).await;
        assert_eq!(response.json()["state"]["notation"], STATE_AFTER_MOVE);
    }

    /// Sends only the headers of a request.
    pub fn open(&mut self, path: &str, headers: &[(&str, &str)]) -> OpenCall {
        let (body, frames) = unbounded_channel();
        let frames = StreamBody::new(UnboundedReceiverStream::new(frames));
        // Spawned, so that the request is sent before the response is awaited.
        let response = tokio::spawn(self.send(Method::POST, path, headers, Either::Right(frames)));
        OpenCall { body, response: Box::pin(async { response.await.expect("the task does not panic") }) }
    }

    fn send(&mut self, method: Method, path: &str, headers: &[(&str, &str)], body: Body) -> PendingResponse {
        let path =
            if path.starts_with('/') { path.to_owned() } else { format!("/arbiter.v1.RulesService/{path}") };
        // HTTP/2 sends the host in `:authority`, HTTP/1.1 in a header.
        let mut request = match self.sender {
            Sender::Http1(_) => Request::builder().uri(path).header(header::HOST, &self.address),
            Sender::Http2(_) => Request::builder().uri(format!("http://{}{path}", self.address)),
        };
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.method(method).body(body).expect("the request is valid");
        match &mut self.sender {
            Sender::Http1(sender) => Box::pin(read(sender.send_request(request))),
            Sender::Http2(sender) => Box::pin(read(sender.send_request(request))),
        }
    }
}

async fn read(
    response: impl Future<Output = hyper::Result<http::Response<hyper::body::Incoming>>>,
) -> hyper::Result<HttpResponse> {
    let (head, body) = response.await?.into_parts();
    Ok(HttpResponse { status: head.status, headers: head.headers, body: body.collect().await?.to_bytes() })
}

/// The Connect error codes that the server returns, each with its HTTP status.
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

/// A Connect error in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectError {
    code: String,
    message: String,
    #[serde(default)]
    details: Vec<ConnectErrorDetail>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectErrorDetail {
    r#type: String,
    value: String,
    debug: Value,
}

/// Converts a Connect error to the equivalent gRPC status. Fails if redundant parts of it disagree.
pub fn decode_connect_error(response: &HttpResponse) -> Result<Status, String> {
    if response.header("content-type") != Some("application/json") {
        return Err("an error is always in JSON".to_owned());
    }
    let error: ConnectError = serde_json::from_slice(&response.body).map_err(|error| error.to_string())?;
    let known = CODES.iter().find(|(name, ..)| *name == error.code);
    let &(_, code, status) = known.ok_or_else(|| format!("unknown code {:?}", error.code))?;
    if response.status != status {
        return Err(format!("{} has the HTTP status {status}, not {}", error.code, response.status));
    }
    let details = error.details.into_iter().map(ConnectErrorDetail::decode).collect::<Result<_, _>>()?;
    let status = pb::Status { code: code.into(), message: error.message.clone(), details };
    Ok(Status::with_details(code, error.message, status.encode_to_vec().into()))
}

impl ConnectErrorDetail {
    fn decode(self) -> Result<Any, String> {
        static DESCRIPTORS: LazyLock<DescriptorPool> = LazyLock::new(|| {
            let mut pool = DescriptorPool::new();
            for set in [proto::FILE_DESCRIPTOR_SET, pb::FILE_DESCRIPTOR_SET] {
                pool.decode_file_descriptor_set(set).expect("the descriptors are valid");
            }
            pool
        });
        let Self { r#type, value, debug } = self;
        let value = STANDARD_NO_PAD.decode(value).map_err(|error| format!("the value of {type}: {error}"))?;
        let descriptor = DESCRIPTORS.get_message_by_name(&r#type).ok_or_else(|| format!("no {type}"))?;
        let message = DynamicMessage::decode(descriptor.clone(), value.as_slice());
        let debug = DynamicMessage::deserialize(descriptor, debug);
        if message.map_err(|error| error.to_string())? != debug.map_err(|error| error.to_string())? {
            return Err(format!("`value` and `debug` of {type} differ"));
        }
        Ok(Any { type_url: format!("type.googleapis.com/{type}"), value })
    }
}
