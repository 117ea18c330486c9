//! `EvaluateBatch` and `Evaluate`: many calls in one message, or in one stream.

use std::{
    convert::Infallible,
    future::{Future, ready},
    pin::Pin,
    task::{Context, Poll, ready},
};

use prost::{Message, length_delimiter_len};
use tokio::{
    task::{JoinHandle, spawn, yield_now},
    time::{Instant, Sleep, sleep_until},
};
use tokio_stream::Stream;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::{Request, Response, Status, Streaming, body::Body, codec::CompressionEncoding};
use tower::service_fn;

use super::{CallOutcome, CallResult, Method, Referee, TimeSlice, UnaryRequest, check_items, guarded, run};
use crate::wire::{
    Codec, GameRequest, Items, Path, Refusal, Violations, encode_answer, encode_refusal, proto, read_call,
    refusal_of,
};

impl Referee {
    /// Answers a batch.
    pub(super) async fn evaluate_batch(&self, request: UnaryRequest) -> CallResult {
        let grpc = tonic::server::Grpc::new(Codec::default())
            .accept_compressed(CompressionEncoding::Gzip)
            .send_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(self.limits.batch_bytes);
        let mut bytes = 0;
        let size = &mut bytes;
        let mut result = run(grpc, request, |calls: Items| async move {
            let answers = self.evaluate_all(&calls).await?;
            *size = answers.bytes();
            Ok(answers)
        })
        .await;
        result.bytes = bytes;
        result
    }

    async fn evaluate_all(&self, calls: &Items) -> Result<Items, Refusal> {
        let max_bytes = self.limits.batch_response_bytes;
        check_items("calls", calls.len(), self.limits.batch_items)?;
        let no_room = encode_refusal(Refusal::answer_too_large());
        let no_room_size = size_in_batch(&no_room);
        let mut slice = TimeSlice::default();
        // Answers are about as long as calls, and seldom much longer.
        let mut answers = Items::with_capacity(max_bytes.min(calls.bytes() * 3 / 2));
        let mut remaining = calls.len();
        // Each remaining call must at least get the answer that there is no room for its own.
        let fits = |used: usize, remaining: usize| used + remaining * no_room_size <= max_bytes;
        let mut is_full = !fits(0, remaining);
        for call in calls.iter() {
            remaining -= 1;
            // After the first answer that does not fit, no further call is evaluated.
            let answer = if is_full { None } else { Some(guarded(|| Ok(self.evaluate_encoded(call)))?) };
            let answer = answer.filter(|answer| fits(answers.bytes() + size_in_batch(answer), remaining));
            is_full = answer.is_none();
            let answer = answer.as_deref().unwrap_or(&no_room);
            answers.push(answer);
            slice.yield_after(call.len() + answer.len()).await;
        }
        Ok(answers)
    }

    /// Decodes an item of a batch and answers it.
    fn evaluate_encoded(&self, call: &[u8]) -> Vec<u8> {
        match read_call(call, self.limits.message_bytes) {
            Ok(call) => self.evaluate_item(&call),
            Err(refusal) => encode_refusal(refusal),
        }
    }

