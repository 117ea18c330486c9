//! The call that does nothing: it reads a message and answers one of the size that it was asked for.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    pin::Pin,
    task::{Context, Poll},
};

use arbiter::wire::Codec;
use bytes::Bytes;
use http::{Request, Response};
use prost::Message;
use tonic::{
    Status,
    body::Body,
    server::{Grpc, NamedService, UnaryService},
};
use tower::Service;

use super::load::Call;

/// A message of bytes. The first two of a request say how many the answer has.
#[derive(Clone, PartialEq, Message)]
pub struct Blob {
    #[prost(bytes = "bytes", tag = "1")]
    payload: Bytes,
}

/// As long as the path of `ApplyMove`: a path is read letter by letter, whatever the call.
const PATH: &str = "/arbiter.bench.NoService/DoNothing";

static ZEROS: [u8; 65536] = [0; 65536];

/// The call with messages of these sizes, both as encoded.
pub fn call(request_size: usize, answer_size: usize) -> Call {
    let answer_size = u16::try_from(payload_size(answer_size)).expect("an answer is small");
    let mut payload = vec![0; payload_size(request_size).max(2)];
    payload[..2].copy_from_slice(&answer_size.to_be_bytes());
    Call {
        path: PATH.parse().expect("a path"),
        request: Blob { payload: payload.into() }.encode_to_vec().into(),
    }
}

/// How long the payload of a message of this size is: without its key and its length.
fn payload_size(message_size: usize) -> usize {
    match message_size {
        0..=129 => message_size.saturating_sub(2),
        _ => message_size - 3,
    }
}

#[derive(Clone)]
pub struct Noop;

impl NamedService for Noop {
    const NAME: &'static str = "arbiter.bench.NoService";
}

impl UnaryService<Blob> for Noop {
    type Response = Blob;
    type Future = Ready<Result<tonic::Response<Blob>, Status>>;

    fn call(&mut self, request: tonic::Request<Blob>) -> Self::Future {
        let payload = request.into_inner().payload;
        let size = u16::from_be_bytes([payload[0], payload[1]]);
        ready(Ok(tonic::Response::new(Blob { payload: Bytes::from_static(&ZEROS[..size.into()]) })))
    }
}

impl<B> Service<Request<B>> for Noop
where
    B: http_body::Body + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        Box::pin(async move { Ok(Grpc::new(Codec::<Blob, Blob>::default()).unary(Noop, request).await) })
    }
}
