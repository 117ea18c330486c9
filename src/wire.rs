//! The only module that knows the generated types. It decodes requests into the types of the games, encodes responses, and
//! turns refusals into gRPC statuses.
//!
//! Decoding reports every violation of a request, each with the path of its field.

mod batch;
mod codec;
mod common;
mod connect_four;
mod fast_path;
mod game;
mod json;
mod path;
mod queen_rooks;
mod refusal;
mod request;
mod royal_match;
mod spelling;
mod state;
mod state_message;
mod suggest_move;
mod triple_triad;

pub(crate) use self::game::with_game;
pub use self::{
    batch::{EvaluateResponse, Items, encode_answer, encode_refusal, read_call},
    codec::{Codec, FieldLimit, MAX_TOP_LEVEL_FIELDS},
    game::{WireGame, descriptions},
    json::{BatchFromJson, BatchToJson, detail_to_json, request_from_json, response_to_json},
    path::Path,
    refusal::{DOMAIN, Refusal, Violations, refusal_of},
    request::{GameRequest, NewGame, ProposedMove, Replay, legal_moves, read_board, read_game, read_view},
    royal_match::{Ranking, read_ranking, write_ranking},
    state::Form,
    state_message::{State, StateKind},
    suggest_move::SuggestMove,
    triple_triad::{read_trade, write_settlement},
};

/// The generated types of `proto/arbiter/v1`, always written `proto::X`.
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod proto {
    tonic::include_proto!("arbiter.v1");

    // Implemented by hand: see the types.
    pub use super::{EvaluateResponse, Items as EvaluateBatchRequest, Items as EvaluateBatchResponse, State};

    /// The full name of the service.
    pub const SERVICE_NAME: &str = "arbiter.v1.RulesService";

    /// The compiled contract, for reflection.
    pub const FILE_DESCRIPTOR_SET: &[u8] = tonic::include_file_descriptor_set!("arbiter.v1");
}
