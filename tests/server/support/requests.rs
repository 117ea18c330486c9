//! Requests that many tests send, and how gRPC frames them.

use arbiter::{
    games::queen_rooks::QueenRooks,
    wire::{
        Form,
        proto::{self, r#move},
    },
};
use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;

/// A state, and a legal move in it.
pub fn state_and_move() -> (Option<proto::State>, Option<proto::Move>) {
    let state = proto::State::notation("c4:7x6x4:4453");
    let mv = proto::Move { kind: Some(r#move::Kind::Notation("4".to_owned())) };
    (Some(state), Some(mv))
}

pub fn apply_move() -> proto::ApplyMoveRequest {
    let (state, r#move) = state_and_move();
    proto::ApplyMoveRequest { state, r#move }
}

/// The most expensive call among those with a small response: a thousand moves of Queen and rooks without a capture.
pub fn long_replay() -> proto::ReplayGameRequest {
    let state = proto::State::notation("qr:2rq/2rr/RR2/QR2:1");
    let round = ["b3-c3", "c2-b2", "c3-b3", "b2-c2"];
    let moves = round.map(|text| proto::Move { kind: Some(r#move::Kind::Notation(text.to_owned())) });
    proto::ReplayGameRequest { state: Some(state), moves: moves.into_iter().cycle().take(1000).collect() }
}

/// The same moves as typed messages, which have more fields than those of any other game.
pub fn long_typed_replay() -> proto::ReplayGameRequest {
    let replay = long_replay();
    let typed = |mv: &proto::Move| match &mv.kind {
        Some(r#move::Kind::Notation(text)) => {
            let mv = text.parse().expect("the notation is valid");
            Form::Typed.write_move::<QueenRooks>(&mv)
        }
        _ => panic!("the move is typed"),
    };
    proto::ReplayGameRequest { moves: replay.moves.iter().map(typed).collect(), ..replay }
}

/// A length-prefixed gRPC message.
pub fn framed(message: &[u8]) -> Bytes {
    framed_with(0, message)
}

/// A length-prefixed gRPC message with this compression flag.
pub fn framed_with(flag: u8, message: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(5 + message.len());
    frame.put_u8(flag);
    frame.put_u32(u32::try_from(message.len()).expect("test messages are small"));
    frame.put_slice(message);
    frame.freeze()
}

/// An `EvaluateBatchResponse` with its answers decoded.
#[derive(Clone, PartialEq, Message)]
pub struct BatchResponse {
    #[prost(message, repeated, tag = "1")]
    pub answers: Vec<proto::Answer>,
}
