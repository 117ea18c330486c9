//! The call record: counts, times, logs and traces a call, once, when it ends.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue};
use tokio::time::Instant;
use tonic::Code;
use tracing::{Level, level_filters::LevelFilter};

use super::{
    log_limiter::LogLimiter,
    metrics::{Metrics, code_name},
    request_id::REQUEST_ID,
    traces::{TraceContext, TraceId, Traces},
};
use crate::{
    server::{admission::Client, protocol::Arrival},
    service::{CallOutcome, GameId, Method},
    wire::{Refusal, proto::ErrorReason},
};

/// Where call records go.
#[derive(Clone)]
pub(in crate::server) struct Telemetry(Arc<Sinks>);

struct Sinks {
    metrics: Arc<Metrics>,
    traces: Option<Traces>,
    log_limiter: Arc<LogLimiter>,
}

impl Telemetry {
    pub(in crate::server) fn new(
        metrics: Arc<Metrics>,
        traces: Option<Traces>,
        log_limiter: Arc<LogLimiter>,
    ) -> Self {
        Self(Arc::new(Sinks { metrics, traces, log_limiter }))
    }
}

/// A call from its arrival on. One that is dropped unfinished was cancelled: by its client, or with its connection.
pub(in crate::server) struct CallRecord {
    /// None once the outcome is recorded.
    telemetry: Option<Telemetry>,
    client: Arc<Client>,
    /// None: not in the contract.
    method: Option<Method>,
    arrived: Instant,
    request_id: Option<HeaderValue>,
    trace: Option<TraceContext>,
}

impl CallRecord {
    pub(in crate::server) fn start(
        telemetry: &Telemetry,
        method: Option<Method>,
        headers: &HeaderMap,
        arrival: &Arrival,
    ) -> Self {
        let arrived = arrival.at;
        Self {
            method,
            arrived,
            client: arrival.connection.client().clone(),
            request_id: headers.get(&REQUEST_ID).cloned(),
            trace: telemetry.0.traces.as_ref().map(|_| TraceContext::extract(headers, arrived)),
            telemetry: Some(telemetry.clone()),
        }
    }

    /// Sets the client of a call with a token. Without one, the client is that of the connection.
    pub(in crate::server) fn set_client(&mut self, client: &Arc<Client>) {
        self.client = client.clone();
    }

    /// Records the outcome.
    pub(in crate::server) fn finish(mut self, outcome: CallOutcome) {
        self.record(outcome);
    }

    fn record(&mut self, outcome: CallOutcome) {
        let Some(Telemetry(sinks)) = self.telemetry.take() else { return };
        let duration = self.arrived.elapsed();
        sinks.metrics.call_completed(self.method, outcome);
        // A stream lasts as long as its client likes.
        if let Some(method) = self.method.filter(|method| *method != Method::Evaluate) {
            sinks.metrics.observe_duration(method, duration);
        }
        let traced = sinks.traces.as_ref().zip(self.trace.as_ref());
        let trace_id = traced
            .map(|(traces, context)| traces.export(context, self.method_name(), self.request_id(), outcome));
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.log(&sinks.log_limiter, outcome, micros, trace_id);
    }

    /// Logs one line per call. The level depends on who caused the outcome. A state is never logged: it may hold hidden cards.
    fn log(&self, limiter: &LogLimiter, outcome: CallOutcome, micros: u64, trace_id: Option<TraceId>) {
        let (request_id, method) = (self.request_id(), self.method_name());
        let trace_id = trace_id.map(tracing::field::display);
        let (game, code) = (outcome.game.map_or("none", GameId::name), code_name(outcome.code));
        if outcome.code == Code::Ok {
            tracing::debug!(request_id, trace_id, method, game, code, micros, "call completed");
            return;
        }
        let level = match outcome.reason {
            ErrorReason::InternalFault => Level::ERROR,
            ErrorReason::Overloaded | ErrorReason::DeadlineExceeded | ErrorReason::ShuttingDown => {
                Level::WARN
            }
            _ => Level::INFO,
        };
        if level > LevelFilter::current() || !limiter.allows(&self.client) {
            return;
        }
        let reason = outcome.reason.as_str_name();
        match level {
            Level::ERROR => {
                tracing::error!(request_id, trace_id, method, game, code, reason, micros, "call failed");
            }
            Level::WARN => {
                tracing::warn!(request_id, trace_id, method, game, code, reason, micros, "call refused");
            }
            _ if outcome.code == Code::Cancelled => {
                tracing::info!(request_id, trace_id, method, game, code, micros, "call cancelled");
            }
            _ => tracing::info!(request_id, trace_id, method, game, code, reason, micros, "call refused"),
        }
    }

    fn method_name(&self) -> &'static str {
        self.method.map_or("unknown", Method::name)
    }

    fn request_id(&self) -> &str {
        self.request_id.as_ref().and_then(|id| id.to_str().ok()).unwrap_or("none")
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        if self.telemetry.is_some() {
            self.record(CallOutcome::refused(&Refusal::cancelled()));
        }
    }
}
