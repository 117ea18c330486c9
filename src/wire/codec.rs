//! The protobuf codec of the server, which limits the number of fields of a message.

use std::marker::PhantomData;

use bytes::Buf;
use prost::{Message, encoding::decode_varint};
use tonic::{
    Code, Status,
    codec::{BufferSettings, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

use super::{Refusal, proto};

/// Maximum number of top-level fields of a message, independent of the configuration. Without it, a message of many tiny
/// items would take many times its size when it is decoded. Configurable item limits are at most this.
pub const MAX_TOP_LEVEL_FIELDS: usize = 16_384;

/// The refusal of a message with more.
pub(super) fn too_many_fields() -> Refusal {
    let message = format!("the message has more than {MAX_TOP_LEVEL_FIELDS} items");
    Refusal::new(Code::ResourceExhausted, proto::ErrorReason::TooManyItems, message)
}

/// Initial capacity for a typed state, so that buffers do not have to grow.
fn buffers() -> BufferSettings {
    BufferSettings::new(1024, 32 * 1024)
}

/// The protobuf codec of tonic, except that it refuses a message with too many fields before it decodes it.
#[derive(Debug)]
pub struct Codec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Codec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> tonic::codec::Codec for Codec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ExactEncoder<T>;
    type Decoder = BoundedDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ExactEncoder(PhantomData)
    }

    fn decoder(&mut self) -> Self::Decoder {
        BoundedDecoder(PhantomData)
    }
}

/// Encodes a message into a buffer of exactly its size.
#[derive(Debug)]
pub struct ExactEncoder<T>(PhantomData<T>);

impl<T: Message> Encoder for ExactEncoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, message: T, target: &mut EncodeBuf<'_>) -> Result<(), Status> {
        target.reserve(message.encoded_len());
        message.encode_raw(target);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }
}

/// Decodes a message after counting its fields.
#[derive(Debug)]
pub struct BoundedDecoder<U>(PhantomData<U>);

impl<U: Message + Default> Decoder for BoundedDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // The message is contiguous, and a slice is faster to decode than a buffer.
        let message = source.chunk();
        debug_assert_eq!(message.len(), source.remaining(), "tonic passes whole messages");
        if has_too_many_fields(message) {
            return Err(too_many_fields().into_source());
        }
        let decoded = U::decode(message).map_err(|error| {
            Refusal::malformed("", format!("the request is not a message of the expected type: {error}"))
                .into_source()
        });
        source.advance(source.remaining());
        decoded.map(Some)
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }
}

/// Counts the top-level fields by skipping their values. A malformed message is left to the decoder.
fn has_too_many_fields(mut message: &[u8]) -> bool {
    let mut fields = 0;
    while !message.is_empty() {
        fields += 1;
        if fields > MAX_TOP_LEVEL_FIELDS {
            return true;
        }
        let Some(size) = value_size(&mut message) else {
            return false;
        };
        let Some(rest) = message.get(size..) else {
            return false;
        };
        message = rest;
    }
    false
}

/// Whether a message has more fields than this, nested ones included. It does not know the types: text counts as if it were a
/// message, as far as it can be read as one.
pub(super) fn has_more_fields_than(max: usize, message: &[u8]) -> bool {
    /// No message of the contract is nested deeper.
    const MAX_DEPTH: usize = 8;

    fn count(mut message: &[u8], depth: usize, remaining: &mut usize) -> Option<()> {
        while !message.is_empty() {
            *remaining = remaining.checked_sub(1)?;
            let Some(size) = value_size(&mut message) else { break };
            let Some((value, rest)) = message.split_at_checked(size) else { break };
            if depth < MAX_DEPTH {
                count(value, depth + 1, remaining)?;
            }
            message = rest;
        }
        Some(())
    }

    // A field has at least two bytes.
    let mut remaining = max;
    message.len() > 2 * max && count(message, 0, &mut remaining).is_none()
}

/// Reads the key of a field and returns the size of its value.
fn value_size(message: &mut &[u8]) -> Option<usize> {
    let key = decode_varint(message).ok()?;
    match key & 7 {
        // There is no field 0.
        _ if key >> 3 == 0 => None,
        0 => decode_varint(message).ok().map(|_| 0),
        1 => Some(8),
        2 => usize::try_from(decode_varint(message).ok()?).ok(),
        // The fields of a group count as top-level fields.
        3 | 4 => Some(0),
        5 => Some(4),
        _ => None,
    }
}
