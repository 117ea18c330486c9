//! What is left of a request that was answered before it was read.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::{runtime::Handle, time::timeout};

/// How much is still read of it, in bytes: the largest batch.
const MOST: u64 = 1024 * 1024;

/// And for how long.
const LONGEST: Duration = Duration::from_secs(2);

/// The body of a request, of which the rest is read and forgotten when nobody wants it any more.
///
/// If it were not, HTTP/1.1 would close the connection on a client that is still writing, which may then never see why it
/// was refused. HTTP/2 would tell the client to stop, and take what is on its way already for a breach of the protocol: a
/// thousand of those end the connection, with every call on it.
pub(super) struct Attended(Option<Incoming>);

impl Attended {
    pub(super) fn new(body: Incoming) -> Self {
        Self(Some(body))
    }
}

impl Body for Attended {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.0 {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map(Incoming::size_hint).unwrap_or_default()
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        if let Some(body) = self.0.take().filter(|body| !body.is_end_stream())
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(timeout(LONGEST, forget(body)));
        }
    }
}

async fn forget(mut body: Incoming) {
    let mut read = 0;
    while read <= MOST
        && let Some(Ok(frame)) = body.frame().await
    {
        read += frame.data_ref().map_or(0, |data| data.len() as u64);
    }
}
