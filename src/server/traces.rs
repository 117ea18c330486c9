//! A span for every call, sent by OTLP to whoever collects them, below the span of its caller.

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
use tonic::Code;

use super::{SERVICE, metrics::code_name, record::Ending};
use crate::{config::Traces as Config, service::GameId};

/// How long the last spans have to be sent when the server ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// Where spans are sent.
#[derive(Clone)]
pub(super) struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

/// What is known of a span when its call arrives.
#[derive(Clone)]
pub(super) struct Trace {
    caller: Context,
    began: SystemTime,
}

impl Trace {
    /// Takes over the caller's span (W3C Trace Context), if it sent one that can be read.
    pub(super) fn begin(headers: &HeaderMap) -> Self {
        let caller = TraceContextPropagator::new().extract_with_context(&Context::new(), &Headers(headers));
        Self { caller, began: SystemTime::now() }
    }
}

impl Traces {
    /// Starts to send spans, if it is configured. Must be called within a runtime, which then sends them: nobody
    /// needs to listen yet.
    pub(super) fn start(config: &Config) -> Result<Option<Self>, ExporterBuildError> {
        let Some(endpoint) = &config.otlp_endpoint else { return Ok(None) };
        let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint.to_string()).build()?;
        let resource = Resource::builder()
            .with_service_name(env!("CARGO_PKG_NAME"))
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        // Whether a call is traced is its caller's choice; of those without a caller's span, a share is.
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(config.otlp_sampling)));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .with_sampler(sampler)
            .build();
        let tracer = provider.tracer(env!("CARGO_PKG_NAME"));
        Ok(Some(Self { provider, tracer }))
    }

    /// Ends the span of a call, and tells of which trace it is.
    pub(super) fn end(&self, trace: &Trace, method: &str, request_id: &str, ending: Ending) -> TraceId {
        let name = format!("{SERVICE}/{method}");
        let mut attributes = vec![
            KeyValue::new("rpc.system.name", "grpc"),
            KeyValue::new("rpc.method", name.clone()),
            KeyValue::new("rpc.response.status_code", code_name(ending.code)),
            KeyValue::new("arbiter.request_id", request_id.to_owned()),
        ];
        attributes.extend(ending.game.map(|game| KeyValue::new("arbiter.game", GameId::name(game))));
        let mut span = self
            .tracer
            .span_builder(name)
            .with_kind(SpanKind::Server)
            .with_start_time(trace.began)
            .with_attributes(attributes)
            .start_with_context(&self.tracer, &trace.caller);
        if is_ours(ending.code) {
            span.set_status(Status::error(code_name(ending.code)));
        }
        span.end();
        span.span_context().trace_id()
    }

    /// Sends what has not been sent yet.
    pub(super) async fn finish(self) {
        // It waits, and the runtime must go on meanwhile: it is what sends.
        let finished = tokio::task::spawn_blocking(move || self.provider.shutdown_with_timeout(FAREWELL));
        if let Ok(Err(error)) = finished.await {
            tracing::warn!(%error, "the last spans were not sent");
        }
    }
}

/// Whether a status is a fault of the server's, as spans count them: that of a caller is none.
fn is_ours(code: Code) -> bool {
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

/// Whether a text begins as every version of `traceparent` does: two, thirty-two, sixteen and two hexadecimal digits.
fn is_traceparent(text: &str) -> bool {
    let mut parts = text.split('-');
    [2, 32, 16, 2].into_iter().all(|length| {
        parts
            .next()
            .is_some_and(|part| part.len() == length && part.bytes().all(|sign| sign.is_ascii_hexdigit()))
    })
}

/// The headers of a request, as the propagator reads them.
struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.get(key)?.to_str().ok()?;
        // The propagator would read ids of any length.
        (key != "traceparent" || is_traceparent(value)).then_some(value)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}
