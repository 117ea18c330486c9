//! A fair queue: clients that use much CPU time wait behind each other, not in front of the others.
//!
//! It has two admission queues, which a worker serves alternately, for the same time. A call of a client that recently used
//! more than half of an equal share of the CPU time, or that already waits with several calls, goes to the queue of heavy
//! clients. Under overload these shed each other. If all clients are alike, all are heavy, and the queue is an ordinary one.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{
    Client,
    client::ClientId,
    queue::{AdmissionQueue, Concurrency, ExecutionPermit, Shed},
};
use crate::service::StreamSlice;

/// CPU time is counted over one to two windows.
const WINDOW: Duration = Duration::from_millis(500);

/// A client that used less than this, one percent of a window, is light: it does not cause an overload, even if no other client
/// is counted.
const MIN_HEAVY_TIME: Duration = Duration::from_millis(5);

/// A call that did not wait is counted only if it runs for at least this long. Most calls are shorter.
const MIN_COUNTED_TIME: Duration = Duration::from_micros(50);

/// Maximum number of calls of one client that wait in the queue of light clients.
const MAX_WAITING_LIGHT_CALLS: usize = 32;

/// Calls of light clients may wait this many times longer before they are shed: they do not cause the overload.
const LIGHT_WAIT_FACTOR: u32 = 5;

/// A queue of one worker with a lane for light and one for heavy clients. Clones share the queue.
#[derive(Clone)]
pub(in crate::server) struct FairQueue {
    light: AdmissionQueue,
    heavy: AdmissionQueue,
    usage: Arc<CpuUsage>,
}

impl FairQueue {
    /// Creates a queue. `usage` may be shared by several queues of a worker.
    pub(super) fn new(concurrency: Concurrency, usage: &Arc<CpuUsage>) -> Self {
        let light = AdmissionQueue::new(concurrency);
        let heavy = AdmissionQueue::behind(light.clone());
        Self { light, heavy, usage: usage.clone() }
    }

    /// Waits until a call of a client may run. `ready_since` is when it became ready to run.
    pub(super) async fn admit(
        &self,
        client: &Client,
        ready_since: Instant,
        max_wait: Duration,
    ) -> Result<MeteredPermit, Shed> {
        let now = Instant::now();
        let is_heavy = self.usage.is_heavy(client.id(), now);
        let queue = if is_heavy { &self.heavy } else { &self.light };
        if self.light.is_empty()
            && self.heavy.is_empty()
            && let Some(permit) = queue.try_admit(now, ready_since)
        {
            return Ok(self.metered(permit, client, now, false));
        }
        let waiting = self.usage.start_waiting(client.id());
        let permit = if is_heavy || waiting.calls > MAX_WAITING_LIGHT_CALLS {
            self.heavy.admit(ready_since, max_wait).await?
        } else {
            self.light.admit(ready_since, max_wait.saturating_mul(LIGHT_WAIT_FACTOR)).await?
        };
        drop(waiting);
        Ok(self.metered(permit, client, Instant::now(), true))
    }

    /// Waits like `admit`, but for as long as it takes: a stream that was shed would lose all its items.
    pub(super) async fn admit_unshed(&self, client: &Client) -> MeteredPermit {
        loop {
            if let Ok(permit) = self.admit(client, Instant::now(), Duration::MAX).await {
                return permit;
            }
        }
    }

    fn metered(
        &self,
        permit: ExecutionPermit,
        client: &Client,
        started: Instant,
        has_waited: bool,
    ) -> MeteredPermit {
        let (usage, client) = (self.usage.clone(), client.id());
        MeteredPermit { permit, usage, client, started, used: None, has_waited }
    }
}

/// Permission to run, held while a call runs. The time it runs counts as CPU time of its client.
pub(in crate::server) struct MeteredPermit {
    permit: ExecutionPermit,
    usage: Arc<CpuUsage>,
    client: ClientId,
    started: Instant,
    /// None: it runs from `started` until it is dropped.
    used: Option<Duration>,
    has_waited: bool,
}

impl StreamSlice for MeteredPermit {
    fn set_used(&mut self, used: Duration) {
        self.used = Some(used);
    }
}

impl Drop for MeteredPermit {
    fn drop(&mut self) {
        let now = Instant::now();
        let used = self.used.unwrap_or_else(|| now.saturating_duration_since(self.started));
        self.permit.record(used);
        if self.has_waited || used >= MIN_COUNTED_TIME {
            self.usage.record(self.client, now, used);
        }
    }
}

