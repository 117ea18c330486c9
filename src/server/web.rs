//! What is answered besides gRPC, on the same port: gRPC-Web for browsers, the unary form of Connect for `curl` and for
//! everyone with HTTP and JSON, and a word to whoever speaks none of them.

use std::{convert::Infallible, time::Duration};

use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::Full;
use tonic::body::Body;
use tonic_web::GrpcWebLayer;
use tower::{Layer, Service, service_fn};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::{
    SERVICE,
    connect::{self, Encoding},
    front::{Web, is_grpc},
    gate::Gate,
    unread::Attended,
};
use crate::config::Limits;

/// Answers every protocol but gRPC. Pages of the allowed origins may read the answers.
pub(super) fn new(gate: Gate, limits: Limits, origins: &[HeaderValue]) -> Web {
    let answer = service_fn(move |request| {
        let gate = gate.clone();
        async move { Ok::<_, Infallible>(answer(gate, limits, request).await) }
    });
    match cors(origins) {
        Some(cors) => Web::new(cors.layer(answer)),
        None => Web::new(answer),
    }
}

async fn answer(gate: Gate, limits: Limits, request: Request<Attended>) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    if parts.method != Method::POST {
        let says = "A call is a POST, and nothing else is answered here.";
        return explain(StatusCode::METHOD_NOT_ALLOWED, says, Some((header::ALLOW, "POST")));
    }
    match Protocol::of(&parts) {
        Protocol::GrpcWeb(content_type) => {
            parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
            let gate = service_fn(move |request| gate.call_web(request));
            let answer = GrpcWebLayer::new().layer(gate).call(Request::from_parts(parts, body)).await;
            answer.unwrap_or_else(|never| match never {})
        }
        Protocol::Connect(encoding) => connect::answer(&gate, &limits, parts, body, encoding).await,
        Protocol::GrpcOverHttp1 => {
            explain(StatusCode::HTTP_VERSION_NOT_SUPPORTED, "gRPC needs HTTP/2.", None)
        }
        Protocol::Unknown => {
            let says =
                "The content type says in which protocol a call is: this one is in none that is known here.";
            let name = HeaderName::from_static("accept-post");
            explain(StatusCode::UNSUPPORTED_MEDIA_TYPE, says, Some((name, CONTENT_TYPES)))
        }
    }
}

const CONTENT_TYPES: &str = "application/grpc, application/grpc-web+proto, application/grpc-web-text+proto, \
                             application/json, application/proto";

/// How a request is written, by its content type.
enum Protocol {
    GrpcWeb(&'static str),
    Connect(Encoding),
    GrpcOverHttp1,
    Unknown,
}

impl Protocol {
    fn of(request: &Parts) -> Self {
        let value = request.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        // What follows the type, such as a charset, changes nothing: JSON is always UTF-8.
        let content_type = value.unwrap_or_default().split(';').next().unwrap_or_default().trim_end();
        match content_type.to_ascii_lowercase().as_str() {
            "application/grpc-web" | "application/grpc-web+proto" => {
                Self::GrpcWeb("application/grpc-web+proto")
            }
            "application/grpc-web-text" | "application/grpc-web-text+proto" => {
                Self::GrpcWeb("application/grpc-web-text+proto")
            }
            "application/json" => Self::Connect(Encoding::Json),
            "application/proto" => Self::Connect(Encoding::Proto),
            _ if is_grpc(&request.headers) => Self::GrpcOverHttp1,
            _ => Self::Unknown,
        }
    }
}

/// What a person is told who asks in a way that is not understood. A header tells programs.
fn explain(status: StatusCode, says: &str, hint: Option<(HeaderName, &'static str)>) -> Response<Body> {
    let text = format!(
        "{says}\n\n\
         Arbiter answers gRPC, gRPC-Web, and JSON:\n  \
         curl -H 'content-type: application/json' -d '{{\"connect_four\": {{}}}}' http://HOST:PORT/{SERVICE}/NewGame\n",
    );
    let mut answer = Response::new(Body::new(Full::from(text)));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    if let Some((name, value)) = hint {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}

/// How long a browser may remember what it is allowed.
const CORS_MAX_AGE: Duration = Duration::from_hours(2);

/// What pages of these origins may send and see. With none, browsers are not told that any may.
fn cors(origins: &[HeaderValue]) -> Option<CorsLayer> {
    const SENT: [&str; 10] = [
        "authorization",
        "connect-protocol-version",
        "connect-timeout-ms",
        "content-type",
        "grpc-timeout",
        "traceparent",
        "tracestate",
        "x-grpc-web",
        "x-request-id",
        "x-user-agent",
    ];
    const SEEN: [&str; 4] = ["grpc-message", "grpc-status", "grpc-status-details-bin", "x-request-id"];
    if origins.is_empty() {
        return None;
    }
    let any = origins.iter().any(|origin| origin == "*");
    Some(
        CorsLayer::new()
            .allow_origin(if any { AllowOrigin::any() } else { AllowOrigin::list(origins.to_vec()) })
            .allow_methods([Method::POST])
            .allow_headers(SENT.map(HeaderName::from_static))
            .expose_headers(SEEN.map(HeaderName::from_static))
            .max_age(CORS_MAX_AGE),
    )
}
