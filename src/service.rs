//! The RPCs of the contract. A handler is a short synchronous function: it decodes the request, calls the game and
//! encodes the response. It serves a unary call and an item of a batch or stream alike.
//!
//! [`Referee::call`] dispatches by [`Method`] instead of implementing tonic's generated service trait: the outcome of a call
//! is then a return value, and one table lists all RPCs (`docs/adding-an-rpc.md`).

mod analysis_threads;
mod evaluate;
mod handlers;
mod suggest_move;
mod time_slice;

use std::{
    future::ready,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http_body_util::Full;
use prost::Message;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Request, Response, Status, body::Body, codec::CompressionEncoding};
use tower::service_fn;

pub use self::{
    analysis_threads::AnalysisThreads,
    evaluate::{SliceScheduler, StreamContext, StreamSlice},
    time_slice::{TIME_SLICE, TimeSlice},
};
use crate::{
    engine::Table,
    wire::{
        Codec, FieldLimit, GameRequest, Refusal,
        proto::{self, ErrorReason},
        refusal_of,
    },
};
pub use crate::{engine::connect_four::Book as ConnectFourBook, games::GameId};

/// Generates everything that depends on the list of RPCs: [`Method`], and the dispatch of unary calls and of items.
macro_rules! rpcs {
    ($($name:ident: $handler:ident,)+) => {
        /// The RPCs of the service, as they are named in the contract, in metrics and in logs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Method {
            $(#[doc = concat!("`", stringify!($name), "`")] $name,)+
            /// `SuggestMove`, which runs on threads of its own.
            SuggestMove,
            /// `EvaluateBatch`
            EvaluateBatch,
            /// `Evaluate`, the only stream.
            Evaluate,
        }

        impl Method {
            /// The number of RPCs.
            pub const COUNT: usize = Self::Evaluate as usize + 1;

            /// All RPCs, in the order of the contract.
            pub const ALL: [Self; Self::COUNT] =
                [$(Self::$name,)+ Self::SuggestMove, Self::EvaluateBatch, Self::Evaluate];

            /// The name in the contract.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                    Self::SuggestMove => "SuggestMove",
                    Self::EvaluateBatch => "EvaluateBatch",
                    Self::Evaluate => "Evaluate",
                }
            }
        }

        impl Referee {
            /// Answers a unary call. The body of the request is one gRPC message.
            pub async fn call(&self, method: Method, request: UnaryRequest) -> CallResult {
                match method {
                    $(Method::$name => self.unary(request, Self::$handler).await,)+
                    Method::SuggestMove => self.suggest_move(request).await,
                    Method::EvaluateBatch => self.evaluate_batch(request).await,
                    // A stream is opened by `evaluate`.
                    Method::Evaluate => CallResult::refused(None, Refusal::internal_fault()),
                }
            }

            /// Answers one item of a batch or stream: encodes an `arbiter.v1.Answer`.
            fn evaluate_item(&self, call: &proto::Call) -> Vec<u8> {
                match &call.kind {
                    None => evaluate::missing_call(),
                    $(Some(proto::call::Kind::$name(request)) => {
                        self.answer_item(Method::$name, request, Self::$handler)
                    })+
                }
            }
        }
    };
}

// The table of RPCs that are also items of batches and streams, in the order of the contract: the name and its handler.
rpcs! {
    ValidateMove: validate_move,
    ApplyMove: apply_move,
    ResolveCaptures: resolve_captures,
    DetermineWinner: determine_winner,
    CompareCards: compare_cards,
    ListGames: list_games,
    NewGame: new_game,
    ListLegalMoves: list_legal_moves,
    ReplayGame: replay_game,
    SettleTrade: settle_trade,
    ViewState: view_state,
    RenderState: render_state,
}

impl Method {
    /// Finds an RPC by its name in the contract.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// A unary request whose body has arrived completely.
pub type UnaryRequest = http::Request<Full<Bytes>>;

/// The result of a unary call.
pub struct CallResult {
    /// The gRPC response, or why the call is refused.
    pub response: Result<http::Response<Body>, Refusal>,
    /// The game that the request is about, if it is about one.
    pub game: Option<GameId>,
}

impl CallResult {
    /// A refused call.
    pub fn refused(game: Option<GameId>, refusal: Refusal) -> Self {
        Self { response: Err(refusal), game }
    }
}

/// How a call or an item ended: what metrics, logs and traces record.
#[derive(Clone, Copy, Debug)]
pub struct CallOutcome {
    /// The game, if it is known.
    pub game: Option<GameId>,
    /// The gRPC status code.
    pub code: Code,
    /// The first reason of a refusal; `Unspecified` if there is none.
    pub reason: ErrorReason,
}

impl CallOutcome {
    /// A call that succeeded, or one that was refused.
    pub fn new(game: Option<GameId>, refusal: Option<&Refusal>) -> Self {
        match refusal {
            Some(refusal) => Self { game, code: refusal.code(), reason: refusal.reason() },
            None => Self { game, code: Code::Ok, reason: ErrorReason::Unspecified },
        }
    }

    /// A call that was refused before its game was known.
    pub fn refused(refusal: &Refusal) -> Self {
        Self::new(None, Some(refusal))
    }
}

/// Receives what the service does within a call.
pub trait ServiceObserver: Send + Sync {
    /// An item of a batch or stream was answered.
    fn item_answered(&self, method: Method, outcome: CallOutcome);

