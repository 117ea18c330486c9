//! The way of a call through the gate: it is read, waits for its turn, and is answered. What the transport itself refuses is
//! put into our own terms.

use std::{
    convert::Infallible,
    error::Error,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::Either;
use tokio::time::{Instant, Sleep, sleep_until};
use tonic::{Status, body::Body};
use tower::Service;

use super::{
    admission::{Admission, Held},
    gate::Gate,
    line::{TooLate, Waiting},
    read_ahead::ReadAhead,
    record::{Ending, Record, listening},
    services::Rules,
    unread::Attended,
};
use crate::{
    service::AnswerBytes,
    wire::{Refusal, translate},
};

/// The answer of a service, when it is there.
pub(super) type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// What an answer holds until it has been sent: its place among the calls under way.
pub(super) type Place = Option<Admission<Gate>>;

/// The body of a request, whatever its protocol.
pub(super) trait RequestBody:
    http_body::Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>> + Send + Unpin>
    + Send
    + Unpin
    + 'static
{
    /// Whether it comes here as it was sent. One of gRPC then fails only if its caller gives it up.
    const IS_AS_SENT: bool;

    /// The body as a service takes it, once it is buffered.
    fn for_service(buffered: ReadAhead<Self>) -> ServiceBody
    where
        Self: Sized;
}

/// The body of a request as it is handed to a service: one type, so that the services are compiled once. The bodies of
/// unary gRPC calls, which are most, are not boxed.
pub(super) type ServiceBody = Either<ReadAhead<Attended>, Body>;

impl RequestBody for Attended {
    const IS_AS_SENT: bool = true;

    fn for_service(buffered: ReadAhead<Self>) -> ServiceBody {
        Either::Left(buffered)
    }
}

/// One that is put into the terms of gRPC, which it may not allow.
impl RequestBody for Body {
    const IS_AS_SENT: bool = false;

    fn for_service(buffered: ReadAhead<Self>) -> ServiceBody {
        Either::Right(Body::new(buffered))
    }
}

/// How far a call is.
#[allow(clippy::large_enum_variant, reason = "every call is coming first: a box would cost each")]
pub(super) enum Stage<B: RequestBody> {
    Refused(Refusal),
    Coming(Coming<B>),
    Answering(Answer),
}

/// Puts a request into the terms of gRPC, when its turn has come.
pub(super) type Translation<B> = Box<dyn FnOnce(ReadAhead<B>) -> Body + Send>;

/// The bytes before a message of gRPC: whether it is compressed, and its length.
pub(super) const PREFIX: usize = 5;

/// A call that is being read, and then waits for its turn.
pub(super) struct Coming<B: RequestBody> {
    /// None once its turn has come.
    request: Option<Request<ReadAhead<B>>>,
    /// None: it is in the terms of gRPC.
    translation: Option<Translation<B>>,
    service: Rules,
    /// The most bytes that its message may have.
    most: usize,
    /// Whether it had to be waited for.
    is_slow: bool,
    /// Since when all of it is there.
    since: Option<Instant>,
    /// None unless it stands in line.
    waiting: Option<Waiting>,
}

impl<B: RequestBody> Coming<B> {
    /// A call whose message may have so many bytes.
    pub(super) fn new(
        request: Request<B>,
        translation: Option<Translation<B>>,
        most: usize,
        service: Rules,
    ) -> Self {
        let framing = if translation.is_some() { 0 } else { PREFIX };
        let request = Some(request.map(|body| ReadAhead::new(body, most.saturating_add(framing))));
        Self { request, translation, service, most, is_slow: false, since: None, waiting: None }
    }

    /// Hands it to its service, once.
    fn begin(&mut self) -> Option<Answer> {
        let request = self.request.take()?;
        let translation = self.translation.take();
        Some(self.service.call(request.map(|body| match translation {
            Some(translate) => Either::Right(translate(body)),
            None => B::for_service(body),
        })))
    }

    /// Waits until the call has come, and its turn. How long it waits for its turn does not depend on how long it took to come.
    fn poll_turn(
        &mut self,
        call: &mut Call,
        now: Instant,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Refusal>> {
        let (Some(request), Some(place)) = (&mut self.request, &mut call.place) else {
            return Poll::Ready(Ok(()));
        };
        if self.since.is_none() {
            if request.body_mut().poll_come(context).is_pending() {
                self.is_slow = true;
                place.hold(request.body().held())?;
                return Poll::Pending;
            }
            if request.body().is_too_long() {
                return Poll::Ready(Err(Refusal::message_too_large(self.most)));
            }
            if B::IS_AS_SENT && self.translation.is_none() && request.body().has_failed() {
                return Poll::Ready(Err(Refusal::cancelled()));
            }
            self.since = Some(if self.is_slow { now } else { call.arrived });
        }
        // Others may hold more by now.
        place.hold(request.body().held())?;
        let waited = now.saturating_duration_since(self.since.unwrap_or(now));
        let method = call.record.as_ref().and_then(Record::method);
        let (line, longest) = (place.gate().line(method), place.gate().longest_wait(call.time));
        let turn = ready!(line.poll_turn(&mut self.waiting, now, waited, longest, context));
        place.begin(turn.map_err(|TooLate| Refusal::turn_too_late())?);
        Poll::Ready(Ok(()))
    }
}

/// What is known of a call until it is answered.
pub(super) struct Call {
    /// None: it is that of a service beside the referee, bounded in time, but not written down.
    pub(super) record: Option<Record>,
    /// How it ended, once its handler has told.
    ending: Option<Ending>,
    pub(super) arrived: Instant,
    /// How long it may take.
    pub(super) time: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    /// Whether its turn goes on when it is answered, until its answer has been put into other terms.
    pub(super) keeps_turn: bool,
    pub(super) place: Place,
}

impl Call {
    pub(super) fn new(record: Option<Record>, arrived: Instant) -> Self {
        Self {
            record,
            ending: None,
            arrived,
            time: Duration::MAX,
            timer: None,
            keeps_turn: false,
            place: None,
        }
    }

    fn poll_answer<B: RequestBody>(
        &mut self,
        stage: &mut Stage<B>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Response<Body>, Refusal>> {
        let now = Instant::now();
        if now.saturating_duration_since(self.arrived) >= self.time && !matches!(stage, Stage::Refused(_)) {
            // It is not worked on any more.
            return Poll::Ready(Err(Refusal::deadline_exceeded()));
        }
        if let Stage::Coming(coming) = stage {
            ready!(coming.poll_turn(self, now, context))?;
            if let Some(answer) = coming.begin() {
                *stage = Stage::Answering(answer);
            }
        }
        match stage {
            Stage::Refused(refusal) => Poll::Ready(Err(refusal.clone())),
            // It becomes an answer when its turn comes.
            Stage::Coming(_) => Poll::Pending,
            Stage::Answering(answer) => {
                let (polled, ending) = listening(|| answer.as_mut().poll(context));
                self.ending = self.ending.or(ending);
                polled.map(|answer| answer.map_err(|never| match never {}))
            }
        }
    }

    fn poll_timer(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let deadline = self.arrived + self.time;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        timer.as_mut().poll(context)
    }

    /// Lets the answer out. What never reached a service is put into our terms.
    fn finish(self, mut answer: Response<Body>) -> Response<Held<Place>> {
        let mut ending = self.ending;
        if let Some(refusal) = Status::from_header_map(answer.headers()).as_ref().and_then(translate) {
            ending = Some(Ending::refused(&refusal));
            write_status(answer.headers_mut(), refusal);
        }
        self.close(ending);
        let bytes = answer.extensions().get().map_or(0, |AnswerBytes(bytes)| *bytes);
        answer.map(|body| self.hold(body, bytes))
    }

    fn refuse(self, refusal: Refusal) -> Response<Held<Place>> {
        // One that could not even be read was told so before.
        self.close(self.ending.or_else(|| Some(Ending::refused(&refusal))));
        Status::from(refusal).into_http().map(|body| self.hold(body, 0))
    }

    /// The answer, which keeps its place until it has been sent.
    fn hold(mut self, answer: Body, bytes: usize) -> Held<Place> {
        match &mut self.place {
            Some(place) if self.keeps_turn => _ = place.keep(bytes),
            Some(place) => place.end(bytes),
            None => {}
        }
        Held::new(answer, self.place)
    }

    /// Writes down how it ended, unless somebody else will: a stream goes on.
    fn close(&self, ending: Option<Ending>) {
        if let (Some(record), Some(ending)) = (&self.record, ending) {
            record.close(ending);
        }
    }
}

/// A call on its way through the gate.
pub(super) struct Passage<B: RequestBody> {
    stage: Stage<B>,
    /// None once it is answered.
    call: Option<Call>,
}

impl<B: RequestBody> Passage<B> {
    pub(super) fn new(stage: Stage<B>, call: Call) -> Self {
        Self { stage, call: Some(call) }
    }
}

impl<B: RequestBody> Future for Passage<B> {
    type Output = Result<Response<Held<Place>>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { stage, call } = &mut *self;
        let Some(under_way) = call else { return Poll::Pending };
        let answer = match under_way.poll_answer(stage, context) {
            Poll::Ready(answer) => answer,
            Poll::Pending if under_way.poll_timer(context).is_ready() => Err(Refusal::deadline_exceeded()),
            Poll::Pending => return Poll::Pending,
        };
        let Some(call) = call.take() else { return Poll::Pending };
        Poll::Ready(Ok(match answer {
            Ok(answer) => call.finish(answer),
            Err(refusal) => call.refuse(refusal),
        }))
    }
}

impl<B: RequestBody> Drop for Passage<B> {
    /// A call that is dropped before it is answered was given up by its caller.
    fn drop(&mut self) {
        if let Some(call) = &self.call {
            call.close(Some(Ending::refused(&Refusal::cancelled())));
        }
    }
}

/// Replaces the status of an answer that has no body.
fn write_status(headers: &mut HeaderMap, refusal: Refusal) {
    for name in ["grpc-status", "grpc-message", "grpc-status-details-bin"] {
        headers.remove(name);
    }
    if let Err(status) = Status::from(refusal).add_header(headers) {
        tracing::error!(%status, "a status does not fit into headers");
    }
}
