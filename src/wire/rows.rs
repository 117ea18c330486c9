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
    /// No rows, with room for so many of this length.
    pub fn with_capacity(rows: usize, columns: usize) -> Self {
        Self { wire: Vec::with_capacity(rows * (columns + 2)), count: 0 }
    }

    /// Adds a row, which is text.
    pub fn push(&mut self, row: &[u8]) {
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

impl Message for ConnectFourState {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        if let Some(rules) = &self.rules {
            message::encode(RULES, rules, buffer);
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
        let rules = self.rules.as_ref().map_or(0, |rules| message::encoded_len(RULES, rules));
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
            wire.push(0x18);
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
