//! The rows of a board, and the message of Connect Four that has some, written by hand: nearly all that a call of that game
//! costs beside its transport was to make a string of each row, and to take it apart again.

use std::fmt;

use bytes::{Buf, BufMut, Bytes};
use prost::{
    DecodeError, Message,
    encoding::{
        DecodeContext, WireType, check_wire_type, decode_varint, encode_varint, int32, message, skip_field,
        string,
    },
};

use super::proto;

/// The field that rows are in every message that has some: `repeated string board = 2`.
const FIELD: u32 = 2;

/// What stands before each of them.
const KEY: u8 = (FIELD << 3) as u8 | WireType::LengthDelimited as u8;

/// Room for the board everyone plays on, in bytes.
const USUAL: usize = 64;

/// Rows of a board, as they are on the wire: each is the key of the field, its length, and its text.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Rows {
    wire: Vec<u8>,
    count: usize,
}

impl Rows {
    /// Rows of dots, fewer than 128 a row, into which letters are put.
    pub fn with_letters(rows: usize, columns: usize, put: impl FnOnce(&mut Dots<'_>)) -> Self {
        let width = columns + 2;
        let mut wire = vec![b'.'; rows * width];
        for row in wire.chunks_exact_mut(width) {
            row[..2].copy_from_slice(&[KEY, columns as u8]);
        }
        put(&mut Dots { wire: &mut wire, width });
        Self { wire, count: rows }
    }

    /// Adds a row, which is text.
    fn push(&mut self, row: &[u8]) {
        self.wire.push(KEY);
        match u8::try_from(row.len()) {
            Ok(length @ ..0x80) => self.wire.push(length),
            _ => encode_varint(row.len() as u64, &mut self.wire),
        }
        self.wire.extend_from_slice(row);
        self.count += 1;
    }

    /// The rows, each as the bytes of its text.
    pub fn iter(&self) -> Iter<'_> {
        Iter { wire: &self.wire, count: self.count }
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        check_wire_type(WireType::LengthDelimited, wire_type)?;
        let length = decode_varint(buffer)?;
        // As a rule the row is short, lies in one piece, and has no letters that are not its own.
        if let Some(row) = usize::try_from(length).ok().and_then(|length| buffer.chunk().get(..length))
            && row.is_ascii()
        {
            if self.count == 0 {
                self.wire.reserve(USUAL);
            }
            self.push(row);
            buffer.advance(row.len());
            return Ok(());
        }
        let mut prefix = Vec::new();
        encode_varint(length, &mut prefix);
        let mut row = String::new();
        string::merge(wire_type, &mut row, &mut Buf::chain(Bytes::from(prefix), buffer), context)?;
        self.push(row.as_bytes());
        Ok(())
    }
}

/// Rows of dots.
pub struct Dots<'a> {
    wire: &'a mut [u8],
    /// How far apart rows begin.
    width: usize,
}

impl Dots<'_> {
    /// Puts a letter in place of a dot.
    pub fn put(&mut self, row: usize, column: usize, letter: char) {
        // Letters of boards have one byte.
        self.wire[row * self.width + 2 + column] = letter as u8;
    }
}

impl<'a> IntoIterator for &'a Rows {
    type Item = &'a [u8];
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// The rows of a board, one after the other.
pub struct Iter<'a> {
    wire: &'a [u8],
    count: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let mut rest = self.wire.get(1..)?;
        let length = match rest.split_first() {
            Some((&length @ ..0x80, after)) => {
                rest = after;
                length.into()
            }
            _ => decode_varint(&mut rest).ok()? as usize,
        };
        let (row, rest) = rest.split_at_checked(length)?;
        (self.wire, self.count) = (rest, self.count - 1);
        Some(row)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count, Some(self.count))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(String::from_utf8_lossy)).finish()
    }
}

/// `arbiter.v1.ConnectFourState`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConnectFourState {
    /// The rules.
    pub rules: Option<proto::ConnectFourRules>,
    /// The board.
    pub board: Rows,
    /// The player to move.
    pub next_player: i32,
}

const RULES: u32 = 1;
const NEXT_PLAYER: u32 = 3;

/// The rules everyone plays by, and what they are on the wire, from their length on: most states have them, and they are
/// read and written at once.
const USUAL_RULES: proto::ConnectFourRules = proto::ConnectFourRules {
    columns: Some(7),
    rows: Some(6),
    line_length: Some(4),
    first_player: Some(proto::Player::One as i32),
};
const USUAL_RULES_WIRE: [u8; 9] = [8, 0x08, 7, 0x10, 6, 0x18, 4, 0x20, 1];

