//! The calls of the contract. Each is a short function: read the request, ask the game, write the answer.

mod calls;
mod evaluate;

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio_util::sync::CancellationToken;
use tonic::{Code, Request, Response, Status, Streaming};

pub use self::evaluate::{AnswerBytes, Answers, Lease, StreamObserver, TURN, Turns};
pub use crate::games::GameId;
use crate::wire::{
    GameRequest, Refusal,
    proto::{self, rules_service_server::RulesService},
};

/// The calls of the service, as they are named in metrics and logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `ValidateMove`
    ValidateMove,
    /// `ApplyMove`
    ApplyMove,
    /// `ResolveCaptures`
    ResolveCaptures,
    /// `DetermineWinner`
    DetermineWinner,
    /// `CompareCards`
    CompareCards,
    /// `ListGames`
    ListGames,
    /// `NewGame`
    NewGame,
    /// `ListLegalMoves`
    ListLegalMoves,
    /// `ReplayGame`
    ReplayGame,
    /// `SettleTrade`
    SettleTrade,
    /// `ViewState`
    ViewState,
    /// `RenderState`
    RenderState,
    /// `EvaluateBatch`
    EvaluateBatch,
    /// `Evaluate`
    Evaluate,
}

impl Method {
    /// Every call, in the order of the contract.
    pub const ALL: [Self; 14] = [
        Self::ValidateMove,
        Self::ApplyMove,
        Self::ResolveCaptures,
        Self::DetermineWinner,
        Self::CompareCards,
        Self::ListGames,
        Self::NewGame,
        Self::ListLegalMoves,
        Self::ReplayGame,
        Self::SettleTrade,
        Self::ViewState,
        Self::RenderState,
        Self::EvaluateBatch,
        Self::Evaluate,
    ];

    /// The call of this name, if there is one.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The name of the call in the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ValidateMove => "ValidateMove",
            Self::ApplyMove => "ApplyMove",
            Self::ResolveCaptures => "ResolveCaptures",
            Self::DetermineWinner => "DetermineWinner",
            Self::CompareCards => "CompareCards",
            Self::ListGames => "ListGames",
            Self::NewGame => "NewGame",
            Self::ListLegalMoves => "ListLegalMoves",
            Self::ReplayGame => "ReplayGame",
            Self::SettleTrade => "SettleTrade",
            Self::ViewState => "ViewState",
            Self::RenderState => "RenderState",
            Self::EvaluateBatch => "EvaluateBatch",
            Self::Evaluate => "Evaluate",
        }
    }
}

/// Someone who is told of every answer.
pub trait Observer: Clone + Send + Sync + Unpin + 'static {
    /// The call that is being worked on was answered: with its response, or with a refusal.
    fn call_answered(&self, game: Option<GameId>, refusal: Option<&Refusal>);

    /// One item of a batch or of a stream was answered.
    fn item_answered(&self, method: Method, game: Option<GameId>, refusal: Option<&Refusal>);
}

/// How much the service takes on in one request.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most moves of a `ReplayGame`.
    pub replay_moves: usize,
    /// The most calls of an `EvaluateBatch`.
    pub batch_items: usize,
    /// The most bytes of one of them.
    pub item_bytes: usize,
    /// The most bytes of the answer to an `EvaluateBatch`.
    pub batch_answer_bytes: usize,
}

/// The referee: it answers the calls of the contract and keeps nothing between them.
#[derive(Clone, Debug)]
pub struct Referee<O> {
    limits: Limits,
    observer: O,
    /// Cancelled when streams that are still open must end.
    closing: CancellationToken,
}

impl<O: Observer> Referee<O> {
    /// A referee with these limits. Streams end when `closing` is cancelled.
    pub fn new(limits: Limits, observer: O, closing: CancellationToken) -> Self {
        Self { limits, observer, closing }
    }

    /// Answers a unary call.
    fn unary<Q: GameRequest, A>(
        &self,
        request: Request<Q>,
        call: impl FnOnce(&Q) -> Result<A, Refusal>,
    ) -> Answer<A> {
        let request = request.into_inner();
        let answer = guarded(|| call(&request));
        self.observer.call_answered(request.game(), answer.as_ref().err());
        Ok(Response::new(answer?))
    }
}

