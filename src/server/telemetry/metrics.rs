//! Metrics in the format of Prometheus. Counters on the path of a call are found by index, not by name.

mod process;

use std::{fmt, sync::OnceLock, time::Duration};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::ConstGauge,
        histogram::{Histogram, exponential_buckets},
        info::Info,
    },
    registry::Registry,
};
use tonic::Code;

use self::process::Process;
use crate::{
    server::admission::Budgets,
    service::{CallOutcome, GameId, ItemObserver, Method},
    wire::proto::SERVICE_NAME,
};

/// Methods in the index: those of the contract, and any other.
const METHODS: usize = Method::COUNT + 1;
/// Games in the index: those of the contract, and none.
const GAMES: usize = GameId::ALL.len() + 1;
/// gRPC status codes.
const CODES: usize = 17;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    grpc_type: &'static str,
    grpc_service: &'static str,
    grpc_method: &'static str,
    grpc_code: &'static str,
    game: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
#[allow(clippy::struct_field_names, reason = "the label names of the ecosystem")]
struct MethodLabels {
    grpc_type: &'static str,
    grpc_service: &'static str,
    grpc_method: &'static str,
}

/// A counter for each method, game and code, created when it is first needed.
struct Counters {
    family: Family<CallLabels, Counter>,
    by_index: Vec<OnceLock<Counter>>,
}

impl Counters {
    fn new() -> Self {
        Self {
            family: Family::default(),
            by_index: (0..METHODS * GAMES * CODES).map(|_| OnceLock::new()).collect(),
        }
    }

    fn count(&self, method: Option<Method>, CallOutcome { game, code, .. }: CallOutcome) {
        let method_index = method.map_or(METHODS - 1, |method| method as usize);
        let game_index = game.map_or(GAMES - 1, |game| game as usize);
        let index = (method_index * GAMES + game_index) * CODES + code as usize;
        let counter = self.by_index[index].get_or_init(|| {
            let labels = CallLabels {
                grpc_type: grpc_type(method),
                grpc_service: SERVICE_NAME,
                grpc_method: method.map_or("unknown", Method::name),
                grpc_code: code_name(code),
                game: game.map_or("none", GameId::name),
            };
            self.family.get_or_create(&labels).clone()
        });
        counter.inc();
    }
}

/// The metrics of the server.
pub(in crate::server) struct Metrics {
    registry: Registry,
    calls: Counters,
    items: Counters,
    durations: [Histogram; Method::COUNT],
    refused_connections: Counter,
    failed_handshakes: Counter,
}

impl Metrics {
    /// Creates the metrics. Those of budgets are read from the budgets when they are scraped.
    pub(in crate::server) fn new(budgets: Budgets) -> Self {
        let calls = Counters::new();
        let items = Counters::new();
        // From 10 µs to 10 s.
        let durations = Family::<MethodLabels, Histogram>::new_with_constructor(|| {
            Histogram::new(exponential_buckets(0.000_01, 10_f64.sqrt(), 13))
        });
        let refused_connections = Counter::default();
        let failed_handshakes = Counter::default();

        let mut registry = Registry::default();
        registry.register(
            "grpc_server_handled",
            "Calls completed, by method, game and status code",
            calls.family.clone(),
        );
        registry.register(
            "grpc_server_handling_seconds",
            "Time from the headers of a unary call to its response",
            durations.clone(),
        );
        registry.register(
            "arbiter_items_handled",
            "Items of EvaluateBatch and Evaluate completed, by method, game and status code",
            items.family.clone(),
        );
        registry.register(
            "arbiter_connections_refused",
            "Connections closed at once because of --max-connections",
            refused_connections.clone(),
        );
        registry.register(
            "arbiter_tls_handshakes_refused",
            "Connections closed because the TLS handshake failed",
            failed_handshakes.clone(),
        );
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("arbiter_build", "The version of the server", version);
        registry.register_collector(Box::new(BudgetMetrics(budgets)));
        registry.register_collector(Box::new(Process::new()));
        let duration = |method: Method| {
            let labels = MethodLabels {
                grpc_type: grpc_type(Some(method)),
                grpc_service: SERVICE_NAME,
                grpc_method: method.name(),
            };
            durations.get_or_create(&labels).clone()
        };
        Self {
            registry,
            calls,
            items,
            durations: Method::ALL.map(duration),
            refused_connections,
            failed_handshakes,
        }
    }

    pub(super) fn call_completed(&self, method: Option<Method>, outcome: CallOutcome) {
        self.calls.count(method, outcome);
    }

    pub(super) fn observe_duration(&self, method: Method, duration: Duration) {
        self.durations[method as usize].observe(duration.as_secs_f64());
    }

    pub(in crate::server) fn connection_refused(&self) {
        self.refused_connections.inc();
    }

    pub(in crate::server) fn handshake_failed(&self) {
        self.failed_handshakes.inc();
    }

    /// All metrics in the `OpenMetrics` text format.
    pub(in crate::server) fn encode(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl ItemObserver for Metrics {
    fn item_answered(&self, method: Method, outcome: CallOutcome) {
        self.items.count(Some(method), outcome);
    }
}

/// The use and the limit of each budget.
#[derive(Debug)]
struct BudgetMetrics(Budgets);

impl Collector for BudgetMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut gauge = |name, help, value: usize| {
            let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
        };
        let Budgets { connections, calls, batch_bytes } = &self.0;
        gauge("arbiter_connections", "Open connections.", connections.used())?;
        gauge(
            "arbiter_connections_limit",
            "Maximum number of connections (--max-connections).",
            connections.limit(),
        )?;
        gauge(
            "arbiter_calls_in_flight",
            "Calls in flight, from their headers until their response is sent.",
            calls.used(),
        )?;
        gauge(
            "arbiter_calls_in_flight_limit",
            "Maximum number of calls in flight (--max-in-flight).",
            calls.limit(),
        )?;
        gauge(
            "arbiter_batches_in_flight_bytes",
            "Bytes held for batches in flight: of their requests, then of their responses.",
            batch_bytes.used(),
        )?;
        gauge(
            "arbiter_batches_in_flight_limit_bytes",
            "Maximum number of these bytes (--max-batch-bytes-in-flight).",
            batch_bytes.limit(),
        )
    }
}

fn grpc_type(method: Option<Method>) -> &'static str {
    match method {
        Some(Method::Evaluate) => "bidi_stream",
        _ => "unary",
    }
}

/// The name of a gRPC status code.
pub(in crate::server) fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
