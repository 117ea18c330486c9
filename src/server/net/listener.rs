//! Accepts connections and assigns each to the worker with the fewest.

use std::{io, net::TcpStream, pin::pin, sync::Arc, time::Duration};

use tokio::{net::TcpListener, time::sleep};

use super::worker::Worker;
use crate::server::{admission::Budget, drain::Drain, telemetry::Metrics};

/// How long to wait after the operating system failed to accept a connection, for example for lack of file descriptors.
pub(in crate::server) const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

pub(in crate::server) struct Listener {
    pub(in crate::server) socket: TcpListener,
    pub(in crate::server) workers: Vec<Worker>,
    pub(in crate::server) connections: Arc<Budget>,
    pub(in crate::server) metrics: Arc<Metrics>,
}

impl Listener {
    /// Accepts connections until the drain starts, then closes the socket.
    pub(in crate::server) async fn run(self, drain: Drain) {
        let mut drain_started = pin!(drain.started());
        loop {
            tokio::select! {
                // Connections that are already waiting are accepted before the socket is closed.
                biased;
                accepted = self.socket.accept() => {
                    match accepted.and_then(|(stream, _)| stream.into_std()) {
                        Ok(stream) => self.assign(stream),
                        Err(error) => self.back_off(&error).await,
                    }
                }
                () = &mut drain_started => return,
            }
        }
    }

    fn assign(&self, stream: TcpStream) {
        let Some(permit) = self.connections.acquire(1) else {
            self.metrics.connection_refused();
            tracing::warn!(limit = self.connections.limit(), "connection closed: --max-connections reached");
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
