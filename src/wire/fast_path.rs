//! Decoding and encoding of states directly on wire bytes, without a prost message in between. See
//! `docs/decisions/0014-state-fast-path.md`.
//!
//! The fast path decodes only valid messages in the usual encoding. It rejects anything else without a reason; then the
//! decoder that reports violations runs.

use bytes::Buf;
use prost::{
    DecodeError,
    encoding::{self, DecodeContext, WireType, check_wire_type, decode_varint, encode_varint},
};

use super::proto;
use crate::games::Player;

/// The value of a field.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Calls `read` with the number and value of each field of a message. Returns None if a field is malformed, has a
/// number above 15 or a fixed-width type, or is rejected by `read`.
#[inline(always)]
pub(super) fn scan_fields<'a>(
    message: &'a [u8],
    mut read: impl FnMut(u8, Value<'a>) -> Option<()>,
) -> Option<()> {
    let mut rest = message;
    while let [key, after @ ..] = rest {
        rest = after;
        let number = scan_varint(&mut rest)?;
        // A key of one byte: the lowest three bits are the wire type, the others the field number.
        let value = match key & 0b1000_0111 {
            0 => Value::Number(number),
            2 => {
                let (bytes, after) = rest.split_at_checked(usize::try_from(number).ok()?)?;
                rest = after;
                Value::Bytes(bytes)
            }
            _ => return None,
        };
        read(key >> 3, value)?;
    }
    Some(())
}

#[inline(always)]
fn scan_varint(wire: &mut &[u8]) -> Option<u64> {
    match wire {
        [number @ ..0x80, rest @ ..] => {
            *wire = rest;
            Some((*number).into())
        }
        _ => decode_varint(wire).ok(),
    }
}

impl<'a> Value<'a> {
    /// An integer, or the number of an enum value.
    #[inline(always)]
    pub(super) fn number(self) -> Option<u32> {
        match self {
            Self::Number(number) => number.try_into().ok(),
            Self::Bytes(_) => None,
        }
    }

    /// The bytes of a string or of a message.
    #[inline(always)]
    pub(super) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Number(_) => None,
            Self::Bytes(bytes) => Some(bytes),
        }
    }

    /// An enum value.
    #[inline(always)]
    pub(super) fn enumerated<E: TryFrom<i32>>(self) -> Option<E> {
        i32::try_from(self.number()?).ok()?.try_into().ok()
    }

    /// A boolean.
    #[inline(always)]
    pub(super) fn flag(self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// One of two players.
    #[inline(always)]
    pub(super) fn player(self) -> Option<Player> {
        match self.enumerated()? {
            proto::Player::One => Some(Player::One),
            proto::Player::Two => Some(Player::Two),
            _ => None,
        }
    }
}

/// The values of a repeated field, without an allocation.
pub(super) struct ArrayVec<T, const CAPACITY: usize> {
    values: [T; CAPACITY],
    count: usize,
}

impl<T: Copy, const CAPACITY: usize> ArrayVec<T, CAPACITY> {
    /// An empty list. `filler` initializes the unused capacity.
    pub(super) fn new(filler: T) -> Self {
        Self { values: [filler; CAPACITY], count: 0 }
    }

    /// Appends a value. Returns None if the list is full.
    #[inline(always)]
    pub(super) fn push(&mut self, value: T) -> Option<()> {
        *self.values.get_mut(self.count)? = value;
        self.count += 1;
        Some(())
    }

    /// The values so far.
    pub(super) fn as_slice(&self) -> &[T] {
        &self.values[..self.count]
    }

    /// All values, if the list is full.
    pub(super) fn into_array(self) -> Option<[T; CAPACITY]> {
        (self.count == CAPACITY).then_some(self.values)
    }
}

/// Takes a length-delimited field from a buffer and passes its bytes to `take`.
pub(super) fn take_bytes<T>(
    wire_type: WireType,
    buffer: &mut impl Buf,
    context: DecodeContext,
    take: impl FnOnce(&[u8]) -> T,
) -> Result<T, DecodeError> {
    check_wire_type(WireType::LengthDelimited, wire_type)?;
    let length = decode_varint(buffer)?;
    // The bytes are usually contiguous.
    if let Some(bytes) = usize::try_from(length).ok().and_then(|length| buffer.chunk().get(..length)) {
        let (taken, length) = (take(bytes), bytes.len());
        buffer.advance(length);
        return Ok(taken);
    }
    let (mut prefix, mut bytes) = (Vec::new(), Vec::new());
    encode_varint(length, &mut prefix);
    encoding::bytes::merge(wire_type, &mut bytes, &mut Buf::chain(&*prefix, buffer), context)?;
    Ok(take(&bytes))
}

/// Appends an integer or enum field. Field numbers must be below 16 here and in the functions below.
#[inline(always)]
pub(super) fn put_number(field: u8, number: u32, wire: &mut Vec<u8>) {
    put_varint(field << 3, number.into(), wire);
}

/// Appends a key and a varint, which is usually below 128 and takes one byte.
#[inline(always)]
fn put_varint(key: u8, number: u64, wire: &mut Vec<u8>) {
    if number < 0x80 {
        wire.extend_from_slice(&[key, number as u8]);
    } else {
        wire.push(key);
        encode_varint(number, wire);
    }
}

/// Appends a player, if there is one.
#[inline(always)]
pub(super) fn put_player(field: u8, player: impl Into<Option<Player>>, wire: &mut Vec<u8>) {
    if let Some(player) = player.into() {
        put_number(field, proto::Player::from(player) as u32, wire);
    }
}

/// Appends a string or an encoded message.
#[inline(always)]
pub(super) fn put_bytes(field: u8, bytes: &[u8], wire: &mut Vec<u8>) {
    put_varint(field << 3 | 2, bytes.len() as u64, wire);
    wire.extend_from_slice(bytes);
}

/// Appends a message that `put` encodes.
#[inline(always)]
pub(super) fn put_message(field: u8, wire: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    wire.push(field << 3 | 2);
    put_length_delimited(wire, put);
}

/// Appends a message with its length, which is nearly always below 128 bytes.
#[inline(always)]
pub(super) fn put_length_delimited(wire: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    wire.push(0);
    let start = wire.len();
    put(wire);
    let length = wire.len() - start;
    if length < 0x80 {
        wire[start - 1] = length as u8;
    } else {
        let mut prefix = Vec::new();
        encode_varint(length as u64, &mut prefix);
        wire.splice(start - 1..start, prefix);
    }
}

/// Appends the rows of a board as strings of dots, some of which `put` replaces by letters. There must be fewer than 128
/// columns.
pub(super) fn put_rows(
    field: u8,
    (rows, columns): (usize, usize),
    wire: &mut Vec<u8>,
    put: impl FnOnce(&mut Dots<'_>),
) {
    let (start, width) = (wire.len(), columns + 2);
    wire.resize(start + rows * width, b'.');
    let board = &mut wire[start..];
    for row in board.chunks_exact_mut(width) {
        row[..2].copy_from_slice(&[field << 3 | 2, columns as u8]);
    }
    put(&mut Dots { board, width });
}

/// The encoded rows of a board, with a dot in every empty square.
pub(super) struct Dots<'a> {
    board: &'a mut [u8],
    /// The bytes per row, with its key and length.
    width: usize,
}

impl Dots<'_> {
    /// Replaces a dot by an ASCII letter.
    #[inline(always)]
    pub(super) fn put(&mut self, row: usize, column: usize, letter: char) {
        self.board[row * self.width + 2 + column] = letter as u8;
    }
}
