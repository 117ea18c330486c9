//! Flags and environment, in one struct.

#![allow(clippy::doc_markdown, reason = "the doc comments are what --help prints")]

use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf, time::Duration};

use clap::{Parser, ValueEnum};
use http::{HeaderValue, Uri};

/// The most items of a repeated field that can be configured: a message with more is not even read.
pub const MAX_ITEMS: usize = 16_384;

/// Exit code for a bad configuration (`EX_USAGE` of sysexits.h).
pub const EXIT_USAGE: u8 = 64;

/// A referee over gRPC: it tells whether a move is legal and why, what it captures, what comes next, and who has won.
///
/// Every flag can also be given as the environment variable beside it; the flag wins.
#[derive(Clone, Debug, Parser)]
#[command(name = "arbiter", version, max_term_width = 110)]
pub struct Config {
    #[command(subcommand)]
    #[allow(missing_docs)]
    pub command: Option<Command>,

    /// Address to answer calls on: gRPC, gRPC-Web and Connect. Port 0 takes any free port.
    #[arg(long, env = "ARBITER_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub listen: SocketAddr,

    /// Address of /live, /ready, /metrics and /log-level, over HTTP. Port 0 takes any free port.
    #[arg(
        long,
        env = "ARBITER_ADMIN_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:50052",
        global = true
    )]
    pub admin_listen: SocketAddr,

    /// Origins whose pages browsers let call the service, over gRPC-Web or Connect, such as `https://play.example`; several
    /// are separated by commas; `*` is every one. Default: none.
    #[arg(
        long,
        env = "ARBITER_CORS_ALLOW_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ',',
        value_parser = origin
    )]
    pub cors_allow_origin: Vec<HeaderValue>,

    /// Threads that answer calls. Default: one a core.
    #[arg(long, env = "ARBITER_THREADS", value_name = "COUNT")]
    pub threads: Option<NonZeroUsize>,

    /// What to log, as a filter such as `info` or `warn,arbiter=debug`. At `debug` every call is a line, at `info`
    /// every call refused for the caller's fault, at `warn` every call refused for ours. Changed while the server runs by
    /// a PUT of another filter to /log-level at the admin address.
    #[arg(long, env = "ARBITER_LOG", value_name = "FILTER", default_value = "info")]
    pub log: String,

    /// How to write the log, to standard error.
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

/// Where it is told what became of each call, below the span of its caller (W3C Trace Context).
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Traces")]
pub struct Traces {
    /// Where a span of each call is sent, by OTLP over gRPC, such as `http://127.0.0.1:4317`. Default: nowhere.
    #[arg(long, env = "ARBITER_OTLP_ENDPOINT", value_name = "URL", value_parser = endpoint)]
    pub otlp_endpoint: Option<Uri>,

    /// Which share of the calls, from 0 to 1, begins a trace. A call within a trace of its caller's follows the caller.
    #[arg(
        long,
        env = "ARBITER_OTLP_SAMPLING",
        value_name = "SHARE",
        default_value = "1",
        value_parser = share
    )]
    pub otlp_sampling: f64,
}

/// Who may call, and how calls are kept private. Without any of it everyone who reaches the port may call.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Security")]
pub struct Security {
    /// Certificate of the server and those that vouch for it, as PEM. With --tls-key: calls are answered over TLS, and only
    /// over TLS. All these files are read again when they change; connections that are open go on.
    #[arg(long, env = "ARBITER_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Key of the certificate, as PEM.
    #[arg(long, env = "ARBITER_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Certificates of those who sign the certificates of clients, as PEM: a client that shows none of theirs is refused.
    #[arg(long, env = "ARBITER_TLS_CLIENT_CA", value_name = "FILE", requires = "tls_cert")]
    pub tls_client_ca: Option<PathBuf>,

