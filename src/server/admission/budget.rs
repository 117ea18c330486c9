//! Budgets: limits that own their permits.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// A limit on the connections, calls or bytes in use at the same time.
#[derive(Debug)]
pub(in crate::server) struct Budget {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    pub(super) fn new(limit: NonZeroUsize) -> Arc<Self> {
        Arc::new(Self { limit: limit.get(), used: AtomicUsize::new(0) })
    }

    pub(in crate::server) fn limit(&self) -> usize {
        self.limit
    }

    pub(in crate::server) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Takes an amount, if it is available.
    pub(in crate::server) fn acquire(self: &Arc<Self>, amount: usize) -> Option<Permit> {
        let mut permit = Permit { budget: self.clone(), amount: 0 };
        permit.resize(amount).then_some(permit)
    }
}

/// A part of a budget, released when it is dropped.
pub(in crate::server) struct Permit {
    budget: Arc<Budget>,
    amount: usize,
}

impl Permit {
    /// Changes the amount, even beyond the limit. Returns whether all permits together are within it; a sole permit always is.
    pub(super) fn resize(&mut self, amount: usize) -> bool {
        let used = if amount >= self.amount {
            let more = amount - self.amount;
            self.budget.used.fetch_add(more, Relaxed) + more
        } else {
            let less = self.amount - amount;
            self.budget.used.fetch_sub(less, Relaxed) - less
        };
        self.amount = amount;
        used <= self.budget.limit || used == amount
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.amount, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(limit: usize) -> Arc<Budget> {
        Budget::new(NonZeroUsize::new(limit).expect("a limit is positive"))
    }

    #[test]
    fn dropped_permits_are_available_again() {
        let budget = budget(2);
        let [first, second] = [(); 2].map(|()| budget.acquire(1).expect("there is room"));
        assert!(budget.acquire(1).is_none());
        assert_eq!(budget.used(), 2);
        drop(first);
        assert!(budget.acquire(1).is_some());
        drop(second);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_permit_that_is_alone_may_exceed_the_limit() {
        let budget = budget(10);
        let mut large = budget.acquire(100).expect("it is alone");
        assert!(large.resize(200));
        assert!(budget.acquire(1).is_none());
        assert!(large.resize(9));
        assert!(budget.acquire(1).is_some());
    }

    #[test]
    fn growing_beyond_the_limit_is_reported() {
        let budget = budget(10);
        let _other = budget.acquire(5);
        let mut growing = budget.acquire(5).expect("there is room");
        assert!(!growing.resize(6));
        assert_eq!(budget.used(), 11);
    }
}