/// Runs a call so that a fault of ours ends that call and nothing else.
fn guarded<A>(call: impl FnOnce() -> Result<A, Refusal>) -> Result<A, Refusal> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Err(Refusal::internal_fault()))
}

type Answer<A> = Result<Response<A>, Status>;

#[tonic::async_trait]
impl<O: Observer> RulesService for Referee<O> {
    type EvaluateStream = Answers<O>;

    async fn validate_move(
        &self,
        request: Request<proto::ValidateMoveRequest>,
    ) -> Answer<proto::ValidateMoveResponse> {
        self.unary(request, calls::validate_move)
    }

    async fn apply_move(
        &self,
        request: Request<proto::ApplyMoveRequest>,
    ) -> Answer<proto::ApplyMoveResponse> {
        self.unary(request, calls::apply_move)
    }

    async fn resolve_captures(
        &self,
        request: Request<proto::ResolveCapturesRequest>,
    ) -> Answer<proto::ResolveCapturesResponse> {
        self.unary(request, calls::resolve_captures)
    }

    async fn determine_winner(
        &self,
        request: Request<proto::DetermineWinnerRequest>,
    ) -> Answer<proto::DetermineWinnerResponse> {
        self.unary(request, calls::determine_winner)
    }

    async fn compare_cards(
        &self,
        request: Request<proto::CompareCardsRequest>,
    ) -> Answer<proto::CompareCardsResponse> {
        self.unary(request, calls::compare_cards)
    }

    async fn list_games(
        &self,
        request: Request<proto::ListGamesRequest>,
    ) -> Answer<proto::ListGamesResponse> {
        self.unary(request, calls::list_games)
    }

    async fn new_game(&self, request: Request<proto::NewGameRequest>) -> Answer<proto::NewGameResponse> {
        self.unary(request, calls::new_game)
    }

    async fn list_legal_moves(
        &self,
        request: Request<proto::ListLegalMovesRequest>,
    ) -> Answer<proto::ListLegalMovesResponse> {
        self.unary(request, calls::list_legal_moves)
    }

    async fn replay_game(
        &self,
        request: Request<proto::ReplayGameRequest>,
    ) -> Answer<proto::ReplayGameResponse> {
        self.unary(request, |request| calls::replay_game(request, &self.limits))
    }

    async fn settle_trade(
        &self,
        request: Request<proto::SettleTradeRequest>,
    ) -> Answer<proto::SettleTradeResponse> {
        self.unary(request, calls::settle_trade)
    }

    async fn view_state(
        &self,
        request: Request<proto::ViewStateRequest>,
    ) -> Answer<proto::ViewStateResponse> {
        self.unary(request, calls::view_state)
    }

    async fn render_state(
        &self,
        request: Request<proto::RenderStateRequest>,
    ) -> Answer<proto::RenderStateResponse> {
        self.unary(request, calls::render_state)
    }

    async fn evaluate_batch(
        &self,
        request: Request<proto::EvaluateBatchRequest>,
    ) -> Answer<proto::EvaluateBatchResponse> {
        let request = request.into_inner();
        let answer = self.evaluate_all(&request).await;
        self.observer.call_answered(None, answer.as_ref().err());
        let answer = answer?;
        let bytes = AnswerBytes(answer.bytes());
        let mut response = Response::new(answer);
        response.extensions_mut().insert(bytes);
        Ok(response)
    }

    async fn evaluate(&self, request: Request<Streaming<proto::EvaluateRequest>>) -> Answer<Answers<O>> {
        Ok(Response::new(Answers::new(self.clone(), request)))
    }
}

/// Refuses a repeated field of more items than allowed.
fn check_items(field: &str, found: usize, most: usize) -> Result<(), Refusal> {
    if found <= most {
        return Ok(());
    }
    let message = format!("{field} has {found} items: at most {most} are taken");
    Err(Refusal::new(Code::ResourceExhausted, proto::ErrorReason::TooManyItems, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_ours_ends_its_call_and_nothing_else() {
        let answer: Result<(), Refusal> = guarded(|| panic!("a fault"));
        assert_eq!(answer, Err(Refusal::internal_fault()));
    }
}
