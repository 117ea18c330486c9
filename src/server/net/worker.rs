//! A worker: a thread with a single-threaded runtime that serves the connections assigned to it.

use std::{
    io,
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use tokio::{runtime, sync::mpsc};
use tokio_util::task::TaskTracker;

use super::{activity::ConnectionActivity, connection::ConnectionContext};
use crate::server::admission::Permit;

/// The handle of a worker. When it is dropped, the worker ends with its last connection.
pub(in crate::server) struct Worker {
    sender: mpsc::UnboundedSender<Assigned>,
    connections: Arc<AtomicUsize>,
}

/// A connection on its way to a worker.
struct Assigned {
    stream: TcpStream,
    activity: Arc<ConnectionActivity>,
    guard: ConnectionGuard,
}

/// Counts a connection until it is closed.
struct ConnectionGuard {
    connections: Arc<AtomicUsize>,
    _permit: Permit,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.connections.fetch_sub(1, Relaxed);
    }
}

impl Worker {
    /// The number of open connections.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Relaxed)
    }

    /// Hands a connection to this worker.
    pub(super) fn assign(&self, stream: TcpStream, activity: Arc<ConnectionActivity>, permit: Permit) {
        self.connections.fetch_add(1, Relaxed);
        let guard = ConnectionGuard { connections: self.connections.clone(), _permit: permit };
        // It does not fail: a worker ends only after its handle is dropped.
        let _ = self.sender.send(Assigned { stream, activity, guard });
    }
}

/// Starts a worker. `running` is dropped when it ends.
pub(in crate::server) fn start_worker(
    index: usize,
    context: ConnectionContext,
    running: mpsc::Sender<()>,
) -> io::Result<Worker> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    thread::Builder::new().name(format!("worker-{index}")).spawn(move || {
        runtime.block_on(run(receiver, context));
        drop(running);
    })?;
    Ok(Worker { sender, connections: Arc::default() })
}

async fn run(mut assigned: mpsc::UnboundedReceiver<Assigned>, context: ConnectionContext) {
    let open = TaskTracker::new();
    while let Some(Assigned { stream, activity, guard }) = assigned.recv().await {
        let context = context.clone();
        open.spawn(async move {
            let served = tokio::select! {
                served = context.serve(stream, activity.clone()) => served,
                () = activity.closing() => Err("closed for a new connection".into()),
            };
            if let Err(error) = served {
                tracing::debug!(%error, "connection failed");
            }
            drop(guard);
        });
    }
    open.close();
    tokio::select! {
        () = open.wait() => {}
        () = context.drain.expired() => {}
    }
}
