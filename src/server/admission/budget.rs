//! Budgets: limits that own their permits and divide themselves fairly among clients.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use super::Client;

/// Above half of a budget, a client may hold at most this fraction of what is left of three quarters.
const SHARE_OF_REST: usize = 16;

/// Clients that hold at most this fraction of a budget may use more of it, so that many greedy clients do not lock them out.
const SMALL_SHARE: usize = 2048;

/// The first permit of a client may use all of a budget, if it is not larger than this fraction.
const FIRST_PERMIT: usize = 4096;

/// What a budget limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Resource {
    Connections,
    BlockedConnections,
    Calls,
    Streams,
    Bytes,
    Analyses,
}

impl Resource {
    pub(super) const COUNT: usize = 6;
}

/// A limit on what all clients together hold of a resource at the same time.
///
/// The first half is free for all. Then a client may hold at most a fixed fraction of the rest (dynamic thresholds, Choudhury and
/// Hahne 1998), up to three quarters: one client never gets more than about half. The last quarter is for clients that hold little,
/// and its second half for those that hold nothing.
#[derive(Debug)]
pub(in crate::server) struct Budget {
    resource: Resource,
    limit: usize,
    used: AtomicUsize,
    refused: AtomicUsize,
}

impl Budget {
    pub(super) fn new(resource: Resource, limit: NonZeroUsize) -> Arc<Self> {
        Arc::new(Self {
            resource,
            limit: limit.get(),
            used: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
        })
    }

    pub(in crate::server) fn limit(&self) -> usize {
        self.limit
    }

    pub(in crate::server) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// How often a permit was refused or could not grow.
    pub(in crate::server) fn refused(&self) -> usize {
        self.refused.load(Relaxed)
    }

    /// Whether more than half is used, so that clients are limited to their shares.
    pub(in crate::server) fn is_scarce(&self) -> bool {
        self.used() > self.limit / 2
    }

    /// Takes an amount for a client, even beyond the limit: what exceeds it is about to be released.
    pub(in crate::server) fn acquire_beyond_limit(
        self: &Arc<Self>,
        client: &Arc<Client>,
        amount: usize,
    ) -> Permit {
        let mut permit = self.empty_permit(client);
        permit.grow(amount);
        permit
    }

    /// Takes an amount for a client, if its share allows.
    pub(in crate::server) fn acquire(
        self: &Arc<Self>,
        client: &Arc<Client>,
        amount: usize,
    ) -> Option<Permit> {
        let mut permit = self.empty_permit(client);
        permit.resize(amount).then_some(permit)
    }

    fn empty_permit(self: &Arc<Self>, client: &Arc<Client>) -> Permit {
        Permit { budget: self.clone(), client: client.clone(), amount: 0 }
    }

    /// Whether a client could take an amount.
    pub(in crate::server) fn has_room(&self, client: &Client, amount: usize) -> bool {
        let held = client.held(self.resource).load(Relaxed) + amount;
        self.allows(amount, held, self.used() + amount)
    }

    /// Whether a permit of this amount is allowed when its client holds `held` and all clients together hold `used`.
    fn allows(&self, amount: usize, held: usize, used: usize) -> bool {
        let eighth = self.limit / 8;
        let shared = self.limit - 2 * eighth;
        let is_small = held <= self.limit.div_ceil(SMALL_SHARE);
        let is_first = held == amount && amount <= self.limit.div_ceil(FIRST_PERMIT);
        used == amount
            || used <= self.limit.div_ceil(2)
            || held <= shared.saturating_sub(used) / SHARE_OF_REST
            || is_small && used <= self.limit - eighth
            || is_first && used <= self.limit
    }
}

/// A part of a budget, released when it is dropped.
pub(in crate::server) struct Permit {
    budget: Arc<Budget>,
    client: Arc<Client>,
    amount: usize,
}

impl Permit {
    /// Changes the amount, even beyond the limit. Returns whether the budget allows it.
    ///
    /// It always allows less than before. It allows the only permit of a client up to the limit, unless it is large, and the
    /// only permit of all clients beyond it: no request that fits the limit on its size is refused by an idle server.
    pub(super) fn resize(&mut self, amount: usize) -> bool {
        if amount == self.amount {
            return true;
        }
        let held = self.client.held(self.budget.resource);
        if amount < self.amount {
            let less = self.amount - amount;
            self.amount = amount;
            held.fetch_sub(less, Relaxed);
            self.budget.used.fetch_sub(less, Relaxed);
            return true;
        }
        let (held, used) = self.grow(amount);
        let is_allowed = self.budget.allows(amount, held, used);
        if !is_allowed {
            self.budget.refused.fetch_add(1, Relaxed);
        }
        is_allowed
    }

