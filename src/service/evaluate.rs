//! `EvaluateBatch` and `Evaluate`: many calls in one message, or in one stream.

use std::{
    convert::Infallible,
    future::{Future, pending, poll_fn, ready},
    pin::Pin,
    time::Duration,
};

use futures_util::stream;
use prost::{Message, length_delimiter_len};
use tokio::{
    task::{spawn, yield_now},
    time::{Instant, Sleep, sleep, sleep_until},
};
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming, body::Body, codec::CompressionEncoding};
use tower::service_fn;

use super::{
    CallOutcome, CallResult, Method, Referee, TIME_SLICE, TimeSlice, UnaryRequest, catch_panic,
    check_item_count, keep, with_refusal,
};
use crate::wire::{
    Codec, FieldLimit, GameRequest, Items, Path, Refusal, Violations, encode_answer, encode_refusal, proto,
    read_call, refusal_of,
};

impl Referee {
    /// Answers a batch.
    pub(super) async fn evaluate_batch(&self, request: UnaryRequest) -> CallResult {
        let mut refusal = None;
        // A tower service may be called repeatedly; tonic calls this one once.
        let mut once = Some(&mut refusal);
        let service = service_fn(|request: Request<Items>| {
            let once = once.take();
            async move {
                let refusal = once.ok_or_else(|| Status::internal("called twice"))?;
                let answers = self.evaluate_all(request.get_ref()).await;
                answers.map(Response::new).map_err(|refused| keep(refusal, refused))
            }
        });
        let response = tonic::server::Grpc::new(Codec::new(FieldLimit::BATCH))
            .accept_compressed(CompressionEncoding::Gzip)
            .send_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(self.limits.batch_bytes)
            .unary(service, request)
            .await;
        CallResult { response: with_refusal(response, refusal), game: None }
    }

    async fn evaluate_all(&self, calls: &Items) -> Result<Items, Refusal> {
        let max_bytes = self.limits.batch_response_bytes;
        check_item_count("calls", calls.len(), self.limits.batch_items)?;
        let too_large = encode_refusal(Refusal::answer_too_large());
        let too_large_size = size_in_batch(&too_large);
        let mut slice = TimeSlice::default();
        // Answers are about as long as calls, and seldom much longer.
        let mut answers = Items::with_capacity(max_bytes.min(calls.bytes() * 3 / 2));
        let mut remaining = calls.len();
        // Reserves room for the refusal of every remaining call.
        let fits = |used: usize, remaining: usize| used + remaining * too_large_size <= max_bytes;
        let mut is_full = !fits(0, remaining);
        for call in calls.iter() {
            remaining -= 1;
            // After the first answer that does not fit, no further call is evaluated.
            let answer = if is_full { None } else { Some(catch_panic(|| Ok(self.evaluate_encoded(call)))?) };
            let answer = answer.filter(|answer| fits(answers.bytes() + size_in_batch(answer), remaining));
            is_full = answer.is_none();
            let answer = answer.as_deref().unwrap_or(&too_large);
            answers.push(answer);
            slice.yield_after(call.len() + answer.len()).await;
        }
        Ok(answers)
    }

    /// Decodes an item of a batch and answers it.
    fn evaluate_encoded(&self, call: &[u8]) -> Vec<u8> {
        match read_call(call, self.limits.message_bytes, self.limits.field_limit()) {
            Ok(call) => self.evaluate_item(&call),
            Err(refusal) => encode_refusal(refusal),
        }
    }

    /// Answers an item with the handler of its method.
    pub(super) fn answer_item<Q: GameRequest, A: Message>(
        &self,
        method: Method,
        request: &Q,
        handler: impl FnOnce(&Self, &Q) -> Result<A, Refusal>,
    ) -> Vec<u8> {
        let response = catch_panic(|| handler(self, request));
        self.observer.item_answered(method, CallOutcome::new(request.game(), response.as_ref().err()));
        response.map_or_else(encode_refusal, |response| encode_answer(field_number(method), &response))
    }

