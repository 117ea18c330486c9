//! Connections whose clients do not read.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use super::activity::ConnectionActivity;
use crate::server::admission::{Budget, Client, Permit};

/// The blocked connections of all workers. Clones share the list.
#[derive(Clone, Default)]
pub(in crate::server) struct BlockedConnections(Arc<Mutex<List>>);

/// The connections by a number: the lowest has been blocked for the longest time.
#[derive(Default)]
struct List {
    connections: BTreeMap<u64, Weak<ConnectionActivity>>,
    next: u64,
}

impl BlockedConnections {
    fn add(&self, connection: &Arc<ConnectionActivity>) -> u64 {
        let mut list = self.lock();
        let number = list.next;
        list.next += 1;
        list.connections.insert(number, Arc::downgrade(connection));
        number
    }

    /// Closes the connection that has been blocked for the longest time: one of the same client, if it has another one.
    fn close_longest(&self, client: &Arc<Client>) -> bool {
        let mut list = self.lock();
        let open = || list.connections.iter().filter_map(|(number, it)| Some((*number, it.upgrade()?)));
        let longest = open().find(|(_, it)| Arc::ptr_eq(it.client(), client)).or_else(|| open().next());
        let Some((number, connection)) = longest else { return false };
        list.connections.remove(&number);
        connection.close();
        true
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a connection while its client does not read. It then holds more than others: the coalesced writes, and for each of
/// its streams what is left of the response after its last chunk.
pub(super) struct Blocked<'c> {
    budget: &'c Arc<Budget>,
    all: &'c BlockedConnections,
    activity: &'c Arc<ConnectionActivity>,
    /// The number in the list, and the permit, while the client does not read.
    held: Option<(u64, Permit)>,
}

impl<'c> Blocked<'c> {
    pub(super) fn new(
        budget: &'c Arc<Budget>,
        all: &'c BlockedConnections,
        activity: &'c Arc<ConnectionActivity>,
    ) -> Self {
        Self { budget, all, activity, held: None }
    }

    /// Returns whether the connection may stay open. If too many clients do not read, the one that has not for the longest time
    /// is disconnected: others are slow only for a moment.
    pub(super) fn set(&mut self, is_blocked: bool) -> bool {
        if !is_blocked {
            self.release();
        } else if self.held.is_none() {
            let client = self.activity.client();
            let permit = self.budget.acquire(client, 1).or_else(|| {
                let is_closed = self.all.close_longest(client);
                is_closed.then(|| self.budget.acquire_beyond_limit(client, 1))
            });
            self.held = permit.map(|permit| (self.all.add(self.activity), permit));
        }
        self.held.is_some() == is_blocked
    }

    fn release(&mut self) {
        if let Some((number, _)) = self.held.take() {
            self.all.lock().connections.remove(&number);
        }
    }
}

impl Drop for Blocked<'_> {
    fn drop(&mut self) {
        self.release();
    }
}
