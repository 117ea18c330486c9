//! The server around the referee: sockets, threads, limits, health, reflection, metrics, and how it all ends.
//!
//! One thread accepts connections and hands each to the least busy of the worker threads; a worker is a
//! single-threaded runtime that keeps its connections to itself (see `docs/decisions/0003-runtime-shape.md`).

mod acceptor;
mod admin;
mod admission;
mod connect;
mod connection;
mod drain;
mod files;
mod front;
mod gate;
mod gathered;
mod line;
mod logging;
mod metrics;
mod passage;
mod read_ahead;
mod record;
mod request_id;
mod services;
mod tls;
mod tokens;
mod traces;
mod unread;
mod web;
mod worker;

use std::{
    fmt,
    future::Future,
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

use tokio::{
    runtime::{self, Runtime},
    sync::mpsc,
};
use tonic_health::{ServingStatus, server::HealthReporter};

use self::{
    admin::Admin, connection::Connections, drain::Drain, front::Front, gate::Gate, metrics::Metrics,
    record::Ledger, services::Services, tls::Tls, tokens::Tokens, traces::Traces,
};
pub use self::{
    admin::ask_whether_ready,
    files::FileError,
    logging::{BadFilter, LogFilter, start_logging},
    services::GrpcService,
};
use crate::{config::Config, wire::proto};

const SERVICE: &str = proto::rules_service_server::SERVICE_NAME;

/// A server whose sockets are bound, ready to run.
pub struct Server {
    runtime: Runtime,
    bound: Bound,
}

/// What a server has before it runs.
struct Bound {
    config: Config,
    listener: TcpListener,
    admin_listener: TcpListener,
    tls: Option<Tls>,
    tokens: Option<Tokens>,
    traces: Option<Traces>,
    log_filter: Option<LogFilter>,
    extra: Services,
}

/// What the server cannot do.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A socket could not be bound.
    #[error("cannot listen on {address} ({flag}): {source}")]
    Bind {
        /// The flag that names the address.
        flag: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A file of the configuration cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The operating system refused a thread, a runtime or a socket option.
    #[error("cannot start: {0}")]
    Start(#[from] io::Error),
    /// Spans cannot be sent.
    #[error("cannot send spans (--otlp-endpoint): {0}")]
    Traces(#[from] opentelemetry_otlp::ExporterBuildError),
    /// The compiled contract cannot be reflected.
    #[error("cannot reflect the contract: {0}")]
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
        let bound = Bound {
            listener: bind("--listen", config.listen)?,
            admin_listener: bind("--admin-listen", config.admin_listen)?,
            config,
            tls,
            tokens,
            traces,
            log_filter: None,
            extra: Services::default(),
        };
        Ok(Self { runtime, bound })
    }

    /// Answers the calls of a further service too.
    #[must_use]
    pub fn with_service<S: GrpcService>(mut self, service: S) -> Self
    where
        S::Future: Send,
    {
        self.bound.extra.add(service);
        self
    }

    /// Lets what is logged be changed on the admin port.
    #[must_use]
    pub fn with_log_filter(mut self, filter: LogFilter) -> Self {
        self.bound.log_filter = Some(filter);
        self
    }

    /// The address that calls are answered on.
    ///
    /// # Errors
    ///
    /// If the operating system cannot tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.bound.listener.local_addr()
    }

    /// The address of `/live`, `/ready`, `/metrics` and `/log-level`.
    ///
    /// # Errors
    ///
    /// If the operating system cannot tell.
    pub fn admin_address(&self) -> io::Result<SocketAddr> {
        self.bound.admin_listener.local_addr()
    }

    /// Starts to listen for SIGTERM and SIGINT, and answers what waits for the first of them. From then on a second one
    /// ends the process at once.
    ///
    /// # Errors
    ///
    /// If signals cannot be received.
    pub fn termination(&self) -> io::Result<impl Future<Output = ()> + use<>> {
        let _context = self.runtime.enter();
        drain::termination()
    }

    /// What a person sees first: where to reach the server, and a call to try.
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
             grpcurl {plaintext}{token}-d '{{\"connect_four\": {{}}}}' {address} {SERVICE}/NewGame\n  \
             curl {token}-H 'content-type: application/json' -d '{{\"connect_four\": {{}}}}' \
             {scheme}://{address}/{SERVICE}/NewGame\n",
            version = env!("CARGO_PKG_VERSION"),
        )
    }

    /// Answers calls until `shutdown` is ready, then ends as promised: health says `NOT_SERVING`, the listener
    /// closes, calls under way finish, and the process is free within the drain timeout.
    ///
    /// # Errors
    ///
    /// If a runtime or a thread cannot be started.
    pub fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        let Self { runtime, bound } = self;
        let served = runtime.block_on(bound.serve(shutdown));
        // Someone may still be looking up the name of a collector: nobody waits for that.
        runtime.shutdown_background();
        served
    }
}

