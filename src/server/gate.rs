//! Where every call passes: it is written down, bounded in time and number, sent to its service, and what the
//! transport itself refuses is put into our own terms.

use std::{
    convert::Infallible,
    error::Error,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, Request, Response};
use tokio::time::{Instant, Sleep, sleep_until};
use tonic::{Code, Status, body::Body};
use tower::Service;

use super::{
    SERVICE,
    admission::{Admission, Held},
    metrics::Metrics,
    record::{Ending, Ledger, Record, listening},
    services::{RulesServices, Services},
    tokens::Tokens,
    unread::Attended,
};
use crate::{
    config::Limits,
    service::{Lease, Method, StreamObserver},
    wire::{Refusal, proto::ErrorReason, translate},
};

/// The answer of a service, when it is there.
type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// What an answer holds until it has been sent: its place among the calls under way.
pub(super) type Place = Option<Admission<Gate>>;

/// The way in for every call of every connection, whatever its protocol.
#[derive(Clone)]
pub(super) struct Gate(Arc<Inner>);

struct Inner {
    rules: RulesServices,
    others: Services,
    tokens: Option<Tokens>,
    ledger: Arc<Ledger>,
    limits: Limits,
}

impl Gate {
    pub(super) fn new(
        rules: RulesServices,
        others: Services,
        tokens: Option<Tokens>,
        ledger: Ledger,
        limits: Limits,
    ) -> Self {
        Self(Arc::new(Inner { rules, others, tokens, ledger: Arc::new(ledger), limits }))
    }

    /// Answers a call that came as gRPC: one of the referee's, or one of a service beside it.
    pub(super) fn call(&self, request: Request<Attended>) -> Passage {
        self.pass(request, |others, request| {
            let (service, _) = split_path(request.uri().path());
            Ok(others.find(service).ok_or_else(no_such_service)?.call(request.map(Body::new)))
        })
    }

    /// Answers a call of the referee's that came by another protocol and was put into the terms of gRPC.
    pub(super) fn call_translated(&self, request: Request<Body>) -> Passage {
        self.pass(request, |_, _| Err(no_such_service()))
    }

    /// Lets a call of a service go on if it shows a token, or needs none.
    pub(super) fn admit(&self, service: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        self.0.tokens.as_ref().map_or(Ok(()), |tokens| tokens.admit(service, headers))
    }

    /// Begins to write down a call of the referee's.
    pub(super) fn record(&self, method: Option<Method>, headers: &HeaderMap) -> Record {
        Record::begin(&self.0.ledger, method, headers)
    }

    fn pass<B>(&self, request: Request<B>, other: impl Other<B>) -> Passage
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>> + Send,
    {
        let record = match split_path(request.uri().path()) {
            (SERVICE, call) => Some(self.record(Method::by_name(call), request.headers())),
            _ => None,
        };
        let arrived = record.as_ref().map_or_else(Instant::now, Record::arrived);
        let mut call = Call { record, ending: None, deadline: arrived, timer: None, place: None };
        let answer = self.enter(request, arrived, &mut call, other);
        Passage { answer, call: Some(call) }
    }

    /// Lets a call in: one of the referee's if there is room for it, or an other.
    fn enter<B>(
        &self,
        mut request: Request<B>,
        arrived: Instant,
        call: &mut Call,
        other: impl Other<B>,
    ) -> Result<Answer, Refusal>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>> + Send,
    {
        let Inner { rules, others, limits, .. } = &*self.0;
        self.admit(split_path(request.uri().path()).0, request.headers())?;
        let asked = timeout(request.headers())?;
        call.deadline = arrived + asked.unwrap_or(Duration::MAX).min(limits.call_timeout);
        let Some(record) = &call.record else {
            return other(others, request);
        };
        let method = record.method();
        let place = Admission::new(self.clone(), method == Some(Method::EvaluateBatch), limits)?;
        Ok(match method {
            Some(Method::Evaluate) => {
                // A stream is answered at once; what follows lasts as long as its caller likes, and counts as long.
                let deadline = asked.and_then(|asked| arrived.checked_add(asked));
                let observer = Arc::new(Stream { record: record.clone(), _place: place });
                request.extensions_mut().insert(Lease { deadline, observer });
                rules.stream.clone().call(request)
            }
            Some(Method::EvaluateBatch) => {
                call.place = Some(place);
                rules.batch.clone().call(request)
            }
            _ => {
                call.place = Some(place);
                rules.single.clone().call(request)
            }
        })
    }
}

