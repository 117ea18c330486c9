//! The admission queue: where calls wait when they arrive faster than they are answered.
//!
//! A worker is a single thread. If it started every call as soon as it was read, a burst would be read, executed and written as
//! a whole, and each call would wait for all others three times: to be read, to run and to be written. So calls that cannot run at once are queued, and a few run
//! per time slice: in between, the worker reads from and writes to connections as usual.
//!
//! Batches run one at a time: in parallel they would all finish later and hold more memory until then.
//!
//! The queue sheds load as `CoDel` does (RFC 8289). A call that has waited for its maximum is shed only if the
//! minimum delay of the last window is high too: if the queue was short a moment ago, this is a burst that will soon pass. A call that
//! would probably wait too long is shed on arrival if the queue was never empty during the last window: a client that gets
//! an early error can retry elsewhere.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    sync::Semaphore,
    task::yield_now,
    time::{Instant, timeout},
};

use crate::service::TIME_SLICE;

/// A call that waited no longer than this runs at once, if the queue is empty.
const MAX_IMMEDIATE_DELAY: Duration = Duration::from_millis(1);

/// Maximum number of queued calls that run in one time slice.
const MAX_CALLS_PER_SLICE: usize = 64;

/// The window over which delays are observed: longer than a burst, and short enough that the queue does not grow far meanwhile.
const WINDOW: Duration = Duration::from_millis(50);

/// A queue of one worker.
#[derive(Clone)]
pub(super) struct AdmissionQueue(Arc<Inner>);

/// How many calls of a queue run at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Concurrency {
    /// As many as fit into a time slice. For calls that do not yield.
    TimeSlice,
    /// For batches, which yield to other calls while they run.
    One,
}

struct Inner {
    concurrency: Concurrency,
    /// A permit lets the first call in the queue run.
    permits: Semaphore,
    queued: AtomicUsize,
    /// Whether the task that hands out permits is running; see [`grant_permits`].
    is_granting: AtomicBool,
    /// How long queued calls ran, in nanoseconds.
    used_nanos: AtomicU64,
    /// A queue that gets at least as much time as this one.
    preferred: Option<AdmissionQueue>,
    delays: Mutex<Delays>,
}

/// The call is shed: the queue is overloaded, and the call has waited too long or probably would.
#[derive(Debug)]
pub(super) struct Shed;

impl AdmissionQueue {
    pub(super) fn new(concurrency: Concurrency) -> Self {
        Self::with_preferred(concurrency, None)
    }

    /// A queue of the same kind, which gets at most as much time as this other one if calls wait in both.
    pub(super) fn behind(preferred: Self) -> Self {
        Self::with_preferred(preferred.0.concurrency, Some(preferred))
    }

    fn with_preferred(concurrency: Concurrency, preferred: Option<Self>) -> Self {
        Self(Arc::new(Inner {
            preferred,
            concurrency,
            permits: Semaphore::new(usize::from(concurrency == Concurrency::One)),
            queued: AtomicUsize::new(0),
            is_granting: AtomicBool::new(false),
            used_nanos: AtomicU64::new(0),
            delays: Mutex::new(Delays::new(Instant::now())),
        }))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.queued.load(Relaxed) == 0
    }

    /// Lets a call run at once, if it has not waited and the queue is empty.
    pub(super) fn try_admit(&self, now: Instant, ready_since: Instant) -> Option<ExecutionPermit> {
        let delay = now.saturating_duration_since(ready_since);
        if !self.is_empty() || delay > MAX_IMMEDIATE_DELAY {
            return None;
        }
        let permit = self.try_admit_now()?;
        self.0.delays().record(now, delay, 0);
        Some(permit)
    }

    /// Waits until a call that arrived at `ready_since` may run. The permit is to be held while it runs.
    pub(super) async fn admit(
        &self,
        ready_since: Instant,
        max_wait: Duration,
    ) -> Result<ExecutionPermit, Shed> {
        let (inner, now) = (&self.0, Instant::now());
        let delay = now.saturating_duration_since(ready_since);
        if inner.delays().predicts_wait_over(now, inner.queued.load(Relaxed), max_wait) {
            return Err(Shed);
        }
        // Boxed because few calls wait: the future of every call stays small.
        Box::pin(self.wait(max_wait.saturating_sub(delay), max_wait)).await?;
        let permit = ExecutionPermit(Some(inner.clone()));
        let now = Instant::now();
        let delay = now.saturating_duration_since(ready_since);
        let mut delays = inner.delays();
        delays.record(now, delay, inner.queued.load(Relaxed));
        if delay > max_wait && delays.has_standing_queue(max_wait) { Err(Shed) } else { Ok(permit) }
    }

    /// The permit of a call that need not be queued.
    fn try_admit_now(&self) -> Option<ExecutionPermit> {
        match self.0.concurrency {
            Concurrency::TimeSlice => Some(ExecutionPermit(None)),
            Concurrency::One => {
                self.0.permits.try_acquire().ok()?.forget();
                Some(ExecutionPermit(Some(self.0.clone())))
            }
        }
    }

