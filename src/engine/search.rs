use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arbiter_games::Chance;

use super::Table;

/// How many nodes are visited between two looks at the cancellation flag, minus one.
const CANCELLATION_INTERVAL: u32 = 15;

/// What searches of a thread use, one after the other. It never changes the result of a search.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(crate) table: Table,
}

/// A search: what it may use, and what it has used.
#[derive(Debug)]
pub struct Search<'a> {
    nodes: u32,
    max_nodes: u32,
    seed: u64,
    is_cancelled: &'a AtomicBool,
    pub(crate) table: &'a mut Table,
}

/// The search was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was cancelled")]
pub struct Cancelled;

/// Why a search ends before it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    OutOfNodes,
    Cancelled,
}

impl<'a> Search<'a> {
    /// A search that visits at most `max_nodes` positions. Setting the flag cancels it.
    pub fn new(
        max_nodes: u32,
        seed: u64,
        is_cancelled: &'a AtomicBool,
        workspace: &'a mut Workspace,
    ) -> Self {
        workspace.table.clear(max_nodes);
        Self { nodes: 0, max_nodes, seed, is_cancelled, table: &mut workspace.table }
    }

    /// Counts a node. Work that goes on when there are no nodes left calls this too, so that it can be cancelled.
    #[inline(always)]
    pub(crate) fn visit(&mut self) -> Result<(), Stop> {
        let is_last = self.nodes == self.max_nodes;
        if (self.nodes & CANCELLATION_INTERVAL == 0 || is_last) && self.is_cancelled.load(Relaxed) {
            return Err(Stop::Cancelled);
        }
        if is_last {
            return Err(Stop::OutOfNodes);
        }
        self.nodes += 1;
        Ok(())
    }

    /// The number of nodes visited so far.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The number of nodes that are left.
    pub(crate) fn nodes_left(&self) -> u32 {
        self.max_nodes - self.nodes
    }

    /// A random generator. Each kind of choice has its own stream.
    pub(crate) fn chance(&self, stream: u64) -> Chance {
        Chance::new(self.seed, stream)
    }
}
