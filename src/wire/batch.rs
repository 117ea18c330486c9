use bytes::{Buf, BufMut};
use prost::{
    DecodeError, Message, decode_length_delimiter,
    encoding::{DecodeContext, WireType, encode_key, skip_field},
};
use tonic::Code;

use super::{
    Refusal,
    plain::{put_bytes, put_length_delimited, take_bytes},
    proto,
};

/// `arbiter.v1.EvaluateBatchRequest`, and `arbiter.v1.EvaluateBatchResponse`: messages one after the other, as they are on the
/// wire. A call is read when it is its turn, and its answer is written when it is there. So a batch takes no more memory
/// than it has bytes, and a call that cannot be read is refused on its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Items {
    /// Each is the key of the field, its length, and its bytes.
    wire: Vec<u8>,
    count: usize,
}

/// The one field of either message.
const FIELD: u8 = 1;

impl Items {
    /// None yet, with room for so many bytes.
    pub fn with_room(bytes: usize) -> Self {
        Self { wire: Vec::with_capacity(bytes), count: 0 }
    }

    /// Adds an encoded message.
    pub fn push(&mut self, item: &[u8]) {
        put_bytes(FIELD, item, &mut self.wire);
        self.count += 1;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many bytes they take, with their keys and lengths.
    pub fn bytes(&self) -> usize {
        self.wire.len()
    }

    /// The encoded messages.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &*self.wire;
        std::iter::from_fn(move || next_item(&mut rest))
    }
}

/// Takes the next message off.
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
            // What follows is, as a rule, the rest of them.
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

/// `arbiter.v1.EvaluateResponse`, with its answer as it is on the wire.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct EvaluateResponse {
    /// The encoded `arbiter.v1.Answer`.
    #[prost(bytes = "vec", tag = "1")]
    pub answer: Vec<u8>,
}

/// Room for most answers, in bytes.
const USUAL_ANSWER: usize = 256;

/// The field of the refusal in an `arbiter.v1.Answer`. The others have the numbers of the calls.
const REFUSAL: u32 = 1;

/// Writes an `arbiter.v1.Answer`: the response to the call of this number.
pub fn write_answer(call: u32, response: &impl Message) -> Vec<u8> {
    let mut wire = Vec::with_capacity(USUAL_ANSWER);
    encode_key(call, WireType::LengthDelimited, &mut wire);
    put_length_delimited(&mut wire, |wire| response.encode_raw(wire));
    wire
}

/// Writes an `arbiter.v1.Answer`: the refusal of a call.
pub fn write_refusal(refusal: Refusal) -> Vec<u8> {
    write_answer(REFUSAL, &proto::Refusal::from(refusal))
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
