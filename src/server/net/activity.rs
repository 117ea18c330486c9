//! What a connection is doing: calls that are open, and responses that its client does not read.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use crate::server::admission::Client;

/// A connection is in use for this long after the start of a call.
const IN_USE_TIME: Duration = Duration::from_secs(1);

/// The activity of one connection, observed at regular intervals by [`ActivityMonitor`].
///
/// Responses are counted in two generations, and the monitor starts a new one at each interval: a response that is still
/// unsent two generations later has waited for at least one interval. No timer or list per response is needed.
pub(in crate::server) struct ConnectionActivity {
    client: Arc<Client>,
    opened: Instant,
    /// When the connection was polled last, in nanoseconds since it was opened.
    polled_nanos: AtomicU64,
    /// When its last call started, in the same unit. 0: none has started.
    called_nanos: AtomicU64,
    closing: Notify,
    started_calls: AtomicUsize,
    open_calls: AtomicUsize,
    generation: AtomicUsize,
    unsent_chunks: [AtomicUsize; 2],
}

impl ConnectionActivity {
    pub(super) fn new(client: Arc<Client>) -> Arc<Self> {
        Arc::new(Self {
            client,
            opened: Instant::now(),
            polled_nanos: AtomicU64::new(0),
            called_nanos: AtomicU64::new(0),
            closing: Notify::new(),
            started_calls: AtomicUsize::new(0),
            open_calls: AtomicUsize::new(0),
            generation: AtomicUsize::new(0),
            unsent_chunks: Default::default(),
        })
    }

    /// The client of calls without a token.
    pub(in crate::server) fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// Records that the connection is polled now, to read what its client has sent.
    pub(super) fn record_poll(&self) {
        self.polled_nanos.store(self.opened.elapsed().as_nanos() as u64, Relaxed);
    }

    /// When the connection was polled last: what it has read arrived before.
    pub(in crate::server) fn polled_at(&self) -> Instant {
        self.opened + Duration::from_nanos(self.polled_nanos.load(Relaxed))
    }

    /// Counts a call until the returned guard is dropped.
    pub(in crate::server) fn open_call(this: &Arc<Self>) -> OpenCall {
        this.called_nanos.store(this.polled_nanos.load(Relaxed).max(1), Relaxed);
        this.started_calls.fetch_add(1, Relaxed);
        this.open_calls.fetch_add(1, Relaxed);
        OpenCall(this.clone())
    }

    /// Closes the connection.
    pub(super) fn close(&self) {
        self.closing.notify_one();
    }

    /// Ready when the connection must be closed.
    pub(super) fn closing(&self) -> impl Future<Output = ()> {
        self.closing.notified()
    }

    /// The rank of the connection among those that may be closed for a new one: the lowest is closed. First connections without
    /// any call, then those whose last call was longest ago. None: it is in use, even if no call is open right now. Otherwise a
    /// client that keeps a call open on each of its connections could make the server close all others, between two calls.
    pub(super) fn eviction_rank(&self) -> Option<impl Ord + use<>> {
        if self.open_calls.load(Relaxed) > 0 {
            return None;
        }
        let called = self.called_nanos.load(Relaxed);
        let last_used = self.opened + Duration::from_nanos(called);
        (called == 0 || last_used.elapsed() >= IN_USE_TIME).then_some((called > 0, last_used))
    }

    /// Counts a chunk of a response that is not sent yet. Returns its generation for [`chunk_sent`](Self::chunk_sent).
    pub(in crate::server) fn chunk_created(&self) -> usize {
        let generation = self.generation.load(Relaxed);
        self.unsent_chunks[generation % 2].fetch_add(1, Relaxed);
        generation
    }

    pub(in crate::server) fn chunk_sent(&self, generation: usize) {
        self.unsent_chunks[generation % 2].fetch_sub(1, Relaxed);
    }

    /// Starts the next generation. Returns whether chunks of the one before the last are still unsent.
    fn has_unsent_chunks_of_last_interval(&self) -> bool {
        let next = self.generation.fetch_add(1, Relaxed) + 1;
        self.unsent_chunks[next % 2].load(Relaxed) > 0
    }
}

/// An open call of a connection.
pub(in crate::server) struct OpenCall(Arc<ConnectionActivity>);

impl OpenCall {
    pub(in crate::server) fn connection(&self) -> &ConnectionActivity {
        &self.0
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.0.open_calls.fetch_sub(1, Relaxed);
    }
}

/// What a connection did since the last observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Observation {
    /// Calls are open or were started.
    Active,
    /// No call is open, and none was started.
    Idle,
    /// A response was not read for at least the interval between two observations.
    Unread,
}

/// Observes a connection at regular intervals.
pub(super) struct ActivityMonitor {
    activity: Arc<ConnectionActivity>,
    started_calls: usize,
}

impl ActivityMonitor {
    pub(super) fn new(activity: Arc<ConnectionActivity>) -> Self {
        Self { activity, started_calls: 0 }
    }

    pub(super) fn observe(&mut self) -> Observation {
        let started_calls = self.activity.started_calls.load(Relaxed);
        let is_idle = started_calls == self.started_calls && self.activity.open_calls.load(Relaxed) == 0;
        self.started_calls = started_calls;
        if self.activity.has_unsent_chunks_of_last_interval() {
            Observation::Unread
        } else if is_idle {
            Observation::Idle
        } else {
            Observation::Active
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor() -> (Arc<ConnectionActivity>, ActivityMonitor) {
        let activity = ConnectionActivity::new(Arc::default());
        (activity.clone(), ActivityMonitor::new(activity))
    }

    #[test]
    fn a_connection_is_idle_when_no_call_is_open_and_none_was_started() {
        let (activity, mut monitor) = monitor();
        assert_eq!(monitor.observe(), Observation::Idle);
        let call = ConnectionActivity::open_call(&activity);
        assert_eq!([monitor.observe(), monitor.observe()], [Observation::Active; 2]);
        drop(call);
        assert_eq!(monitor.observe(), Observation::Idle);
        drop(ConnectionActivity::open_call(&activity));
        assert_eq!([monitor.observe(), monitor.observe()], [Observation::Active, Observation::Idle]);
    }

    #[test]
    fn a_connection_between_two_calls_is_not_closed_for_a_new_one() {
        let mut activity = ConnectionActivity::new(Arc::default());
        assert!(activity.eviction_rank().is_some());
        drop(ConnectionActivity::open_call(&activity));
        assert!(activity.eviction_rank().is_none());
        Arc::get_mut(&mut activity).expect("the call has ended").opened -= IN_USE_TIME;
        assert!(activity.eviction_rank().is_some());
    }

    #[test]
    fn a_response_is_unread_after_a_whole_interval() {
        let (activity, mut monitor) = monitor();
        let generation = activity.chunk_created();
        assert_eq!([monitor.observe(), monitor.observe()], [Observation::Idle, Observation::Unread]);
        activity.chunk_sent(generation);
        assert_eq!([monitor.observe(), monitor.observe()], [Observation::Idle; 2]);
    }

    #[test]
    fn responses_that_are_read_in_time_are_not_unread() {
        let (activity, mut monitor) = monitor();
        for _ in 0..5 {
            let generation = activity.chunk_created();
            assert_eq!(monitor.observe(), Observation::Idle);
            activity.chunk_sent(generation);
        }
    }
}
