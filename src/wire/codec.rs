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

/// What a message with more is told.
pub(super) const TOO_MANY_FIELDS: &str = "the message has more than 16384 items";

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
        if has_too_many_fields(message) {
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
