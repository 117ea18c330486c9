//! Calls that a connection has read and whose tasks have not run yet.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

/// With more, connections wait before they read. No budget counts such a call, because its client is not known yet.
const MAX_UNSTARTED_CALLS: usize = 1000;

/// Counts the unstarted calls of a worker. Clones share the count.
#[derive(Clone, Default)]
pub(in crate::server) struct UnstartedCalls(Arc<AtomicUsize>);

impl UnstartedCalls {
    /// Counts a call until the returned guard is dropped.
    pub(super) fn add(&self) -> UnstartedCall {
        self.0.fetch_add(1, Relaxed);
        UnstartedCall(self.0.clone())
    }

    /// Whether connections have to wait.
    pub(in crate::server) fn are_too_many(&self) -> bool {
        self.0.load(Relaxed) > MAX_UNSTARTED_CALLS
    }
}

/// A call that has not started.
pub(super) struct UnstartedCall(Arc<AtomicUsize>);

impl Drop for UnstartedCall {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
