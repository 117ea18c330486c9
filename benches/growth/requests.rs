//! Requests: moves with typed states, in the middle of a game.

use arbiter::{
    games::{
        Player,
        connect_four::{self, ConnectFour},
        queen_rooks::QueenRooks,
    },
    wire::{
        Form, WireGame,
        proto::{self, call},
    },
};
use bytes::{Bytes, BytesMut};
use prost::Message;

use super::{boards::random_positions, frames::put_message, random::Random};

pub const APPLY_MOVE: &str = "/arbiter.v1.RulesService/ApplyMove";
pub const EVALUATE_BATCH: &str = "/arbiter.v1.RulesService/EvaluateBatch";
pub const EVALUATE: &str = "/arbiter.v1.RulesService/Evaluate";

/// A Connect Four move on a square board whose lower half is full. A line is as long as the board is wide, so the game is
/// not over.
pub fn connect_four(side: u32) -> proto::ApplyMoveRequest {
    let rules = connect_four::Rules::new(side, side, side, Player::One).expect("the size is valid");
    let mut position = connect_four::Position::start(rules);
    for index in 0..side * (side / 2) {
        assert!(position.drop_token(index % side), "the game is not over");
    }
    apply_move::<ConnectFour>(&position.into(), &connect_four::Move { column: 0 })
}

/// A Queen and rooks move after some random moves.
pub fn queen_rooks(side: u32) -> proto::ApplyMoveRequest {
    let (position, mv) = random_positions(side, &mut Random(0))[20];
    apply_move::<QueenRooks>(&position, &mv)
}

fn apply_move<G: WireGame>(game: &G, mv: &G::Move) -> proto::ApplyMoveRequest {
    proto::ApplyMoveRequest {
        state: Some(Form::Typed.write_state(game)),
        r#move: Some(Form::Typed.write_move::<G>(mv)),
    }
}

/// A batch of Connect Four moves on a board of 7 × 7.
pub fn batch(items: usize) -> proto::EvaluateBatchRequest {
    proto::EvaluateBatchRequest::from_iter(vec![item(); items])
}

/// A stream message with the same move.
pub fn evaluate() -> proto::EvaluateRequest {
    proto::EvaluateRequest { call: Some(item()) }
}

fn item() -> proto::Call {
    proto::Call { kind: Some(call::Kind::ApplyMove(connect_four(7))) }
}

/// A length-prefixed gRPC message.
pub fn framed(message: &impl Message) -> Bytes {
    let mut framed = BytesMut::new();
    put_message(&mut framed, &message.encode_to_vec());
    framed.freeze()
}
