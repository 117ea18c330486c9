//! The calls to Arbiter: a Connect Four move with a typed state, alone and in a batch.

use arbiter::{
    games::{Game, connect_four::ConnectFour},
    wire::{
        Form, Items,
        proto::{self, answer, call},
    },
};
use prost::Message;

use super::{client::Call, load_generator::call_once, server::Server};

const APPLY_MOVE: &str = "/arbiter.v1.RulesService/ApplyMove";
const EVALUATE_BATCH: &str = "/arbiter.v1.RulesService/EvaluateBatch";

const STATE: &str = "c4:7x6x4:XO..OX.OX.XOX..XO";
const MOVE: &str = "4";

pub fn apply_move() -> Call {
    Call::new(APPLY_MOVE, &apply_move_request().encode_to_vec())
}

pub fn batch(size: usize) -> Call {
    Call::new(EVALUATE_BATCH, &batch_request(size).encode_to_vec())
}

pub async fn check(server: &Server, size: usize) {
    let (mut game, mv) = state_and_move();
    assert!(game.play(&mv).is_ok(), "the move is legal");
    let next = Some(Form::Typed.write_state(&game));

    let response: proto::ApplyMoveResponse = call_once(server, APPLY_MOVE, apply_move_request()).await;
    assert_eq!(response.state, next);
    let answers: Items = call_once(server, EVALUATE_BATCH, batch_request(size)).await;
    assert_eq!(answers.len(), size);
    for answer in answers.iter() {
        let kind = proto::Answer::decode(answer).expect("the answer decodes").kind;
        assert!(matches!(kind, Some(answer::Kind::ApplyMove(response)) if response.state == next));
    }
}

/// The encoded size of the request.
pub fn apply_move_size() -> usize {
    apply_move_request().encoded_len()
}

fn batch_request(size: usize) -> Items {
    let apply = proto::Call { kind: Some(call::Kind::ApplyMove(apply_move_request())) };
    Items::from_iter(vec![apply; size])
}

fn apply_move_request() -> proto::ApplyMoveRequest {
    let (game, mv) = state_and_move();
    proto::ApplyMoveRequest {
        state: Some(Form::Typed.write_state(&game)),
        r#move: Some(Form::Typed.write_move::<ConnectFour>(&mv)),
    }
}

fn state_and_move() -> (ConnectFour, <ConnectFour as Game>::Move) {
    let game = ConnectFour::parse(STATE).ok().and_then(|known| known.into_state().ok());
    let game = game.expect("the state parses");
    (game, MOVE.parse().expect("the move parses"))
}
