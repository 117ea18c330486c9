//! The permit of a call in flight.

use std::sync::Arc;

use super::{Budgets, Client, Permit};
use crate::{
    server::net::{ConnectionActivity, OpenCall},
    wire::Refusal,
};

/// What a call in flight takes besides its messages: its HTTP/2 stream, its headers and its task.
const CALL_BYTES: usize = 16 * 1024;

/// Messages up to this size are included in `CALL_BYTES`: most calls need no further accounting.
const INCLUDED_BYTES: usize = 4 * 1024;

/// What an open stream takes: requests that h2 buffers up to the window of the stream, and responses that are not sent yet.
const STREAM_BYTES: usize = 128 * 1024;

/// What a watch takes: it has no further requests, and its responses are short.
const WATCH_BYTES: usize = 32 * 1024;

/// What kind of call a permit is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum CallKind {
    /// One request and one response, within the call timeout.
    Unary,
    /// The same, with a search that may take long.
    Analysis,
    /// A stream, open as long as its client uses it.
    Stream,
    /// A stream of responses to one request, open as long as its client waits for them.
    Watch,
}

/// A call in flight, from its headers until its response is sent: counted as one call or stream, and by the bytes that are
/// held for it.
pub(in crate::server) struct InFlightPermit {
    kind: CallKind,
    _call: Permit,
    bytes: Permit,
    connection: OpenCall,
}

impl InFlightPermit {
    pub(super) fn acquire(
        budgets: &Budgets,
        client: &Arc<Client>,
        connection: &Arc<ConnectionActivity>,
        kind: CallKind,
    ) -> Result<Self, Refusal> {
        let (calls, bytes) = match kind {
            CallKind::Unary => (&budgets.calls, CALL_BYTES),
            CallKind::Analysis => (&budgets.analyses, CALL_BYTES),
            CallKind::Stream => (&budgets.streams, STREAM_BYTES),
            CallKind::Watch => (&budgets.streams, WATCH_BYTES),
        };
        let call = calls.acquire(client, 1).ok_or_else(|| match kind {
            CallKind::Unary => Refusal::too_many_calls(),
            CallKind::Analysis => Refusal::too_many_analyses(),
            CallKind::Stream | CallKind::Watch => Refusal::too_many_streams(),
        })?;
        let bytes = budgets.bytes.acquire(client, bytes).ok_or_else(Refusal::too_many_bytes)?;
        Ok(Self { kind, _call: call, bytes, connection: ConnectionActivity::open_call(connection) })
    }

    /// Counts the bytes of the request or response that is held now. A stream has its bytes from the beginning.
    pub(in crate::server) fn hold(&mut self, bytes: usize) -> Result<(), Refusal> {
        if matches!(self.kind, CallKind::Stream | CallKind::Watch) {
            return Ok(());
        }
        if self.bytes.resize(CALL_BYTES + bytes.saturating_sub(INCLUDED_BYTES)) {
            return Ok(());
        }
        // The message is dropped.
        self.bytes.resize(CALL_BYTES);
        Err(Refusal::too_many_bytes())
    }

    /// The connection of the call.
    pub(in crate::server) fn connection(&self) -> &ConnectionActivity {
        self.connection.connection()
    }
}
