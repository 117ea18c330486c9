//! Threads for analysis: a search takes up to seconds, and must not delay the calls of a worker.

use std::{
    io,
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use tokio::sync::oneshot;

use super::{ConnectFourBook, catch_panic};
use crate::{
    engine::{Cancelled, Workspace},
    wire::Refusal,
};

/// The priority of the threads: lower than that of all others, so that searches use only the CPU time that calls leave.
const NICE: i32 = 19;

type Search = Box<dyn FnOnce(&mut Workspace) + Send>;

/// Threads that run searches. Clones share the threads, which end when the last one is dropped.
///
/// Admission control lets as many searches run as there are threads, so the channel is empty or nearly so.
#[derive(Clone)]
pub struct AnalysisThreads {
    searches: Sender<Search>,
}

/// Cancels a search when it is dropped.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl AnalysisThreads {
    /// Starts threads that use this opening book.
    ///
    /// # Errors
    ///
    /// If the operating system refuses a thread.
    pub fn start(count: NonZeroUsize, book: &Arc<ConnectFourBook>) -> io::Result<Self> {
        let (searches, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for index in 0..count.get() {
            let (waiting, workspace) = (waiting.clone(), Workspace::with_book(book.clone()));
            thread::Builder::new()
                .name(format!("analysis-{index}"))
                .spawn(move || run(&waiting, workspace))?;
        }
        Ok(Self { searches })
    }

    /// Runs a search. It is cancelled when this future is dropped.
    ///
    /// # Errors
    ///
    /// If the search panics.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        search: impl FnOnce(&mut Workspace, &AtomicBool) -> Result<R, Cancelled> + Send + 'static,
    ) -> Result<R, Refusal> {
        let (sender, result) = oneshot::channel();
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let _cancel = CancelOnDrop(is_cancelled.clone());
        let search: Search = Box::new(move |workspace| {
            let found = catch_panic(|| search(workspace, &is_cancelled).map_err(|_| Refusal::cancelled()));
            // Nobody waits for the result of a cancelled search.
            let _ = sender.send(found);
        });
        // The threads end after the last sender is dropped.
        let _ = self.searches.send(search);
        result.await.unwrap_or_else(|_| Err(Refusal::internal_fault()))
    }
}

/// Runs one search after the other.
fn run(waiting: &Mutex<Receiver<Search>>, mut workspace: Workspace) {
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::warn!(%error, "cannot lower the priority of a thread for analysis");
    }
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(search) => search(&mut workspace),
            Err(_) => return,
        }
    }
}
