//! The configuration: flags and environment variables, in one struct.

#![allow(clippy::doc_markdown, reason = "the doc comments are what --help prints")]

mod origin;

use std::{
    net::{Ipv4Addr, SocketAddr},
    num::NonZeroUsize,
    path::PathBuf,
    time::Duration,
};

use clap::{Parser, ValueEnum};
use http::{HeaderValue, Uri};

use self::origin::origin;

/// Maximum configurable number of items of a repeated field. A message with more is refused before it is decoded.
pub const MAX_ITEMS: usize = 16_384;

/// Exit code of a bad configuration (`EX_USAGE` of sysexits.h).
pub const EXIT_USAGE: u8 = 64;

/// A stateless gRPC referee for turn-based games: validates moves, applies them, resolves captures and determines the winner.
///
/// Every flag has an environment variable. If both are given, the flag wins.
#[derive(Clone, Debug, Parser)]
#[command(name = "arbiter", version, max_term_width = 110)]
pub struct Config {
    #[command(subcommand)]
    #[allow(missing_docs)]
    pub command: Option<Command>,

    /// Address to serve gRPC, gRPC-Web and Connect on. Port 0 picks a free port.
    #[arg(long, env = "ARBITER_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:50051", value_parser = address)]
    pub listen: SocketAddr,

    /// Address to serve /live, /ready, /metrics and /log-level on, over HTTP. Port 0 picks a free port.
    #[arg(
        long,
        env = "ARBITER_ADMIN_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:50052",
        value_parser = address,
        global = true
    )]
    pub admin_listen: SocketAddr,

    /// Origins whose pages may call from a browser (CORS), over gRPC-Web or Connect: a comma-separated list such as
    /// `https://play.example,http://localhost:8080`, or `*` for all. Each is written as browsers send it: in lower case,
    /// without a path and without the default port. There are no patterns such as `https://*.example`. Default: none.
    #[arg(
        long,
        env = "ARBITER_CORS_ALLOW_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ',',
        value_parser = origin
    )]
    pub cors_allow_origin: Vec<HeaderValue>,

    /// Number of worker threads. Default: one per core.
    #[arg(long, env = "ARBITER_THREADS", value_name = "COUNT", value_parser = count)]
    pub threads: Option<NonZeroUsize>,

    /// Number of threads for SuggestMove. They have a low priority, so that they do not delay other calls. Default: one per two
    /// cores.
    #[arg(long, env = "ARBITER_ANALYSIS_THREADS", value_name = "COUNT", value_parser = count)]
    pub analysis_threads: Option<NonZeroUsize>,

    /// A larger opening book for SuggestMove in Connect Four, of up to 12 plies. The built-in one has 8. The file is made by
    /// src/engine/connect_four/make_book.py.
    #[arg(long, env = "ARBITER_CONNECT_FOUR_BOOK", value_name = "FILE")]
    pub connect_four_book: Option<PathBuf>,

    /// Log filter, such as `info` or `warn,arbiter=debug`. `debug` logs every call, `info` every call that fails because of the
    /// client, `warn` every call that fails because of the server. To change it at run time, PUT another filter to /log-level
    /// on the admin address.
    #[arg(long, env = "ARBITER_LOG", value_name = "FILTER", default_value = "info")]
    pub log: String,

    /// Log format. Logs go to standard error.
    #[arg(long, env = "ARBITER_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub traces: Traces,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub security: Security,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: Limits,
}

/// Traces: one span per call, as a child of the caller's span (W3C Trace Context).
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Traces")]
pub struct Traces {
    /// Collector to export traces to, by OTLP over gRPC, such as `http://127.0.0.1:4317`. Default: none.
    #[arg(long, env = "ARBITER_OTLP_ENDPOINT", value_name = "URL", value_parser = endpoint)]
    pub otlp_endpoint: Option<Uri>,

    /// Share of calls to sample, from 0 to 1. A call with a trace context follows its caller's decision.
    #[arg(
        long,
        env = "ARBITER_OTLP_SAMPLING",
        value_name = "SHARE",
        default_value = "1",
        value_parser = ratio
    )]
    pub otlp_sampling: f64,
}

