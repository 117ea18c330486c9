//! The Connect protocol's unary calls: one HTTP request with one message, in JSON or in binary form, and one answer.
//!
//! A call is put into the terms of gRPC, passes the gate like any other, and its answer is put back: limits, deadlines,
//! metrics and logs are those of gRPC. See `docs/decisions/0009-connect.md` for what of Connect is spoken.

mod error;

use std::sync::{Arc, OnceLock};

use bytes::{BufMut, Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header, request::Parts};
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited, StreamBody};
use tokio_stream::StreamExt;
use tonic::{Code, Status, body::Body};

use super::{
    SERVICE,
    admission::Held,
    gate::{Gate, split_path},
    passage::Place,
    record::{self, Ending},
    unread::Attended,
};
use crate::{
    config::Limits,
    service::{Method, Turns},
    wire::{BatchFromJson, BatchToJson, Refusal, proto::ErrorReason, request_from_json, response_to_json},
};

/// The bytes before a message of gRPC: whether it is compressed, and its length.
const PREFIX: usize = 5;

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
    let most = max_bytes(method, limits);
    let announced = body.size_hint().upper().and_then(|bytes| usize::try_from(bytes).ok());
    let held = announced.map_or(most, |bytes| bytes.min(most));
    let message = read(body, method, encoding, limits, unread.clone());
    let Ok(answer) = gate.call_translated(Request::from_parts(parts, message), held).await;
    if let Some(refusal) = unread.get() {
        let (_, place) = answer.into_body().into_parts();
        return error::write(&Status::from(refusal.clone()), place);
    }
    write(answer, method, encoding).await
}

/// How many bytes a message of this call may have.
const fn max_bytes(method: Option<Method>, limits: &Limits) -> usize {
    match method {
        Some(Method::EvaluateBatch) => limits.max_batch_bytes,
        _ => limits.max_message_bytes,
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

/// The message of a request as the one message of a gRPC request. It is read when the gate has let the call in.
fn read(body: Attended, method: Option<Method>, encoding: Encoding, limits: &Limits, unread: Unread) -> Body {
    let limits = *limits;
    let reading = move |(body, unread): (Attended, Unread)| async move {
        let message = read_message(body, method, encoding, &limits).await.map_err(|refusal| {
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
    body: Attended,
    method: Option<Method>,
    encoding: Encoding,
    limits: &Limits,
) -> Result<Bytes, Refusal> {
    let most = max_bytes(method, limits);
    let message = match Limited::new(body, most).collect().await {
        Ok(message) => message.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            let message = format!("the message has more than {most} bytes");
            return Err(Refusal::new(Code::ResourceExhausted, ErrorReason::MessageTooLarge, message));
        }
        Err(_) => return Err(Refusal::malformed("", "the message is cut off")),
    };
    Ok(match (encoding, method) {
        (Encoding::Json, Some(Method::EvaluateBatch)) => {
            let (mut batch, mut turns) =
                (BatchFromJson::new(&message, limits.max_message_bytes)?, Turns::default());
            while batch.turn_next()? {
                turns.share().await;
            }
            batch.finish().into()
        }
        (Encoding::Json, Some(method)) => request_from_json(method.name(), &message)?.into(),
        _ => message,
    })
}

/// Puts an answer of gRPC into the terms of Connect.
async fn write(answer: Response<Held<Place>>, method: Option<Method>, encoding: Encoding) -> Response<Body> {
    let (head, body) = answer.into_parts();
    let (body, mut place) = body.into_parts();
    match read_answer(&head.headers, body, method, encoding).await {
        Ok(message) => {
            if let Some(place) = &mut place {
                place.keep(message.len());
            }
            let mut answer = Response::new(held(message, place));
            let content_type = HeaderValue::from_static(encoding.content_type());
            answer.headers_mut().insert(header::CONTENT_TYPE, content_type);
            answer
        }
        Err(status) => error::write(&status, place),
    }
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
            while batch.turn_next()? {
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
