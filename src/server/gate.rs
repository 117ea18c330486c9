//! Where every call passes: it is written down, bounded in time and number, and sent to its service.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, Request};
use http_body_util::Either;
use tokio::time::Instant;
use tonic::{Code, body::Body};
use tower::Service;

use super::{
    SERVICE,
    admission::Admission,
    line::Line,
    metrics::Metrics,
    passage::{Answer, Call, Coming, Passage, RequestBody, ServiceBody, Stage, Translation},
    record::{Ending, Ledger, Record},
    services::{RulesServices, Services},
    tokens::Tokens,
    unread::Attended,
};
use crate::{
    config::Limits,
    service::{Lease, Method, StreamObserver},
    wire::{Refusal, proto::ErrorReason},
};

/// The way in for every call of every connection, whatever its protocol.
#[derive(Clone)]
pub(super) struct Gate(Arc<Inner>);

struct Inner {
    rules: RulesServices,
    others: Services,
    tokens: Option<Tokens>,
    ledger: Arc<Ledger>,
    lines: Lines,
    limits: Limits,
}

/// Where calls wait for their turn.
struct Lines {
    calls: Line,
    replays: Line,
    batches: Line,
}

impl Gate {
    pub(super) fn new(
        rules: RulesServices,
        others: Services,
        tokens: Option<Tokens>,
        ledger: Ledger,
        limits: Limits,
    ) -> Self {
        let lines = Lines { calls: Line::of_calls(), replays: Line::of_calls(), batches: Line::of_batches() };
        Self(Arc::new(Inner { rules, others, tokens, ledger: Arc::new(ledger), lines, limits }))
    }

    /// Answers a call that came as gRPC: one of the referee's, or one of a service beside it.
    pub(super) fn call(&self, request: Request<Attended>) -> Passage<Attended> {
        self.pass(request, None, |others, request| {
            let (service, _) = split_path(request.uri().path());
            Ok(others.find(service).ok_or_else(no_such_service)?.call(request.map(Body::new)))
        })
    }

    /// Answers a call of the referee's that came as gRPC-Web and is put into the terms of gRPC as it comes.
    pub(super) fn call_web(&self, request: Request<Body>) -> Passage<Body> {
        self.pass(request, None, |_, _| Err(no_such_service()))
    }

    /// Answers a call of the referee's that came by another protocol, and is put into the terms of gRPC when its turn has
    /// come. The turn goes on until its place is told of the answer, in the terms that it came in.
    pub(super) fn call_translated(
        &self,
        request: Request<Attended>,
        translation: Translation<Attended>,
    ) -> Passage<Attended> {
        self.pass(request, Some(translation), |_, _| Err(no_such_service()))
    }

    /// Lets a call of a service go on if it shows a token, or needs none.
    pub(super) fn admit(&self, service: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        self.0.tokens.as_ref().map_or(Ok(()), |tokens| tokens.admit(service, headers))
    }

    /// Begins to write down a call of the referee's.
    pub(super) fn record(&self, method: Option<Method>, headers: &HeaderMap) -> Record {
        Record::begin(&self.0.ledger, method, headers)
    }

    fn pass<B: RequestBody>(
        &self,
        request: Request<B>,
        translation: Option<Translation<B>>,
        other: impl Other<B>,
    ) -> Passage<B> {
        let record = match split_path(request.uri().path()) {
            (SERVICE, call) => Some(self.record(Method::by_name(call), request.headers())),
            _ => None,
        };
        let arrived = record.as_ref().map_or_else(Instant::now, Record::arrived);
        let mut call = Call::new(record, arrived);
        let stage = self.enter(request, translation, &mut call, other).unwrap_or_else(Stage::Refused);
        Passage::new(stage, call)
    }

    /// Lets a call in: one of the referee's if there is room for it, or an other.
    fn enter<B: RequestBody>(
        &self,
        mut request: Request<B>,
        translation: Option<Translation<B>>,
        call: &mut Call,
        other: impl Other<B>,
    ) -> Result<Stage<B>, Refusal> {
        let Inner { rules, others, limits, .. } = &*self.0;
        self.admit(split_path(request.uri().path()).0, request.headers())?;
        let asked = timeout(request.headers())?;
        call.time = asked.unwrap_or(Duration::MAX).min(limits.call_timeout);
        let Some(record) = &call.record else {
            return other(others, request).map(Stage::Answering);
        };
        let method = record.method();
        let place = Admission::new(self.clone(), method == Some(Method::EvaluateBatch), limits)?;
        if method == Some(Method::Evaluate) {
            // A stream is answered at once; what follows lasts as long as its caller likes, and counts as long.
            let deadline = asked.and_then(|asked| call.arrived.checked_add(asked));
            let observer = Arc::new(Stream { record: record.clone(), _place: place });
            request.extensions_mut().insert(Lease { deadline, observer });
            return Ok(Stage::Answering(rules.stream.clone().call(boxed(request))));
        }
        call.place = Some(place);
        call.keeps_turn = translation.is_some();
        let (service, most) = match method {
            Some(Method::EvaluateBatch) => (&rules.batch, limits.max_batch_bytes),
            Some(_) => (&rules.single, limits.max_message_bytes),
            None => {
                let (_, name) = split_path(request.uri().path());
                return Err(Refusal::no_such_call(name, &Method::ALL.map(Method::name)));
            }
        };
        Ok(Stage::Coming(Coming::new(request, translation, most, service.clone())))
    }

    /// Where a call waits for its turn.
    pub(super) fn line(&self, method: Option<Method>) -> &Line {
        let Lines { calls, replays, batches } = &self.0.lines;
        match method {
            Some(Method::EvaluateBatch) => batches,
            Some(Method::ReplayGame) => replays,
            _ => calls,
        }
    }

    /// How long a call may wait for its turn that has so much time.
    pub(super) fn longest_wait(&self, time: Duration) -> Duration {
        self.0.limits.max_wait.min(time / 2)
    }
}

impl AsRef<Metrics> for Gate {
    fn as_ref(&self) -> &Metrics {
        &self.0.ledger.metrics
    }
}

fn boxed<B: RequestBody>(request: Request<B>) -> Request<ServiceBody> {
    request.map(|body| Either::Right(Body::new(body)))
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

/// The service and the call that a path such as `/package.Service/Call` names.
pub(super) fn split_path(path: &str) -> (&str, &str) {
    path.strip_prefix('/').and_then(|path| path.split_once('/')).unwrap_or_default()
}

fn no_such_service() -> Refusal {
    Refusal::new(Code::Unimplemented, ErrorReason::CallNotAvailable, "there is no such service")
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