/// TLS and authentication. Without them, every client that can reach the port may call.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Security")]
pub struct Security {
    /// Certificate chain of the server, as PEM. With --tls-key, the server accepts only TLS. This file, the key, the client
    /// CA, the CRLs and the tokens are reloaded when they change; open connections stay open.
    #[arg(long, env = "ARBITER_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Private key of the certificate, as PEM.
    #[arg(long, env = "ARBITER_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// CA certificates for mutual TLS, as PEM. A client without a certificate signed by one of them is rejected.
    #[arg(long, env = "ARBITER_TLS_CLIENT_CA", value_name = "FILE", requires = "tls_cert")]
    pub tls_client_ca: Option<PathBuf>,

    /// Certificate revocation lists (CRLs) for client certificates, as PEM: one for every CA in --tls-client-ca, and for every
    /// intermediate CA. A client whose certificate is revoked is rejected, and so is one whose CA has no CRL in this file. A
    /// CRL that has expired stays in use.
    #[arg(long, env = "ARBITER_TLS_CLIENT_CRL", value_name = "FILE", requires = "tls_client_ca")]
    pub tls_client_crl: Option<PathBuf>,

    /// Accepted bearer tokens, one per line: a name, and the SHA-256 of the token in hexadecimal digits, as sha256sum prints it.
    /// A call sends its token in the header `authorization: Bearer <token>`.
    #[arg(long, env = "ARBITER_TOKEN_FILE", value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    /// Services that need no token, as a comma-separated list. Load balancers check health without one.
    #[arg(
        long,
        env = "ARBITER_OPEN_SERVICES",
        value_name = "SERVICES",
        value_delimiter = ',',
        default_value = "health"
    )]
    pub open_services: Vec<OpenService>,
}

impl Security {
    /// Whether clients have to authenticate.
    pub fn has_authentication(&self) -> bool {
        self.tls_client_ca.is_some() || self.token_file.is_some()
    }
}

/// A service that can be called without a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OpenService {
    /// `grpc.health.v1.Health`
    Health,
    /// `grpc.reflection.v1.ServerReflection`, and its version `v1alpha`
    Reflection,
    /// No service.
    None,
}

impl OpenService {
    /// The full names of the service.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Health => &["grpc.health.v1.Health"],
            Self::Reflection => {
                &["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"]
            }
            Self::None => &[],
        }
    }
}

/// Subcommands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Subcommand)]
pub enum Command {
    /// Ask the server at the admin address whether it is ready. Exits 0 if ready, 1 otherwise. For the health check of a
    /// container.
    Health,
}

/// What identifies a client without a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClientIdentity {
    /// Each connection is a client.
    Connection,
    /// All connections from an IP address are one client.
    Address,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Readable text.
    Text,
    /// One JSON object per line.
    Json,
}