    /// Opens an `Evaluate` stream.
    ///
    /// # Errors
    ///
    /// If the stream cannot be opened. The outcome is reported to the context all the same.
    pub async fn evaluate(
        &self,
        request: http::Request<Body>,
        context: StreamContext<impl SliceScheduler>,
    ) -> Result<http::Response<Body>, Refusal> {
        let mut context = Some(context);
        let service = service_fn(|request: Request<Streaming<proto::EvaluateRequest>>| {
            let context = context.take();
            let open = |context| EvaluateStream::new(self.clone(), request.into_inner(), context).responses();
            ready(context.map(open).map(Response::new).ok_or_else(|| Status::internal("opened twice")))
        });
        let response = tonic::server::Grpc::new(Codec::new(self.limits.field_limit()))
            .accept_compressed(CompressionEncoding::Gzip)
            .send_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(self.limits.message_bytes)
            .streaming(service, request)
            .await;
        match (context, response.extensions().get().and_then(refusal_of)) {
            (Some(context), Some(refusal)) => {
                (context.on_end)(CallOutcome::refused(&refusal));
                Err(refusal)
            }
            _ => Ok(response),
        }
    }
}

/// The answer to an item without a call.
pub(super) fn missing_call() -> Vec<u8> {
    let mut violations = Violations::default();
    violations.required(&Path::root("call"));
    violations.finish(None).map_or_else(encode_refusal, |never: Infallible| match never {})
}

/// The field number of a method in `arbiter.v1.Call` and `arbiter.v1.Answer`: from 2 on, in the order of the contract.
const fn field_number(method: Method) -> u32 {
    method as u32 + 2
}

/// The size of an answer in its batch: its tag, its length and its bytes.
fn size_in_batch(answer: &[u8]) -> usize {
    1 + length_delimiter_len(answer.len()) + answer.len()
}

/// Decides when a stream may run, so that it does not delay the calls of other clients.
pub trait SliceScheduler: Send + Sync + 'static {
    /// Permission to run, held while a time slice lasts.
    type Slice: StreamSlice;

    /// Waits until the next time slice may start.
    fn start_slice(&self) -> impl Future<Output = Self::Slice> + Send;
}

/// A time slice of a stream.
pub trait StreamSlice: Send {
    /// Sets the CPU time of the slice so far. A slice may be held for longer, while the client does not read.
    fn set_used(&mut self, used: Duration);
}

/// What the server passes to an `Evaluate` stream.
pub struct StreamContext<S> {
    /// The caller's deadline, if there is one.
    pub deadline: Option<Instant>,
    /// How long the stream may wait for a request.
    pub idle_timeout: Duration,
    /// Decides when the stream may run.
    pub scheduler: S,
    /// Called with the outcome when the stream ends. Dropped without a call if the client cancels the stream.
    pub on_end: Box<dyn FnOnce(CallOutcome) + Send>,
}

/// An open `Evaluate` stream.
struct EvaluateStream<S: SliceScheduler> {
    referee: Referee,
    requests: Streaming<proto::EvaluateRequest>,
    deadline: Option<Pin<Box<Sleep>>>,
    idle_timeout: Duration,
    /// Ends the stream if the client sends nothing. Reset when a request is awaited.
    idle: Pin<Box<Sleep>>,
    scheduler: S,
    /// The current time slice. None while waiting for a request.
    slice: Option<Slice<S::Slice>>,
    /// None once the stream has ended.
    on_end: Option<Box<dyn FnOnce(CallOutcome) + Send>>,
}

/// A time slice in which a stream answers items.
struct Slice<P> {
    started: Instant,
    used: Duration,
    permit: P,
}

impl<S: SliceScheduler> EvaluateStream<S> {
    fn new(referee: Referee, requests: Streaming<proto::EvaluateRequest>, context: StreamContext<S>) -> Self {
        let deadline = context.deadline.map(|deadline| Box::pin(sleep_until(deadline)));
        let idle_timeout = context.idle_timeout;
        let idle = Box::pin(sleep(idle_timeout));
        let (scheduler, on_end) = (context.scheduler, Some(context.on_end));
        Self { referee, requests, deadline, idle_timeout, idle, scheduler, slice: None, on_end }
    }

