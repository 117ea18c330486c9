use bytes::Bytes;
use prost::Message;
use tonic::Code;

use super::{Refusal, proto};

/// `arbiter.v1.EvaluateBatchRequest`, with its calls as they came: each is read when it is its turn. So a batch takes no
/// more memory than it has bytes, and a call that cannot be read is refused on its own.
#[derive(Clone, PartialEq, Message)]
pub struct EvaluateBatchRequest {
    /// The calls, each an encoded `arbiter.v1.Call`.
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub calls: Vec<Bytes>,
}

impl FromIterator<proto::Call> for EvaluateBatchRequest {
    fn from_iter<I: IntoIterator<Item = proto::Call>>(calls: I) -> Self {
        Self { calls: calls.into_iter().map(|call| call.encode_to_vec().into()).collect() }
    }
}

/// `arbiter.v1.EvaluateBatchResponse`, with its answers as they are sent: each is written when it is there. So a batch
/// that is being answered holds what it sends, and not the several times larger messages.
#[derive(Clone, PartialEq, Message)]
pub struct EvaluateBatchResponse {
    /// The answers, each an encoded `arbiter.v1.Answer`.
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub answers: Vec<Bytes>,
}

/// Reads one call of a batch.
///
/// # Errors
///
/// If it has more bytes than a call on its own may have, or is no call.
pub fn read_call(call: &[u8], max_bytes: usize) -> Result<proto::Call, Refusal> {
    if call.len() > max_bytes {
        let message = format!("this call has {} bytes: a call has at most {max_bytes}", call.len());
        return Err(Refusal::new(Code::ResourceExhausted, proto::ErrorReason::MessageTooLarge, message));
    }
    proto::Call::decode(call).map_err(|error| {
        let message = format!("this is no call: {error}");
        Refusal::new(Code::InvalidArgument, proto::ErrorReason::MalformedRequest, message)
    })
}
