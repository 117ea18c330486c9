//! The body of a request, read before anybody asks for it.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};

/// A body of which as much as has come is held here, until it is asked for.
pub(super) struct ReadAhead<B: Body> {
    body: B,
    held: Bytes,
    /// What went wrong after that.
    failed: Option<B::Error>,
    /// The most that it may have, in bytes.
    most: usize,
}

impl<B: Body<Data = Bytes> + Unpin> ReadAhead<B> {
    pub(super) fn new(body: B, most: usize) -> Self {
        Self { body, held: Bytes::new(), failed: None, most }
    }

    /// Waits until all of it has come, or as much as may be held.
    pub(super) fn poll_come(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.held.len() <= self.most && self.failed.is_none() && !self.body.is_end_stream() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => self.hold(frame.into_data().unwrap_or_default()),
                Some(Err(error)) => self.failed = Some(error),
                None => break,
            }
        }
        Poll::Ready(())
    }

    /// Whether it has more than may be held.
    pub(super) fn is_too_long(&self) -> bool {
        self.held.len() > self.most
    }

    /// Whether the rest of it will not come.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// How much of it is held, in bytes.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    fn hold(&mut self, data: Bytes) {
        if self.held.is_empty() {
            // As a rule a message comes in one piece.
            self.held = data;
        } else if !data.is_empty() {
            let mut joined = BytesMut::from(std::mem::take(&mut self.held));
            joined.extend_from_slice(&data);
            self.held = joined.freeze();
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for ReadAhead<B>
where
    B::Error: Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if !self.held.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.held)))));
        }
        match self.failed.take() {
            Some(error) => Poll::Ready(Some(Err(error))),
            None => Pin::new(&mut self.body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_empty() && self.failed.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
