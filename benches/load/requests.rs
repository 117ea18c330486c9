//! What is asked: calls that cost the server more than the loader.

use arbiter::wire::proto::{self, call, r#move};
use prost::Message;

use super::client::Call;

/// So many moves that a batch costs the server several times what refusing it does.
const BATCH: usize = 200;

/// As many moves as a replay may have (`--max-replay-moves`): the dearest of the calls that are no batches.
const REPLAY: usize = 1000;

/// Many moves of Connect Four in one call.
pub fn batch() -> Call {
    let apply = proto::Call { kind: Some(call::Kind::ApplyMove(apply_move_request())) };
    let request = proto::EvaluateBatchRequest::from_iter(vec![apply; BATCH]);
    Call::new("/arbiter.v1.RulesService/EvaluateBatch", &request.encode_to_vec())
}

/// A long game of Queen and rooks, in which nothing happens: four moves lead back to where they began.
pub fn replay() -> Call {
    let moves = ["b3-c3", "c2-b2", "c3-b3", "b2-c2"].into_iter().cycle().take(REPLAY).map(notated).collect();
    let request = proto::ReplayGameRequest { state: Some(state("qr:2rq/2rr/RR2/QR2:1")), moves };
    Call::new("/arbiter.v1.RulesService/ReplayGame", &request.encode_to_vec())
}

/// The smallest of calls.
pub fn apply_move() -> Call {
    Call::new("/arbiter.v1.RulesService/ApplyMove", &apply_move_request().encode_to_vec())
}

fn apply_move_request() -> proto::ApplyMoveRequest {
    proto::ApplyMoveRequest { state: Some(state("445566")), r#move: Some(notated("4")) }
}

fn state(notation: &str) -> proto::State {
    proto::State::notation(notation)
}

fn notated(notation: &str) -> proto::Move {
    proto::Move { kind: Some(r#move::Kind::Notation(notation.to_owned())) }
}
