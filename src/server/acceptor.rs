//! Accepts connections and hands each to the worker that has the fewest.

use std::{io, net::TcpStream, pin::pin, sync::Arc, time::Duration};

use tokio::{net::TcpListener, task::JoinHandle, time::sleep};

use super::{drain::Drain, metrics::Metrics, worker::Worker};

/// How long to wait when the operating system has no room for a connection.
pub(super) const NO_ROOM: Duration = Duration::from_millis(50);

/// Starts to accept. Ends, and closes the listener, when the drain begins.
pub(super) fn start(
    listener: TcpListener,
    workers: Vec<Worker>,
    max_connections: usize,
    metrics: &Arc<Metrics>,
    drain: &Drain,
) -> JoinHandle<()> {
    let acceptor = Acceptor { listener, workers, max_connections, metrics: metrics.clone() };
    tokio::spawn(acceptor.run(drain.clone()))
}

struct Acceptor {
    listener: TcpListener,
    workers: Vec<Worker>,
    max_connections: usize,
    metrics: Arc<Metrics>,
}

impl Acceptor {
    async fn run(self, drain: Drain) {
        let mut begun = pin!(drain.begun());
        loop {
            tokio::select! {
                biased;
                accepted = self.listener.accept() => self.hand_over(accepted).await,
                // Nobody is waiting any more: whoever was has been accepted above.
                () = &mut begun => return,
            }
        }
    }

    async fn hand_over(&self, accepted: io::Result<(tokio::net::TcpStream, std::net::SocketAddr)>) {
        match accepted.and_then(|(stream, _)| stream.into_std()) {
            Ok(stream) => self.assign(stream),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(NO_ROOM).await;
            }
        }
    }

    fn assign(&self, stream: TcpStream) {
        let open: usize = self.workers.iter().map(Worker::load).sum();
        if open >= self.max_connections {
            self.metrics.refuse_connection();
            tracing::warn!(open, "refused a connection: there are as many as --max-connections allows");
            return;
        }
        if let Some(idlest) = self.workers.iter().min_by_key(|worker| worker.load()) {
            idlest.take(stream, &self.metrics);
        }
    }
}
