use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use arbiter_games::Chance;

use super::{Table, connect_four::Book};

/// How many nodes are visited between two looks at the cancellation flag, minus one.
const CANCELLATION_INTERVAL: u32 = 15;

/// What successive searches of a thread use. Only the book affects the result of a search.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) table: Table,
    book: Arc<Book>,
}

impl Workspace {
    /// A workspace with an opening book of Connect Four.
    pub fn with_book(book: Arc<Book>) -> Self {
        Self { table: Table::default(), book }
    }
}

impl Default for Workspace {
    /// A workspace with the embedded book.
    fn default() -> Self {
        Self::with_book(Book::embedded())
    }
}

/// A search: what it may use, and what it has used.
#[derive(Debug)]
pub struct Search<'a> {
    nodes: u32,
    max_nodes: u32,
    /// The search is out of nodes from here on: `max_nodes`, less what is kept back.
    stop_at: u32,
    seed: u64,
    is_cancelled: &'a AtomicBool,
    pub(crate) table: &'a mut Table,
    pub(crate) book: &'a Book,
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
        Self {
            nodes: 0,
            max_nodes,
            stop_at: max_nodes,
            seed,
            is_cancelled,
            table: &mut workspace.table,
            book: &workspace.book,
        }
    }

    /// Counts a node. Work that goes on when there are no nodes left calls this too, so that it can be cancelled.
    #[inline(always)]
    pub(crate) fn visit(&mut self) -> Result<(), Stop> {
        let is_last = self.nodes >= self.stop_at;
        if (self.nodes & CANCELLATION_INTERVAL == 0 || is_last) && self.is_cancelled.load(Relaxed) {
            return Err(Stop::Cancelled);
        }
        if is_last {
            return Err(Stop::OutOfNodes);
        }
        self.nodes += 1;
        Ok(())
    }

    /// Runs out of nodes this many earlier than it has to, so that some are left for another part of the search. Replaces the
    /// number that was kept back before.
    pub(crate) fn keep_back(&mut self, nodes: u32) {
        self.stop_at = self.max_nodes.saturating_sub(nodes);
    }

    /// The number of nodes visited so far.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The maximum number of nodes.
    pub(crate) fn max_nodes(&self) -> u32 {
        self.max_nodes
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
