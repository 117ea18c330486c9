//! The order in which waiting calls run: fair queueing by CPU time.
//!
//! Every client has a queue of its own, and the next call is one of the client that has used the least CPU time. The virtual time is
//! what a client would have used that always had a call. A client that was idle is not that far behind, but gets a credit.
//! So a client that uses little does not wait behind those that use much, however many calls these have in the queue.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    time::Duration,
};

use tokio::time::Instant;

use super::{client::ClientId, delays::Delays};

/// How far a client that was idle is ahead of busy ones. Many short calls fit into it, and few of the longest.
const CREDIT: i64 = 50_000_000;

/// The assumed CPU time of the first call of a client.
const FIRST_COST: i64 = 100_000;

/// A number of clients that is not worth a search for those that are idle.
const MIN_CLIENTS_TO_SWEEP: usize = 64;

/// Waiting calls of all clients. Times are in nanoseconds of CPU time.
pub(super) struct Schedule<T> {
    clients: HashMap<ClientId, ClientQueue<T>>,
    /// Clients with waiting calls by the time they have used: the first one is next.
    order: BTreeSet<(i64, ClientId)>,
    virtual_time: i64,
    next_ticket: u64,
    /// Idle clients are removed when there are this many.
    sweep_at: usize,
}

/// The waiting calls of a client. A client without one is like one that has been idle.
struct ClientQueue<T> {
    /// The CPU time used, comparable with that of other clients.
    used: i64,
    /// The CPU time of the last call: what the next one is charged before it has run.
    cost: i64,
    waiting: VecDeque<(Ticket, T)>,
    delays: Delays,
}

/// Identifies a waiting call of a client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(u64);

/// What a call was charged before it ran.
#[derive(Clone, Copy)]
pub(super) struct Charge(i64);

