//! The admission queue: where calls wait when they arrive faster than they are answered.
//!
//! A worker is a single thread. If it started every call as soon as it was read, a burst would be read, executed and written as
//! a whole, and each call would wait for all others three times: to be read, to run and to be written. So calls that cannot run
//! at once are queued, and a few run per time slice: in between, the worker reads from and writes to connections as usual.
//!
//! Batches run one at a time: in parallel they would all finish later and hold more memory until then.
//!
//! The queue is fair, and sheds the calls of a client by the delays of that client alone (as `FQ-CoDel`, RFC 8290): under
//! overload, the clients that cause it lose calls.

use std::{
    mem,
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::oneshot,
    task::yield_now,
    time::{Instant, timeout},
};

use super::{
    Client,
    client::ClientId,
    schedule::{Charge, Schedule, Ticket},
};
use crate::service::{StreamSlice, TIME_SLICE};

/// A call that waited no longer than this runs at once, if the queue is empty.
const MAX_IMMEDIATE_DELAY: Duration = Duration::from_millis(1);

/// Maximum number of queued calls that run in one time slice.
const MAX_CALLS_PER_SLICE: usize = 64;

/// A call that did not wait is counted only if it runs for at least this long. Most calls are shorter.
const MIN_COUNTED_TIME: Duration = Duration::from_micros(50);

/// A queue of one worker, or of all. Clones share the queue.
#[derive(Clone)]
pub(super) struct AdmissionQueue {
    concurrency: Concurrency,
    /// Hardly ever contended: most queues have one worker, and the others have long calls.
    state: Arc<Mutex<State>>,
}

/// How many calls of a queue run at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Concurrency {
    /// As many as fit into a time slice. For calls that do not yield.
    TimeSlice,
    /// At most this many. For batches, which yield to other calls while they run, and for searches, which have their own
    /// threads.
    AtMost(NonZeroUsize),
}

impl Concurrency {
    /// One after the other.
    pub(super) const ONE: Self = Self::AtMost(NonZeroUsize::MIN);
}

struct State {
    schedule: Schedule<oneshot::Sender<ExecutionPermit>>,
    /// With `TimeSlice`: the number of tasks that let calls run, at most one. With `AtMost`: the number of calls that run.
    running: usize,
    /// How long queued calls ran.
    used: Duration,
}

/// The call is shed: its client has too many calls in the queue, and it has waited too long or probably would.
#[derive(Debug)]
pub(super) struct Shed;

impl AdmissionQueue {
    pub(super) fn new(concurrency: Concurrency) -> Self {
        let state = State { schedule: Schedule::new(), running: 0, used: Duration::ZERO };
        Self { concurrency, state: Arc::new(Mutex::new(state)) }
    }

    /// Waits until a call of a client may run. `ready_since` is when it became ready to run. The permit is to be held while it
    /// runs.
    pub(super) async fn admit(
        &self,
        client: &Client,
        ready_since: Instant,
        max_wait: Duration,
    ) -> Result<ExecutionPermit, Shed> {
        let now = Instant::now();
        match self.try_admit(client.id(), ready_since, now) {
            Some(permit) => Ok(permit),
            // Boxed because few calls wait: the future of every call stays small.
            None => Box::pin(self.wait(client.id(), ready_since, now, max_wait)).await,
        }
    }

    /// Waits like `admit`, but for as long as it takes: a stream that was shed would lose all its items.
    pub(super) async fn admit_unshed(&self, client: &Client) -> ExecutionPermit {
        loop {
            if let Ok(permit) = self.admit(client, Instant::now(), Duration::MAX).await {
                return permit;
            }
        }
    }

    /// Lets a call run at once, if it has not waited and the queue is empty.
    fn try_admit(&self, client: ClientId, ready_since: Instant, now: Instant) -> Option<ExecutionPermit> {
        let delay = now.saturating_duration_since(ready_since);
        let mut state = self.lock();
        if !state.schedule.is_empty() || delay > MAX_IMMEDIATE_DELAY {
            return None;
        }
        if let Concurrency::AtMost(max) = self.concurrency {
            if state.running == max.get() {
                return None;
            }
            state.running += 1;
        }
        if let Some(delays) = state.schedule.delays(client) {
            delays.record(now, delay, 0);
        }
        Some(ExecutionPermit { queue: self.clone(), client, charge: None, started: Some(now), used: None })
    }

