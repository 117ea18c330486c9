//! A thread with a runtime of its own, and the connections that were handed to it.

use std::{
    io,
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use tokio::{runtime, sync::mpsc};
use tokio_util::task::TaskTracker;

use super::{connection::Connections, metrics::Metrics};

/// The handle by which a worker is given connections. When it is dropped the worker ends with its last connection.
pub(super) struct Worker {
    connections: mpsc::UnboundedSender<Connection>,
    load: Arc<AtomicUsize>,
}

/// A connection on its way to a worker, counted among its load until it is closed.
struct Connection {
    stream: TcpStream,
    load: Load,
}

struct Load {
    connections: Arc<AtomicUsize>,
    metrics: Arc<Metrics>,
}

impl Drop for Load {
    fn drop(&mut self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
        self.metrics.connection_closes();
    }
}

impl Worker {
    /// How many connections it has.
    pub(super) fn load(&self) -> usize {
        self.load.load(Ordering::Relaxed)
    }

    /// Hands it a connection.
    pub(super) fn take(&self, stream: TcpStream, metrics: &Arc<Metrics>) {
        self.load.fetch_add(1, Ordering::Relaxed);
        metrics.connection_opens();
        let connection =
            Connection { stream, load: Load { connections: self.load.clone(), metrics: metrics.clone() } };
        // A worker ends only after its handle is dropped: it is still there.
        let _ = self.connections.send(connection);
    }
}

/// Starts a worker. `finished` is dropped when it has ended.
pub(super) fn start(index: usize, serving: Connections, finished: mpsc::Sender<()>) -> io::Result<Worker> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    thread::Builder::new().name(format!("worker-{index}")).spawn(move || {
        runtime.block_on(work(receiver, serving));
        drop(finished);
    })?;
    Ok(Worker { connections: sender, load: Arc::default() })
}

async fn work(mut connections: mpsc::UnboundedReceiver<Connection>, serving: Connections) {
    let open = TaskTracker::new();
    while let Some(connection) = connections.recv().await {
        let serving = serving.clone();
        open.spawn(async move {
            if let Err(error) = serving.serve(connection.stream).await {
                tracing::debug!(%error, "connection failed");
            }
            drop(connection.load);
        });
    }
    open.close();
    tokio::select! {
        () = open.wait() => {}
        () = serving.drain.over() => {}
    }
}