    /// The responses. A request is read only when its response is polled for, so a client that does not read its responses is
    /// not read from either: this is the backpressure of a stream.
    fn responses(self) -> impl Stream<Item = Result<proto::EvaluateResponse, Status>> + Send {
        stream::unfold(self, async |mut stream| Some((stream.next_response().await?, stream)))
    }

    async fn next_response(&mut self) -> Option<Result<proto::EvaluateResponse, Status>> {
        let on_end = self.on_end.take()?;
        let refusal = match self.next_request().await {
            Ok(Some(request)) => {
                self.on_end = Some(on_end);
                let slice = match &mut self.slice {
                    Some(slice) => slice,
                    none => {
                        let mut permit = self.scheduler.start_slice().await;
                        permit.set_used(Duration::ZERO);
                        none.insert(Slice { started: Instant::now(), used: Duration::ZERO, permit })
                    }
                };
                let answer = self.referee.evaluate_item(&request.call.unwrap_or_default());
                slice.used = slice.started.elapsed();
                slice.permit.set_used(slice.used);
                return Some(Ok(proto::EvaluateResponse { answer }));
            }
            Ok(None) => None,
            Err(refusal) => Some(refusal),
        };
        // Each item may be of another game.
        on_end(CallOutcome::new(None, refusal.as_ref()));
        refusal.map(|refusal| Err(refusal.into()))
    }

    /// Waits for the next request. None: the client has closed its side.
    async fn next_request(&mut self) -> Result<Option<proto::EvaluateRequest>, Refusal> {
        if self.slice.take_if(|slice| slice.used >= TIME_SLICE).is_some() {
            // Lets other tasks run and the connection send the responses so far. Only a task of its own finishes after the
            // runtime has polled its sockets: `yield_now` here would return as soon as anything wakes this task.
            let _ = spawn(yield_now()).await;
        }
        let closing = self.referee.closing.cancelled();
        let deadline = async {
            match &mut self.deadline {
                Some(deadline) => deadline.await,
                None => pending().await,
            }
        };
        let (mut idle, idle_timeout, mut is_waiting) = (self.idle.as_mut(), self.idle_timeout, false);
        let request = poll_fn(|context| {
            let request = Pin::new(&mut self.requests).poll_next(context);
            if request.is_ready() {
                return request.map(Ok);
            }
            self.slice = None;
            if !is_waiting {
                is_waiting = true;
                idle.as_mut().reset(Instant::now() + idle_timeout);
            }
            idle.as_mut().poll(context).map(|()| Err(Refusal::idle_stream(idle_timeout)))
        });
        tokio::select! {
            biased;
            () = closing => Err(Refusal::shutting_down()),
            () = deadline => Err(Refusal::deadline_exceeded()),
            request = request => request?
                .transpose()
                .map_err(|status| refusal_of(&status).unwrap_or_else(Refusal::cancelled)),
        }
    }
}

#[cfg(test)]
mod tests {
    use prost_reflect::DescriptorPool;

    use super::*;

    #[test]
    fn items_have_the_field_numbers_of_the_contract() {
        let pool = DescriptorPool::decode(proto::FILE_DESCRIPTOR_SET).expect("the contract can be decoded");
        for (message, suffix) in [("arbiter.v1.Call", "Request"), ("arbiter.v1.Answer", "Response")] {
            let message = pool.get_message_by_name(message).expect("the contract has the message");
            for method in Method::ALL.into_iter().take_while(|method| *method != Method::SuggestMove) {
                let field = message.get_field(field_number(method)).expect("each method has a field");
                let kind = field.kind();
                let kind = kind.as_message().expect("the field is a message").name();
                assert_eq!(kind, format!("{}{suffix}", method.name()));
            }
        }
    }
}