/// Limits and timeouts.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Maximum size of a request message, in bytes. Larger requests fail with RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_MESSAGE_BYTES", value_name = "BYTES", default_value = "65536", value_parser = message_size)]
    pub max_message_bytes: usize,

    /// Maximum size of an EvaluateBatch request, in bytes. Larger requests fail with RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_BATCH_BYTES", value_name = "BYTES", default_value = "1048576", value_parser = message_size)]
    pub max_batch_bytes: usize,

    /// Maximum number of calls in one EvaluateBatch. Larger batches fail with RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_BATCH_ITEMS", value_name = "COUNT", default_value = "1000", value_parser = item_count)]
    pub max_batch_items: usize,

    /// Maximum number of moves in one ReplayGame. Longer games fail with RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_REPLAY_MOVES", value_name = "COUNT", default_value = "1000", value_parser = item_count)]
    pub max_replay_moves: usize,

    /// Maximum number of nodes of one SuggestMove. Requests for more are refused. One million takes roughly 50 ms to 1 s,
    /// depending on the game. A search also needs up to 16 MiB of memory, which count against --max-bytes-in-flight.
    #[arg(
        long,
        env = "ARBITER_MAX_ANALYSIS_NODES",
        value_name = "COUNT",
        default_value = "20000000",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_analysis_nodes: u32,

    /// Maximum number of SuggestMove calls that run or wait. Further ones fail immediately with RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_ANALYSES", value_name = "COUNT", default_value = "64", value_parser = count)]
    pub max_analyses: NonZeroUsize,

    /// Maximum size of an EvaluateBatch response, in bytes. The default of 4 MiB is the default limit of gRPC clients. The
    /// first item that does not fit, and all items after it, fail with RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_BATCH_ANSWER_BYTES", value_name = "BYTES", default_value = "4194304")]
    pub max_batch_answer_bytes: usize,

    /// Maximum number of calls in flight. Further calls fail immediately with RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_IN_FLIGHT", value_name = "COUNT", default_value = "10000", value_parser = count)]
    pub max_in_flight: NonZeroUsize,

    /// Maximum number of open streams: Evaluate, health watches and reflection. Further streams fail immediately with
    /// RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_STREAMS", value_name = "COUNT", default_value = "1000", value_parser = count)]
    pub max_streams: NonZeroUsize,

    /// Maximum memory of all calls in flight, in bytes: requests while they arrive, responses until they are sent, and 16 KiB
    /// per call or 128 KiB per stream. Further calls fail immediately with RESOURCE_EXHAUSTED.
    #[arg(
        long,
        env = "ARBITER_MAX_BYTES_IN_FLIGHT",
        value_name = "BYTES",
        default_value = "134217728",
        value_parser = count
    )]
    pub max_bytes_in_flight: NonZeroUsize,

    /// Maximum number of log lines per second about failed calls and refused connections. One client gets at most a tenth.
    /// Further lines are only counted.
    #[arg(
        long,
        env = "ARBITER_MAX_LOG_RATE",
        value_name = "COUNT",
        default_value = "1000",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_log_rate: u32,

    /// What identifies a client without a token. Above half of --max-in-flight, --max-streams, --max-bytes-in-flight or
    /// --max-connections, no client gets more than its share. Behind a proxy, all callers may have the same address.
    #[arg(long, env = "ARBITER_CLIENT_IDENTITY", value_name = "IDENTITY", default_value = "connection")]
    pub client_identity: ClientIdentity,

    /// Maximum time that a call waits in the admission queue under sustained overload, or half of its deadline if that is
    /// shorter. Then it is shed with RESOURCE_EXHAUSTED. A call that would
    /// probably wait longer is shed immediately.
    #[arg(long, env = "ARBITER_MAX_WAIT", value_name = "DURATION", default_value = "100ms", value_parser = duration)]
    pub max_wait: Duration,

    /// Maximum number of connections. A further one replaces one without calls, or is closed immediately if there is none.
    #[arg(long, env = "ARBITER_MAX_CONNECTIONS", value_name = "COUNT", default_value = "1000", value_parser = count)]
    pub max_connections: NonZeroUsize,

    /// Maximum number of concurrent calls on one connection. Further calls wait in the client.
    #[arg(
        long,
        env = "ARBITER_MAX_STREAMS_PER_CONNECTION",
        value_name = "COUNT",
        default_value = "200",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_streams_per_connection: u32,

    /// Timeout of a unary call, from its headers, or the caller's deadline if that is shorter. A stream has only the caller's
    /// deadline and --stream-idle-timeout, and ends with its connection.
    #[arg(long, env = "ARBITER_CALL_TIMEOUT", value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub call_timeout: Duration,

    /// How long a stream may wait for a request before it ends with DEADLINE_EXCEEDED. Health watches are exempt.
    #[arg(long, env = "ARBITER_STREAM_IDLE_TIMEOUT", value_name = "DURATION", default_value = "5m", value_parser = duration)]
    pub stream_idle_timeout: Duration,

    /// How long a client may leave a response unread. Between one and two times this long, its connection is closed: gracefully,
    /// or immediately if nothing can be sent.
    #[arg(long, env = "ARBITER_SEND_TIMEOUT", value_name = "DURATION", default_value = "20s", value_parser = duration)]
    pub send_timeout: Duration,

    /// Time without traffic after which a connection is sent an HTTP/2 keepalive ping.
    #[arg(long, env = "ARBITER_KEEPALIVE_INTERVAL", value_name = "DURATION", default_value = "30s", value_parser = duration)]
    pub keepalive_interval: Duration,

    /// How long the response to the ping may take before the connection is closed.
    #[arg(long, env = "ARBITER_KEEPALIVE_TIMEOUT", value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub keepalive_timeout: Duration,

    /// Time without a call after which a connection is closed gracefully. Above half of --max-connections, --send-timeout
    /// applies instead.
    #[arg(long, env = "ARBITER_MAX_CONNECTION_IDLE", value_name = "DURATION", default_value = "10m", value_parser = duration)]
    pub max_connection_idle: Duration,

    /// Age at which a connection is closed gracefully (plus or minus 10 %), so that clients spread over replicas.
    #[arg(long, env = "ARBITER_MAX_CONNECTION_AGE", value_name = "DURATION", default_value = "30m", value_parser = duration)]
    pub max_connection_age: Duration,

    /// How long the calls of such a connection may take before it is closed.
    #[arg(
        long,
        env = "ARBITER_MAX_CONNECTION_AGE_GRACE",
        value_name = "DURATION",
        default_value = "30s",
        value_parser = duration
    )]
    pub max_connection_age_grace: Duration,

    /// On SIGTERM, SIGINT or SIGHUP: how long the server still accepts calls after health reports NOT_SERVING, so that load
    /// balancers notice.
    #[arg(long, env = "ARBITER_DRAIN_DELAY", value_name = "DURATION", default_value = "500ms", value_parser = duration_or_zero)]
    pub drain_delay: Duration,

    /// After that delay: how long calls in flight may take before the process exits.
    #[arg(long, env = "ARBITER_DRAIN_TIMEOUT", value_name = "DURATION", default_value = "20s", value_parser = duration_or_zero)]
    pub drain_timeout: Duration,
}

