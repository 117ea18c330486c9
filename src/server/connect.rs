//! The Connect protocol's unary calls: one HTTP request with one message, in JSON or in binary form, and one answer.
//!
//! A call is put into the terms of gRPC, passes the gate like any other, and its answer is put back: limits, deadlines,
//! metrics and logs are those of gRPC. See `docs/decisions/0009-connect.md` for what of Connect is spoken.

mod error;

use std::sync::{Arc, OnceLock};

use bytes::{BufMut, Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header, request::Parts};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use tokio_stream::StreamExt;
use tonic::{Code, Status, body::Body};

use super::{
    SERVICE,
    admission::Held,
    gate::{Gate, split_path},
    passage::{PREFIX, Place},
    read_ahead::ReadAhead,
    record::{self, Ending},
    unread::Attended,
};
use crate::{
    config::Limits,
    service::{Method, Turns},
    wire::{BatchFromJson, BatchToJson, Refusal, proto::ErrorReason, request_from_json, response_to_json},
};

/// How messages are written.
#[derive(Clone, Copy)]
pub(super) enum Encoding {
    Json,
    Proto,
}

impl Encoding {
    const fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Proto => "application/proto",
        }
    }
}

/// Answers a call.
pub(super) async fn answer(
    gate: &Gate,
    limits: &Limits,
    mut parts: Parts,
    body: Attended,
    encoding: Encoding,
) -> Response<Body> {
    let (service, call) = split_path(parts.uri.path());
    let is_referees = service == SERVICE;
    let method = Method::by_name(call).filter(|_| is_referees);
    if let Err(refusal) = to_grpc(&mut parts.headers, method) {
        // Who may not call is told so, whatever else is wrong with the call.
        let refusal = gate.admit(service, &parts.headers).err().unwrap_or(refusal);
        if is_referees {
            gate.record(method, &parts.headers).close(Ending::refused(&refusal));
        }
        return error::write(&Status::from(refusal), None);
    }
    let unread = Unread::default();
    let translation = {
        let (most_of_item, unread) = (limits.max_message_bytes, unread.clone());
        Box::new(move |body| read(body, method, encoding, most_of_item, unread))
    };
    let Ok(answer) = gate.call_translated(Request::from_parts(parts, body), translation).await;
    let (head, body) = answer.into_parts();
    let (body, mut place) = body.into_parts();
    let message = match unread.get() {
        Some(refusal) => Err(Status::from(refusal.clone())),
        None => read_answer(&head.headers, body, method, encoding).await,
    };
    if let Some(place) = &mut place {
        place.end(message.as_ref().map_or(0, Bytes::len));
    }
    match message {
        Ok(message) => write(message, encoding, place),
        Err(status) => error::write(&status, place),
    }
}

/// Why a message could not be read, if it could not.
type Unread = Arc<OnceLock<Refusal>>;