    /// Waits in the queue. After `remaining`, the call is shed if all calls wait too long; otherwise it keeps its place.
    async fn wait(&self, remaining: Duration, max_wait: Duration) -> Result<(), Shed> {
        let inner = &self.0;
        let _queued = Queued::new(inner);
        if inner.concurrency == Concurrency::TimeSlice && !inner.is_granting.swap(true, Relaxed) {
            tokio::spawn(grant_permits(inner.clone()));
        }
        let mut permit = std::pin::pin!(inner.permits.acquire());
        let permit = match timeout(remaining, permit.as_mut()).await {
            Ok(permit) => permit,
            Err(_) if inner.delays().has_standing_queue(max_wait) => return Err(Shed),
            Err(_) => permit.await,
        };
        // The semaphore is never closed.
        if let Ok(permit) = permit {
            permit.forget();
        }
        Ok(())
    }

    /// Waits until queued calls have run for this long, or the queue is empty.
    async fn run_for(&self, nanos: u64) {
        let start = self.0.used_nanos.load(Relaxed);
        while !self.is_empty() && self.0.used_nanos.load(Relaxed) - start < nanos {
            yield_now().await;
        }
    }
}

impl Inner {
    fn delays(&self) -> MutexGuard<'_, Delays> {
        self.delays.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands out permits until the queue is empty: as many per round as run within a time slice.
async fn grant_permits(queue: Arc<Inner>) {
    let mut calls = 1;
    loop {
        let queued = queue.queued.load(Relaxed);
        if queued == 0 {
            break queue.is_granting.store(false, Relaxed);
        }
        let before = queue.used_nanos.load(Relaxed);
        queue.permits.add_permits(calls.min(queued));
        // When this returns, the calls have run, and connections were polled.
        yield_now().await;
        let used = queue.used_nanos.load(Relaxed) - before;
        if let Some(preferred) = &queue.preferred {
            preferred.run_for(used).await;
        }
        let has_time_left = used < TIME_SLICE.as_nanos() as u64;
        calls = if has_time_left { (calls * 2).min(MAX_CALLS_PER_SLICE) } else { (calls / 2).max(1) };
    }
}

/// A call in the queue, counted until it runs or is cancelled.
struct Queued<'a>(&'a Inner);

impl<'a> Queued<'a> {
    fn new(queue: &'a Inner) -> Self {
        queue.queued.fetch_add(1, Relaxed);
        Self(queue)
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.queued.fetch_sub(1, Relaxed);
    }
}

/// Permission to run, held while a call runs: the queue it came from. None if the call was not queued.
pub(super) struct ExecutionPermit(Option<Arc<Inner>>);

impl ExecutionPermit {
    /// Counts how long the call ran.
    pub(super) fn record(&self, used: Duration) {
        if let Some(queue) = &self.0 {
            queue.used_nanos.fetch_add(used.as_nanos() as u64, Relaxed);
        }
    }
}

impl Drop for ExecutionPermit {
    fn drop(&mut self) {
        if let Some(queue) = &self.0
            && queue.concurrency == Concurrency::One
        {
            queue.permits.add_permits(1);
        }
    }
}

/// The queueing delays of the current window and the one before.
struct Delays {
    previous: Window,
    current: Window,
    current_ends: Instant,
}

/// What is known of the calls that started to run within a window.
#[derive(Clone, Copy)]
struct Window {
    min_delay: Duration,
    started: u32,
    /// Whether the queue was never empty: then no more calls could have started.
    is_saturated: bool,
}

impl Window {
    const NEW: Self = Self { min_delay: Duration::MAX, started: 0, is_saturated: true };

    /// A window without queued calls.
    const IDLE: Self = Self { min_delay: Duration::ZERO, started: 0, is_saturated: false };
}

impl Delays {
    fn new(now: Instant) -> Self {
        Self { previous: Window::IDLE, current: Window::NEW, current_ends: now + WINDOW }
    }

    /// Records that a call starts to run after this delay, with this many calls left in the queue.
    fn record(&mut self, now: Instant, delay: Duration, queued: usize) {
        if now >= self.current_ends {
            let previous = match self.current {
                window if window.started > 0 && !self.is_stale(now) => window,
                // Calls start far apart, or the machine paused: the throughput is unknown.
                window if window.is_saturated && window.started > 0 => {
                    Window { is_saturated: false, ..window }
                }
                _ => Window::IDLE,
            };
            *self = Self { previous, ..Self::new(now) };
        }
        self.current.min_delay = self.current.min_delay.min(delay);
        self.current.started += 1;
        self.current.is_saturated &= queued > 0;
    }

    /// Whether a whole window has passed since the current one ended.
    fn is_stale(&self, now: Instant) -> bool {
        now >= self.current_ends + WINDOW
    }

    /// Whether all calls of the last window waited for more than half of `max_wait`. A threshold of `max_wait`
    /// itself would stop shedding while the queue is still nearly full.
    fn has_standing_queue(&self, max_wait: Duration) -> bool {
        self.previous.min_delay > max_wait / 2
    }

