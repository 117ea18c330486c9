//! What is counted. Every counter that a call touches is found by index, not by name.

mod process;

use std::{num::NonZeroUsize, sync::OnceLock, time::Duration};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::{ConstGauge, Gauge},
        histogram::{Histogram, exponential_buckets},
        info::Info,
    },
    registry::Registry,
};
use tonic::Code;

use self::process::Process;
use super::{SERVICE, record::Ending};
use crate::{
    config::Limits,
    service::{GameId, Method},
};

/// Methods in the index: those of the contract, and any other.
const METHODS: usize = Method::ALL.len() + 1;
/// Games in the index: those of the contract, and none.
const GAMES: usize = GameId::ALL.len() + 1;
/// Status codes of gRPC.
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
#[allow(clippy::struct_field_names, reason = "the names are those of the ecosystem")]
struct MethodLabels {
    grpc_type: &'static str,
    grpc_service: &'static str,
    grpc_method: &'static str,
}

/// A counter for each method, game and code, made when it is first needed.
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

    fn count(&self, method: Option<Method>, Ending { game, code, .. }: Ending) {
        let method_index = method.map_or(METHODS - 1, |method| method as usize);
        let game_index = game.map_or(GAMES - 1, |game| game as usize);
        let index = (method_index * GAMES + game_index) * CODES + code as usize;
        let counter = self.by_index[index].get_or_init(|| {
            let labels = CallLabels {
                grpc_type: grpc_type(method),
                grpc_service: SERVICE,
                grpc_method: method.map_or("unknown", Method::name),
                grpc_code: code_name(code),
                game: game.map_or("none", GameId::name),
            };
            self.family.get_or_create(&labels).clone()
        });
        counter.inc();
    }
}

/// All metrics of the server.
pub struct Metrics {
    registry: Registry,
    calls: Counters,
    items: Counters,
    durations: [Histogram; Method::ALL.len()],
    in_flight: Gauge,
    batch_bytes: Gauge,
    connections: Gauge,
    refused_connections: Counter,
    refused_handshakes: Counter,
}

impl Metrics {
    pub(super) fn new(limits: &Limits) -> Self {
        let calls = Counters::new();
        let items = Counters::new();
        // From 10 µs to 10 s.
        let durations = Family::<MethodLabels, Histogram>::new_with_constructor(|| {
            Histogram::new(exponential_buckets(0.000_01, 10_f64.sqrt(), 13))
        });
        let in_flight = Gauge::default();
        let batch_bytes = Gauge::default();
        let connections = Gauge::default();
        let refused_connections = Counter::default();
        let refused_handshakes = Counter::default();

        let mut registry = Registry::default();
        registry.register(
            "grpc_server_handled",
            "Calls answered, by method, game and status code",
            calls.family.clone(),
        );
        registry.register(
            "grpc_server_handling_seconds",
            "Time from the headers of a unary call to its answer",
            durations.clone(),
        );
        registry.register(
            "arbiter_items_handled",
            "Calls answered inside EvaluateBatch and Evaluate, by method, game and status code",
            items.family.clone(),
        );
        registry.register(
            "arbiter_calls_in_flight",
            "Calls under way, from their headers until their answer is sent",
            in_flight.clone(),
        );
        registry.register(
            "arbiter_batches_in_flight_bytes",
            "What is held of batches under way: of their requests, then of their answers",
            batch_bytes.clone(),
        );
        registry.register("arbiter_connections", "Connections open", connections.clone());
        registry.register(
            "arbiter_connections_refused",
            "Connections closed at once because there were too many",
            refused_connections.clone(),
        );
        registry.register(
            "arbiter_tls_handshakes_refused",
            "Connections closed because no TLS could be agreed on, by the client's certificate or otherwise",
            refused_handshakes.clone(),
        );
        let mut register_limit = |name, help, limit: NonZeroUsize| {
            registry.register(name, help, ConstGauge::new(i64::try_from(limit.get()).unwrap_or(i64::MAX)));
        };
        register_limit(
            "arbiter_calls_in_flight_limit",
            "Calls that may be under way (--max-in-flight)",
            limits.max_in_flight,
        );
        register_limit(
            "arbiter_batches_in_flight_limit_bytes",
            "What may be held of them (--max-batch-bytes-in-flight)",
            limits.max_batch_bytes_in_flight,
        );
        register_limit(
            "arbiter_connections_limit",
            "Connections that may be open (--max-connections)",
            limits.max_connections,
        );
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("arbiter_build", "The version that runs", version);
        registry.register_collector(Box::new(Process::new()));
        let duration = |method: Method| {
            let labels = MethodLabels {
                grpc_type: grpc_type(Some(method)),
                grpc_service: SERVICE,
                grpc_method: method.name(),
            };
            durations.get_or_create(&labels).clone()
        };
        Self {
            registry,
            calls,
            items,
            durations: Method::ALL.map(duration),
            in_flight,
            batch_bytes,
            connections,
            refused_connections,
            refused_handshakes,
        }
    }

    pub(super) fn call_answered(&self, method: Option<Method>, ending: Ending) {
        self.calls.count(method, ending);
    }

    /// Counts one call of a batch or of a stream.
    pub(super) fn item_answered(&self, method: Method, ending: Ending) {
        self.items.count(Some(method), ending);
    }

    pub(super) fn call_took(&self, method: Method, duration: Duration) {
        self.durations[method as usize].observe(duration.as_secs_f64());
    }

    /// Counts a call as under way and tells how many there are now.
    pub(super) fn call_begins(&self) -> usize {
        to_count(self.in_flight.inc() + 1)
    }

    pub(super) fn call_ends(&self) {
        self.in_flight.dec();
    }

    /// How many calls are under way.
    pub(super) fn in_flight(&self) -> usize {
        to_count(self.in_flight.get())
    }

    /// Counts the bytes that a batch holds now instead of others, and tells how many all of them hold.
    pub(super) fn batch_holds(&self, bytes: usize, instead_of: usize) -> usize {
        // Sizes of messages are far below the most that can be counted.
        let [bytes, instead_of] = [bytes, instead_of].map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
        let more = bytes - instead_of;
        to_count(self.batch_bytes.inc_by(more) + more)
    }

    pub(super) fn connection_opens(&self) {
        self.connections.inc();
    }

    pub(super) fn connection_closes(&self) {
        self.connections.dec();
    }

    pub(super) fn refuse_connection(&self) {
        self.refused_connections.inc();
    }

    pub(super) fn refuse_handshake(&self) {
        self.refused_handshakes.inc();
    }

    /// All metrics, in the text format that Prometheus reads.
    pub(super) fn exposition(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// The value of a gauge that is never below zero.
fn to_count(gauge: i64) -> usize {
    usize::try_from(gauge).unwrap_or_default()
}

fn grpc_type(method: Option<Method>) -> &'static str {
    match method {
        Some(Method::Evaluate) => "bidi_stream",
        _ => "unary",
    }
}

/// The name of a status of gRPC.
pub(super) fn code_name(code: Code) -> &'static str {
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
