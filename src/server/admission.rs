//! Admission control: how many calls and bytes may be in flight, and which calls run now, wait, or are shed.
//!
//! A limiter owns its permits: a limit is enforced by acquiring a permit, and dropping the permit releases it. Metrics only
//! observe the limiters.

mod budget;
mod client;
mod delays;
mod in_flight;
mod queue;
mod schedule;
mod token_bucket;

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use tokio::time::Instant;

use self::{
    budget::Resource,
    queue::{AdmissionQueue, Concurrency},
};
pub(super) use self::{
    budget::{Budget, Permit},
    client::Client,
    in_flight::{CallKind, InFlightPermit},
    queue::ExecutionPermit,
    token_bucket::TokenBucket,
};
use super::net::ConnectionActivity;
use crate::{
    config::Limits,
    service::{Method, SliceScheduler},
    wire::Refusal,
};

/// The inverse of the share of connections that may be blocked: a blocked connection holds up to 256 KiB more than another.
const BLOCKED_SHARE: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// The budgets that all workers share.
#[derive(Clone, Debug)]
pub(super) struct Budgets {
    pub(super) connections: Arc<Budget>,
    /// Connections whose clients do not read.
    pub(super) blocked_connections: Arc<Budget>,
    pub(super) calls: Arc<Budget>,
    pub(super) streams: Arc<Budget>,
    pub(super) bytes: Arc<Budget>,
    /// Calls of `SuggestMove`, running or waiting.
    pub(super) analyses: Arc<Budget>,
}

impl Budgets {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            connections: Budget::new(Resource::Connections, limits.max_connections),
            blocked_connections: Budget::new(
                Resource::BlockedConnections,
                limits.max_connections.div_ceil(BLOCKED_SHARE),
            ),
            calls: Budget::new(Resource::Calls, limits.max_in_flight),
            streams: Budget::new(Resource::Streams, limits.max_streams),
            bytes: Budget::new(Resource::Bytes, limits.max_bytes_in_flight),
            analyses: Budget::new(Resource::Analyses, limits.max_analyses),
        }
    }
}

/// Admission control of one worker: the shared budgets and its own queues.
///
/// Replays, batches and searches may take as long as a thousand other calls. Each kind has its own queue, so no other call
/// waits behind them.
pub(super) struct Admission {
    budgets: Budgets,
    max_wait: Duration,
    calls: AdmissionQueue,
    replays: AdmissionQueue,
    batches: AdmissionQueue,
    analyses: AnalysisQueue,
    /// Holds the tables of searches: their number is limited, so they are no client's share.
    tables: Arc<Client>,
}

/// The queue of searches, which all workers share as they share the threads for analysis.
#[derive(Clone)]
pub(super) struct AnalysisQueue(AdmissionQueue);

impl AnalysisQueue {
    pub(super) fn new(threads: NonZeroUsize) -> Self {
        Self(AdmissionQueue::new(Concurrency::AtMost(threads)))
    }
}

impl Admission {
    pub(super) fn new(budgets: Budgets, max_wait: Duration, analyses: AnalysisQueue) -> Self {
        Self {
            budgets,
            max_wait,
            analyses,
            tables: Arc::default(),
            calls: AdmissionQueue::new(Concurrency::TimeSlice),
            replays: AdmissionQueue::new(Concurrency::TimeSlice),
            batches: AdmissionQueue::new(Concurrency::ONE),
        }
    }

    /// Counts a call as in flight, if the budgets and the share of its client allow.
    pub(super) fn acquire_in_flight(
        &self,
        client: &Arc<Client>,
        connection: &Arc<ConnectionActivity>,
        kind: CallKind,
    ) -> Result<InFlightPermit, Refusal> {
        InFlightPermit::acquire(&self.budgets, client, connection, kind)
    }

    /// Counts the table of a search against the byte budget. None if it is empty.
    pub(super) fn hold_table(&self, bytes: usize) -> Option<Permit> {
        (bytes > 0).then(|| self.budgets.bytes.acquire_beyond_limit(&self.tables, bytes))
    }

    /// Waits until a call of a client may run. `ready_since` is when it became ready to run.
    pub(super) async fn admit(
        &self,
        method: Method,
        client: &Client,
        ready_since: Instant,
        timeout: Duration,
    ) -> Result<ExecutionPermit, Refusal> {
        let queue = match method {
            Method::SuggestMove => &self.analyses.0,
            Method::EvaluateBatch => &self.batches,
            Method::ReplayGame => &self.replays,
            _ => &self.calls,
        };
        // A search takes longer than `max_wait`, so the next one may wait for longer, too.
        let max_wait = match method {
            Method::SuggestMove => timeout / 2,
            _ => self.max_wait.min(timeout / 2),
        };
        queue.admit(client, ready_since, max_wait).await.map_err(|_| Refusal::shed())
    }

    /// The scheduler of a stream: its time slices wait in the queue of unary calls.
    pub(super) fn scheduler(&self, client: Arc<Client>) -> StreamScheduler {
        StreamScheduler { queue: self.calls.clone(), client }
    }
}

/// Decides when a stream may run.
pub(super) struct StreamScheduler {
    queue: AdmissionQueue,
    client: Arc<Client>,
}

impl SliceScheduler for StreamScheduler {
    type Slice = ExecutionPermit;

    async fn start_slice(&self) -> ExecutionPermit {
        self.queue.admit_unshed(&self.client).await
    }
}