    /// Increases the amount. Returns what the client and all clients hold now.
    fn grow(&mut self, amount: usize) -> (usize, usize) {
        let more = amount - self.amount;
        self.amount = amount;
        let held = self.client.held(self.budget.resource).fetch_add(more, Relaxed) + more;
        (held, self.budget.used.fetch_add(more, Relaxed) + more)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.resize(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(limit: usize) -> Arc<Budget> {
        Budget::new(Resource::Calls, NonZeroUsize::new(limit).expect("a limit is positive"))
    }

    /// Takes one unit after the other until the budget refuses one.
    fn take_all(budget: &Arc<Budget>, client: &Arc<Client>) -> Vec<Permit> {
        std::iter::from_fn(|| budget.acquire(client, 1)).collect()
    }

    #[test]
    fn dropped_permits_are_available_again() {
        let (budget, client) = (budget(4), Arc::default());
        let [first, second] = [(); 2].map(|()| budget.acquire(&client, 1).expect("there is room"));
        assert!(budget.acquire(&client, 1).is_none());
        assert_eq!((budget.used(), budget.refused()), (2, 1));
        drop(first);
        assert!(budget.acquire(&client, 1).is_some());
        drop(second);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn one_client_gets_half_and_another_its_share_of_the_rest() {
        let (budget, [first, second]) = (budget(1000), [(); 2].map(|()| Arc::default()));
        let held = take_all(&budget, &first);
        assert_eq!(held.len(), 500);
        // 14 are a sixteenth of the 236 that are left of three quarters.
        assert_eq!(take_all(&budget, &second).len(), 14);
    }

    #[test]
    fn fifty_greedy_clients_leave_room_for_the_next_one() {
        let budget = budget(10_000);
        let clients: [Arc<Client>; 51] = std::array::from_fn(|_| Arc::default());
        let held: Vec<_> = clients[..50].iter().flat_map(|client| take_all(&budget, client)).collect();
        assert!(held.len() > 7_000, "{}", held.len());
        assert!(take_all(&budget, &clients[50]).len() > 5);
    }

    #[test]
    fn a_thousand_greedy_clients_leave_room_for_the_first_permit_of_the_next_one() {
        let budget = budget(10_000);
        let clients: Vec<Arc<Client>> = (0..1001).map(|_| Arc::default()).collect();
        let _held: Vec<_> = clients[..1000].iter().flat_map(|client| take_all(&budget, client)).collect();
        assert!(budget.acquire(&clients[1000], 1).is_some());
    }

    #[test]
    fn a_client_that_holds_nothing_gets_the_last_unit() {
        let budget = budget(3);
        let clients: [Arc<Client>; 4] = std::array::from_fn(|_| Arc::default());
        let held = clients.each_ref().map(|client| budget.acquire(client, 1));
        assert_eq!(held.each_ref().map(Option::is_some), [true, true, true, false]);
    }

    #[test]
    fn large_permits_leave_room_for_small_ones() {
        let budget = budget(160 * 1024);
        let clients: [Arc<Client>; 101] = std::array::from_fn(|_| Arc::default());
        let large: Vec<_> =
            clients[..100].iter().filter_map(|client| budget.acquire(client, 4 * 1024)).collect();
        assert!((20..30).contains(&large.len()), "{}", large.len());
        assert!(take_all(&budget, &clients[100]).len() > 1000);
    }

    #[test]
    fn a_permit_that_is_alone_may_exceed_the_limit() {
        let (budget, [client, other]) = (budget(10), [(); 2].map(|()| Arc::default()));
        let mut large = budget.acquire(&client, 100).expect("it is alone");
        assert!(large.resize(200));
        assert!(budget.acquire(&other, 1).is_none());
        assert!(large.resize(9));
        assert!(budget.acquire(&other, 1).is_some());
    }

    #[test]
    fn growing_beyond_the_limit_is_reported() {
        let (budget, [client, other]) = (budget(10), [(); 2].map(|()| Arc::default()));
        let _other = budget.acquire(&other, 4);
        let mut growing = budget.acquire(&client, 1).expect("there is room");
        assert!(!growing.resize(7));
        assert_eq!(budget.used(), 11);
    }
}
