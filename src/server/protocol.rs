//! The protocols on the port: gRPC, gRPC-Web and Connect. The router chooses by the content type; all of them end in the
//! pipeline.

mod body;
mod connect;
mod grpc_web;
mod router;

use std::mem;

use bytes::{BufMut, Bytes, BytesMut};
use http::{HeaderMap, Response};
use tonic::{Status, body::Body};

use self::connect::Encoding;
pub(super) use self::{
    body::{RequestBody, ResponseBody, collect},
    router::Router,
};
use crate::{
    service::{CallResult, Method},
    wire::Refusal,
};

/// The bytes before a gRPC message: whether it is compressed, and its length.
pub(super) const FRAME_HEADER_BYTES: usize = 5;

/// The protocol of a call. The pipeline speaks gRPC; a protocol translates to it and back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Grpc,
    /// Translated by `tonic-web` before and after the pipeline.
    GrpcWeb,
    Connect(Encoding),
}

impl Protocol {
    /// Translates the headers of a request to those of gRPC.
    pub(super) fn translate_headers(
        self,
        headers: &mut HeaderMap,
        method: Option<Method>,
    ) -> Result<(), Refusal> {
        match self {
            Self::Grpc | Self::GrpcWeb => Ok(()),
            Self::Connect(_) => connect::translate_headers(headers, method),
        }
    }

    /// The size of the body of a request whose message has this size.
    fn body_bytes(self, message_bytes: usize) -> usize {
        match self {
            Self::Grpc | Self::GrpcWeb => message_bytes.saturating_add(FRAME_HEADER_BYTES),
            Self::Connect(_) => message_bytes,
        }
    }

    /// Translates the body of a request to a gRPC message.
    pub(super) async fn decode_request(
        self,
        method: Method,
        body: Bytes,
        max_item_bytes: usize,
    ) -> Result<Bytes, Refusal> {
        match self {
            Self::Grpc | Self::GrpcWeb => Ok(body),
            Self::Connect(encoding) => {
                let message = connect::decode_request(encoding, method, body, max_item_bytes).await?;
                Ok(frame(&message))
            }
        }
    }

    /// Translates the response of a call from gRPC.
    pub(super) async fn encode_response(self, method: Method, mut result: CallResult) -> CallResult {
        if let (Self::Connect(encoding), Ok(response)) = (self, &mut result.response) {
            let body = mem::take(response.body_mut());
            result.response = connect::encode_response(encoding, method, body).await.map(|message| {
                result.bytes = message.len();
                connect::response(encoding, message)
            });
        }
        result
    }

    /// The response of a refused call.
    pub(super) fn refuse(self, refusal: Refusal) -> Response<Body> {
        let status = Status::from(refusal);
        match self {
            Self::Grpc | Self::GrpcWeb => status.into_http(),
            Self::Connect(_) => connect::error_response(&status),
        }
    }

    /// Why the body of a request ended early. Only a client that cancels its call breaks off a gRPC request.
    fn incomplete_request(self) -> Refusal {
        match self {
            Self::Grpc => Refusal::cancelled(),
            Self::GrpcWeb | Self::Connect(_) => Refusal::malformed("", "the request body is incomplete"),
        }
    }
}

/// Adds the frame header of an uncompressed gRPC message.
fn frame(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(FRAME_HEADER_BYTES + message.len());
    framed.put_u8(0);
    // The configured limits of messages are below 2 GiB.
    framed.put_u32(message.len() as u32);
    framed.put_slice(message);
    framed.freeze()
}
