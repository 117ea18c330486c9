//! Many calls in one: as a batch, and as a stream.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use prost::{Message, length_delimiter_len};
use tokio::{
    task::{JoinHandle, spawn, yield_now},
    time::{Instant, Sleep, sleep_until},
};
use tokio_stream::Stream;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::{Request, Status, Streaming};

use super::{Method, Observer, Referee, calls, check_items, guarded};
use crate::wire::{GameRequest, Path, Refusal, Violations, proto, read_call, translate};

/// What the server lends to a stream: how long it may last, and who waits for its end.
#[derive(Clone)]
pub struct Lease {
    /// When the stream must have ended, if there is such a time.
    pub deadline: Option<Instant>,
    /// Dropped when the stream has ended.
    pub observer: Arc<dyn StreamObserver>,
}

/// Someone who is told of the end of a stream.
pub trait StreamObserver: Send + Sync {
    /// The stream has ended: well, or with a refusal.
    fn stream_ended(&self, refusal: Option<&Refusal>);
}

/// How long a batch, a stream, or calls that stand in line are worked on before others have their turn.
pub const TURN: Duration = Duration::from_micros(200);

/// Lets others have their turn now and then.
pub struct Turns {
    began: Instant,
}

impl Default for Turns {
    fn default() -> Self {
        Self { began: Instant::now() }
    }
}

impl Turns {
    /// To be called after each piece of work.
    pub async fn share(&mut self) {
        if self.is_over() {
            yield_now().await;
            *self = Self::default();
        }
    }

    fn is_over(&self) -> bool {
        self.began.elapsed() >= TURN
    }
}

impl<O: Observer> Referee<O> {
    pub(super) async fn evaluate_all(
        &self,
        request: &proto::EvaluateBatchRequest,
    ) -> Result<proto::EvaluateBatchResponse, Refusal> {
        check_items("calls", request.calls.len(), self.limits.batch_items)?;
        let no_room = Bytes::from(refusal_answer(Refusal::answer_too_large()).encode_to_vec());
        let reserved = size_in_batch(&no_room);
        // What answers may take while every call that follows can still be told that there is no room for its own.
        // None once an answer did not fit: no further call is worked on then.
        let mut room = self.limits.batch_answer_bytes.checked_sub(request.calls.len() * reserved);
        let mut answer = |call: &Bytes| {
            let fitting = room.and_then(|bytes| {
                let answer = match read_call(call, self.limits.item_bytes) {
                    Ok(call) => self.evaluate_call(&call),
                    Err(refusal) => refusal_answer(refusal),
                };
                let answer = Bytes::from(answer.encode_to_vec());
                room = (bytes + reserved).checked_sub(size_in_batch(&answer));
                room.map(|_| answer)
            });
            fitting.unwrap_or_else(|| no_room.clone())
        };
        // One after the other: together they would all be done later, and hold more meanwhile.
        let _turn = self.one_batch.lock().await;
        let mut turns = Turns::default();
        let mut answers = Vec::with_capacity(request.calls.len());
        for call in &request.calls {
            answers.push(guarded(|| Ok(answer(call)))?);
            turns.share().await;
        }
        Ok(proto::EvaluateBatchResponse { answers })
    }

    /// Answers one call of a batch or of a stream, on its own.
    fn evaluate_call(&self, call: &proto::Call) -> proto::Answer {
        use proto::{answer::Kind as Answer, call::Kind as Call};
        let answer = match &call.kind {
            None => {
                let mut violations = Violations::default();
                violations.required(&Path::root("call"));
                violations.finish(None)
            }
            Some(Call::ValidateMove(request)) => {
                self.item(Method::ValidateMove, request, calls::validate_move).map(Answer::ValidateMove)
            }
            Some(Call::ApplyMove(request)) => {
                self.item(Method::ApplyMove, request, calls::apply_move).map(Answer::ApplyMove)
            }
            Some(Call::ResolveCaptures(request)) => self
                .item(Method::ResolveCaptures, request, calls::resolve_captures)
                .map(Answer::ResolveCaptures),
            Some(Call::DetermineWinner(request)) => self
                .item(Method::DetermineWinner, request, calls::determine_winner)
                .map(Answer::DetermineWinner),
            Some(Call::CompareCards(request)) => {
                self.item(Method::CompareCards, request, calls::compare_cards).map(Answer::CompareCards)
            }
            Some(Call::ListGames(request)) => {
                self.item(Method::ListGames, request, calls::list_games).map(Answer::ListGames)
            }
            Some(Call::NewGame(request)) => {
                self.item(Method::NewGame, request, calls::new_game).map(Answer::NewGame)
            }
            Some(Call::ListLegalMoves(request)) => self
                .item(Method::ListLegalMoves, request, calls::list_legal_moves)
                .map(Answer::ListLegalMoves),
            Some(Call::ReplayGame(request)) => self
                .item(Method::ReplayGame, request, |request| calls::replay_game(request, &self.limits))
                .map(Answer::ReplayGame),
            Some(Call::SettleTrade(request)) => {
                self.item(Method::SettleTrade, request, calls::settle_trade).map(Answer::SettleTrade)
            }
            Some(Call::ViewState(request)) => {
                self.item(Method::ViewState, request, calls::view_state).map(Answer::ViewState)
            }
            Some(Call::RenderState(request)) => {
                self.item(Method::RenderState, request, calls::render_state).map(Answer::RenderState)
            }
        };
        match answer {
            Ok(kind) => proto::Answer { kind: Some(kind) },
            Err(refusal) => refusal_answer(refusal),
        }
    }

