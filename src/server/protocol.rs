//! The protocols of the gRPC port: gRPC, gRPC-Web and Connect. The router chooses by the content type; all of them end in the
//! pipeline.

mod body;
mod connect;
mod grpc_web;
mod host;
mod router;
mod unstarted_calls;

use std::mem;

use bytes::{BufMut, Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Response};
use tonic::{Code, Status, body::Body};

use self::connect::Encoding;
pub(super) use self::{
    body::{RequestBody, ResponseBody, StreamEnd, collect},
    host::check_host,
    router::{Arrival, Router},
    unstarted_calls::UnstartedCalls,
};
use crate::{
    service::{CallResult, Method},
    wire::Refusal,
};

/// Size of the prefix of a gRPC message: the compressed flag and the length.
pub(super) const MESSAGE_PREFIX_BYTES: usize = 5;

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
            Self::Grpc | Self::GrpcWeb => message_bytes.saturating_add(MESSAGE_PREFIX_BYTES),
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
                Ok(length_prefixed(&message))
            }
        }
    }

    /// Translates the response of a call from gRPC.
    pub(super) async fn encode_response(self, method: Method, mut result: CallResult) -> CallResult {
        if let (Self::Connect(encoding), Ok(response)) = (self, &mut result.response) {
            let body = mem::take(response.body_mut());
            result.response = connect::encode_response(encoding, method, body)
                .await
                .map(|message| connect::response(encoding, message));
        }
        result
    }

    /// The response of a refused call.
    pub(super) fn refuse(self, refusal: Refusal) -> Response<Body> {
        let status = Status::from(refusal);
        match self {
            Self::Grpc | Self::GrpcWeb => {
                let is_unimplemented = status.code() == Code::Unimplemented;
                let mut response = status.into_http();
                if is_unimplemented {
                    // Required if the reason is an unsupported compression.
                    let encodings = HeaderValue::from_static("gzip,identity");
                    response.headers_mut().insert("grpc-accept-encoding", encodings);
                }
                response
            }
            Self::Connect(_) => connect::error_response(&status),
        }
    }

    /// Why the body of a request ended early. A gRPC body does so only if the client cancels.
    fn incomplete_request(self) -> Refusal {
        match self {
            Self::Grpc => Refusal::cancelled(),
            Self::GrpcWeb | Self::Connect(_) => Refusal::malformed("", "the request body is incomplete"),
        }
    }
}

/// Adds the prefix of an uncompressed gRPC message.
fn length_prefixed(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(MESSAGE_PREFIX_BYTES + message.len());
    framed.put_u8(0);
    // The configured limits of messages are below 2 GiB.
    framed.put_u32(message.len() as u32);
    framed.put_slice(message);
    framed.freeze()
}