impl AsRef<Metrics> for Gate {
    fn as_ref(&self) -> &Metrics {
        &self.0.ledger.metrics
    }
}

/// Answers a call that is not the referee's.
trait Other<B>: FnOnce(&Services, Request<B>) -> Result<Answer, Refusal> {}
impl<B, F: FnOnce(&Services, Request<B>) -> Result<Answer, Refusal>> Other<B> for F {}

/// A stream of calls, until its end.
struct Stream {
    record: Record,
    _place: Admission<Gate>,
}

impl StreamObserver for Stream {
    fn stream_ended(&self, refusal: Option<&Refusal>) {
        self.record.close(Ending::of_stream(refusal));
    }
}

/// What is known of a call until it is answered.
struct Call {
    /// None: it is that of a service beside the referee, bounded in time, but not written down.
    record: Option<Record>,
    /// How it ended, once its handler has told.
    ending: Option<Ending>,
    deadline: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    place: Place,
}

impl Call {
    fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    fn poll_timer(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let deadline = self.deadline;
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
        answer.map(|body| Held::new(body, self.place))
    }

    fn refuse(self, refusal: Refusal) -> Response<Held<Place>> {
        self.close(Some(Ending::refused(&refusal)));
        Status::from(refusal).into_http().map(|body| Held::new(body, self.place))
    }

    /// Writes down how it ended, unless somebody else will: a stream goes on.
    fn close(&self, ending: Option<Ending>) {
        if let (Some(record), Some(ending)) = (&self.record, ending) {
            record.close(ending);
        }
    }
}

/// A call on its way through the gate.
pub(super) struct Passage {
    answer: Result<Answer, Refusal>,
    /// None once it is answered.
    call: Option<Call>,
}

impl Future for Passage {
    type Output = Result<Response<Held<Place>>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { answer, call } = &mut *self;
        let answer = match (answer, call.as_mut()) {
            (_, None) => return Poll::Pending,
            (Err(refusal), _) => Err(refusal.clone()),
            // A call whose time is over is not worked on.
            (_, Some(call)) if call.is_late() => Err(Refusal::deadline_exceeded()),
            (Ok(answer), Some(call)) => {
                let (polled, ending) = listening(|| answer.as_mut().poll(context));
                call.ending = call.ending.or(ending);
                match polled {
                    Poll::Ready(answer) => answer.map_err(|never| match never {}),
                    Poll::Pending if call.poll_timer(context).is_ready() => Err(Refusal::deadline_exceeded()),
                    Poll::Pending => return Poll::Pending,
                }
            }
        };
        let Some(call) = call.take() else { return Poll::Pending };
        Poll::Ready(Ok(match answer {
            Ok(answer) => call.finish(answer),
            Err(refusal) => call.refuse(refusal),
        }))
    }
}

impl Drop for Passage {
    /// A call that is dropped before it is answered was given up by its caller.
    fn drop(&mut self) {
        if let Some(call) = &self.call {
            call.close(Some(Ending::refused(&Refusal::cancelled())));
        }
    }
}

/// The service and the call that a path such as `/package.Service/Call` names.
pub(super) fn split_path(path: &str) -> (&str, &str) {
    path.strip_prefix('/').and_then(|path| path.split_once('/')).unwrap_or_default()
}

fn no_such_service() -> Refusal {
    Refusal::new(Code::Unimplemented, ErrorReason::CallNotAvailable, "there is no such service")
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

/// How much time the caller gives the call: `grpc-timeout`, up to eight digits and a unit.
fn timeout(headers: &HeaderMap) -> Result<Option<Duration>, Refusal> {
    let Some(value) = headers.get("grpc-timeout") else {
        return Ok(None);
    };
    parse_timeout(value.as_bytes()).map(Some).ok_or_else(|| {
        Refusal::new(
            Code::InvalidArgument,
            ErrorReason::MalformedRequest,
            "the header grpc-timeout is not a number of at most eight digits and a unit: H, M, S, m, u or n",
        )
    })
}

fn parse_timeout(value: &[u8]) -> Option<Duration> {
    let (unit, digits) = value.split_last()?;
    if !(1..=8).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    Some(match unit {
        b'H' => Duration::from_secs(number * 3600),
        b'M' => Duration::from_secs(number * 60),
        b'S' => Duration::from_secs(number),
        b'm' => Duration::from_millis(number),
        b'u' => Duration::from_micros(number),
        b'n' => Duration::from_nanos(number),
        _ => return None,
    })
}