    fn item<Q: GameRequest, A>(
        &self,
        method: Method,
        request: &Q,
        call: impl FnOnce(&Q) -> Result<A, Refusal>,
    ) -> Result<A, Refusal> {
        let answer = guarded(|| call(request));
        self.observer.item_answered(method, request.game(), answer.as_ref().err());
        answer
    }
}

fn refusal_answer(refusal: Refusal) -> proto::Answer {
    proto::Answer { kind: Some(proto::answer::Kind::Refusal(refusal.into())) }
}

/// How many bytes of its batch an answer takes: its own, with its key and its length.
fn size_in_batch(answer: &Bytes) -> usize {
    1 + length_delimiter_len(answer.len()) + answer.len()
}

/// The answers of an `Evaluate` stream. A call is read only when its answer is asked for, so a client
/// that does not read its answers is not read from either.
pub struct Answers<O: Observer> {
    referee: Referee<O>,
    calls: Option<Streaming<proto::EvaluateRequest>>,
    deadline: Option<Pin<Box<Sleep>>>,
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
    /// None while it waits for calls.
    turns: Option<Turns>,
    /// Others have their turn until this is done.
    resting: Option<JoinHandle<()>>,
    lease: Option<Lease>,
}

impl<O: Observer> Answers<O> {
    pub(super) fn new(referee: Referee<O>, request: Request<Streaming<proto::EvaluateRequest>>) -> Self {
        let lease = request.extensions().get::<Lease>().cloned();
        let deadline = lease.as_ref().and_then(|lease| lease.deadline);
        Self {
            closing: Box::pin(referee.closing.clone().cancelled_owned()),
            referee,
            calls: Some(request.into_inner()),
            deadline: deadline.map(|deadline| Box::pin(sleep_until(deadline))),
            turns: None,
            resting: None,
            lease,
        }
    }

    /// Ends the stream, well or with a refusal.
    fn end(&mut self, refusal: Option<Refusal>) -> Poll<Option<<Self as Stream>::Item>> {
        self.calls = None;
        if let Some(lease) = &self.lease {
            lease.observer.stream_ended(refusal.as_ref());
        }
        Poll::Ready(refusal.map(|refusal| Err(refusal.into())))
    }
}

impl<O: Observer> Stream for Answers<O> {
    type Item = Result<proto::EvaluateResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.referee.closing.is_cancelled() && self.calls.is_some() {
            return self.end(Some(Refusal::shutting_down()));
        }
        if self.turns.take_if(|turns| turns.is_over()).is_some() {
            // What was answered so far is sent meanwhile, and there may be many who ask for more: only a task that is done
            // after sockets were looked at is pending until then.
            self.resting = Some(spawn(yield_now()));
        }
        if let Some(resting) = &mut self.resting {
            let _ = ready!(Pin::new(resting).poll(context));
            self.resting = None;
        }
        let Some(calls) = self.calls.as_mut() else {
            return Poll::Ready(None);
        };
        let next = Pin::new(calls).poll_next(context);
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(context).is_ready()
        {
            return self.end(Some(Refusal::deadline_exceeded()));
        }
        match next {
            Poll::Ready(Some(Ok(request))) => {
                self.turns.get_or_insert_default();
                let answer = self.referee.evaluate_call(&request.call.unwrap_or_default());
                Poll::Ready(Some(Ok(proto::EvaluateResponse { answer: Some(answer) })))
            }
            Poll::Ready(Some(Err(status))) => {
                let refusal = translate(&status).unwrap_or_else(Refusal::cancelled);
                self.end(Some(refusal))
            }
            Poll::Ready(None) => self.end(None),
            Poll::Pending if self.closing.as_mut().poll(context).is_ready() => {
                self.end(Some(Refusal::shutting_down()))
            }
            Poll::Pending => {
                self.turns = None;
                Poll::Pending
            }
        }
    }
}

impl<O: Observer> Drop for Answers<O> {
    /// A stream that has not ended by itself was given up.
    fn drop(&mut self) {
        if self.calls.is_some() {
            let _ = self.end(Some(Refusal::cancelled()));
        }
    }
}
