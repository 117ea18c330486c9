//! No-op calls: they decode messages and return others of the requested sizes.

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

use super::load_generator::Call;

/// A message of bytes. The first two bytes of a request are the size of the response.
#[derive(Clone, PartialEq, Message)]
pub struct Blob {
    #[prost(bytes = "bytes", tag = "1")]
    payload: Bytes,
}

/// A batch of them.
#[derive(Clone, PartialEq, Message)]
pub struct Blobs {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    payloads: Vec<Bytes>,
}

static ZEROS: [u8; 65536] = [0; 65536];

/// A no-op call with messages of the same encoded sizes as another call.
pub fn call(measured: &Call, response_size: usize) -> Call {
    Call { path: path(measured.method()), request: message(measured.request.len(), response_size) }
}

/// A batch with items of these encoded sizes, each with the size of its answer.
pub fn batch(items: &[(usize, usize)]) -> Call {
    let payloads = items.iter().map(|&(size, answer_size)| payload(size, answer_size)).collect();
    Call { path: path("EvaluateBatch"), request: Blobs { payloads }.encode_to_vec().into() }
}

/// A stream message of this encoded size, with the size of its response.
pub fn message(size: usize, response_size: usize) -> Bytes {
    Blob { payload: payload(payload_size(size), payload_size(response_size)) }.encode_to_vec().into()
}

/// A path of the same length as that of the measured call, since the server processes it byte by byte.
pub fn path(method: &str) -> http::uri::PathAndQuery {
    format!("/{}/{method}", Noop::NAME).parse().expect("the path is valid")
}

fn payload(size: usize, response_size: usize) -> Bytes {
    let mut payload = vec![0; size.max(2)];
    payload[..2].copy_from_slice(&u16::try_from(response_size).expect("the response is small").to_be_bytes());
    payload.into()
}

/// The size of the payload in a message of this size, without its key and its length.
fn payload_size(message_size: usize) -> usize {
    match message_size {
        0..=129 => message_size.saturating_sub(2),
        _ => message_size - 3,
    }
}

/// Not every size is possible, so the sizes may differ by two bytes.
pub fn assert_similar_size(size: usize, other: usize) {
    assert!(size.abs_diff(other) <= 2, "{size} and {other} bytes");
}

fn response_payload(payload: &Bytes) -> Bytes {
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
        ready(Ok(tonic::Response::new(Blob { payload: response_payload(&request.into_inner().payload) })))
    }
}

impl UnaryService<Blobs> for Noop {
    type Response = Blobs;
    type Future = Ready<Result<tonic::Response<Blobs>, Status>>;

    fn call(&mut self, request: tonic::Request<Blobs>) -> Self::Future {
        let payloads = request.into_inner().payloads.iter().map(response_payload).collect();
        ready(Ok(tonic::Response::new(Blobs { payloads })))
    }
}

impl StreamingService<Blob> for Noop {
    type Response = Blob;
    type ResponseStream = Map<Streaming<Blob>, fn(Result<Blob, Status>) -> Result<Blob, Status>>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: tonic::Request<Streaming<Blob>>) -> Self::Future {
        let respond: fn(_) -> _ =
            |message: Result<Blob, Status>| Ok(Blob { payload: response_payload(&message?.payload) });
        ready(Ok(tonic::Response::new(request.into_inner().map(respond))))
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
