//! `arbiter.v1.State`, which keeps the state of a game encoded.

use bytes::{Buf, BufMut};
use prost::{
    DecodeError, Message,
    encoding::{self, DecodeContext, WireType, skip_field},
};

use super::fast_path::take_bytes;
use crate::games::GameId;

/// `arbiter.v1.State`. The state of a game stays encoded: the game decodes it without a prost message in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The state, if there is one.
    pub kind: Option<StateKind>,
}

/// The two forms of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// Text.
    Notation(String),
    /// The encoded message of its game.
    Typed(GameId, Vec<u8>),
}

impl State {
    /// A state in text notation.
    pub fn notation(text: impl Into<String>) -> Self {
        Self { kind: Some(StateKind::Notation(text.into())) }
    }

    /// A typed state, as the encoded message of its game.
    pub fn typed(game: GameId, wire: Vec<u8>) -> Self {
        Self { kind: Some(StateKind::Typed(game, wire)) }
    }
}

/// The field number of the notation.
const NOTATION: u32 = 1;

/// The field number of the first game. The others follow in the order of [`GameId`].
const FIRST_GAME: u32 = 2;

const fn field_of(game: GameId) -> u32 {
    FIRST_GAME + game as u32
}

fn game_of(field: u32) -> Option<GameId> {
    GameId::ALL.get(field.checked_sub(FIRST_GAME)? as usize).copied()
}

impl Message for State {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        match &self.kind {
            Some(StateKind::Notation(text)) => encoding::string::encode(NOTATION, text, buffer),
            Some(StateKind::Typed(game, wire)) => encoding::bytes::encode(field_of(*game), wire, buffer),
            None => {}
        }
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        if tag == NOTATION {
            let mut text = String::new();
            encoding::string::merge(wire_type, &mut text, buffer, context)
                .map_err(|error| within(error, "notation"))?;
            self.kind = Some(StateKind::Notation(text));
            return Ok(());
        }
        let Some(game) = game_of(tag) else {
            return skip_field(wire_type, tag, buffer, context);
        };
        let wire = take_bytes(wire_type, buffer, context, <[u8]>::to_vec)
            .map_err(|error| within(error, game.name()))?;
        match &mut self.kind {
            // Protobuf merges repeated occurrences of a message: the result is their concatenation.
            Some(StateKind::Typed(known, parts)) if *known == game => parts.extend(wire),
            kind => *kind = Some(StateKind::Typed(game, wire)),
        }
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        match &self.kind {
            Some(StateKind::Notation(text)) => encoding::string::encoded_len(NOTATION, text),
            Some(StateKind::Typed(game, wire)) => encoding::bytes::encoded_len(field_of(*game), wire),
            None => 0,
        }
    }

    fn clear(&mut self) {
        self.kind = None;
    }
}

fn within(mut error: DecodeError, field: &'static str) -> DecodeError {
    error.push("State", field);
    error
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use prost_reflect::{DescriptorPool, Kind};

    use super::*;
    use crate::wire::proto;

    /// `State` as prost derives it, with messages as bytes.
    #[derive(Clone, PartialEq, Message)]
    struct Generated {
        #[prost(oneof = "GeneratedKind", tags = "1, 2, 3, 4, 5")]
        kind: Option<GeneratedKind>,
    }

    #[derive(Clone, PartialEq, prost::Oneof)]
    enum GeneratedKind {
        #[prost(string, tag = "1")]
        Notation(String),
        #[prost(bytes, tag = "2")]
        ConnectFour(Vec<u8>),
        #[prost(bytes, tag = "3")]
        TripleTriad(Vec<u8>),
        #[prost(bytes, tag = "4")]
        QueenRooks(Vec<u8>),
        #[prost(bytes, tag = "5")]
        RoyalMatch(Vec<u8>),
    }

    fn any_kind() -> impl Strategy<Value = GeneratedKind> {
        let wire = || vec(any::<u8>(), 0..300);
        prop_oneof![
            ".{0,9}".prop_map(GeneratedKind::Notation),
            wire().prop_map(GeneratedKind::ConnectFour),
            wire().prop_map(GeneratedKind::TripleTriad),
            wire().prop_map(GeneratedKind::QueenRooks),
            wire().prop_map(GeneratedKind::RoyalMatch),
        ]
    }

    /// The description of an error without its location: prost names only the oneof, `kind`.
    fn description(error: &DecodeError) -> String {
        error.to_string().rsplit(": ").next().unwrap_or_default().to_owned()
    }

    proptest! {
        #[test]
        fn encoding_matches_prost(kind in any_kind()) {
            let wire = Generated { kind: Some(kind) }.encode_to_vec();
            let read = State::decode(&*wire).expect("the message is valid");
            prop_assert_eq!(read.encoded_len(), wire.len());
            prop_assert_eq!(read.encode_to_vec(), &*wire);
            let (one, two) = wire.split_at(wire.len() / 2);
            prop_assert_eq!(State::decode(one.chain(two)), Ok(read));
        }

        #[test]
        fn decode_errors_match_prost(kind in any_kind(), cut in any::<prop::sample::Index>(), changed in any::<u8>()) {
            let mut wire = Generated { kind: Some(kind) }.encode_to_vec();
            let at = cut.index(wire.len());
            wire[at] = changed;
            for wire in [&wire[..], &wire[..at]] {
                let (read, wanted) = (State::decode(wire), Generated::decode(wire));
                prop_assert_eq!(read.is_ok(), wanted.is_ok());
                if let (Err(read), Err(wanted)) = (read, wanted) {
                    prop_assert_eq!(description(&read), description(&wanted));
                }
            }
        }
    }

    #[test]
    fn repeated_occurrences_of_a_state_are_merged() {
        let part = |text: &[u8]| State::typed(GameId::QueenRooks, text.to_vec()).encode_to_vec();
        let wire = [part(b"ab"), part(b"c")].concat();
        assert_eq!(State::decode(&*wire), Ok(State::typed(GameId::QueenRooks, b"abc".to_vec())));
        let wire = [wire, State::notation("4453").encode_to_vec()].concat();
        assert_eq!(State::decode(&*wire), Ok(State::notation("4453")));
    }

    #[test]
    fn field_numbers_match_the_contract() {
        let pool = DescriptorPool::decode(proto::FILE_DESCRIPTOR_SET).expect("the contract is compiled");
        let state = pool.get_message_by_name("arbiter.v1.State").expect("the contract has the message");
        let games: Vec<_> = state.fields().filter(|field| matches!(field.kind(), Kind::Message(_))).collect();
        assert_eq!(games.len(), GameId::ALL.len());
        assert_eq!(state.fields().len(), games.len() + 1);
        for (game, field) in GameId::ALL.into_iter().zip(games) {
            assert_eq!((field.name(), field.number()), (game.name(), field_of(game)));
            assert_eq!(game_of(field.number()), Some(game));
            let generated = Generated::decode(&*State::typed(game, Vec::new()).encode_to_vec());
            assert!(
                generated.is_ok_and(|state| state.kind.is_some()),
                "{} is not in `Generated`",
                game.name()
            );
        }
        assert_eq!(
            state.get_field(NOTATION).as_ref().map(|field| field.name().to_owned()),
            Some("notation".to_owned())
        );
    }
}