/// Puts the headers of a request into the terms of gRPC.
fn to_grpc(headers: &mut HeaderMap, method: Option<Method>) -> Result<(), Refusal> {
    if method == Some(Method::Evaluate) {
        return Err(Refusal::new(
            Code::Unimplemented,
            ErrorReason::CallNotAvailable,
            "Evaluate is a stream, and none is answered over Connect: send the calls as an EvaluateBatch",
        ));
    }
    if headers.get("connect-protocol-version").is_some_and(|version| version != "1") {
        return Err(Refusal::malformed("", "the header connect-protocol-version is not 1"));
    }
    if headers.remove(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        let message = "a compressed message is not read here: the only content-encoding is identity";
        return Err(Refusal::new(Code::Unimplemented, ErrorReason::CallNotAvailable, message));
    }
    headers.remove("grpc-timeout");
    if let Some(timeout) = headers.remove("connect-timeout-ms") {
        headers.insert("grpc-timeout", to_grpc_timeout(&timeout)?);
    }
    // The message is framed anew, and its answer is put into another form before it is sent.
    for name in ["content-length", "grpc-encoding", "grpc-accept-encoding"] {
        headers.remove(name);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    Ok(())
}

/// The time for a call: up to ten digits of milliseconds here, up to eight digits and a unit there.
fn to_grpc_timeout(value: &HeaderValue) -> Result<HeaderValue, Refusal> {
    let digits =
        value.to_str().ok().filter(|text| text.len() <= 10 && text.bytes().all(|b| b.is_ascii_digit()));
    let timeout = match digits.and_then(|digits| digits.parse::<u64>().ok()) {
        Some(milliseconds @ ..100_000_000) => format!("{milliseconds}m"),
        Some(milliseconds) => format!("{}S", milliseconds / 1000),
        None => {
            let message = "the header connect-timeout-ms is not a number of at most ten digits";
            return Err(Refusal::malformed("", message));
        }
    };
    HeaderValue::try_from(timeout).map_err(|_| Refusal::internal_fault())
}

/// The message of a request as the one message of a gRPC request. All of it has come.
fn read(
    body: ReadAhead<Attended>,
    method: Option<Method>,
    encoding: Encoding,
    most_of_item: usize,
    unread: Unread,
) -> Body {
    let reading = move |(body, unread): (ReadAhead<Attended>, Unread)| async move {
        let message = read_message(body, method, encoding, most_of_item).await.map_err(|refusal| {
            // The service knows nothing of a call that it could not be told.
            record::tell(Ending::refused(&refusal));
            let _ = unread.set(refusal);
            // What goes through tonic comes into its log, and a refusal may quote the state that could not be read.
            Status::aborted("the message cannot be read")
        })?;
        let mut framed = BytesMut::with_capacity(PREFIX + message.len());
        framed.put_u8(0);
        // The limits of messages are below 2 GiB.
        framed.put_u32(message.len() as u32);
        framed.put_slice(&message);
        Ok::<_, Status>(Frame::data(framed.freeze()))
    };
    Body::new(StreamBody::new(tokio_stream::once((body, unread)).then(reading)))
}

async fn read_message(
    body: ReadAhead<Attended>,
    method: Option<Method>,
    encoding: Encoding,
    most_of_item: usize,
) -> Result<Bytes, Refusal> {
    let message =
        body.collect().await.map_err(|_| Refusal::malformed("", "the message is cut off"))?.to_bytes();
    Ok(match (encoding, method) {
        (Encoding::Json, Some(Method::EvaluateBatch)) => {
            let (mut batch, mut turns) = (BatchFromJson::new(&message, most_of_item)?, Turns::default());
            while batch.convert_next() {
                turns.share().await;
            }
            batch.finish()?.into()
        }
        (Encoding::Json, Some(method)) => request_from_json(method.name(), &message)?.into(),
        _ => message,
    })
}

/// Writes an answer. It keeps its place until it has been sent.
fn write(message: Bytes, encoding: Encoding, place: Place) -> Response<Body> {
    let mut answer = Response::new(held(message, place));
    let content_type = HeaderValue::from_static(encoding.content_type());
    answer.headers_mut().insert(header::CONTENT_TYPE, content_type);
    answer
}

async fn read_answer(
    headers: &HeaderMap,
    body: Body,
    method: Option<Method>,
    encoding: Encoding,
) -> Result<Bytes, Status> {
    check(headers)?;
    let answer = body.collect().await?;
    if let Some(trailers) = answer.trailers() {
        check(trailers)?;
    }
    let mut answer = answer.to_bytes();
    if answer.len() < PREFIX {
        return Err(Refusal::internal_fault().into());
    }
    let message = answer.split_off(PREFIX);
    Ok(match (encoding, method) {
        (Encoding::Json, Some(Method::EvaluateBatch)) => {
            let (mut batch, mut turns) = (BatchToJson::new(message)?, Turns::default());
            while batch.convert_next()? {
                turns.share().await;
            }
            batch.finish().into()
        }
        (Encoding::Json, Some(method)) => response_to_json(method.name(), message)?.into(),
        _ => message,
    })
}

/// The status that headers carry, if it is a refusal.
fn check(headers: &HeaderMap) -> Result<(), Status> {
    match Status::from_header_map(headers) {
        Some(status) if status.code() != Code::Ok => Err(status),
        _ => Ok(()),
    }
}

/// A body that keeps its place among the calls under way until it has been sent.
fn held(bytes: Bytes, place: Place) -> Body {
    Body::new(Held::new(Body::new(Full::new(bytes)), place))
}

/// The status of HTTP that stands for a status of gRPC.
fn http_status(code: Code) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::Cancelled => StatusCode::from_u16(499).unwrap_or(StatusCode::BAD_REQUEST),
        Code::Unknown | Code::Internal | Code::DataLoss => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