/// The CPU time that clients of one worker used recently.
#[derive(Default)]
pub(super) struct CpuUsage(Mutex<Usage>);

#[derive(Default)]
struct Usage {
    /// None: nothing was recorded recently.
    window_ends: Option<Instant>,
    current: Window,
    previous: Window,
    waiting: HashMap<ClientId, usize>,
}

#[derive(Default)]
struct Window {
    by_client: HashMap<ClientId, Duration>,
    total: Duration,
}

impl Window {
    fn record(&mut self, client: ClientId, used: Duration) {
        *self.by_client.entry(client).or_default() += used;
        self.total += used;
    }

    fn used_by(&self, client: ClientId) -> Duration {
        self.by_client.get(&client).copied().unwrap_or_default()
    }
}

/// A call that waits. `calls` is the number of calls of its client that wait, with this one.
struct Waiting<'a> {
    usage: &'a CpuUsage,
    client: ClientId,
    calls: usize,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let waiting = &mut self.usage.lock().waiting;
        match waiting.get_mut(&self.client) {
            Some(calls) if *calls > 1 => *calls -= 1,
            _ => drop(waiting.remove(&self.client)),
        }
    }
}

impl CpuUsage {
    fn lock(&self) -> MutexGuard<'_, Usage> {
        // Only its worker uses it, so the lock is never contended.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_waiting(&self, client: ClientId) -> Waiting<'_> {
        let mut usage = self.lock();
        let calls = usage.waiting.entry(client).or_default();
        *calls += 1;
        Waiting { usage: self, client, calls: *calls }
    }

    fn record(&self, client: ClientId, now: Instant, used: Duration) {
        let mut usage = self.lock();
        usage.roll(now);
        usage.window_ends.get_or_insert(now + WINDOW);
        usage.current.record(client, used);
    }

    fn is_heavy(&self, client: ClientId, now: Instant) -> bool {
        let mut usage = self.lock();
        usage.roll(now);
        usage.window_ends.is_some() && usage.is_heavy(client)
    }
}

impl Usage {
    /// Starts another window if this one has ended.
    fn roll(&mut self, now: Instant) {
        let Some(ends) = self.window_ends.filter(|ends| now >= *ends) else { return };
        self.previous = mem::take(&mut self.current);
        if now >= ends + WINDOW {
            self.previous = Window::default();
        }
        self.window_ends = (!self.previous.by_client.is_empty()).then_some(now + WINDOW);
    }

    /// Whether a client used more than half of an equal share, and not only a little.
    fn is_heavy(&self, client: ClientId) -> bool {
        let windows = [&self.current, &self.previous];
        let used: Duration = windows.iter().map(|window| window.used_by(client)).sum();
        let total: Duration = windows.iter().map(|window| window.total).sum();
        let clients = self.current.by_client.len().max(self.previous.by_client.len()) as u32;
        used > MIN_HEAVY_TIME && used.saturating_mul(clients.saturating_mul(2)) > total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(windows: &[&[(u64, u64)]]) -> Usage {
        let (mut usage, mut now) = (Usage::default(), Instant::now());
        for window in windows {
            usage.roll(now);
            usage.window_ends.get_or_insert(now + WINDOW);
            for (client, millis) in *window {
                usage.current.record(ClientId(*client), Duration::from_millis(*millis));
            }
            now += WINDOW;
        }
        usage
    }

    #[test]
    fn a_client_is_heavy_above_half_of_an_equal_share() {
        let two = usage(&[&[(1, 400), (2, 40)]]);
        assert_eq!([1, 2, 3].map(|client| two.is_heavy(ClientId(client))), [true, false, false]);
        let alone = usage(&[&[(1, 5)]]);
        assert!(!alone.is_heavy(ClientId(1)), "it used little");
        let equal = usage(&[&[(1, 100), (2, 100), (3, 100)]]);
        assert_eq!([1, 2, 3].map(|client| equal.is_heavy(ClientId(client))), [true; 3]);
    }

    #[test]
    fn usage_is_forgotten_after_two_windows() {
        let idle: &[(u64, u64)] = &[(2, 1)];
        assert!(usage(&[&[(1, 400)], idle]).is_heavy(ClientId(1)));
        assert!(!usage(&[&[(1, 400)], idle, idle]).is_heavy(ClientId(1)));
    }

    #[test]
    fn nothing_is_kept_without_calls() {
        let mut usage = usage(&[&[(1, 400)]]);
        usage.roll(Instant::now() + 10 * WINDOW);
        assert!(usage.window_ends.is_none() && usage.previous.by_client.is_empty());
    }
}