    /// Tokens that let a call in, one a line: a name, and the SHA-256 of the token in hexadecimal digits, as sha256sum
    /// prints it. A call shows its token in the header `authorization: Bearer <token>`.
    #[arg(long, env = "ARBITER_TOKEN_FILE", value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    /// Services that need no token, separated by commas: balancers ask for health without one.
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
    /// Whether everyone who reaches the port may call.
    pub fn lets_anyone_call(&self) -> bool {
        self.tls_client_ca.is_none() && self.token_file.is_none()
    }
}

/// A service beside the referee that can be answered without a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OpenService {
    /// `grpc.health.v1.Health`
    Health,
    /// `grpc.reflection.v1.ServerReflection`, and its version `v1alpha`
    Reflection,
    /// None of them.
    None,
}

impl OpenService {
    /// The names of the service in the contracts.
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

/// What to do instead of answering calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Subcommand)]
pub enum Command {
    /// Ask the server of this machine, at its admin address, whether it is ready: the end is 0 if so, and 1 if not.
    /// For the health check of a container.
    Health,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// What the server takes on, and for how long.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Largest message of a call, in bytes. More: RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_MESSAGE_BYTES", value_name = "BYTES", default_value = "65536", value_parser = bytes)]
    pub max_message_bytes: usize,

    /// Largest message of EvaluateBatch, in bytes. More: RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_BATCH_BYTES", value_name = "BYTES", default_value = "1048576", value_parser = bytes)]
    pub max_batch_bytes: usize,

    /// Most calls of one EvaluateBatch. More: RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_BATCH_ITEMS", value_name = "COUNT", default_value = "1000", value_parser = items)]
    pub max_batch_items: usize,

    /// Most moves of one ReplayGame. More: RESOURCE_EXHAUSTED.
    #[arg(long, env = "ARBITER_MAX_REPLAY_MOVES", value_name = "COUNT", default_value = "1000", value_parser = items)]
    pub max_replay_moves: usize,

    /// Largest answer of EvaluateBatch, in bytes: 4 MiB is what clients take unless told otherwise. The items that do not
    /// fit any more are refused: RESOURCE_EXHAUSTED each.
    #[arg(long, env = "ARBITER_MAX_BATCH_ANSWER_BYTES", value_name = "BYTES", default_value = "4194304")]
    pub max_batch_answer_bytes: usize,

    /// Most calls under way at the same time. One more: RESOURCE_EXHAUSTED at once.
    #[arg(long, env = "ARBITER_MAX_IN_FLIGHT", value_name = "COUNT", default_value = "10000")]
    pub max_in_flight: NonZeroUsize,

    /// Most bytes that all EvaluateBatch calls under way may hold: of their requests, as they come, then of their answers
    /// until they are sent. More: RESOURCE_EXHAUSTED at once.
    #[arg(
        long,
        env = "ARBITER_MAX_BATCH_BYTES_IN_FLIGHT",
        value_name = "BYTES",
        default_value = "134217728"
    )]
    pub max_batch_bytes_in_flight: NonZeroUsize,

    /// Longest time that a call waits for its turn while others do, too; half of the caller's deadline if that is shorter.
    /// Then: RESOURCE_EXHAUSTED. If it can be foreseen that it will: at once.
    #[arg(long, env = "ARBITER_MAX_WAIT", value_name = "TIME", default_value = "100ms", value_parser = time)]
    pub max_wait: Duration,

    /// Most connections at the same time. One more is closed at once.
    #[arg(long, env = "ARBITER_MAX_CONNECTIONS", value_name = "COUNT", default_value = "10000")]
    pub max_connections: NonZeroUsize,

    /// Most calls under way on one connection. Further ones wait in the client.
    #[arg(
        long,
        env = "ARBITER_MAX_STREAMS_PER_CONNECTION",
        value_name = "COUNT",
        default_value = "200",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_streams_per_connection: u32,

    /// Longest time for a call, from its first byte; a shorter deadline of the caller's wins. Streams have only the caller's, and end with their connection.
    #[arg(long, env = "ARBITER_CALL_TIMEOUT", value_name = "TIME", default_value = "10s", value_parser = time)]
    pub call_timeout: Duration,

    /// How long a connection may be silent, once it has begun, before it is asked whether it is still there.
    #[arg(long, env = "ARBITER_KEEPALIVE_INTERVAL", value_name = "TIME", default_value = "30s", value_parser = time)]
    pub keepalive_interval: Duration,

    /// How long it then has to answer before it is closed.
    #[arg(long, env = "ARBITER_KEEPALIVE_TIMEOUT", value_name = "TIME", default_value = "10s", value_parser = time)]
    pub keepalive_timeout: Duration,

    /// Age at which a connection is asked to end (a tenth more or less), so that clients spread over replicas.
    #[arg(long, env = "ARBITER_MAX_CONNECTION_AGE", value_name = "TIME", default_value = "30m", value_parser = time)]
    pub max_connection_age: Duration,

    /// How long a connection that was asked to end has for its calls before it is closed.
    #[arg(
        long,
        env = "ARBITER_MAX_CONNECTION_AGE_GRACE",
        value_name = "TIME",
        default_value = "30s",
        value_parser = time
    )]
    pub max_connection_age_grace: Duration,

    /// On SIGTERM: how long to go on as before once health says NOT_SERVING, so that balancers notice.
    #[arg(long, env = "ARBITER_DRAIN_DELAY", value_name = "TIME", default_value = "500ms", value_parser = time_or_zero)]
    pub drain_delay: Duration,

    /// On SIGTERM, after the delay: how long calls under way have before the process ends.
    #[arg(long, env = "ARBITER_DRAIN_TIMEOUT", value_name = "TIME", default_value = "20s", value_parser = time_or_zero)]
    pub drain_timeout: Duration,
}

