//! The calls that do nothing: they read messages and answer others of the sizes that they were asked for.

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
use tokio_stream::{StreamExt, adapters::Map};
use tonic::{
    Status, Streaming,
    body::Body,
    server::{Grpc, NamedService, StreamingService, UnaryService},
};
use tower::Service;

use super::load::Call;

/// A message of bytes. The first two of a request say how many the answer has.
#[derive(Clone, PartialEq, Message)]
pub struct Blob {
    #[prost(bytes = "bytes", tag = "1")]
    payload: Bytes,
}

/// Many of them in one, as the calls of a batch are.
#[derive(Clone, PartialEq, Message)]
pub struct Blobs {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    payloads: Vec<Bytes>,
}

static ZEROS: [u8; 65536] = [0; 65536];

/// The call beside another that does nothing with messages of the same sizes, both as encoded.
pub fn call(beside: &Call, answer_size: usize) -> Call {
    Call { path: path(beside.method()), request: message(beside.request.len(), answer_size) }
}

/// A batch of items of these sizes, each with that of its answer, both as encoded.
pub fn batch(items: &[(usize, usize)]) -> Call {
    let payloads = items.iter().map(|&(size, answer_size)| payload(size, answer_size)).collect();
    Call { path: path("EvaluateBatch"), request: Blobs { payloads }.encode_to_vec().into() }
}

/// A message of a stream, of this size and with that of its answer, both as encoded.
pub fn message(size: usize, answer_size: usize) -> Bytes {
    Blob { payload: payload(payload_size(size), payload_size(answer_size)) }.encode_to_vec().into()
}

/// As long as that of the referee's call: a path is read letter by letter, whatever the call.
pub fn path(method: &str) -> http::uri::PathAndQuery {
    format!("/{}/{method}", Noop::NAME).parse().expect("a path")
}

fn payload(size: usize, answer_size: usize) -> Bytes {
    let mut payload = vec![0; size.max(2)];
    payload[..2].copy_from_slice(&u16::try_from(answer_size).expect("an answer is small").to_be_bytes());
    payload.into()
}

/// How long the payload of a message of this size is: without its key and its length.
fn payload_size(message_size: usize) -> usize {
    match message_size {
        0..=129 => message_size.saturating_sub(2),
        _ => message_size - 3,
    }
}

/// An empty message has no bytes at all, and no message has 130: so much may the sizes differ.
pub fn assert_alike(size: usize, other: usize) {
    assert!(size.abs_diff(other) <= 2, "{size} and {other} bytes");
}

fn answer(payload: &Bytes) -> Bytes {
    let size = u16::from_be_bytes([payload[0], payload[1]]);
    Bytes::from_static(&ZEROS[..size.into()])
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
        ready(Ok(tonic::Response::new(Blob { payload: answer(&request.into_inner().payload) })))
    }
}

impl UnaryService<Blobs> for Noop {
    type Response = Blobs;
    type Future = Ready<Result<tonic::Response<Blobs>, Status>>;

    fn call(&mut self, request: tonic::Request<Blobs>) -> Self::Future {
        let payloads = request.into_inner().payloads.iter().map(answer).collect();
        ready(Ok(tonic::Response::new(Blobs { payloads })))
    }
}

impl StreamingService<Blob> for Noop {
    type Response = Blob;
    type ResponseStream = Map<Streaming<Blob>, fn(Result<Blob, Status>) -> Result<Blob, Status>>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: tonic::Request<Streaming<Blob>>) -> Self::Future {
        let each: fn(_) -> _ = |read: Result<Blob, Status>| Ok(Blob { payload: answer(&read?.payload) });
        ready(Ok(tonic::Response::new(request.into_inner().map(each))))
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
        match request.uri().path().rsplit('/').next() {
            Some("EvaluateBatch") => {
                Box::pin(
                    async move { Ok(Grpc::new(Codec::<Blobs, Blobs>::default()).unary(Noop, request).await) },
                )
            }
            Some("Evaluate") => Box::pin(async move {
                Ok(Grpc::new(Codec::<Blob, Blob>::default()).streaming(Noop, request).await)
            }),
            _ => Box::pin(
                async move { Ok(Grpc::new(Codec::<Blob, Blob>::default()).unary(Noop, request).await) },
            ),
        }
    }
}