impl Bound {
    async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        self.warn_of_strangers();
        let Self { config, listener, admin_listener, tls, tokens, traces, log_filter, extra: mut others } =
            self;
        let limits = config.limits;
        let metrics = Arc::new(Metrics::new(&limits));
        let drain = Drain::new();
        let (health, health_service) = services::health();
        health.set_service_status(SERVICE, ServingStatus::Serving).await;
        others.add(health_service);
        others.add_reflection()?;

        let (finished, mut all_finished) = mpsc::channel::<()>(1);
        let workers = (0..config.threads())
            .map(|index| {
                // A gate of its own for each worker: no counter of references is shared between cores.
                let rules = services::rules(&limits, &metrics, &drain);
                let ledger = Ledger { metrics: metrics.clone(), traces: traces.clone() };
                let gate = Gate::new(rules, others.clone(), tokens.clone(), ledger, limits);
                let web = web::new(gate.clone(), limits, &config.cors_allow_origin);
                let front = Front::new(gate, web);
                let serving = Connections { front, tls: tls.clone(), limits, drain: drain.clone() };
                worker::start(index, serving, finished.clone())
            })
            .collect::<io::Result<Vec<_>>>()?;
        drop(finished);

        let admin_listener = to_tokio(admin_listener)?;
        let admin = Admin { metrics: metrics.clone(), drain: drain.clone(), log_filter };
        tokio::spawn(admin.serve(admin_listener));
        let most = limits.max_connections.get();
        let acceptor = acceptor::start(to_tokio(listener)?, workers, most, &metrics, &drain);

        shutdown.await;
        tracing::info!("draining");
        drain.announce();
        announce_not_serving(&health).await;
        tokio::time::sleep(limits.drain_delay).await;
        drain.begin();
        // The acceptor hands over whoever is already waiting, then closes the listener.
        let _ = acceptor.await;
        let all_closed = async { while all_finished.recv().await.is_some() {} };
        drain.finish(&metrics, limits.drain_timeout, all_closed).await;
        if let Some(traces) = traces {
            traces.finish().await;
        }
        tracing::info!("stopped");
        Ok(())
    }

    /// Whoever listens beyond this machine should know who can hear and who can call.
    fn warn_of_strangers(&self) {
        let address = self.config.listen;
        if address.ip().is_loopback() {
            return;
        }
        if self.tls.is_none() {
            tracing::warn!(%address, "listening beyond this machine without TLS: calls can be read on their way (--tls-cert)");
        }
        if self.config.security.lets_anyone_call() {
            tracing::warn!(
                %address,
                "listening beyond this machine, and anyone may call: ask for tokens (--token-file) or for certificates \
                 (--tls-client-ca)"
            );
        }
    }
}

fn bind(flag: &'static str, address: SocketAddr) -> Result<TcpListener, ServerError> {
    TcpListener::bind(address).map_err(|source| ServerError::Bind { flag, address, source })
}

fn to_tokio(listener: TcpListener) -> io::Result<tokio::net::TcpListener> {
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}

async fn announce_not_serving(health: &HealthReporter) {
    for service in ["", SERVICE] {
        health.set_service_status(service, ServingStatus::NotServing).await;
    }
}
