//! A place among the calls under way, kept until the answer has been sent.

use std::{
    mem::replace,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tonic::{Status, body::Body};

use super::{line::Turn, metrics::Metrics};
use crate::{config::Limits, wire::Refusal};

/// A place among the calls under way behind a gate, given back when it is dropped.
pub(super) struct Admission<G: AsRef<Metrics>> {
    gate: G,
    /// None: it is no batch.
    batch: Option<Batch>,
    /// The turn of the call, while it is worked on.
    turn: Option<Turn>,
}

/// What is held of a batch, in bytes: of its request, then of its answer.
struct Batch {
    holds: usize,
    /// The most that all of them may hold.
    most: usize,
}

impl<G: AsRef<Metrics>> Admission<G> {
    /// Takes a place, if there is one. A batch may hold as much as many calls: what all of them hold is bounded, too.
    pub(super) fn new(gate: G, is_batch: bool, limits: &Limits) -> Result<Self, Refusal> {
        let calls = gate.as_ref().call_begins();
        let batch = Batch { holds: 0, most: limits.max_batch_bytes_in_flight.get() };
        let mut admission = Self { gate, batch: is_batch.then_some(batch), turn: None };
        if calls > limits.max_in_flight.get() {
            return Err(Refusal::overloaded());
        }
        admission.hold(0)?;
        Ok(admission)
    }

    /// Counts what a batch holds now, and refuses it if all of them hold too much. One that is alone is never refused.
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), Refusal> {
        let all = self.keep(bytes);
        match &self.batch {
            Some(batch) if all > batch.most && all > bytes => Err(Refusal::too_many_bytes()),
            _ => Ok(()),
        }
    }

    /// Counts what a batch holds now; tells what all of them hold. For an answer that is there and is not refused any more.
    pub(super) fn keep(&mut self, bytes: usize) -> usize {
        let Some(batch) = &mut self.batch else { return 0 };
        self.gate.as_ref().batch_holds(bytes, replace(&mut batch.holds, bytes))
    }

    /// The turn of the call has come.
    pub(super) fn begin(&mut self, turn: Turn) {
        self.turn = Some(turn);
    }

    /// The call is answered, with so many bytes: it is others' turn.
    pub(super) fn end(&mut self, bytes: usize) {
        self.keep(bytes);
        self.turn = None;
    }

    pub(super) fn gate(&self) -> &G {
        &self.gate
    }
}

impl<G: AsRef<Metrics>> Drop for Admission<G> {
    fn drop(&mut self) {
        let metrics = self.gate.as_ref();
        metrics.call_ends();
        if let Some(batch) = &self.batch {
            metrics.batch_holds(0, batch.holds);
        }
    }
}

/// The most of an answer that is handed over at once. HTTP/2 takes what it is handed whether or not the client has
/// room for it; so a long answer goes piece by piece, and what has not been sent is still here.
const PIECE: usize = 32 * 1024;

/// The body of an answer, which holds on to something until it has been sent or given up.
pub struct Held<T> {
    body: Body,
    rest: Bytes,
    kept: T,
}

impl<T> Held<T> {
    pub(super) fn new(body: Body, kept: T) -> Self {
        Self { body, rest: Bytes::new(), kept }
    }

    /// Takes a body of which nothing was sent yet apart, to put another in its place.
    pub(super) fn into_parts(self) -> (Body, T) {
        (self.body, self.kept)
    }
}

impl<T: Unpin> http_body::Body for Held<T> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end_or_error => return Poll::Ready(end_or_error),
            }
        }
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let rest = self.rest.len() as u64;
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}