    /// A search for a `SuggestMove` was completed.
    fn search_completed(&self, search: CompletedSearch);
}

/// A search for a `SuggestMove`.
#[derive(Clone, Copy, Debug)]
pub struct CompletedSearch {
    /// The game.
    pub game: GameId,
    /// The number of positions that were searched.
    pub nodes: u32,
    /// Whether the value of the best move is exact.
    pub is_exact: bool,
    /// How long it ran.
    pub duration: Duration,
}

/// Limits that the service itself enforces on a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Maximum size of a message, and of an item of a batch, in bytes.
    pub message_bytes: usize,
    /// Maximum size of an `EvaluateBatch` request, in bytes.
    pub batch_bytes: usize,
    /// Maximum number of items of an `EvaluateBatch`.
    pub batch_items: usize,
    /// Maximum size of the response to an `EvaluateBatch`, in bytes.
    pub batch_response_bytes: usize,
    /// Maximum number of moves of a `ReplayGame`.
    pub replay_moves: usize,
    /// Maximum number of nodes of a `SuggestMove`.
    pub analysis_nodes: u32,
}

impl RequestLimits {
    /// Maximum number of fields of a message, and of an item of a batch.
    fn field_limit(&self) -> FieldLimit {
        FieldLimit::for_call(self.replay_moves)
    }
}

/// The referee: answers the RPCs of the contract and keeps no state between them.
#[derive(Clone)]
pub struct Referee {
    limits: RequestLimits,
    observer: Arc<dyn ServiceObserver>,
    analysis: AnalysisThreads,
    /// Cancelled when open streams must end.
    closing: CancellationToken,
}

impl Referee {
    /// Creates a referee that reports to an observer, and ends open streams when `closing` is cancelled.
    pub fn new(
        limits: RequestLimits,
        observer: Arc<dyn ServiceObserver>,
        analysis: AnalysisThreads,
        closing: CancellationToken,
    ) -> Self {
        Self { limits, observer, analysis, closing }
    }

    /// The memory that the search of a `SuggestMove` needs, in bytes.
    pub fn search_bytes(&self) -> usize {
        Table::bytes(self.limits.analysis_nodes)
    }

    /// Answers a unary call with its handler, inside tonic's framing, compression and codec.
    async fn unary<Q, A>(
        &self,
        request: UnaryRequest,
        handler: impl Fn(&Self, &Q) -> Result<A, Refusal>,
    ) -> CallResult
    where
        Q: GameRequest + Message + Default + 'static,
        A: Message + 'static,
    {
        let (mut game, mut refusal) = (None, None);
        let service = service_fn(|request: Request<Q>| {
            let request = request.into_inner();
            game = request.game();
            let response = catch_panic(|| handler(self, &request));
            ready(response.map(Response::new).map_err(|refused| keep(&mut refusal, refused)))
        });
        // A single response is too small to gain from compression.
        let response = tonic::server::Grpc::new(Codec::new(self.limits.field_limit()))
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(self.limits.message_bytes)
            .unary(service, request)
            .await;
        CallResult { response: with_refusal(response, refusal), game }
    }
}

/// Keeps a refusal for [`with_refusal`]. Returns a status for tonic, which is never sent.
fn keep(kept: &mut Option<Refusal>, refusal: Refusal) -> Status {
    *kept = Some(refusal);
    Status::unknown("")
}

/// The response of tonic, or the refusal of the handler or of a request that did not reach it.
fn with_refusal(
    response: http::Response<Body>,
    refusal: Option<Refusal>,
) -> Result<http::Response<Body>, Refusal> {
    match refusal.or_else(|| response.extensions().get().and_then(refusal_of)) {
        Some(refusal) => Err(refusal),
        None => Ok(response),
    }
}

/// Runs a handler so that a panic fails its call and nothing else.
fn catch_panic<A>(handler: impl FnOnce() -> Result<A, Refusal>) -> Result<A, Refusal> {
    catch_unwind(AssertUnwindSafe(handler)).unwrap_or_else(|_| Err(Refusal::internal_fault()))
}

/// Refuses a repeated field with more items than allowed.
fn check_item_count(field: &str, found: usize, max: usize) -> Result<(), Refusal> {
    if found <= max {
        return Ok(());
    }
    let message = format!("{field} has {found} items: the maximum is {max}");
    Err(Refusal::new(Code::ResourceExhausted, ErrorReason::TooManyItems, message))
}

#[cfg(test)]
mod tests {
    use prost_reflect::DescriptorPool;

    use super::*;

    #[test]
    fn a_panic_fails_its_call_and_nothing_else() {
        let response: Result<(), Refusal> = catch_panic(|| panic!("a bug"));
        assert_eq!(response, Err(Refusal::internal_fault()));
    }

    #[test]
    fn the_table_lists_the_rpcs_of_the_contract_in_order() {
        let pool = DescriptorPool::decode(proto::FILE_DESCRIPTOR_SET).expect("the contract can be decoded");
        let service = pool.get_service_by_name(proto::SERVICE_NAME).expect("the contract has the service");
        let names: Vec<_> = service.methods().map(|method| method.name().to_owned()).collect();
        assert_eq!(names, Method::ALL.map(Method::name));
    }
}
