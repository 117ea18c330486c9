//! Metrics in the format of Prometheus. Counters on the path of a call are found by index, not by name.

mod certificates;
mod process;
mod searches;

use std::{fmt, sync::OnceLock, time::Duration};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, text::encode},
    metrics::{
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::ConstGauge,
        histogram::{Histogram, exponential_buckets},
        info::Info,
    },
    registry::Registry,
};
use tonic::Code;

use self::{certificates::CertificateMetrics, process::Process, searches::Searches};
use super::lost_lines::LostLines;
use crate::{
    server::{admission::Budgets, net::Tls},
    service::{CallOutcome, CompletedSearch, GameId, Method, ServiceObserver},
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
    searches: Searches,
    failed_handshakes: Counter,
    stalled_connections: Counter,
    evicted_connections: Counter,
    evicted_admin_connections: Counter,
}

impl Metrics {
    /// Creates the metrics. Those of budgets, log lines and certificates are read from them when they are scraped.
    pub(in crate::server) fn new(budgets: Budgets, lost_lines: LostLines, tls: Option<Tls>) -> Self {
        let calls = Counters::new();
        let items = Counters::new();
        // From 10 µs to 10 s.
        let durations = Family::<MethodLabels, Histogram>::new_with_constructor(|| {
            Histogram::new(exponential_buckets(0.000_01, 10_f64.sqrt(), 13))
        });
        let failed_handshakes = Counter::default();
        let stalled_connections = Counter::default();
        let [evicted_connections, evicted_admin_connections] = [(); 2].map(|()| Counter::default());

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
        let searches = Searches::register(&mut registry);
        registry.register(
            "arbiter_tls_handshakes_refused",
            "Connections closed because the TLS handshake failed",
            failed_handshakes.clone(),
        );
        registry.register(
            "arbiter_connections_stalled",
            "Connections closed because the client did not read a response or did not start HTTP (--send-timeout)",
            stalled_connections.clone(),
        );
        registry.register(
            "arbiter_connections_evicted",
            "Connections without calls closed for a new one, because of --max-connections",
            evicted_connections.clone(),
        );
        registry.register(
            "arbiter_admin_connections_evicted",
            "Admin connections closed because there were too many: the oldest is closed for a new one",
            evicted_admin_connections.clone(),
        );
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("arbiter_build", "The version of the server", version);
        registry.register_collector(Box::new(BudgetMetrics(budgets)));
        registry.register_collector(Box::new(lost_lines));
        if let Some(tls) = tls {
            registry.register_collector(Box::new(CertificateMetrics(tls)));
        }
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
            searches,
            failed_handshakes,
            stalled_connections,
            evicted_connections,
            evicted_admin_connections,
        }
    }

    pub(super) fn call_completed(&self, method: Option<Method>, outcome: CallOutcome) {
        self.calls.count(method, outcome);
    }

    pub(super) fn observe_duration(&self, method: Method, duration: Duration) {
        self.durations[method as usize].observe(duration.as_secs_f64());
    }

    pub(in crate::server) fn handshake_failed(&self) {
        self.failed_handshakes.inc();
    }

    pub(in crate::server) fn connection_stalled(&self) {
        self.stalled_connections.inc();
    }

    pub(in crate::server) fn connection_evicted(&self) {
        self.evicted_connections.inc();
    }

    pub(in crate::server) fn admin_connection_evicted(&self) {
        self.evicted_admin_connections.inc();
    }

    /// All metrics in the `OpenMetrics` text format.
    pub(in crate::server) fn encode(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl ServiceObserver for Metrics {
    fn item_answered(&self, method: Method, outcome: CallOutcome) {
        self.items.count(Some(method), outcome);
    }

    fn search_completed(&self, search: CompletedSearch) {
        self.searches.record(search);
    }
}

/// The use and the limit of each budget.
#[derive(Debug)]
struct BudgetMetrics(Budgets);

impl Collector for BudgetMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Budgets { connections, blocked_connections, calls, streams, bytes, analyses } = &self.0;
        let budgets = [
            ("arbiter_connections", "Open connections", "--max-connections", connections),
            (
                "arbiter_connections_blocked",
                "Connections whose clients do not read",
                "an eighth of --max-connections",
                blocked_connections,
            ),
            (
                "arbiter_calls_in_flight",
                "Unary calls in flight, from their headers until their response is sent",
                "--max-in-flight",
                calls,
            ),
            ("arbiter_analyses", "Calls of SuggestMove, running or waiting", "--max-analyses", analyses),
            ("arbiter_streams_open", "Open streams", "--max-streams", streams),
            (
                "arbiter_bytes_in_flight",
                "Bytes held for calls in flight and open streams",
                "--max-bytes-in-flight",
                bytes,
            ),
        ];
        for (name, help, flag, budget) in budgets {
            let gauges = [
                (name.to_owned(), format!("{help}."), budget.used()),
                (format!("{name}_limit"), format!("Maximum of {name} ({flag})."), budget.limit()),
            ];
            for (name, help, value) in gauges {
                let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
                gauge.encode(encoder.encode_descriptor(&name, &help, None, gauge.metric_type())?)?;
            }
            let refused = ConstCounter::new(budget.refused() as u64);
            let (name, help) = (format!("{name}_refused"), format!("Refused because of {flag}."));
            refused.encode(encoder.encode_descriptor(&name, &help, None, refused.metric_type())?)?;
        }
        Ok(())
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
