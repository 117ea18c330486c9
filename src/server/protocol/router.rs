//! The protocol router: the entry point of every request. It assigns the request id and chooses the protocol by the content
//! type.

use std::{convert::Infallible, future::Future, pin::Pin, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version, header};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use tokio::time::Instant;
use tonic::body::Body;
use tower::{Layer, Service, service_fn};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::{
    Protocol,
    body::{DrainOnDrop, RequestBody, ResponseBody},
    connect::Encoding,
    grpc_web,
    host::check_host,
    unstarted_calls::UnstartedCalls,
};
use crate::{
    server::{
        net::ConnectionActivity,
        pipeline::Pipeline,
        telemetry::{REQUEST_ID, assign_request_id},
    },
    wire::proto::SERVICE_NAME,
};

/// The router of a worker, shared by its connections.
#[derive(Clone)]
pub(in crate::server) struct Router(Arc<Inner>);

struct Inner {
    pipeline: Pipeline,
    unstarted_calls: UnstartedCalls,
    /// None: no origin is allowed.
    cors: Option<CorsLayer>,
}

impl Router {
    /// Creates a router. Browsers let pages of the allowed origins read its responses.
    pub(in crate::server) fn new(pipeline: Pipeline, allowed_origins: &[HeaderValue]) -> Self {
        let unstarted_calls = UnstartedCalls::default();
        Self(Arc::new(Inner { pipeline, unstarted_calls, cors: cors(allowed_origins) }))
    }

    /// The calls of this worker that were read and have not started.
    pub(in crate::server) fn unstarted_calls(&self) -> &UnstartedCalls {
        &self.0.unstarted_calls
    }

    /// The service of one connection.
    pub(in crate::server) fn serve(&self, connection: Arc<ConnectionActivity>) -> ConnectionService {
        ConnectionService { router: self.clone(), connection }
    }

    async fn handle(self, mut request: Request<RequestBody>, arrival: Arrival) -> Response<ResponseBody> {
        if request.version() == Version::HTTP_2 && request.headers().len() > MAX_HEADERS {
            let relevant = relevant_headers(request.headers());
            *request.headers_mut() = relevant;
        }
        let request_id = assign_request_id(request.headers_mut());
        let mut response = if request.version() == Version::HTTP_2 && is_grpc(request.headers()) {
            self.0.pipeline.handle(request, Protocol::Grpc, &arrival).await
        } else {
            // Boxed because most calls are gRPC: their future stays small.
            Box::pin(self.handle_web(request, &arrival)).await
        };
        let request_id = response.body().hold_until_sent(request_id);
        response.headers_mut().insert(REQUEST_ID, request_id);
        response
    }

    /// Handles every protocol but gRPC.
    async fn handle_web(self, request: Request<RequestBody>, arrival: &Arrival) -> Response<ResponseBody> {
        if let Err(message) = check_host(&request) {
            return help(StatusCode::BAD_REQUEST, message, Some((header::CONNECTION, "close")));
        }
        let Some(cors) = self.0.cors.clone() else {
            return self.dispatch(request, arrival).await;
        };
        let dispatch =
            service_fn(|request| async { Ok::<_, Infallible>(self.dispatch(request, arrival).await) });
        let Ok(response) = cors.layer(dispatch).call(request).await;
        response
    }

    async fn dispatch(&self, request: Request<RequestBody>, arrival: &Arrival) -> Response<ResponseBody> {
        let pipeline = &self.0.pipeline;
        if request.method() != Method::POST {
            let message = "This endpoint accepts only POST.";
            return help(StatusCode::METHOD_NOT_ALLOWED, message, Some((header::ALLOW, "POST")));
        }
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        // Parameters such as a charset change nothing: JSON is always UTF-8.
        let media_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim_end();
        match media_type.to_ascii_lowercase().as_str() {
            "application/grpc-web" | "application/grpc-web+proto" => {
                grpc_web::handle(pipeline, request, "application/grpc-web+proto", arrival).await
            }
            "application/grpc-web-text" | "application/grpc-web-text+proto" => {
                grpc_web::handle(pipeline, request, "application/grpc-web-text+proto", arrival).await
            }
            "application/json" => pipeline.handle(request, Protocol::Connect(Encoding::Json), arrival).await,
            "application/proto" => {
                pipeline.handle(request, Protocol::Connect(Encoding::Proto), arrival).await
            }
            _ if is_grpc(request.headers()) => {
                help(StatusCode::HTTP_VERSION_NOT_SUPPORTED, "gRPC needs HTTP/2.", None)
            }
            _ => {
                let message = "Unsupported content type.";
                let accepted = (HeaderName::from_static("accept-post"), CONTENT_TYPES);
                help(StatusCode::UNSUPPORTED_MEDIA_TYPE, message, Some(accepted))
            }
        }
    }
}