    async fn wait(
        &self,
        client: ClientId,
        ready_since: Instant,
        now: Instant,
        max_wait: Duration,
    ) -> Result<ExecutionPermit, Shed> {
        let waiting = self.enqueue(client, now, max_wait)?;
        let delay = now.saturating_duration_since(ready_since);
        let mut permit = waiting.receive(max_wait.saturating_sub(delay), max_wait).await?;
        let now = Instant::now();
        let delay = now.saturating_duration_since(ready_since);
        let mut state = self.lock();
        let left = state.schedule.waiting(client);
        if let Some(delays) = state.schedule.delays(client) {
            delays.record(now, delay, left);
            if delay > max_wait && delays.has_standing_queue(max_wait) {
                drop(state);
                return Err(Shed);
            }
        }
        permit.started = Some(now);
        Ok(permit)
    }

    /// Adds a call to the queue, unless it would probably wait too long.
    fn enqueue(&self, client: ClientId, now: Instant, max_wait: Duration) -> Result<Waiting<'_>, Shed> {
        let mut state = self.lock();
        let queued = state.schedule.waiting(client);
        if state
            .schedule
            .delays(client)
            .is_some_and(|delays| delays.predicts_wait_over(now, queued, max_wait))
        {
            return Err(Shed);
        }
        let (sender, permit) = oneshot::channel();
        let ticket = state.schedule.push(client, sender);
        let max_running = match self.concurrency {
            Concurrency::TimeSlice => 1,
            Concurrency::AtMost(max) => max.get(),
        };
        if state.running < max_running {
            state.running += 1;
            drop(state);
            match self.concurrency {
                Concurrency::TimeSlice => drop(tokio::spawn(self.clone().run_slices())),
                Concurrency::AtMost(_) => self.start_next_or_stop(),
            }
        }
        Ok(Waiting { queue: self, client, ticket, permit })
    }

    /// Lets calls run until the queue is empty: as many per round as run within a time slice.
    async fn run_slices(self) {
        let (mut calls, mut used) = (1, self.lock().used);
        while (0..calls).take_while(|_| self.start_next()).count() > 0 {
            // When this returns, the calls have run, and connections were polled.
            yield_now().await;
            let before = mem::replace(&mut used, self.lock().used);
            let has_time_left = used < before + TIME_SLICE;
            calls = if has_time_left { (calls * 2).min(MAX_CALLS_PER_SLICE) } else { (calls / 2).max(1) };
        }
        self.lock().running = 0;
    }

    /// Lets the next call run. Returns whether there is one.
    fn start_next(&self) -> bool {
        let next = self.lock().schedule.pop();
        next.map(|next| self.start(next)).is_some()
    }

    /// Lets the next call run in place of one that has ended. If there is none, one call less runs.
    fn start_next_or_stop(&self) {
        let mut state = self.lock();
        match state.schedule.pop() {
            None => state.running -= 1,
            Some(next) => {
                drop(state);
                self.start(next);
            }
        }
    }

    fn start(&self, (client, sender, charge): (ClientId, oneshot::Sender<ExecutionPermit>, Charge)) {
        let permit =
            ExecutionPermit { queue: self.clone(), client, charge: Some(charge), started: None, used: None };
        // If the call was cancelled, the permit is dropped, which releases it.
        drop(sender.send(permit));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call in the queue. Removed from it when dropped.
struct Waiting<'a> {
    queue: &'a AdmissionQueue,
    client: ClientId,
    ticket: Ticket,
    permit: oneshot::Receiver<ExecutionPermit>,
}

impl Waiting<'_> {
    /// Waits for the permit. After `remaining`, the call is shed if all calls of its client wait too long; otherwise it keeps
    /// its place.
    async fn receive(mut self, remaining: Duration, max_wait: Duration) -> Result<ExecutionPermit, Shed> {
        let permit = match timeout(remaining, &mut self.permit).await {
            Ok(permit) => permit,
            Err(_) if self.has_standing_queue(max_wait) => return Err(Shed),
            Err(_) => (&mut self.permit).await,
        };
        // The sender is in the queue until it is used.
        permit.map_err(|_| Shed)
    }

    fn has_standing_queue(&self, max_wait: Duration) -> bool {
        let mut state = self.queue.lock();
        state.schedule.delays(self.client).is_some_and(|delays| delays.has_standing_queue(max_wait))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.queue.lock().schedule.remove(self.client, self.ticket);
    }
}

