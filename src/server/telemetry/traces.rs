//! Traces: one span per call, exported over OTLP, as a child of the caller's span.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
pub(super) use opentelemetry::trace::TraceId;
use opentelemetry::{
    Context, KeyValue,
    propagation::{Extractor, TextMapPropagator},
    trace::{Span, SpanKind, Status, Tracer, TracerProvider},
};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{Sampler, SdkTracer, SdkTracerProvider},
};
use tokio::time::Instant;
use tonic::Code;

use super::metrics::code_name;
use crate::{
    config::Traces as Config,
    service::{CallOutcome, GameId},
    wire::proto::SERVICE_NAME,
};

/// How long the export of the last spans may take at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The exporter of spans.
#[derive(Clone)]
pub(in crate::server) struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

/// What a span needs from the arrival of its call.
pub(super) struct TraceContext {
    parent: Context,
    started: SystemTime,
}

impl TraceContext {
    /// Extracts the caller's span (W3C Trace Context), if there is a valid one.
    pub(super) fn extract(headers: &HeaderMap, arrived: Instant) -> Self {
        let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &Headers(headers));
        Self { parent, started: SystemTime::now() - arrived.elapsed() }
    }
}

impl Traces {
    /// Starts the exporter, if it is configured. Must be called within a runtime, which then exports. The collector need not
    /// be reachable yet.
    pub(in crate::server) fn start(config: &Config) -> Result<Option<Self>, ExporterBuildError> {
        let Some(endpoint) = &config.otlp_endpoint else { return Ok(None) };
        let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint.to_string()).build()?;
        let resource = Resource::builder()
            .with_service_name(env!("CARGO_PKG_NAME"))
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        // The caller decides whether its call is sampled. The ratio applies to calls without a caller's span.
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(config.otlp_sampling)));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .with_sampler(sampler)
            .build();
        let tracer = provider.tracer(env!("CARGO_PKG_NAME"));
        Ok(Some(Self { provider, tracer }))
    }

    /// Exports the span of a call that has ended, and returns the id of its trace.
    pub(super) fn export(
        &self,
        context: &TraceContext,
        method: &str,
        request_id: &str,
        outcome: CallOutcome,
    ) -> TraceId {
        let name = format!("{SERVICE_NAME}/{method}");
        let mut attributes = vec![
            KeyValue::new("rpc.system.name", "grpc"),
            KeyValue::new("rpc.method", name.clone()),
            KeyValue::new("rpc.response.status_code", code_name(outcome.code)),
            KeyValue::new("arbiter.request_id", request_id.to_owned()),
        ];
        attributes.extend(outcome.game.map(|game| KeyValue::new("arbiter.game", GameId::name(game))));
        let mut span = self
            .tracer
            .span_builder(name)
            .with_kind(SpanKind::Server)
            .with_start_time(context.started)
            .with_attributes(attributes)
            .start_with_context(&self.tracer, &context.parent);
        if is_server_error(outcome.code) {
            span.set_status(Status::error(code_name(outcome.code)));
        }
        span.end();
        span.span_context().trace_id()
    }

    /// Exports the remaining spans.
    pub(in crate::server) async fn shutdown(self) {
        // It blocks, and the runtime that exports must keep running.
        let finished =
            tokio::task::spawn_blocking(move || self.provider.shutdown_with_timeout(SHUTDOWN_TIMEOUT));
        if let Ok(Err(error)) = finished.await {
            tracing::warn!(%error, "the last spans were not exported");
        }
    }
}

/// Whether the semantic conventions of OpenTelemetry count a status as an error of the server.
fn is_server_error(code: Code) -> bool {
    matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    )
}

/// Whether a text starts like every version of `traceparent`: 2, 32, 16 and 2 hexadecimal digits.
fn is_traceparent(text: &str) -> bool {
    let mut parts = text.split('-');
    [2, 32, 16, 2].into_iter().all(|length| {
        parts
            .next()
            .is_some_and(|part| part.len() == length && part.bytes().all(|digit| digit.is_ascii_hexdigit()))
    })
}

/// The headers of a request, for the propagator.
struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.get(key)?.to_str().ok()?;
        // The propagator itself accepts ids of any length.
        (key != "traceparent" || is_traceparent(value)).then_some(value)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}
