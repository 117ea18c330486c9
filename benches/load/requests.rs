//! Requests that need more CPU in the server than in the load generator.

use arbiter::wire::proto::{self, call, r#move};
use prost::Message;

use super::client::Call;

/// So many that running a batch costs several times as much as shedding it.
const BATCH_ITEMS: usize = 200;

/// The maximum of a replay (`--max-replay-moves`), which makes it the most expensive unary call except batches.
const REPLAY_MOVES: usize = 1000;

/// A batch of Connect Four moves.
pub fn batch() -> Call {
    let apply = proto::Call { kind: Some(call::Kind::ApplyMove(apply_move_request())) };
    let request = proto::EvaluateBatchRequest::from_iter(vec![apply; BATCH_ITEMS]);
    Call::new("/arbiter.v1.RulesService/EvaluateBatch", &request.encode_to_vec())
}

/// A long game of Queen and rooks that repeats four moves without a capture.
pub fn replay() -> Call {
    let moves = ["b3-c3", "c2-b2", "c3-b3", "b2-c2"]
        .into_iter()
        .cycle()
        .take(REPLAY_MOVES)
        .map(move_in_notation)
        .collect();
    let request = proto::ReplayGameRequest { state: Some(state("qr:2rq/2rr/RR2/QR2:1")), moves };
    Call::new("/arbiter.v1.RulesService/ReplayGame", &request.encode_to_vec())
}

/// A suggestion at the start of Queen and rooks, with a budget that takes some 10 ms.
pub fn suggest_move() -> Call {
    let start = state("qr:4rrrq/4rrrr/4rrrr/4rrrr/RRRR4/RRRR4/RRRR4/QRRR4:1");
    let request =
        proto::SuggestMoveRequest { state: Some(start), max_nodes: Some(30_000), ..Default::default() };
    Call::new("/arbiter.v1.RulesService/SuggestMove", &request.encode_to_vec())
}

/// The smallest call.
pub fn apply_move() -> Call {
    Call::new("/arbiter.v1.RulesService/ApplyMove", &apply_move_request().encode_to_vec())
}

fn apply_move_request() -> proto::ApplyMoveRequest {
    proto::ApplyMoveRequest { state: Some(state("445566")), r#move: Some(move_in_notation("4")) }
}

fn state(notation: &str) -> proto::State {
    proto::State::notation(notation)
}

fn move_in_notation(notation: &str) -> proto::Move {
    proto::Move { kind: Some(r#move::Kind::Notation(notation.to_owned())) }
}
