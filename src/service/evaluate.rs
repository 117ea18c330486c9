//! Many calls in one: as a batch, and as a stream.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use prost::{Message, length_delimiter_len};
use tokio::{
    task::{JoinHandle, spawn, yield_now},
    time::{Instant, Sleep, sleep_until},
};
use tokio_stream::Stream;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::{Request, Status, Streaming};

use super::{Method, Observer, Referee, calls, check_items, guarded};
use crate::wire::{
    GameRequest, Items, Path, Refusal, Violations, proto, read_call, translate, write_answer, write_refusal,
};

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

/// How many bytes the answer to a batch has: an extension of its response.
#[derive(Clone, Copy)]
pub struct AnswerBytes(pub usize);

/// How long a batch, a stream, or calls that stand in line are worked on before others have their turn.
pub const TURN: Duration = Duration::from_micros(200);

/// As much work, in bytes read and written, as is done without a look at the clock: it is done in far less than a turn.
const UNTIMED: usize = 512;

/// Lets others have their turn now and then.
pub struct Turns {
    began: Instant,
    /// The work since the clock was looked at, in bytes.
    untimed: usize,
}

impl Default for Turns {
    fn default() -> Self {
        Self { began: Instant::now(), untimed: 0 }
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

    /// To be called after each piece of work that has read and written so many bytes: many small ones share a look at the
    /// clock.
    async fn share_after(&mut self, bytes: usize) {
        self.untimed += bytes;
        if self.untimed > UNTIMED {
            self.untimed = 0;
            self.share().await;
        }
    }

    fn is_over(&self) -> bool {
        self.began.elapsed() >= TURN
    }
}

impl<O: Observer> Referee<O> {
    pub(super) async fn evaluate_all(&self, calls: &Items) -> Result<Items, Refusal> {
        check_items("calls", calls.len(), self.limits.batch_items)?;
        let no_room = write_refusal(Refusal::answer_too_large());
        let reserved = size_in_batch(&no_room);
        let mut turns = Turns::default();
        // Answers are about as long as calls, and seldom much longer.
        let room = self.limits.batch_answer_bytes.min(calls.bytes() * 3 / 2);
        let (mut answers, mut left) = (Items::with_room(room), calls.len());
        // Every call that follows can still be told that there is no room for its answer.
        let has_room = |taken: usize, left: usize| taken + left * reserved <= self.limits.batch_answer_bytes;
        let mut is_full = !has_room(0, left);
        for call in calls.iter() {
            left -= 1;
            // Once an answer did not fit, no further call is worked on.
            let answer = if is_full { None } else { Some(guarded(|| Ok(self.evaluate_read(call)))?) };
            let fitting = answer.filter(|answer| has_room(answers.bytes() + size_in_batch(answer), left));
            is_full = fitting.is_none();
            let answer = fitting.as_deref().unwrap_or(&no_room);
            answers.push(answer);
            turns.share_after(call.len() + answer.len()).await;
        }
        Ok(answers)
    }

    /// Reads a call of a batch and answers it.
    fn evaluate_read(&self, call: &[u8]) -> Vec<u8> {
        match read_call(call, self.limits.item_bytes) {
            Ok(call) => self.evaluate_call(&call),
            Err(refusal) => write_refusal(refusal),
        }
    }

    /// Answers one call of a batch or of a stream, on its own.
    fn evaluate_call(&self, call: &proto::Call) -> Vec<u8> {
        use proto::call::Kind;
        match &call.kind {
            None => {
                let mut violations = Violations::default();
                violations.required(&Path::root("call"));
                violations.finish(None).map_or_else(write_refusal, |never: Infallible| match never {})
            }
            Some(Kind::ValidateMove(request)) => {
                self.item(Method::ValidateMove, request, calls::validate_move)
            }
            Some(Kind::ApplyMove(request)) => self.item(Method::ApplyMove, request, calls::apply_move),
            Some(Kind::ResolveCaptures(request)) => {
                self.item(Method::ResolveCaptures, request, calls::resolve_captures)
            }
            Some(Kind::DetermineWinner(request)) => {
                self.item(Method::DetermineWinner, request, calls::determine_winner)
            }
            Some(Kind::CompareCards(request)) => {
                self.item(Method::CompareCards, request, calls::compare_cards)
            }
            Some(Kind::ListGames(request)) => self.item(Method::ListGames, request, calls::list_games),
            Some(Kind::NewGame(request)) => self.item(Method::NewGame, request, calls::new_game),
            Some(Kind::ListLegalMoves(request)) => {
                self.item(Method::ListLegalMoves, request, calls::list_legal_moves)
            }
            Some(Kind::ReplayGame(request)) => {
                self.item(Method::ReplayGame, request, |request| calls::replay_game(request, &self.limits))
            }
            Some(Kind::SettleTrade(request)) => self.item(Method::SettleTrade, request, calls::settle_trade),
            Some(Kind::ViewState(request)) => self.item(Method::ViewState, request, calls::view_state),
            Some(Kind::RenderState(request)) => self.item(Method::RenderState, request, calls::render_state),
        }
    }

    fn item<Q: GameRequest, A: Message>(
        &self,
        method: Method,
        request: &Q,
        call: impl FnOnce(&Q) -> Result<A, Refusal>,
    ) -> Vec<u8> {
        let answer = guarded(|| call(request));
        self.observer.item_answered(method, request.game(), answer.as_ref().err());
        answer.map_or_else(write_refusal, |answer| write_answer(number_of(method), &answer))
    }
}

/// The number of a call, in `arbiter.v1.Call` and in `arbiter.v1.Answer`: from 2 on, in the order of the contract.
const fn number_of(method: Method) -> u32 {
    method as u32 + 2
}

/// How many bytes of its batch an answer takes: its own, with its key and its length.
fn size_in_batch(answer: &[u8]) -> usize {
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
                Poll::Ready(Some(Ok(proto::EvaluateResponse { answer })))
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

#[cfg(test)]
mod tests {
    use prost_reflect::DescriptorPool;

    use super::*;

    #[test]
    fn calls_have_the_numbers_of_the_contract() {
        let pool = DescriptorPool::decode(proto::FILE_DESCRIPTOR_SET).expect("the contract can be read");
        for (message, suffix) in [("arbiter.v1.Call", "Request"), ("arbiter.v1.Answer", "Response")] {
            let message = pool.get_message_by_name(message).expect("there is one");
            for method in Method::ALL.into_iter().filter(|method| !method.name().starts_with("Evaluate")) {
                let field = message.get_field(number_of(method)).expect("it has one for each call");
                let kind = field.kind();
                let kind = kind.as_message().expect("it is a message").name();
                assert_eq!(kind, format!("{}{suffix}", method.name()));
            }
        }
    }
}
