//! Admission control: how many calls and bytes may be in flight, and which calls run now, wait, or are shed.
//!
//! A limiter owns its permits: a limit is enforced by acquiring a permit, and dropping the permit releases it. Metrics only
//! observe the limiters.

mod budget;
mod in_flight;
mod queue;

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use self::queue::AdmissionQueue;
pub(super) use self::{
    budget::{Budget, Permit},
    in_flight::InFlightPermit,
    queue::ExecutionPermit,
};
use crate::{config::Limits, service::Method, wire::Refusal};

/// The budgets that all workers share.
#[derive(Clone, Debug)]
pub(super) struct Budgets {
    pub(super) connections: Arc<Budget>,
    pub(super) calls: Arc<Budget>,
    pub(super) batch_bytes: Arc<Budget>,
}

impl Budgets {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            connections: Budget::new(limits.max_connections),
            calls: Budget::new(limits.max_in_flight),
            batch_bytes: Budget::new(limits.max_batch_bytes_in_flight),
        }
    }
}

/// Admission control of one worker: the shared budgets and its own queues.
///
/// Replays and batches may take as long as a thousand other calls. Each kind has its own queue, so no other call waits behind
/// them.
pub(super) struct Admission {
    budgets: Budgets,
    max_wait: Duration,
    calls: AdmissionQueue,
    replays: AdmissionQueue,
    batches: AdmissionQueue,
}

impl Admission {
    pub(super) fn new(budgets: Budgets, max_wait: Duration) -> Self {
        Self {
            budgets,
            max_wait,
            calls: AdmissionQueue::of_short_calls(),
            replays: AdmissionQueue::of_short_calls(),
            batches: AdmissionQueue::of_batches(),
        }
    }

    /// Counts a call as in flight, if the budget allows.
    pub(super) fn acquire_in_flight(&self, method: Option<Method>) -> Result<InFlightPermit, Refusal> {
        InFlightPermit::acquire(&self.budgets, method == Some(Method::EvaluateBatch))
    }

    /// Waits until a call may run. `ready_since` is when it became ready to run.
    pub(super) async fn admit(
        &self,
        method: Method,
        ready_since: Instant,
        timeout: Duration,
    ) -> Result<ExecutionPermit, Refusal> {
        let queue = match method {
            Method::EvaluateBatch => &self.batches,
            Method::ReplayGame => &self.replays,
            _ => &self.calls,
        };
        queue.admit(ready_since, self.max_wait.min(timeout / 2)).await.map_err(|_| Refusal::shed())
    }
}