/// Permission to run, held while a call runs. The time it runs counts as CPU time of its client.
pub(in crate::server) struct ExecutionPermit {
    queue: AdmissionQueue,
    client: ClientId,
    /// None if the call was not queued.
    charge: Option<Charge>,
    /// None until it runs.
    started: Option<Instant>,
    /// None: it runs from `started` until it is dropped.
    used: Option<Duration>,
}

impl StreamSlice for ExecutionPermit {
    fn set_used(&mut self, used: Duration) {
        self.used = Some(used);
    }
}

impl Drop for ExecutionPermit {
    fn drop(&mut self) {
        let used = self.used.or_else(|| self.started.map(|started| started.elapsed()));
        let mut state = self.queue.lock();
        if let Some(charge) = self.charge {
            state.used += used.unwrap_or_default();
            state.schedule.settle(self.client, charge, used);
        } else if let Some(used) = used.filter(|used| *used >= MIN_COUNTED_TIME) {
            state.schedule.charge(self.client, used);
        }
        drop(state);
        if let Concurrency::AtMost(_) = self.queue.concurrency {
            self.queue.start_next_or_stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::{task::JoinSet, time::sleep};

    use super::*;

    async fn admit(queue: AdmissionQueue) -> ExecutionPermit {
        let admitted = queue.admit(&Client::default(), Instant::now(), Duration::from_hours(1)).await;
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
        let queue = AdmissionQueue::new(Concurrency::ONE);
        let first = admit(queue.clone()).await;
        let second = tokio::spawn(admit(queue));
        yield_now().await;
        assert!(!second.is_finished());
        drop(first);
        second.await.expect("it runs");
    }

    #[tokio::test]
    async fn a_late_batch_runs_on_an_idle_worker() {
        let queue = AdmissionQueue::new(Concurrency::ONE);
        let late = Instant::now() - 2 * MAX_IMMEDIATE_DELAY;
        for _ in 0..2 {
            let admitted = queue.admit(&Client::default(), late, Duration::from_hours(1)).await;
            drop(admitted.expect("no other batch runs"));
        }
    }

    #[tokio::test]
    async fn a_cancelled_batch_lets_the_next_one_run() {
        let queue = AdmissionQueue::new(Concurrency::ONE);
        let first = admit(queue.clone()).await;
        let [second, third] = [tokio::spawn(admit(queue.clone())), tokio::spawn(admit(queue.clone()))];
        yield_now().await;
        // The second one gets the permit, and is cancelled before it is polled.
        drop(first);
        second.abort();
        drop(third.await.expect("it runs"));
        admit(queue).await;
    }

    #[tokio::test]
    async fn only_the_client_that_causes_an_overload_is_shed() {
        const MAX_WAIT: Duration = Duration::from_millis(50);
        const MILLISECOND: Duration = Duration::from_millis(1);
        let queue = AdmissionQueue::new(Concurrency::ONE);
        let [greedy, modest] = [(); 2].map(|()| Arc::new(Client::default()));
        let mut calls = JoinSet::new();
        // More calls than can run: each runs for a millisecond or more, and two arrive meanwhile.
        for round in 0..300 {
            for client in [&greedy, &greedy, &modest].into_iter().take(if round % 10 == 0 { 3 } else { 2 }) {
                let (queue, client, is_modest) =
                    (queue.clone(), client.clone(), Arc::ptr_eq(client, &modest));
                calls.spawn(async move {
                    let permit = queue.admit(&client, Instant::now(), MAX_WAIT).await;
                    if permit.is_ok() {
                        sleep(MILLISECOND).await;
                    }
                    (is_modest, permit.is_err())
                });
            }
            sleep(MILLISECOND).await;
        }
        let outcomes = calls.join_all().await;
        assert!(outcomes.contains(&(false, true)), "no call was shed");
        assert!(!outcomes.contains(&(true, true)), "a call of a client that uses little was shed");
    }
}