/// With more headers than this on HTTP/2, only those that the server reads are kept: many tiny headers take several times the memory that
/// is counted for a call.
const MAX_HEADERS: usize = 32;

/// Copies the headers that the server reads. The copies do not keep the others in memory.
fn relevant_headers(headers: &HeaderMap) -> HeaderMap {
    const NAMES: [&str; 18] = [
        "access-control-request-headers",
        "access-control-request-method",
        "authorization",
        "connect-protocol-version",
        "connect-timeout-ms",
        "content-encoding",
        "content-length",
        "content-type",
        "grpc-accept-encoding",
        "grpc-encoding",
        "grpc-timeout",
        "host",
        "origin",
        "te",
        "traceparent",
        "tracestate",
        "x-grpc-web",
        "x-request-id",
    ];
    let copy = |name| {
        let value = HeaderValue::from_bytes(headers.get(name)?.as_bytes()).ok()?;
        Some((HeaderName::from_static(name), value))
    };
    NAMES.into_iter().filter_map(copy).collect()
}

/// When and on which connection a request arrived.
pub(in crate::server) struct Arrival {
    /// When the poll started that read the headers.
    pub(in crate::server) at: Instant,
    pub(in crate::server) connection: Arc<ConnectionActivity>,
}

/// The service of one connection.
pub(in crate::server) struct ConnectionService {
    router: Router,
    connection: Arc<ConnectionActivity>,
}

impl hyper::service::Service<Request<Incoming>> for ConnectionService {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        // The poll in which it was read has perhaps run other calls: with HTTP/1.1, that is queueing delay.
        let arrival = Arrival { at: self.connection.polled_at(), connection: self.connection.clone() };
        let router = self.router.clone();
        let unstarted = router.unstarted_calls().add();
        Box::pin(async move {
            drop(unstarted);
            let request = request.map(|body| Either::Left(DrainOnDrop::new(body)));
            Ok(router.handle(request, arrival).await)
        })
    }
}

/// Whether a request is native gRPC, not gRPC-Web: `application/grpc`, `application/grpc+proto`.
fn is_grpc(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let rest = content_type.and_then(|name| name.strip_prefix(b"application/grpc"));
    rest.is_some_and(|rest| rest.first() != Some(&b'-'))
}

const CONTENT_TYPES: &str = "application/grpc, application/grpc-web+proto, application/grpc-web-text+proto, \
                             application/json, application/proto";

/// The response to a request that is not a call: a text for people, and a header for programs.
fn help(
    status: StatusCode,
    message: &str,
    hint: Option<(HeaderName, &'static str)>,
) -> Response<ResponseBody> {
    let text = format!(
        "{message}\n\n\
         Arbiter serves gRPC, gRPC-Web and Connect (JSON over HTTP):\n  \
         curl -H 'content-type: application/json' -d '{{\"connect_four\": {{}}}}' \
         http://HOST:PORT/{SERVICE_NAME}/NewGame\n",
    );
    let mut response = Response::new(ResponseBody::from(Body::new(Full::from(text))));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Some((name, value)) = hint {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// How long browsers may cache the response to a preflight request.
const PREFLIGHT_MAX_AGE: Duration = Duration::from_hours(2);

/// The headers that pages may send, and those they may read.
fn cors(allowed_origins: &[HeaderValue]) -> Option<CorsLayer> {
    const ALLOWED_HEADERS: [&str; 10] = [
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
    const EXPOSED_HEADERS: [&str; 4] =
        ["grpc-message", "grpc-status", "grpc-status-details-bin", "x-request-id"];
    if allowed_origins.is_empty() {
        return None;
    }
    let any = allowed_origins.iter().any(|origin| origin == "*");
    Some(
        CorsLayer::new()
            .allow_origin(if any { AllowOrigin::any() } else { AllowOrigin::list(allowed_origins.to_vec()) })
            .allow_methods([Method::POST])
            .allow_headers(ALLOWED_HEADERS.map(HeaderName::from_static))
            .expose_headers(EXPOSED_HEADERS.map(HeaderName::from_static))
            .max_age(PREFLIGHT_MAX_AGE),
    )
}
