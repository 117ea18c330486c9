//! The protobuf codec of the server, which limits the number of fields of a message.

use std::marker::PhantomData;

use bytes::Buf;
use prost::{Message, encoding::decode_varint};
use tonic::{
    Code, Status,
    codec::{BufferSettings, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

use super::{Refusal, proto};

/// Maximum number of items of a batch, independent of the configuration. Without it, a message of many tiny items would take
/// many times its size when it is decoded. Configurable item limits are at most this.
pub const MAX_TOP_LEVEL_FIELDS: usize = 16_384;

/// Maximum number of fields of a message, nested ones included, without the moves of a replay. No valid message has nearly as
/// many, except for large collections of cards.
const MAX_FIELDS: usize = 4096;

/// Number of fields of the largest typed move: an item of `moves`, the move of Queen and rooks in it, its two squares, and their
/// rows and columns.
const FIELDS_PER_MOVE: usize = 8;

/// Maximum number of fields of a message, checked before it is decoded. Without it, a message of many tiny fields would take far
/// longer than any other of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLimit {
    max_fields: usize,
    counts_nested: bool,
}

impl FieldLimit {
    /// The limit of a batch. Its items stay encoded, so their fields count when the items are decoded.
    pub const BATCH: Self = Self { max_fields: MAX_TOP_LEVEL_FIELDS, counts_nested: false };

    /// The limit of a call, which allows a replay of this many typed moves.
    pub const fn for_call(max_replay_moves: usize) -> Self {
        Self::nested(MAX_FIELDS + FIELDS_PER_MOVE * max_replay_moves)
    }

    /// The limit of a call in JSON with at most this many bytes. List items and members count as fields.
    pub(super) const fn for_json(max_bytes: usize) -> Self {
        /// Minimum size of a typed move divided by its number of fields, because each field has its name.
        const MIN_BYTES_PER_FIELD: usize = 8;
        Self::nested(MAX_FIELDS + max_bytes / MIN_BYTES_PER_FIELD)
    }

    const fn nested(max_fields: usize) -> Self {
        Self { max_fields, counts_nested: true }
    }

    /// The maximum number of fields.
    pub(super) const fn max_fields(self) -> usize {
        self.max_fields
    }

    /// Counts the fields of an encoded message.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub(super) fn check(self, message: &[u8]) -> Result<(), Refusal> {
        let Self { max_fields, counts_nested } = self;
        // A field has at least two bytes. Only groups, which are not stored, have fields of one byte.
        if message.len() <= 2 * max_fields {
            return Ok(());
        }
        let mut remaining = max_fields;
        let max_depth = if counts_nested { MAX_DEPTH } else { 0 };
        count_fields(message, max_depth, &mut remaining).ok_or_else(|| self.exceeded())
    }

    /// The refusal of a message with more fields.
    #[cold]
    pub(super) fn exceeded(self) -> Refusal {
        let Self { max_fields, counts_nested } = self;
        let message = if counts_nested {
            format!("the message has more than {max_fields} fields, including nested fields and list items")
        } else {
            format!("the message has more than {max_fields} items")
        };
        Refusal::new(Code::ResourceExhausted, proto::ErrorReason::TooManyItems, message)
    }
}

/// Initial capacity for a typed state, so that buffers do not have to grow.
fn buffers() -> BufferSettings {
    BufferSettings::new(1024, 32 * 1024)
}

/// The protobuf codec of tonic, except that it refuses a message with too many fields before it decodes it.
#[derive(Debug)]
pub struct Codec<T, U> {
    limit: FieldLimit,
    types: PhantomData<(T, U)>,
}

impl<T, U> Codec<T, U> {
    /// A codec that decodes messages with at most this many fields.
    pub const fn new(limit: FieldLimit) -> Self {
        Self { limit, types: PhantomData }
    }
}

