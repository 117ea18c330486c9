//! Where every call passes: it is counted, bounded in time and number, sent to its service, and what the transport
//! itself refuses is put into our own terms.

use std::{
    convert::Infallible,
    future::{Future, ready},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, Request, Response};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep_until};
use tonic::{Code, Status, body::Body};
use tower::Service;

use super::{
    SERVICE,
    metrics::Metrics,
    services::{RulesServices, Services},
};
use crate::{
    config::Limits,
    service::{Lease, Method},
    wire::{Refusal, proto::ErrorReason, translate},
};

/// The answer to a call, when it is there.
pub(super) type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// The way in for every call of every connection.
#[derive(Clone)]
pub(super) struct Gate(Arc<Inner>);

struct Inner {
    rules: RulesServices,
    others: Services,
    metrics: Arc<Metrics>,
    limits: Limits,
}

impl Gate {
    pub(super) fn new(rules: RulesServices, others: Services, metrics: Arc<Metrics>, limits: Limits) -> Self {
        Self(Arc::new(Inner { rules, others, metrics, limits }))
    }
}

impl hyper::service::Service<Request<Incoming>> for Gate {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Passage;

    fn call(&self, request: Request<Incoming>) -> Passage {
        let (service, call) = split_path(request.uri().path());
        if service != SERVICE {
            return Passage::unbounded(match self.0.others.find(service) {
                Some(mut service) => service.call(request),
                None => refused(no_such_service()),
            });
        }
        let method = Method::ALL.into_iter().find(|method| method.name() == call);
        self.admit(method, request).unwrap_or_else(|refusal| {
            self.0.metrics.call_refused(method, &refusal);
            Passage::unbounded(refused(refusal))
        })
    }
}

impl Gate {
    /// Lets a call of the referee in if there is room for it, and bounds its time.
    fn admit(&self, method: Option<Method>, mut request: Request<Incoming>) -> Result<Passage, Refusal> {
        let Inner { rules, limits, .. } = &*self.0;
        let admission = Admission::new(&self.0)?;
        let arrived = Instant::now();
        let asked = timeout(request.headers())?;
        let answer = match method {
            Some(Method::Evaluate) => {
                // A stream is answered at once; what follows lasts as long as its caller likes, and counts as long.
                request.extensions_mut().insert(Lease {
                    deadline: asked.and_then(|asked| arrived.checked_add(asked)),
                    held: Arc::new(admission),
                });
                return Ok(Passage::unbounded(rules.batch.clone().call(request)));
            }
            Some(Method::EvaluateBatch) => rules.batch.clone().call(request),
            _ => rules.single.clone().call(request),
        };
        let bounds = Bounds {
            method,
            arrived,
            deadline: arrived + asked.unwrap_or(Duration::MAX).min(limits.call_timeout),
            timer: None,
            admission,
        };
        Ok(Passage { answer, bounds: Some(bounds) })
    }
}

/// A call on its way through the gate.
pub(super) struct Passage {
    answer: Answer,
    /// What holds for unary calls of the referee, until they are answered.
    bounds: Option<Bounds>,
}

struct Bounds {
    method: Option<Method>,
    arrived: Instant,
    deadline: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    admission: Admission,
}

impl Passage {
    fn unbounded(answer: Answer) -> Self {
        Self { answer, bounds: None }
    }
}

impl Future for Passage {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { answer, bounds } = &mut *self;
        let Some(call) = bounds else {
            return answer.as_mut().poll(context);
        };
        // A call whose time is over is not worked on.
        if call.is_late() {
            return Poll::Ready(Ok(self.refuse(Refusal::deadline_exceeded())));
        }
        match answer.as_mut().poll(context) {
            Poll::Ready(Ok(answer)) => Poll::Ready(Ok(self.finish(answer))),
            Poll::Pending if call.poll_timer(context).is_ready() => {
                Poll::Ready(Ok(self.refuse(Refusal::deadline_exceeded())))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Bounds {
    fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    fn poll_timer(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let deadline = self.deadline;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        timer.as_mut().poll(context)
    }

    fn metrics(&self) -> &Metrics {
        &self.admission.0.metrics
    }
}

impl Passage {
    /// Lets the answer out. One that never reached the service is put into our terms.
    fn finish(&mut self, mut answer: Response<Body>) -> Response<Body> {
        let Some(call) = self.bounds.take() else {
            return answer;
        };
        if let Some(refusal) = Status::from_header_map(answer.headers()).as_ref().and_then(translate) {
            call.metrics().call_refused(call.method, &refusal);
            write_status(answer.headers_mut(), refusal);
        }
        if let Some(method) = call.method {
            call.metrics().call_took(method, call.arrived.elapsed());
        }
        answer
    }

    fn refuse(&mut self, refusal: Refusal) -> Response<Body> {
        if let Some(call) = self.bounds.take() {
            call.metrics().call_refused(call.method, &refusal);
        }
        Status::from(refusal).into_http()
    }
}

impl Drop for Passage {
    /// A call that is dropped before it is answered was given up by its caller.
    fn drop(&mut self) {
        if let Some(call) = self.bounds.take() {
            call.metrics().call_refused(call.method, &Refusal::cancelled());
        }
    }
}

/// A place among the calls under way, given back when it is dropped.
struct Admission(Arc<Inner>);

impl Admission {
    fn new(gate: &Arc<Inner>) -> Result<Self, Refusal> {
        let in_flight = gate.metrics.call_begins();
        let admission = Self(gate.clone());
        if usize::try_from(in_flight).is_ok_and(|calls| calls <= gate.limits.max_in_flight.get()) {
            Ok(admission)
        } else {
            Err(Refusal::overloaded())
        }
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.0.metrics.call_ends();
    }
}

/// The service and the call that a path such as `/package.Service/Call` names.
fn split_path(path: &str) -> (&str, &str) {
    path.strip_prefix('/').and_then(|path| path.split_once('/')).unwrap_or_default()
}

fn no_such_service() -> Refusal {
    Refusal::new(Code::Unimplemented, ErrorReason::CallNotAvailable, "there is no such service")
}

fn refused(refusal: Refusal) -> Answer {
    Box::pin(ready(Ok(Status::from(refusal).into_http())))
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
