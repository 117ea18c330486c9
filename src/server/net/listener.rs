//! Accepts connections and assigns each to the worker with the fewest.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, TcpStream},
    pin::pin,
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{net::TcpListener, time::sleep};

use super::{activity::ConnectionActivity, worker::Worker};
use crate::{
    config::ClientIdentity,
    server::{
        admission::{Budget, Client},
        drain::Drain,
        telemetry::{LogLimiter, Metrics},
    },
};

/// How long to wait after the operating system failed to accept a connection, for example for lack of file descriptors.
pub(in crate::server) const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

pub(in crate::server) struct Listener {
    pub(in crate::server) socket: TcpListener,
    pub(in crate::server) workers: Vec<Worker>,
    pub(in crate::server) connections: Arc<Budget>,
    pub(in crate::server) clients: Clients,
    pub(in crate::server) open: OpenConnections,
    pub(in crate::server) metrics: Arc<Metrics>,
    pub(in crate::server) log_limiter: Arc<LogLimiter>,
}

impl Listener {
    /// Accepts connections until the drain starts, then closes the socket.
    pub(in crate::server) async fn run(mut self, drain: Drain) {
        let mut drain_started = pin!(drain.started());
        loop {
            tokio::select! {
                // Connections that are already waiting are accepted before the socket is closed.
                biased;
                accepted = self.socket.accept() => {
                    match accepted.and_then(|(stream, peer)| Ok((stream.into_std()?, peer.ip()))) {
                        Ok((stream, address)) => self.assign(stream, address),
                        Err(error) => self.back_off(&error).await,
                    }
                }
                () = &mut drain_started => return,
            }
        }
    }

    fn assign(&mut self, stream: TcpStream, address: IpAddr) {
        let client = self.clients.identify(address);
        let permit = if !self.connections.has_room(&client, 1) && self.open.evict(&client) {
            self.metrics.connection_evicted();
            Some(self.connections.acquire_beyond_limit(&client, 1))
        } else {
            self.connections.acquire(&client, 1)
        };
        let Some(permit) = permit else {
            if self.log_limiter.allows_refused_connection() {
                let limit = self.connections.limit();
                tracing::warn!(limit, "connection closed: --max-connections reached");
            }
            return;
        };
        if let Some(worker) = self.workers.iter().min_by_key(|worker| worker.connections()) {
            let activity = ConnectionActivity::new(client);
            self.open.add(&activity);
            worker.assign(stream, activity, permit);
        }
    }

    async fn back_off(&self, error: &io::Error) {
        tracing::warn!(%error, "cannot accept a connection");
        sleep(ACCEPT_RETRY_DELAY).await;
    }
}

/// The open connections, one of which can be closed for a new one.
#[derive(Default)]
pub(in crate::server) struct OpenConnections(Vec<Weak<ConnectionActivity>>);

impl OpenConnections {
    fn add(&mut self, connection: &Arc<ConnectionActivity>) {
        if self.0.len() == self.0.capacity() {
            self.0.retain(|connection| connection.strong_count() > 0);
        }
        self.0.push(Arc::downgrade(connection));
    }

    /// Closes a connection without calls, if there is one, for a new connection of this client. A client that is identified by
    /// its address closes only its own connections.
    fn evict(&mut self, client: &Arc<Client>) -> bool {
        let is_shared = Arc::strong_count(client) > 1;
        let candidates = self.0.iter().enumerate().filter_map(|(index, connection)| {
            let connection =
                connection.upgrade().filter(|it| !is_shared || Arc::ptr_eq(it.client(), client))?;
            Some((connection.eviction_rank()?, index))
        });
        let Some((_, index)) = candidates.min() else { return false };
        if let Some(connection) = self.0.swap_remove(index).upgrade() {
            connection.close();
        }
        true
    }
}

/// Finds the client of a new connection.
pub(in crate::server) struct Clients {
    identity: ClientIdentity,
    /// Clients with open connections, if they are identified by their address.
    by_address: HashMap<IpAddr, Weak<Client>>,
    /// At this size, entries of clients without connections are removed.
    cleanup_size: usize,
}

impl Clients {
    const MIN_CLEANUP_SIZE: usize = 1024;

    pub(in crate::server) fn new(identity: ClientIdentity) -> Self {
        Self { identity, by_address: HashMap::new(), cleanup_size: Self::MIN_CLEANUP_SIZE }
    }

    fn identify(&mut self, address: IpAddr) -> Arc<Client> {
        if self.identity == ClientIdentity::Connection {
            return Arc::default();
        }
        if let Some(client) = self.by_address.get(&address).and_then(Weak::upgrade) {
            return client;
        }
        if self.by_address.len() >= self.cleanup_size {
            self.by_address.retain(|_, client| client.strong_count() > 0);
            self.cleanup_size = (2 * self.by_address.len()).max(Self::MIN_CLEANUP_SIZE);
        }
        let client = Arc::default();
        self.by_address.insert(address, Arc::downgrade(&client));
        client
    }
}
