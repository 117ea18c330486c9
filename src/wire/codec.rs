use std::marker::PhantomData;

use bytes::Buf;
use prost::{Message, encoding::decode_varint};
use tonic::{
    Status,
    codec::{BufferSettings, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

/// The most top-level fields that a message may carry, whatever the configuration: a message of a few bytes an
/// item would otherwise take many times its size when it is read. Limits of items are configured below this.
pub const MAX_TOP_LEVEL_FIELDS: usize = 16_384;

/// The most fields that a message may carry with all messages inside it. Only large messages can have as many.
const MAX_FIELDS: usize = 16 * MAX_TOP_LEVEL_FIELDS;

/// Messages up to this size are not large: what they may carry is bounded by it.
const LARGE: usize = 64 * 1024;

/// How deep messages inside messages are counted: deeper than the contract has any.
const MAX_DEPTH: usize = 12;

/// What a message with more is told.
pub(super) const TOO_MANY_FIELDS: &str =
    "the message has too many items: at most 16384, and 262144 with all inside them";

/// Room for the state of a game at once, so that a call need not grow its buffers.
fn buffers() -> BufferSettings {
    BufferSettings::new(1024, 32 * 1024)
}

/// Protobuf for tonic, like its own codec, but too many items are refused before they are read.
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

/// Writes a message, into as much room as it takes.
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

/// Reads a message, after counting its fields.
#[derive(Debug)]
pub struct BoundedDecoder<U>(PhantomData<U>);

impl<U: Message + Default> Decoder for BoundedDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // The message lies in one piece, which is faster to read as the slice that it is.
        let message = source.chunk();
        debug_assert_eq!(message.len(), source.remaining(), "tonic hands over whole messages");
        // These statuses are put into our own terms where the call is answered: see `translate`.
        if has_too_many_fields(message) || (message.len() > LARGE && has_too_many_inside(message)) {
            return Err(Status::resource_exhausted(TOO_MANY_FIELDS));
        }
        let decoded = U::decode(message).map_err(|error| {
            Status::internal(format!("the request is no message of the expected type: {error}"))
        });
        source.advance(source.remaining());
        decoded.map(Some)
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }
}

/// Counts the top-level fields by skipping over their values. What is malformed is left to the real decoder.
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

/// Counts the fields at every depth. A text is counted as if it were a message, as far as it looks like one: it cannot be
/// told from one without knowing the contract, and a text that long is refused anyway.
fn has_too_many_inside(message: &[u8]) -> bool {
    fn count(mut message: &[u8], depth: usize, left: &mut usize) {
        while !message.is_empty() && *left > 0 {
            *left -= 1;
            let is_message = message[0] & 7 == 2;
            let Some(size) = value_size(&mut message) else { return };
            let Some((value, rest)) = message.split_at_checked(size) else { return };
            if is_message && depth < MAX_DEPTH {
                count(value, depth + 1, left);
            }
            message = rest;
        }
    }
    let mut left = MAX_FIELDS;
    count(message, 0, &mut left);
    left == 0
}

/// Reads the key of a field and tells how many bytes of value follow.
fn value_size(message: &mut &[u8]) -> Option<usize> {
    let key = decode_varint(message).ok()?;
    match key & 7 {
        // There is no field 0.
        _ if key >> 3 == 0 => None,
        0 => decode_varint(message).ok().map(|_| 0),
        1 => Some(8),
        2 => usize::try_from(decode_varint(message).ok()?).ok(),
        // The fields of a group are counted as if they were outside of it.
        3 | 4 => Some(0),
        5 => Some(4),
        _ => None,
    }
}