impl Config {
    /// Threads that answer calls.
    pub fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }
}

/// An origin as browsers write it: a scheme, a host and perhaps a port, in small letters.
fn origin(text: &str) -> Result<HeaderValue, String> {
    let is_origin = text.parse::<Uri>().is_ok_and(|uri| {
        let (scheme, host) = (uri.scheme_str().unwrap_or_default(), uri.host().unwrap_or_default());
        let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
        text == format!("{scheme}://{host}{port}").to_ascii_lowercase()
    });
    if text == "*" || is_origin {
        return HeaderValue::from_str(text).map_err(|error| error.to_string());
    }
    Err("expected * or a scheme, a host and perhaps a port, such as https://play.example:8443".to_owned())
}

/// Where a collector of spans is. It is asked without TLS: it stands beside the server, as an agent or a sidecar.
fn endpoint(text: &str) -> Result<Uri, String> {
    let uri = text.parse::<Uri>().ok();
    let is_whole = |uri: &Uri| {
        let authority = uri.authority().filter(|authority| !authority.host().is_empty());
        authority.is_some_and(|it| it.port_u16().is_some() || it.as_str() == it.host())
    };
    uri.filter(|uri| uri.scheme_str() == Some("http") && is_whole(uri)).ok_or_else(|| {
        "expected an address such as http://127.0.0.1:4317 (https is not spoken here)".to_owned()
    })
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1, such as 0.01".to_owned()),
    }
}

/// A size in bytes that a message can have: gRPC counts them in 32 bits.
fn bytes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes @ 1..=0x7fff_ffff) => Ok(bytes),
        _ => Err("expected a number of bytes from 1 to 2147483647".to_owned()),
    }
}

fn items(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(items) if (1..=MAX_ITEMS).contains(&items) => Ok(items),
        _ => Err(format!("expected a number from 1 to {MAX_ITEMS}")),
    }
}

/// The longest time that can be asked for: longer than any server runs, and short enough to be reckoned with.
const LONGEST: Duration = Duration::from_hours(366 * 24);

/// A time such as `10s` that is not zero.
fn time(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("expected a time longer than zero".to_owned()),
        _ => time_or_zero(text),
    }
}

/// A time such as `10s`, or `0s`.
fn time_or_zero(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time > LONGEST => Err("expected a time of at most a year".to_owned()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("expected a time such as 500ms, 10s or 5m: {error}")),
    }
}