    /// Answers an item by the handler of its method.
    pub(super) fn item<Q: GameRequest, A: Message>(
        &self,
        method: Method,
        request: &Q,
        handler: impl FnOnce(&Self, &Q) -> Result<A, Refusal>,
    ) -> Vec<u8> {
        let response = guarded(|| handler(self, request));
        self.items.item_answered(method, CallOutcome::new(request.game(), response.as_ref().err()));
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
        context: StreamContext,
    ) -> Result<http::Response<Body>, Refusal> {
        let mut context = Some(context);
        let service = service_fn(|request: Request<Streaming<proto::EvaluateRequest>>| {
            let context = context.take();
            ready(Ok(Response::new(EvaluateResponses::new(self.clone(), request.into_inner(), context))))
        });
        let response = tonic::server::Grpc::new(Codec::default())
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

/// How many bytes an answer takes in its batch: its own, its key and its length.
fn size_in_batch(answer: &[u8]) -> usize {
    1 + length_delimiter_len(answer.len()) + answer.len()
}

/// What the server passes to an `Evaluate` stream.
pub struct StreamContext {
    /// The caller's deadline, if there is one.
    pub deadline: Option<Instant>,
    /// Called with the outcome when the stream ends. Dropped without a call if the client cancels the stream.
    pub on_end: Box<dyn FnOnce(CallOutcome) + Send>,
}

/// The responses of an `Evaluate` stream. A request is read only when its response is polled for, so a client that does
/// not read its responses is not read from either: this is the backpressure of a stream.
///
/// It is polled by hand because an `async` block per item cannot: tonic polls for item after item, and creating and
/// registering a future for the shutdown, the deadline and the next request each time would cost more than most items.
pub struct EvaluateResponses {
    referee: Referee,
    /// None once the stream has ended.
    requests: Option<Streaming<proto::EvaluateRequest>>,
    deadline: Option<Pin<Box<Sleep>>>,
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
    /// None while waiting for a request.
    slice: Option<TimeSlice>,
    /// Other tasks run until this one is done.
    yielded: Option<JoinHandle<()>>,
    context: Option<StreamContext>,
}

impl EvaluateResponses {
    fn new(
        referee: Referee,
        requests: Streaming<proto::EvaluateRequest>,
        context: Option<StreamContext>,
    ) -> Self {
        let deadline = context.as_ref().and_then(|context| context.deadline);
        Self {
            closing: Box::pin(referee.closing.clone().cancelled_owned()),
            referee,
            requests: Some(requests),
            deadline: deadline.map(|deadline| Box::pin(sleep_until(deadline))),
            slice: None,
            yielded: None,
            context,
        }
    }

    /// Ends the stream, with a refusal or without.
    fn end(&mut self, refusal: Option<Refusal>) -> Poll<Option<<Self as Stream>::Item>> {
        self.requests = None;
        if let Some(context) = self.context.take() {
            // Each item may be of another game.
            (context.on_end)(CallOutcome::new(None, refusal.as_ref()));
        }
        Poll::Ready(refusal.map(|refusal| Err(refusal.into())))
    }
}

impl Stream for EvaluateResponses {
    type Item = Result<proto::EvaluateResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.referee.closing.is_cancelled() && self.requests.is_some() {
            return self.end(Some(Refusal::shutting_down()));
        }
        if self.slice.take_if(|slice| slice.is_used_up()).is_some() {
            // Yields to the other tasks and to the connection, which sends the responses so far. Waking this task at once
            // would not do: only a task of its own is pending until sockets were polled.
            self.yielded = Some(spawn(yield_now()));
        }
        if let Some(yielded) = &mut self.yielded {
            let _ = ready!(Pin::new(yielded).poll(context));
            self.yielded = None;
        }
        let Some(requests) = self.requests.as_mut() else {
            return Poll::Ready(None);
        };
        let next = Pin::new(requests).poll_next(context);
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(context).is_ready()
        {
            return self.end(Some(Refusal::deadline_exceeded()));
        }
        match next {
            Poll::Ready(Some(Ok(request))) => {
                self.slice.get_or_insert_default();
                let answer = self.referee.evaluate_item(&request.call.unwrap_or_default());
                Poll::Ready(Some(Ok(proto::EvaluateResponse { answer })))
            }
            Poll::Ready(Some(Err(status))) => {
                let refusal = refusal_of(&status).unwrap_or_else(Refusal::cancelled);
                self.end(Some(refusal))
            }
            Poll::Ready(None) => self.end(None),
            Poll::Pending if self.closing.as_mut().poll(context).is_ready() => {
                self.end(Some(Refusal::shutting_down()))
            }
            Poll::Pending => {
                self.slice = None;
                Poll::Pending
            }
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
            for method in Method::ALL.into_iter().filter(|method| !method.name().starts_with("Evaluate")) {
                let field = message.get_field(field_number(method)).expect("each method has a field");
                let kind = field.kind();
                let kind = kind.as_message().expect("the field is a message").name();
                assert_eq!(kind, format!("{}{suffix}", method.name()));
            }
        }
    }
}
