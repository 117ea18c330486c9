//! Clients, and what they hold.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::{budget::Resource, token_bucket::TokenBucket};

/// A client: a token, a connection, or an address (see `--client-identity`).
#[derive(Debug)]
pub(in crate::server) struct Client {
    id: ClientId,
    /// What it holds of each resource.
    held: [AtomicUsize; Resource::COUNT],
    /// The log lines that it may still cause.
    pub(in crate::server) log_lines: TokenBucket,
}

/// Identifies a client. Unlike its address in memory, it is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ClientId(pub(super) u64);

impl Default for Client {
    fn default() -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let id = ClientId(NEXT_ID.fetch_add(1, Relaxed));
        Self { id, held: Default::default(), log_lines: TokenBucket::default() }
    }
}

impl Client {
    pub(super) fn id(&self) -> ClientId {
        self.id
    }

    pub(super) fn held(&self, resource: Resource) -> &AtomicUsize {
        &self.held[resource as usize]
    }
}
