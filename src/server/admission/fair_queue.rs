//! A fair queue: clients that use much CPU time wait behind each other, not in front of the others.
//!
//! It has two admission queues, which a worker serves alternately, a time slice each. A call of a client that recently used
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
    queue::{AdmissionQueue, ExecutionPermit, Shed},
};

/// CPU time is counted over one to two windows.
const WINDOW: Duration = Duration::from_millis(500);

/// Maximum number of calls of one client that wait in the queue of light clients.
const MAX_WAITING_LIGHT_CALLS: usize = 2;

/// A queue of one worker with a lane for light and one for heavy clients.
pub(super) struct FairQueue {
    light: AdmissionQueue,
    heavy: AdmissionQueue,
    usage: Arc<CpuUsage>,
}

impl FairQueue {
    /// Creates a queue. `usage` is shared by the queues of a worker.
    pub(super) fn new(create: fn() -> AdmissionQueue, usage: &Arc<CpuUsage>) -> Self {
        Self { light: create(), heavy: create(), usage: usage.clone() }
    }

    /// Waits until a call of a client may run. `ready_since` is when it became ready to run.
    pub(super) async fn admit(
        &self,
        client: &Arc<Client>,
        ready_since: Instant,
        max_wait: Duration,
    ) -> Result<MeteredPermit, Shed> {
        let queue = if self.usage.is_heavy(client) { &self.heavy } else { &self.light };
        if let Some(permit) = queue.try_admit(ready_since) {
            return Ok(MeteredPermit { _permit: permit, metered: None });
        }
        let waiting = self.usage.start_waiting(client);
        let queue = if waiting.calls > MAX_WAITING_LIGHT_CALLS { &self.heavy } else { queue };
        let permit = queue.admit(ready_since, max_wait).await?;
        drop(waiting);
        let metered = Some((self.usage.clone(), ClientKey::of(client), Instant::now()));
        Ok(MeteredPermit { _permit: permit, metered })
    }
}

/// Permission to run, held while a call runs. If the call had to wait, the time it runs counts as CPU time of its client.
pub(in crate::server) struct MeteredPermit {
    _permit: ExecutionPermit,
    metered: Option<(Arc<CpuUsage>, ClientKey, Instant)>,
}

impl Drop for MeteredPermit {
    fn drop(&mut self) {
        if let Some((usage, client, started)) = &self.metered {
            usage.record(*client, Instant::now(), started.elapsed());
        }
    }
}

/// Identifies a client while it has calls. A later client may have the same key: it then starts with the usage of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClientKey(usize);

impl ClientKey {
    fn of(client: &Arc<Client>) -> Self {
        Self(Arc::as_ptr(client).addr())
    }
}

/// The CPU time that clients of one worker used recently while calls were waiting.
#[derive(Default)]
pub(super) struct CpuUsage(Mutex<Usage>);

#[derive(Default)]
struct Usage {
    window_ends: Option<Instant>,
    current: HashMap<ClientKey, Duration>,
    previous: HashMap<ClientKey, Duration>,
    waiting: HashMap<ClientKey, usize>,
}

/// A call that waits. `calls` is the number of calls of its client that wait, with this one.
struct Waiting<'a> {
    usage: &'a CpuUsage,
    client: ClientKey,
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

    fn start_waiting(&self, client: &Arc<Client>) -> Waiting<'_> {
        let client = ClientKey::of(client);
        let mut usage = self.lock();
        let calls = usage.waiting.entry(client).or_default();
        *calls += 1;
        Waiting { usage: self, client, calls: *calls }
    }

    fn record(&self, client: ClientKey, now: Instant, used: Duration) {
        let mut usage = self.lock();
        usage.roll(now);
        *usage.current.entry(client).or_default() += used;
    }

    /// Whether a client used more than half of an equal share.
    fn is_heavy(&self, client: &Arc<Client>) -> bool {
        let mut usage = self.lock();
        if usage.window_ends.is_none() {
            return false;
        }
        usage.roll(Instant::now());
        usage.is_heavy(ClientKey::of(client))
    }
}

impl Usage {
    /// Starts another window if this one has ended. Without calls that waited, nothing is kept.
    fn roll(&mut self, now: Instant) {
        let Some(ends) = self.window_ends else {
            self.window_ends = Some(now + WINDOW);
            return;
        };
        if now < ends {
            return;
        }
        self.previous = mem::take(&mut self.current);
        if now >= ends + WINDOW {
            self.previous.clear();
        }
        self.window_ends = (!self.previous.is_empty()).then_some(now + WINDOW);
    }

    fn is_heavy(&self, client: ClientKey) -> bool {
        let windows = [&self.current, &self.previous];
        let used: Duration = windows.iter().filter_map(|window| window.get(&client)).sum();
        let total: Duration = windows.iter().flat_map(|window| window.values()).sum();
        let clients = self.current.len().max(self.previous.len()) as u32;
        used > Duration::ZERO && used * clients * 2 > total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(windows: &[&[(usize, u64)]]) -> Usage {
        let (mut usage, mut now) = (Usage::default(), Instant::now());
        for window in windows {
            usage.roll(now);
            for (client, millis) in *window {
                *usage.current.entry(ClientKey(*client)).or_default() += Duration::from_millis(*millis);
            }
            now += WINDOW;
        }
        usage
    }

    #[test]
    fn a_client_is_heavy_above_half_of_an_equal_share() {
        let two = usage(&[&[(1, 400), (2, 40)]]);
        assert_eq!([1, 2, 3].map(|client| two.is_heavy(ClientKey(client))), [true, false, false]);
        let equal = usage(&[&[(1, 100), (2, 100), (3, 100)]]);
        assert_eq!([1, 2, 3].map(|client| equal.is_heavy(ClientKey(client))), [true; 3]);
    }

    #[test]
    fn usage_is_forgotten_after_two_windows() {
        let idle: &[(usize, u64)] = &[(2, 1)];
        assert!(usage(&[&[(1, 400)], idle]).is_heavy(ClientKey(1)));
        assert!(!usage(&[&[(1, 400)], idle, idle]).is_heavy(ClientKey(1)));
    }

    #[test]
    fn nothing_is_kept_without_waiting_calls() {
        let mut usage = usage(&[&[(1, 400)]]);
        usage.roll(Instant::now() + 10 * WINDOW);
        assert!(usage.window_ends.is_none() && usage.previous.is_empty());
    }
}
