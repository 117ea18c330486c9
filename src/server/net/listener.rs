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

use super::worker::Worker;
use crate::{
    config::ClientIdentity,
    server::{
        admission::{Budget, Client},
        drain::Drain,
        telemetry::LogLimiter,
    },
};

/// How long to wait after the operating system failed to accept a connection, for example for lack of file descriptors.
pub(in crate::server) const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

pub(in crate::server) struct Listener {
    pub(in crate::server) socket: TcpListener,
    pub(in crate::server) workers: Vec<Worker>,
    pub(in crate::server) connections: Arc<Budget>,
    pub(in crate::server) clients: Clients,
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
        let Some(permit) = self.connections.acquire(&client, 1) else {
            if self.log_limiter.allows_refused_connection() {
                let limit = self.connections.limit();
                tracing::warn!(limit, "connection closed: --max-connections reached");
            }
            return;
        };
        if let Some(worker) = self.workers.iter().min_by_key(|worker| worker.connections()) {
            worker.assign(stream, permit);
        }
    }

    async fn back_off(&self, error: &io::Error) {
        tracing::warn!(%error, "cannot accept a connection");
        sleep(ACCEPT_RETRY_DELAY).await;
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