impl<T, U> Default for Codec<T, U> {
    /// For the generated client. It decodes responses, whose nested fields need no limit.
    fn default() -> Self {
        Self::new(FieldLimit::BATCH)
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
        BoundedDecoder { limit: self.limit, decoded: PhantomData }
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
pub struct BoundedDecoder<U> {
    limit: FieldLimit,
    decoded: PhantomData<U>,
}

impl<U: Message + Default> Decoder for BoundedDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // The message is contiguous, and a slice is faster to decode than a buffer.
        let message = source.chunk();
        debug_assert_eq!(message.len(), source.remaining(), "tonic passes whole messages");
        self.limit.check(message).map_err(Refusal::into_source)?;
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

/// No message of the contract is nested deeper.
const MAX_DEPTH: usize = 8;

/// Subtracts the number of fields, nested ones included down to a depth. Returns None if fewer remain. It does not know the types:
/// text counts as if it were a message, as far as it can be read as one. The rest of a malformed message is left to the decoder.
fn count_fields(mut message: &[u8], max_depth: usize, remaining: &mut usize) -> Option<()> {
    while !message.is_empty() {
        *remaining = remaining.checked_sub(1)?;
        let Some(size) = value_size(&mut message) else { break };
        let Some((value, rest)) = message.split_at_checked(size) else { break };
        if let Some(max_depth) = max_depth.checked_sub(1) {
            count_fields(value, max_depth, remaining)?;
        }
        message = rest;
    }
    Some(())
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
        // The fields of a group count as fields of its message.
        3 | 4 => Some(0),
        5 => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use prost_reflect::{DescriptorPool, MessageDescriptor};

    use super::*;

    /// Fields of a message with every field set once, and of every oneof the largest.
    fn fields(message: &MessageDescriptor) -> usize {
        let fields_of = |field| 1 + nested(&field).as_ref().map_or(0, fields);
        let oneofs = message.oneofs().map(|oneof| oneof.fields().map(fields_of).max().unwrap_or(0));
        let others = message.fields().filter(|field| field.containing_oneof().is_none()).map(fields_of);
        oneofs.chain(others).sum()
    }

    fn depth(message: &MessageDescriptor) -> usize {
        message
            .fields()
            .map(|field| nested(&field).as_ref().map_or(0, |nested| 1 + depth(nested)))
            .max()
            .unwrap_or(0)
    }

    fn nested(field: &prost_reflect::FieldDescriptor) -> Option<MessageDescriptor> {
        field.kind().as_message().cloned()
    }

    fn contract() -> DescriptorPool {
        DescriptorPool::decode(proto::FILE_DESCRIPTOR_SET).expect("the contract can be decoded")
    }

    #[test]
    fn the_limit_allows_the_largest_move_of_each_game() {
        let mv = contract().get_message_by_name("arbiter.v1.Move").expect("the contract has moves");
        assert_eq!(1 + fields(&mv), FIELDS_PER_MOVE, "an item of `moves`, and its fields");
    }

    #[test]
    fn no_request_is_nested_deeper_than_fields_are_counted() {
        let contract = contract();
        let service =
            contract.get_service_by_name(proto::SERVICE_NAME).expect("the contract has the service");
        for method in service.methods() {
            assert!(depth(&method.input()) <= MAX_DEPTH, "{}", method.name());
        }
    }

    #[test]
    fn nested_fields_count_in_a_call_but_not_in_a_batch() {
        // A message with this many empty messages in a list, and the list in a field.
        let message = |fields: usize| {
            let list = [0x0a, 0].repeat(fields);
            let mut message = vec![0x0a];
            prost::encoding::encode_varint(list.len() as u64, &mut message);
            [message, list].concat()
        };
        let limit = FieldLimit::for_call(10);
        assert_eq!(limit.check(&message(limit.max_fields - 1)), Ok(()));
        assert_eq!(limit.check(&message(limit.max_fields)), Err(limit.exceeded()));
        assert_eq!(FieldLimit::BATCH.check(&message(2 * MAX_TOP_LEVEL_FIELDS)), Ok(()));
    }
}
