//! What is written down of a call, once, when it is over: it is counted, timed, logged and traced.

use std::{cell::Cell, sync::Arc};

use http::{HeaderMap, HeaderValue};
use tokio::time::Instant;
use tonic::Code;

use super::{
    metrics::{Metrics, code_name},
    request_id::REQUEST_ID,
    traces::{Trace, TraceId, Traces},
};
use crate::{
    service::{GameId, Method, Observer},
    wire::{Refusal, proto::ErrorReason},
};

/// Where it is written to.
pub(super) struct Ledger {
    pub(super) metrics: Arc<Metrics>,
    pub(super) traces: Option<Traces>,
}

/// A call of the referee's, from its arrival on.
#[derive(Clone)]
pub(super) struct Record {
    ledger: Arc<Ledger>,
    /// None: the contract has no such call.
    method: Option<Method>,
    arrived: Instant,
    id: Option<HeaderValue>,
    trace: Option<Trace>,
}

/// How a call ended.
#[derive(Clone, Copy)]
pub(super) struct Ending {
    pub(super) game: Option<GameId>,
    pub(super) code: Code,
    reason: ErrorReason,
}

impl Ending {
    fn of(game: Option<GameId>, refusal: Option<&Refusal>) -> Self {
        match refusal {
            Some(refusal) => Self { game, code: refusal.code(), reason: refusal.reason() },
            None => Self { game, code: Code::Ok, reason: ErrorReason::Unspecified },
        }
    }

    /// A call that was refused before anybody saw which game it is of.
    pub(super) fn refused(refusal: &Refusal) -> Self {
        Self::of(None, Some(refusal))
    }

    /// A stream: each of its calls may be of another game.
    pub(super) fn of_stream(refusal: Option<&Refusal>) -> Self {
        Self::of(None, refusal)
    }
}

impl Record {
    pub(super) fn begin(ledger: &Arc<Ledger>, method: Option<Method>, headers: &HeaderMap) -> Self {
        Self {
            method,
            arrived: Instant::now(),
            id: headers.get(&REQUEST_ID).cloned(),
            trace: ledger.traces.as_ref().map(|_| Trace::begin(headers)),
            ledger: ledger.clone(),
        }
    }

    pub(super) fn method(&self) -> Option<Method> {
        self.method
    }

    pub(super) fn arrived(&self) -> Instant {
        self.arrived
    }

    /// Writes down how the call ended. To be done once.
    pub(super) fn close(&self, ending: Ending) {
        let Self { ledger, method, .. } = self;
        let took = self.arrived.elapsed();
        ledger.metrics.call_answered(*method, ending);
        // A stream takes as long as its caller likes.
        if let Some(method) = method.filter(|method| *method != Method::Evaluate) {
            ledger.metrics.call_took(method, took);
        }
        let traced = ledger.traces.as_ref().zip(self.trace.as_ref());
        let trace_id = traced.map(|(traces, trace)| traces.end(trace, self.method_name(), self.id(), ending));
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.log(ending, micros, trace_id);
    }

    /// One line a call, its level by who caused it. Never the state: it may hold hidden cards.
    fn log(&self, ending: Ending, micros: u64, trace_id: Option<TraceId>) {
        let (request_id, method) = (self.id(), self.method_name());
        let trace_id = trace_id.map(tracing::field::display);
        let (game, code) = (ending.game.map_or("none", GameId::name), code_name(ending.code));
        if ending.code == Code::Ok {
            tracing::debug!(request_id, trace_id, method, game, code, micros, "answered");
            return;
        }
        let reason = ending.reason.as_str_name();
        match ending.reason {
            ErrorReason::InternalFault => {
                tracing::error!(request_id, trace_id, method, game, code, reason, micros, "failed");
            }
            ErrorReason::Overloaded | ErrorReason::DeadlineExceeded | ErrorReason::ShuttingDown => {
                tracing::warn!(request_id, trace_id, method, game, code, reason, micros, "refused");
            }
            _ if ending.code == Code::Cancelled => {
                tracing::info!(request_id, trace_id, method, game, code, micros, "given up by its caller");
            }
            _ => tracing::info!(request_id, trace_id, method, game, code, reason, micros, "refused"),
        }
    }

    fn method_name(&self) -> &'static str {
        self.method.map_or("unknown", Method::name)
    }

    fn id(&self) -> &str {
        self.id.as_ref().and_then(|id| id.to_str().ok()).unwrap_or("none")
    }
}

tokio::task_local! {
    /// How the call that is being worked on ended, once somebody has told.
    static TOLD: Cell<Option<Ending>>;
}

/// Works on a call for a while. Answers with how it ended too, if somebody has told so meanwhile.
pub(super) fn listening<T>(work: impl FnOnce() -> T) -> (T, Option<Ending>) {
    TOLD.sync_scope(Cell::new(None), || (work(), TOLD.with(Cell::get)))
}

/// Tells how the call that is being worked on ended.
pub(super) fn tell(ending: Ending) {
    // Nobody works on a call without listening.
    let _ = TOLD.try_with(|told| told.set(Some(ending)));
}

/// Whom the handlers tell.
#[derive(Clone)]
pub(super) struct Listener(pub(super) Arc<Metrics>);

impl Observer for Listener {
    fn call_answered(&self, game: Option<GameId>, refusal: Option<&Refusal>) {
        tell(Ending::of(game, refusal));
    }

    fn item_answered(&self, method: Method, game: Option<GameId>, refusal: Option<&Refusal>) {
        self.0.item_answered(method, Ending::of(game, refusal));
    }
}
