//! The messages of `EvaluateBatch` and `Evaluate`, whose items stay encoded.

use bytes::{Buf, BufMut};
use prost::{
    DecodeError, Message, decode_length_delimiter,
    encoding::{DecodeContext, WireType, encode_key, skip_field},
};
use tonic::Code;

use super::{
    FieldLimit, Refusal,
    fast_path::{put_bytes, put_length_delimited, take_bytes},
    proto,
};

/// `arbiter.v1.EvaluateBatchRequest` and `arbiter.v1.EvaluateBatchResponse`: a list of messages that stay encoded. An item is
/// decoded when it is evaluated, and its answer encoded right after. So a batch takes no more memory than its size on the
/// wire, and a malformed item is refused without its batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Items {
    /// For each message the key of the field, its length, and its bytes.
    wire: Vec<u8>,
    count: usize,
}

/// The only field of both messages.
const FIELD: u8 = 1;

impl Items {
    /// An empty list with a capacity in bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { wire: Vec::with_capacity(bytes), count: 0 }
    }

    /// Adds an encoded message.
    pub fn push(&mut self, item: &[u8]) {
        put_bytes(FIELD, item, &mut self.wire);
        self.count += 1;
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Their encoded size in bytes, with keys and lengths.
    pub fn bytes(&self) -> usize {
        self.wire.len()
    }

    /// The encoded messages.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &*self.wire;
        std::iter::from_fn(move || next_item(&mut rest))
    }
}

/// Takes the next message from the front.
pub(super) fn next_item<'a>(wire: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut rest = wire.get(1..)?;
    let length = decode_length_delimiter(&mut rest).ok()?;
    let (item, rest) = rest.split_at_checked(length)?;
    *wire = rest;
    Some(item)
}

impl FromIterator<proto::Call> for Items {
    fn from_iter<I: IntoIterator<Item = proto::Call>>(calls: I) -> Self {
        let mut items = Self::default();
        for call in calls {
            items.push(&call.encode_to_vec());
        }
        items
    }
}

impl Message for Items {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        buffer.put_slice(&self.wire);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        if tag != u32::from(FIELD) {
            return skip_field(wire_type, tag, buffer, context);
        }
        if self.count == 0 {
            // The rest of the message usually consists of items.
            self.wire.reserve(buffer.remaining() + 1);
        }
        take_bytes(wire_type, buffer, context, |item| self.push(item))
    }

    fn encoded_len(&self) -> usize {
        self.wire.len()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// `arbiter.v1.EvaluateResponse`, with its answer already encoded.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct EvaluateResponse {
    /// The encoded `arbiter.v1.Answer`.
    #[prost(bytes = "vec", tag = "1")]
    pub answer: Vec<u8>,
}

/// Initial capacity of an encoded answer: enough for most.
const ANSWER_CAPACITY: usize = 256;

/// The field number of the refusal in an `arbiter.v1.Answer`. The responses have the field numbers of the calls.
const REFUSAL: u32 = 1;

/// Encodes an `arbiter.v1.Answer` with the response to the call of this field number.
pub fn encode_answer(field_number: u32, response: &impl Message) -> Vec<u8> {
    let mut wire = Vec::with_capacity(ANSWER_CAPACITY);
    encode_key(field_number, WireType::LengthDelimited, &mut wire);
    put_length_delimited(&mut wire, |wire| response.encode_raw(wire));
    wire
}

/// Encodes an `arbiter.v1.Answer` with a refusal.
pub fn encode_refusal(refusal: Refusal) -> Vec<u8> {
    encode_answer(REFUSAL, &proto::Refusal::from(refusal))
}

/// Decodes an item of a batch.
///
/// # Errors
///
/// If it is larger than a single call may be, has more fields, or is malformed.
pub fn read_call(call: &[u8], max_bytes: usize, limit: FieldLimit) -> Result<proto::Call, Refusal> {
    if call.len() > max_bytes {
        let message = format!("this call has {} bytes: the maximum is {max_bytes}", call.len());
        return Err(Refusal::new(Code::ResourceExhausted, proto::ErrorReason::MessageTooLarge, message));
    }
    limit.check(call)?;
    proto::Call::decode(call).map_err(|error| {
        let message = format!("this is not a call: {error}");
        Refusal::new(Code::InvalidArgument, proto::ErrorReason::MalformedRequest, message)
    })
}