impl Message for ConnectFourState {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        match &self.rules {
            Some(USUAL_RULES) => {
                buffer.put_u8((RULES << 3) as u8 | WireType::LengthDelimited as u8);
                buffer.put_slice(&USUAL_RULES_WIRE);
            }
            Some(rules) => message::encode(RULES, rules, buffer),
            None => {}
        }
        buffer.put_slice(&self.board.wire);
        if self.next_player != 0 {
            int32::encode(NEXT_PLAYER, &self.next_player, buffer);
        }
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        let (merged, field) = match tag {
            RULES
                if self.rules.is_none()
                    && wire_type == WireType::LengthDelimited
                    && buffer.chunk().starts_with(&USUAL_RULES_WIRE) =>
            {
                buffer.advance(USUAL_RULES_WIRE.len());
                self.rules = Some(USUAL_RULES);
                return Ok(());
            }
            RULES => {
                let rules = self.rules.get_or_insert_default();
                (message::merge(wire_type, rules, buffer, context), "rules")
            }
            FIELD => (self.board.merge(wire_type, buffer, context), "board"),
            NEXT_PLAYER => (int32::merge(wire_type, &mut self.next_player, buffer, context), "next_player"),
            _ => return skip_field(wire_type, tag, buffer, context),
        };
        merged.map_err(|mut error| {
            error.push("ConnectFourState", field);
            error
        })
    }

    fn encoded_len(&self) -> usize {
        let rules = match &self.rules {
            Some(USUAL_RULES) => 1 + USUAL_RULES_WIRE.len(),
            Some(rules) => message::encoded_len(RULES, rules),
            None => 0,
        };
        let next_player = match self.next_player {
            0 => 0,
            player => int32::encoded_len(NEXT_PLAYER, &player),
        };
        rules + self.board.wire.len() + next_player
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use prost::Message;

    use super::*;

    /// The message as prost would have it.
    #[derive(Clone, PartialEq, Message)]
    struct Generated {
        #[prost(message, optional, tag = "1")]
        rules: Option<proto::ConnectFourRules>,
        #[prost(string, repeated, tag = "2")]
        board: Vec<String>,
        #[prost(int32, tag = "3")]
        next_player: i32,
    }

    /// What is wrong with a message that cannot be read, but for the name of its type.
    fn fault(error: &DecodeError) -> String {
        error.to_string().replace("Generated.", "ConnectFourState.")
    }

    fn any_message() -> impl Strategy<Value = Generated> {
        let rules = prop::option::of((any::<Option<u32>>(), any::<Option<i32>>()).prop_map(
            |(columns, first_player)| proto::ConnectFourRules { columns, first_player, ..Default::default() },
        ));
        let row = prop_oneof!["[.XO]{7}", ".{0,3}", "x{120,140}", "é{60,70}"];
        (rules, vec(row, 0..9), any::<i32>()).prop_map(|(rules, board, next_player)| Generated {
            rules,
            board,
            next_player,
        })
    }

    proptest! {
        #[test]
        fn it_is_written_as_prost_would(generated in any_message()) {
            let wire = generated.encode_to_vec();
            let read = ConnectFourState::decode(&*wire).expect("it can be read");
            let rows: Vec<_> = read.board.iter().map(String::from_utf8_lossy).collect();
            prop_assert_eq!(&rows, &generated.board);
            prop_assert_eq!(read.board.iter().len(), rows.len());
            prop_assert_eq!(read.encoded_len(), wire.len());
            prop_assert_eq!(read.encode_to_vec(), wire);
        }

        #[test]
        fn it_is_read_as_prost_would(
            generated in any_message(),
            cut in any::<prop::sample::Index>(),
            spoilt in any::<u8>(),
        ) {
            let mut wire = generated.encode_to_vec();
            // Fields that come again.
            wire.extend_from_within(..);
            let length = wire.len();
            wire[cut.index(length)] = spoilt;
            for wire in [&wire[..], &wire[..cut.index(length)]] {
                let wanted = Generated::decode(wire);
                let read = ConnectFourState::decode(wire);
                prop_assert_eq!(read.as_ref().map_err(fault).err(), wanted.as_ref().map_err(fault).err());
                if let (Ok(read), Ok(wanted)) = (read, wanted) {
                    prop_assert_eq!(read.encode_to_vec(), wanted.encode_to_vec());
                }
            }
        }
    }
}