    /// Whether a call behind `queued` others would wait for more than three quarters of `max_wait`, at the throughput of the
    /// last window. The rest is a margin, so that few calls wait and are then shed.
    fn predicts_wait_over(&self, now: Instant, queued: usize, max_wait: Duration) -> bool {
        let queued = u32::try_from(queued).unwrap_or(u32::MAX);
        let expected_wait = WINDOW.saturating_mul(queued) / self.previous.started.max(1);
        self.previous.is_saturated && !self.is_stale(now) && expected_wait >= max_wait / 4 * 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn admit(queue: AdmissionQueue) -> ExecutionPermit {
        let admitted = queue.admit(Instant::now(), Duration::from_hours(1)).await;
        admitted.expect("no call waits for an hour")
    }

    #[tokio::test]
    async fn short_calls_run_concurrently() {
        let queue = AdmissionQueue::new(Concurrency::TimeSlice);
        let _first = admit(queue.clone()).await;
        let _second = admit(queue).await;
    }

    #[tokio::test]
    async fn a_batch_runs_when_the_one_before_it_is_done() {
        let queue = AdmissionQueue::new(Concurrency::One);
        let first = admit(queue.clone()).await;
        let second = tokio::spawn(admit(queue));
        yield_now().await;
        assert!(!second.is_finished());
        drop(first);
        second.await.expect("it runs");
    }

    #[tokio::test]
    async fn a_cancelled_batch_lets_the_next_one_run() {
        let queue = AdmissionQueue::new(Concurrency::One);
        let first = admit(queue.clone()).await;
        let [second, third] = [tokio::spawn(admit(queue.clone())), tokio::spawn(admit(queue.clone()))];
        yield_now().await;
        // The second one gets the permit, and is cancelled before it is polled.
        drop(first);
        second.abort();
        drop(third.await.expect("it runs"));
        admit(queue).await;
    }

    const LONG: Duration = Duration::from_millis(150);
    const SHORT: Duration = Duration::from_millis(5);

    /// The minimum delay of the last window after calls that started at these times, in milliseconds, with these delays.
    fn min_delay_after(calls: &[(u64, Duration)]) -> Duration {
        let start = Instant::now();
        let mut delays = Delays::new(start);
        for (at, delay) in calls {
            delays.record(start + Duration::from_millis(*at), *delay, 0);
        }
        delays.previous.min_delay
    }

    /// The delays after calls that started at these times, in milliseconds, with this many left in the queue; and the last of
    /// these times.
    fn delays_after(calls: &[(u64, usize)]) -> (Delays, Instant) {
        let mut now = Instant::now();
        let (start, mut delays) = (now, Delays::new(now));
        for (at, queued) in calls {
            now = start + Duration::from_millis(*at);
            delays.record(now, LONG, *queued);
        }
        (delays, now)
    }

    #[test]
    fn a_high_minimum_delay_stays_however_far_apart_calls_start() {
        assert_eq!(delays_after(&[(10, 3), (160, 2), (310, 1)]).0.previous.min_delay, LONG);
        assert_eq!(delays_after(&[(10, 3), (160, 0), (310, 1)]).0.previous.min_delay, Duration::ZERO);
    }

    #[test]
    fn a_wait_over_the_maximum_is_predicted() {
        // Two calls in 50 ms are six in 150 ms, three quarters of this.
        let max_wait = Duration::from_millis(200);
        let (saturated, last) = delays_after(&[(10, 7), (40, 6), (60, 5)]);
        assert!(!saturated.predicts_wait_over(last, 5, max_wait));
        assert!(saturated.predicts_wait_over(last, 6, max_wait));
        // An old window says nothing.
        assert!(!saturated.predicts_wait_over(last + 2 * WINDOW, 6, max_wait));
    }

    #[test]
    fn no_wait_is_predicted_if_the_queue_was_empty_recently() {
        let max_wait = Duration::from_millis(200);
        for calls in [&[(10, 7), (40, 0), (60, 5)][..], &[(10, 7), (160, 6)], &[(60, 7)], &[]] {
            let (delays, last) = delays_after(calls);
            assert!(!delays.predicts_wait_over(last, 1000, max_wait), "{calls:?}");
        }
    }

    #[test]
    fn the_minimum_delay_counts_after_its_window() {
        assert_eq!(min_delay_after(&[(10, LONG), (40, LONG)]), Duration::ZERO);
        assert_eq!(min_delay_after(&[(10, LONG), (40, LONG), (60, LONG)]), LONG);
    }

    #[test]
    fn one_short_delay_shows_that_the_queue_was_empty() {
        assert_eq!(min_delay_after(&[(10, LONG), (20, SHORT), (40, LONG), (60, LONG)]), SHORT);
    }

    #[test]
    fn there_is_no_delay_before_the_first_call() {
        assert_eq!(min_delay_after(&[(60, LONG)]), Duration::ZERO);
    }

    #[test]
    fn a_pause_is_not_a_delay() {
        assert_eq!(min_delay_after(&[(10, LONG), (40, LONG), (160, LONG)]), Duration::ZERO);
    }
}