impl Config {
    /// The number of threads for SuggestMove.
    pub fn analysis_threads(&self) -> NonZeroUsize {
        let half = |cores: NonZeroUsize| NonZeroUsize::new(cores.get() / 2);
        self.analysis_threads
            .or_else(|| std::thread::available_parallelism().ok().and_then(half))
            .unwrap_or(NonZeroUsize::MIN)
    }

    /// The number of worker threads.
    pub fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }
}

/// Parses an address to listen on. `localhost` is 127.0.0.1.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").and_then(|port| port.parse::<u16>().ok());
    if let Some(port) = port {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    text.parse().map_err(|_| {
        let port = text.trim_start_matches(':').parse::<u16>().unwrap_or(50051);
        format!(
            "expected an IP address and a port: 127.0.0.1:{port} for this machine only, 0.0.0.0:{port} or [::]:{port} for \
             all interfaces"
        )
    })
}

/// Parses a number above zero.
fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number above 0, such as 4".to_owned())
}

/// Parses the address of a trace collector. It is reached without TLS: it runs next to the server, as an agent or a sidecar.
fn endpoint(text: &str) -> Result<Uri, String> {
    let uri = text.parse::<Uri>().ok();
    let is_whole = |uri: &Uri| {
        let authority = uri.authority().filter(|authority| !authority.host().is_empty());
        authority.is_some_and(|it| it.port_u16().is_some() || it.as_str() == it.host())
    };
    uri.filter(|uri| uri.scheme_str() == Some("http") && is_whole(uri))
        .ok_or_else(|| "expected a URL such as http://127.0.0.1:4317 (https is not supported)".to_owned())
}

/// Parses a number from 0 to 1.
fn ratio(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1, such as 0.01".to_owned()),
    }
}

/// Parses the size of a message: gRPC counts it in 32 bits.
fn message_size(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes @ 1..=0x7fff_ffff) => Ok(bytes),
        _ => Err("expected a number of bytes from 1 to 2147483647, such as 65536".to_owned()),
    }
}

fn item_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(items) if (1..=MAX_ITEMS).contains(&items) => Ok(items),
        _ => Err(format!("expected a number from 1 to {MAX_ITEMS}, such as 1000")),
    }
}

/// Maximum duration: adding it to an `Instant` cannot overflow.
const MAX_DURATION: Duration = Duration::from_hours(366 * 24);

/// Parses a duration such as `10s` that is not zero.
fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("expected a duration longer than zero, such as 10s".to_owned()),
        _ => duration_or_zero(text),
    }
}

/// Parses a duration such as `10s`, or `0s`.
fn duration_or_zero(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time > MAX_DURATION => {
            Err("expected a duration of at most a year, such as 30m".to_owned())
        }
        Ok(time) => Ok(time),
        Err(_) => Err("expected a duration such as 500ms, 10s or 5m".to_owned()),
    }
}
