//! The server around the referee: connections, protocols, admission control, telemetry and graceful shutdown.
//!
//! One thread accepts connections and assigns each to the worker with the fewest. A worker is a thread with a single-threaded
//! runtime and shares no connection with others (`docs/decisions/0003-runtime-shape.md`). `docs/architecture.md` follows a
//! call through these modules; `pipeline.rs` is its centre.

mod admin;
mod admission;
mod auth;
mod deadline;
mod drain;
mod net;
mod open_files;
mod pipeline;
mod protocol;
mod reload;
mod services;
mod telemetry;

use std::{
    fmt,
    future::Future,
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

use socket2::{Domain, Socket, Type};
use tokio::{
    runtime::{self, Runtime},
    sync::mpsc,
};
use tonic_health::{ServingStatus, server::HealthReporter};

use self::{
    admin::Admin,
    admission::{Admission, AnalysisQueue, Budgets},
    auth::Tokens,
    drain::Drain,
    net::{BlockedConnections, Clients, ConnectionContext, Listener, OpenConnections, Tls, start_worker},
    pipeline::Pipeline,
    protocol::Router,
    reload::ConfigFile,
    services::MountedServices,
    telemetry::{LogLimiter, LostLines, Metrics, Telemetry, Traces},
};
pub use self::{
    admin::is_ready,
    reload::FileError,
    services::GrpcService,
    telemetry::{BadFilter, Log, LogError, start_logging},
};
use crate::{
    config::{Config, Limits},
    service::{AnalysisThreads, ConnectFourBook, Referee, RequestLimits},
    wire::proto::SERVICE_NAME,
};

/// A server whose sockets are bound, ready to run.
pub struct Server {
    runtime: Runtime,
    bound: Bound,
}

/// A server before it runs.
struct Bound {
    config: Config,
    listener: TcpListener,
    admin_listener: TcpListener,
    tls: Option<Tls>,
    tokens: Option<Tokens>,
    traces: Option<Traces>,
    book: Arc<ConnectFourBook>,
    log: Option<Log>,
    mounted: MountedServices,
}

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A socket could not be bound.
    #[error("cannot listen on {address} ({flag}): {source}{}", hint(source))]
    Bind {
        /// The flag that names the address.
        flag: &'static str,
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// A file named by the configuration cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The operating system refused a thread, a runtime or a socket option.
    #[error("cannot start: {0}")]
    Start(#[from] io::Error),
    /// Traces cannot be exported.
    #[error("cannot export traces (--otlp-endpoint): {0}")]
    Traces(#[from] opentelemetry_otlp::ExporterBuildError),
    /// The reflection service cannot be built.
    #[error("cannot build the reflection service: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

impl Server {
    /// Reads the files of the configuration and binds the sockets.
    ///
    /// # Errors
    ///
    /// If a file cannot be used, an address cannot be listened on, or a runtime cannot be started.
    pub fn bind(config: Config) -> Result<Self, ServerError> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (tls, tokens, traces) = {
            let _context = runtime.enter();
            let (tls, tokens) = (Tls::load(&config.security)?, Tokens::load(&config.security)?);
            (tls, tokens, Traces::start(&config.traces)?)
        };
        let book = match &config.connect_four_book {
            Some(path) => {
                let file = ConfigFile::new("--connect-four-book", path);
                let book = ConnectFourBook::from_bytes(&file.read()?);
                Arc::new(book.map_err(|error| file.unusable(error))?)
            }
            None => ConnectFourBook::embedded(),
        };
        let bound = Bound {
            listener: bind("--listen", config.listen)?,
            admin_listener: bind("--admin-listen", config.admin_listen)?,
            config,
            tls,
            tokens,
            traces,
            book,
            log: None,
            mounted: MountedServices::default(),
        };
        Ok(Self { runtime, bound })
    }

    /// Mounts another service next to the referee.
    #[must_use]
    pub fn with_service<S: GrpcService>(mut self, service: S) -> Self {
        self.bound.mounted.add(service);
        self
    }

    /// Lets the admin port report on the log and change its filter.
    #[must_use]
    pub fn with_log(mut self, log: Log) -> Self {
        self.bound.log = Some(log);
        self
    }

    /// The address of the gRPC port.
    ///
    /// # Errors
    ///
    /// If the operating system does not report it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.bound.listener.local_addr()
    }

    /// The address of the admin port.
    ///
    /// # Errors
    ///
    /// If the operating system does not report it.
    pub fn admin_address(&self) -> io::Result<SocketAddr> {
        self.bound.admin_listener.local_addr()
    }

    /// Installs handlers for SIGTERM, SIGINT and SIGHUP. The future is ready at the first signal; a second one exits the
    /// process at once.
    ///
    /// # Errors
    ///
    /// If the handlers cannot be installed.
    pub fn shutdown_signal(&self) -> io::Result<impl Future<Output = ()> + use<>> {
        let _context = self.runtime.enter();
        drain::shutdown_signal(self.bound.log.clone())
    }

    /// The start-up message: the addresses, and a call to try.
    pub fn banner(&self) -> impl fmt::Display + use<> {
        let address = self.address().unwrap_or(self.bound.config.listen);
        let admin = self.admin_address().unwrap_or(self.bound.config.admin_listen);
        let (plaintext, scheme) =
            if self.bound.tls.is_some() { ("", "https") } else { ("-plaintext ", "http") };
        let token = if self.bound.tokens.is_some() { "-H 'authorization: Bearer TOKEN' " } else { "" };
        format!(
            "arbiter {version}\n  \
             gRPC   {address}\n  \
             admin  http://{admin}  (/live, /ready, /metrics, /log-level)\n\n\
             Try it:\n  \
             grpcurl {plaintext}{token}-d '{{\"connect_four\": {{}}}}' {address} {SERVICE_NAME}/NewGame\n  \
             curl {token}-H 'content-type: application/json' -d '{{\"connect_four\": {{}}}}' \
             {scheme}://{address}/{SERVICE_NAME}/NewGame\n",
            version = env!("CARGO_PKG_VERSION"),
        )
    }

    /// Serves calls until `shutdown` is ready, then shuts down gracefully: health says `NOT_SERVING`, the listener closes, and
    /// calls in flight finish, at most for the drain timeout.
    ///
    /// # Errors
    ///
    /// If a runtime or a thread cannot be started.
    pub fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        let Self { runtime, bound } = self;
        let served = runtime.block_on(bound.serve(shutdown));
        // Unlike drop, does not wait for a blocking DNS lookup of the trace collector.
        runtime.shutdown_background();
        served
    }
}

impl Bound {
    async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        self.warn_if_exposed();
        open_files::raise_limit(&self.config);
        let Self { config, listener, admin_listener, tls, tokens, traces, book, log, mut mounted } = self;
        let limits = config.limits;
        let budgets = Budgets::new(&limits);
        let log_limiter = Arc::new(LogLimiter::new(limits.max_log_rate));
        let lost_lines = LostLines { log: log.clone(), limiter: log_limiter.clone() };
        let metrics = Arc::new(Metrics::new(budgets.clone(), lost_lines.clone(), tls.clone()));
        tokio::spawn(lost_lines.report());
        let (drain, blocked) = (Drain::new(), BlockedConnections::default());
        let (health, health_service) = services::health();
        health.set_service_status(SERVICE_NAME, ServingStatus::Serving).await;
        mounted.add(health_service);
        mounted.add_reflection()?;

        let (running, mut all_ended) = mpsc::channel::<()>(1);
        let analysis_threads = config.analysis_threads();
        let analysis = AnalysisThreads::start(analysis_threads, &book)?;
        let analysis_queue = AnalysisQueue::new(analysis_threads);
        let start = |index| {
            // Each worker has its own pipeline and queues.
            let pipeline = Pipeline {
                tokens: tokens.clone(),
                limits,
                admission: Admission::new(budgets.clone(), limits.max_wait, analysis_queue.clone()),
                referee: Referee::new(
                    request_limits(&limits),
                    metrics.clone(),
                    analysis.clone(),
                    drain.closing(),
                ),
                mounted: mounted.clone(),
                telemetry: Telemetry::new(metrics.clone(), traces.clone(), log_limiter.clone()),
                shutdown: drain.start_token(),
            };
            let router = Router::new(pipeline, &config.cors_allow_origin);
            let context = ConnectionContext {
                router,
                tls: tls.clone(),
                limits,
                drain: drain.clone(),
                metrics: metrics.clone(),
                budgets: budgets.clone(),
                blocked: blocked.clone(),
                log_limiter: log_limiter.clone(),
            };
            start_worker(index, context, running.clone())
        };
        let workers = (0..config.threads()).map(start).collect::<io::Result<Vec<_>>>()?;
        drop(running);

        let admin = Admin { metrics: metrics.clone(), drain: drain.clone(), tokens: tokens.clone(), log };
        tokio::spawn(admin.serve(to_tokio(admin_listener)?));
        let listener = Listener {
            socket: to_tokio(listener)?,
            workers,
            connections: budgets.connections.clone(),
            clients: Clients::new(limits.client_identity),
            open: OpenConnections::default(),
            metrics: metrics.clone(),
            log_limiter: log_limiter.clone(),
        };
        let listener = tokio::spawn(listener.run(drain.clone()));

        shutdown.await;
        tracing::info!("draining");
        drain.announce();
        set_not_serving(&health).await;
        tokio::time::sleep(limits.drain_delay).await;
        drain.start();
        // The listener assigns the connections that are already waiting, then closes its socket.
        let _ = listener.await;
        let all_closed = async { while all_ended.recv().await.is_some() {} };
        drain.finish(&budgets, limits.drain_timeout, all_closed).await;
        if let Some(traces) = traces {
            traces.shutdown().await;
        }
        tracing::info!("stopped");
        Ok(())
    }

    /// Warns about a server that untrusted clients can reach.
    fn warn_if_exposed(&self) {
        let address = self.config.listen;
        if address.ip().is_loopback() {
            return;
        }
        if self.tls.is_none() {
            tracing::warn!(%address, "listening on a non-loopback address without TLS (--tls-cert)");
        }
        if !self.config.security.has_authentication() {
            tracing::warn!(
                %address,
                "listening on a non-loopback address without authentication: use tokens (--token-file) or client \
                 certificates (--tls-client-ca)"
            );
        }
    }
}

