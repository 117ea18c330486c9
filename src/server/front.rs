//! The first look at a request: gRPC goes straight to the gate, every other protocol takes the way around.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use http::{HeaderMap, Request, Response, Version, header};
use http_body_util::Either;
use hyper::body::Incoming;
use tonic::body::Body;
use tower::{Service, util::BoxCloneSyncService};

use super::{
    admission::Held,
    gate::{Gate, Passage, Place},
    metrics::Metrics,
};

/// What answers every protocol but gRPC.
pub(super) type Web = BoxCloneSyncService<Request<Incoming>, Response<Body>, Infallible>;

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
        if request.version() == Version::HTTP_2 && is_grpc(request.headers()) {
            Answering::Grpc(self.gate.call(request))
        } else {
            Answering::Web(self.web.clone().call(request))
        }
    }
}

/// Whether a request is one of gRPC itself: `application/grpc`, `application/grpc+proto`.
pub(super) fn is_grpc(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).map(header::HeaderValue::as_bytes);
    let rest = content_type.and_then(|name| name.strip_prefix(b"application/grpc"));
    rest.is_some_and(|rest| rest.first() != Some(&b'-'))
}

/// An answer on its way.
pub(super) enum Answering {
    Grpc(Passage),
    Web(Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>),
}

impl Future for Answering {
    type Output = Result<Response<Either<Held<Place>, Body>>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(match &mut *self {
            Self::Grpc(passage) => {
                ready!(Pin::new(passage).poll(context)).map(|answer| answer.map(Either::Left))
            }
            Self::Web(answer) => {
                ready!(answer.as_mut().poll(context)).map(|answer| answer.map(Either::Right))
            }
        })
    }
}
