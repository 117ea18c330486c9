//! The first look at a request: it is given a name; gRPC goes straight to the gate, every other protocol takes the way
//! around.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use http::{HeaderMap, HeaderValue, Request, Response, Version, header};
use http_body_util::Either;
use hyper::body::Incoming;
use tonic::body::Body;
use tower::{Service, util::BoxCloneSyncService};

use super::{
    admission::Held,
    gate::Gate,
    metrics::Metrics,
    passage::{Passage, Place},
    request_id::{self, REQUEST_ID},
    unread::Attended,
};

/// What answers every protocol but gRPC.
pub(super) type Web = BoxCloneSyncService<Request<Attended>, Response<Body>, Infallible>;

/// What a connection asks.
#[derive(Clone)]
pub(super) struct Front {
    gate: Gate,
    web: Web,
}

impl Front {
    pub(super) fn new(gate: Gate, web: Web) -> Self {
        Self { gate, web }
    }
}

impl AsRef<Metrics> for Front {
    fn as_ref(&self) -> &Metrics {
        self.gate.as_ref()
    }
}

impl hyper::service::Service<Request<Incoming>> for Front {
    type Response = Response<Either<Held<Place>, Body>>;
    type Error = Infallible;
    type Future = Answering;

    fn call(&self, request: Request<Incoming>) -> Answering {
        let mut request = request.map(Attended::new);
        let request_id = request_id::of(request.headers_mut());
        let way = if request.version() == Version::HTTP_2 && is_grpc(request.headers()) {
            Way::Grpc(self.gate.call(request))
        } else {
            Way::Web(self.web.clone().call(request))
        };
        Answering { request_id, way }
    }
}

/// Whether a request is one of gRPC itself: `application/grpc`, `application/grpc+proto`.
pub(super) fn is_grpc(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let rest = content_type.and_then(|name| name.strip_prefix(b"application/grpc"));
    rest.is_some_and(|rest| rest.first() != Some(&b'-'))
}

/// An answer that is being made, which will bear the name of its request.
pub(super) struct Answering {
    request_id: HeaderValue,
    way: Way,
}

#[allow(clippy::large_enum_variant, reason = "gRPC is the rule: a box would cost every call")]
enum Way {
    Grpc(Passage<Attended>),
    Web(Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>),
}

impl Future for Answering {
    type Output = Result<Response<Either<Held<Place>, Body>>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Ok(mut answer) = match &mut self.way {
            Way::Grpc(passage) => {
                ready!(Pin::new(passage).poll(context)).map(|answer| answer.map(Either::Left))
            }
            Way::Web(answer) => ready!(answer.as_mut().poll(context)).map(|answer| answer.map(Either::Right)),
        };
        answer.headers_mut().insert(REQUEST_ID, self.request_id.clone());
        Poll::Ready(Ok(answer))
    }
}