impl<T> Schedule<T> {
    pub(super) fn new() -> Self {
        Self {
            clients: HashMap::new(),
            order: BTreeSet::new(),
            virtual_time: 0,
            next_ticket: 0,
            sweep_at: MIN_CLIENTS_TO_SWEEP,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// How many calls of a client wait.
    pub(super) fn waiting(&self, client: ClientId) -> usize {
        self.clients.get(&client).map_or(0, |queue| queue.waiting.len())
    }

    /// The delays of a client, unless it was idle.
    pub(super) fn delays(&mut self, client: ClientId) -> Option<&mut Delays> {
        self.clients.get_mut(&client).map(|queue| &mut queue.delays)
    }

    /// Adds a call. The ticket removes it.
    pub(super) fn push(&mut self, client: ClientId, call: T) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        let queue = self.active(client);
        queue.waiting.push_back((ticket, call));
        let used = queue.used;
        self.order.insert((used, client));
        ticket
    }

    /// Takes the next call, and charges its client for it.
    pub(super) fn pop(&mut self) -> Option<(ClientId, T, Charge)> {
        let (used, client) = self.order.pop_first()?;
        self.virtual_time = self.virtual_time.max(used);
        let queue = self.clients.get_mut(&client)?;
        let (_, call) = queue.waiting.pop_front()?;
        let charge = Charge(queue.cost);
        queue.used += charge.0;
        if !queue.waiting.is_empty() {
            self.order.insert((queue.used, client));
        }
        Some((client, call, charge))
    }

    /// Removes a call that no longer waits for its turn, unless it was taken.
    pub(super) fn remove(&mut self, client: ClientId, ticket: Ticket) {
        let Some(queue) = self.clients.get_mut(&client) else { return };
        if let Ok(index) = queue.waiting.binary_search_by_key(&ticket, |(ticket, _)| *ticket) {
            queue.waiting.remove(index);
            if queue.waiting.is_empty() {
                self.order.remove(&(queue.used, client));
            }
        }
    }

    /// Charges a client for a call that ran without waiting.
    pub(super) fn charge(&mut self, client: ClientId, used: Duration) {
        let start = self.active(client).used;
        self.virtual_time = self.virtual_time.max(start);
        self.add(client, nanos(used));
        self.advance(nanos(used));
    }

    /// Replaces the charge of a call by the time it ran for. None: it did not run.
    pub(super) fn settle(&mut self, client: ClientId, charge: Charge, used: Option<Duration>) {
        let used = used.map(nanos);
        // A client without a queue has been idle for so long that it does not matter.
        if let Some(queue) = self.clients.get_mut(&client) {
            queue.cost = used.unwrap_or(queue.cost);
            self.add(client, used.unwrap_or(0) - charge.0);
        }
        self.advance(used.unwrap_or(0));
    }

    /// Advances the virtual time by the share of each client that has a call, with the one that ran and another one: a client
    /// that is always alone uses up its credit, too.
    fn advance(&mut self, used: i64) {
        let clients = i64::try_from(self.order.len() + 2).unwrap_or(i64::MAX);
        self.virtual_time += used / clients;
    }

    fn add(&mut self, client: ClientId, nanos: i64) {
        let Some(queue) = self.clients.get_mut(&client) else { return };
        let before = queue.used;
        queue.used += nanos;
        if !queue.waiting.is_empty() {
            self.order.remove(&(before, client));
            self.order.insert((queue.used, client));
        }
    }

    /// The queue of a client that has a call. If it had none, it has at most the credit of a client that was idle.
    fn active(&mut self, client: ClientId) -> &mut ClientQueue<T> {
        let idle = self.virtual_time - CREDIT;
        if self.clients.len() >= self.sweep_at && !self.clients.contains_key(&client) {
            self.clients.retain(|_, queue| !queue.waiting.is_empty() || queue.used > idle);
            self.sweep_at = MIN_CLIENTS_TO_SWEEP.max(2 * self.clients.len());
        }
        let queue = self.clients.entry(client).or_insert_with(|| ClientQueue {
            used: idle,
            cost: FIRST_COST,
            waiting: VecDeque::new(),
            delays: Delays::new(Instant::now()),
        });
        if queue.waiting.is_empty() {
            queue.used = queue.used.max(idle);
        }
        queue
    }
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: ClientId = ClientId(1);
    const TWO: ClientId = ClientId(2);
    const THREE: ClientId = ClientId(3);

    fn push(schedule: &mut Schedule<()>, client: ClientId, calls: usize) {
        for _ in 0..calls {
            schedule.push(client, ());
        }
    }

    /// Takes this many calls, each of which runs for this long. Returns their clients.
    fn run(schedule: &mut Schedule<()>, calls: usize, millis: impl Fn(ClientId) -> u64) -> Vec<ClientId> {
        let next = |_| {
            let (client, (), charge) = schedule.pop()?;
            schedule.settle(client, charge, Some(Duration::from_millis(millis(client))));
            Some(client)
        };
        (0..calls).map_while(next).collect()
    }

    fn count(calls: &[ClientId], client: ClientId) -> usize {
        calls.iter().filter(|other| **other == client).count()
    }

    #[test]
    fn clients_get_the_same_time_and_not_the_same_number_of_calls() {
        let mut schedule = Schedule::new();
        for client in [ONE, TWO] {
            push(&mut schedule, client, 1000);
        }
        let calls = run(&mut schedule, 400, |client| if client == ONE { 3 } else { 1 });
        assert!((99..=101).contains(&count(&calls, ONE)), "{}", count(&calls, ONE));
    }

    #[test]
    fn a_client_with_one_call_does_not_wait_behind_the_queues_of_others() {
        let mut schedule = Schedule::new();
        for client in [ONE, TWO] {
            push(&mut schedule, client, 1000);
        }
        run(&mut schedule, 500, |_| 1);
        schedule.push(THREE, ());
        assert_eq!(run(&mut schedule, 1, |_| 1), [THREE]);
        // It has its credit, but no more.
        push(&mut schedule, THREE, 1000);
        let calls = run(&mut schedule, 350, |_| 1);
        assert!((140..=160).contains(&count(&calls, THREE)), "{}", count(&calls, THREE));
    }

    #[test]
    fn time_without_waiting_counts() {
        let mut schedule = Schedule::new();
        schedule.charge(ONE, Duration::from_millis(10));
        for client in [ONE, TWO] {
            push(&mut schedule, client, 1);
        }
        assert_eq!(run(&mut schedule, 2, |_| 1), [TWO, ONE]);
        // A client that is alone for long does not wait until the others have used as much.
        (0..1000).for_each(|_| schedule.charge(ONE, Duration::from_millis(10)));
        for client in [ONE, TWO] {
            push(&mut schedule, client, 1000);
        }
        assert!(count(&run(&mut schedule, 100, |_| 1), ONE) > 10);
    }

    #[test]
    fn a_removed_call_is_not_taken() {
        let mut schedule = Schedule::new();
        let [first, second, _third] = ["first", "second", "third"].map(|call| schedule.push(ONE, call));
        let removed = schedule.push(TWO, "other");
        schedule.remove(ONE, second);
        schedule.remove(TWO, removed);
        assert_eq!(schedule.pop().map(|(_, call, _)| call), Some("first"));
        schedule.remove(ONE, first);
        assert_eq!(schedule.pop().map(|(_, call, _)| call), Some("third"));
        assert!(schedule.is_empty() && schedule.pop().is_none());
    }

    #[test]
    fn a_call_that_did_not_run_costs_nothing() {
        let mut schedule = Schedule::new();
        for client in [ONE, TWO, ONE] {
            push(&mut schedule, client, 1);
        }
        let (client, (), charge) = schedule.pop().expect("a call waits");
        schedule.settle(client, charge, None);
        assert_eq!(run(&mut schedule, 2, |_| 1), [ONE, TWO]);
    }

    #[test]
    fn idle_clients_are_forgotten() {
        let mut schedule = Schedule::new();
        for number in 0..10_000 {
            schedule.push(ClientId(number), ());
            run(&mut schedule, 1, |_| 20);
        }
        assert!(schedule.clients.len() <= MIN_CLIENTS_TO_SWEEP, "{}", schedule.clients.len());
    }
}
