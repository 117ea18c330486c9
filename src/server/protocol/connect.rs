//! The Connect protocol's unary calls: one HTTP request with one message, in JSON or binary, and one response.
//!
//! A call is translated to gRPC and its response back, so limits, deadlines, metrics and logs are those of gRPC. See
//! `docs/decisions/0009-connect.md` for the supported part of the protocol.

mod error;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use tonic::{Code, body::Body};

pub(super) use self::error::error_response;
use super::MESSAGE_PREFIX_BYTES;
use crate::{
    service::{Method, TimeSlice},
    wire::{BatchFromJson, BatchToJson, Refusal, proto::ErrorReason, request_from_json, response_to_json},
};

/// How messages are encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Encoding {
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

/// Translates the headers of a request to gRPC.
pub(super) fn translate_headers(headers: &mut HeaderMap, method: Option<Method>) -> Result<(), Refusal> {
    if method == Some(Method::Evaluate) {
        return Err(Refusal::new(
            Code::Unimplemented,
            ErrorReason::CallNotAvailable,
            "Evaluate is a stream, which is not supported over Connect: send the calls as an EvaluateBatch",
        ));
    }
    if headers.get("connect-protocol-version").is_some_and(|version| version != "1") {
        return Err(Refusal::malformed("", "the header connect-protocol-version is not 1"));
    }
    if headers.remove(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        let message =
            "compressed messages are not supported over Connect: the only content-encoding is identity";
        return Err(Refusal::new(Code::Unimplemented, ErrorReason::CallNotAvailable, message));
    }
    headers.remove("grpc-timeout");
    if let Some(timeout) = headers.remove("connect-timeout-ms") {
        headers.insert("grpc-timeout", grpc_timeout(&timeout)?);
    }
    // The message and its response are encoded again, so these headers no longer apply.
    for name in ["content-length", "grpc-encoding", "grpc-accept-encoding"] {
        headers.remove(name);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    Ok(())
}

/// Translates a timeout: up to ten digits of milliseconds in Connect, up to eight digits and a unit in gRPC.
fn grpc_timeout(value: &HeaderValue) -> Result<HeaderValue, Refusal> {
    let digits =
        value.to_str().ok().filter(|text| text.len() <= 10 && text.bytes().all(|b| b.is_ascii_digit()));
    let timeout = match digits.and_then(|digits| digits.parse::<u64>().ok()) {
        Some(milliseconds @ ..100_000_000) => format!("{milliseconds}m"),
        Some(milliseconds) => format!("{}S", milliseconds / 1000),
        None => {
            let message = "the header connect-timeout-ms is not a number of at most ten digits, such as 1500";
            return Err(Refusal::malformed("", message));
        }
    };
    HeaderValue::try_from(timeout).map_err(|_| Refusal::internal_fault())
}

/// Translates a request to its binary message.
pub(super) async fn decode_request(
    encoding: Encoding,
    method: Method,
    body: Bytes,
    max_item_bytes: usize,
) -> Result<Bytes, Refusal> {
    match (encoding, method) {
        (Encoding::Proto, _) => Ok(body),
        (Encoding::Json, Method::EvaluateBatch) => {
            let (mut batch, mut slice) = (BatchFromJson::new(&body, max_item_bytes)?, TimeSlice::default());
            while batch.convert_next() {
                slice.yield_if_used_up().await;
            }
            Ok(batch.finish()?.into())
        }
        (Encoding::Json, method) => {
            let mut slice = TimeSlice::default();
            let message = request_from_json(method.name(), &body, max_item_bytes)?;
            slice.yield_if_used_up().await;
            Ok(message.into())
        }
    }
}

/// Translates the body of a gRPC response to a message.
pub(super) async fn encode_response(
    encoding: Encoding,
    method: Method,
    body: Body,
) -> Result<Bytes, Refusal> {
    let mut body = body.collect().await.map_err(|_| Refusal::internal_fault())?.to_bytes();
    if body.len() < MESSAGE_PREFIX_BYTES {
        return Err(Refusal::internal_fault());
    }
    let message = body.split_off(MESSAGE_PREFIX_BYTES);
    match (encoding, method) {
        (Encoding::Proto, _) => Ok(message),
        (Encoding::Json, Method::EvaluateBatch) => {
            let (mut batch, mut slice) = (BatchToJson::new(message)?, TimeSlice::default());
            while batch.convert_next()? {
                slice.yield_if_used_up().await;
            }
            Ok(batch.finish().into())
        }
        (Encoding::Json, method) => Ok(response_to_json(method.name(), message)?.into()),
    }
}

/// The response with this message.
pub(super) fn response(encoding: Encoding, message: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::new(Full::new(message)));
    let content_type = HeaderValue::from_static(encoding.content_type());
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

/// The HTTP status of a gRPC status code, as Connect maps them.
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