fn request_limits(limits: &Limits) -> RequestLimits {
    RequestLimits {
        message_bytes: limits.max_message_bytes,
        batch_bytes: limits.max_batch_bytes,
        batch_items: limits.max_batch_items,
        batch_response_bytes: limits.max_batch_answer_bytes,
        replay_moves: limits.max_replay_moves,
        analysis_nodes: limits.max_analysis_nodes,
    }
}

/// What to do about a common error.
fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => "; stop the other process, or use another port (port 0 is any free one)",
        io::ErrorKind::AddrNotAvailable => {
            "; use an address of this machine, such as 127.0.0.1:50051 or 0.0.0.0:50051"
        }
        io::ErrorKind::PermissionDenied => "; use a port above 1023",
        _ => "",
    }
}

/// Maximum number of connections that wait to be accepted.
const LISTEN_BACKLOG: i32 = 1024;

/// Size of the receive buffer of a connection in the operating system, which would otherwise grow to many megabytes while the
/// server is busy.
const RECEIVE_BUFFER_BYTES: usize = 64 * 1024;

fn bind(flag: &'static str, address: SocketAddr) -> Result<TcpListener, ServerError> {
    let bind = || {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.set_reuse_address(true)?;
        // Accepted connections inherit it.
        socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
        socket.bind(&address.into())?;
        socket.listen(LISTEN_BACKLOG)?;
        Ok(TcpListener::from(socket))
    };
    bind().map_err(|source| ServerError::Bind { flag, address, source })
}

fn to_tokio(listener: TcpListener) -> io::Result<tokio::net::TcpListener> {
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}

async fn set_not_serving(health: &HealthReporter) {
    for service in ["", SERVICE_NAME] {
        health.set_service_status(service, ServingStatus::NotServing).await;
    }
}
