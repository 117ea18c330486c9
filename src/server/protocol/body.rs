//! The bodies of requests and responses.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{BodyExt, Either};
use hyper::body::Incoming;
use tokio::{
    runtime::Handle,
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, timeout},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{Status, body::Body};

use super::Protocol;
use crate::{server::admission::InFlightPermit, wire::Refusal};

/// The body of a request: as the client sends it, or as `tonic-web` translates it.
pub(in crate::server) type RequestBody = Either<DrainOnDrop, Body>;

/// Maximum number of unread bytes to discard: the largest batch by default.
const MAX_DISCARDED_BYTES: usize = 1024 * 1024;

/// Maximum time to discard them.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of bodies that are discarded at the same time. They belong to refused calls, which no budget counts.
const MAX_DISCARDED_BODIES: usize = 128;

/// A body whose unread remainder is read and discarded when it is dropped.
///
/// Otherwise HTTP/1.1 would close the connection of a client that is still writing, which may then never see why its call is
/// refused. HTTP/2 would reset the stream and treat frames already on their way as protocol errors: a thousand of them close
/// the connection with all its calls.
pub(in crate::server) struct DrainOnDrop(Option<Incoming>);

impl DrainOnDrop {
    pub(super) fn new(body: Incoming) -> Self {
        Self(Some(body))
    }
}

impl http_body::Body for DrainOnDrop {
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

impl Drop for DrainOnDrop {
    fn drop(&mut self) {
        if let Some(body) = self.0.take().filter(|body| !body.is_end_stream())
            && let Ok(runtime) = Handle::try_current()
            && let Ok(permit) = DISCARDS.try_acquire()
        {
            runtime.spawn(timeout(DISCARD_TIMEOUT, discard(body, permit)));
        }
    }
}

static DISCARDS: Semaphore = Semaphore::const_new(MAX_DISCARDED_BODIES);

async fn discard(mut body: Incoming, _permit: SemaphorePermit<'static>) {
    let mut discarded = 0;
    while discarded <= MAX_DISCARDED_BYTES
        && let Some(Ok(frame)) = body.frame().await
    {
        discarded += frame.data_ref().map_or(0, Bytes::len);
    }
}

/// The body of a request that has arrived completely.
pub(in crate::server) struct Collected {
    pub(in crate::server) bytes: Bytes,
    /// Since when the call waits for the server: since it arrived, or since the connection has read the rest of it.
    pub(in crate::server) ready_since: Instant,
}

/// Collects the body of a request whose message has at most `max_message_bytes`. The in-flight permit counts what is held.
pub(in crate::server) async fn collect(
    mut body: RequestBody,
    protocol: Protocol,
    max_message_bytes: usize,
    permit: &mut InFlightPermit,
    arrived: Instant,
) -> Result<Collected, Refusal> {
    let max_bytes = protocol.body_bytes(max_message_bytes);
    let (mut bytes, mut waited) = (Bytes::new(), false);
    while let Some(frame) = poll_fn(|context| {
        let frame = Pin::new(&mut body).poll_frame(context);
        waited |= frame.is_pending();
        frame
    })
    .await
    {
        let data = frame.map_err(|_| protocol.incomplete_request())?.into_data().unwrap_or_default();
        if bytes.is_empty() {
            // As a rule, a message arrives in one frame.
            bytes = data;
        } else if !data.is_empty() {
            let mut joined = BytesMut::from(bytes);
            joined.extend_from_slice(&data);
            bytes = joined.freeze();
        }
        if bytes.len() > max_bytes {
            return Err(Refusal::message_too_large(max_message_bytes));
        }
        permit.hold(bytes.len())?;
    }
    let ready_since = if waited { permit.connection().polled_at() } else { arrived };
    Ok(Collected { bytes, ready_since })
}

/// Maximum size of a chunk of a response. h2 buffers a chunk even if the client's flow-control window is full; the rest
/// of a long response stays here.
const MAX_CHUNK_BYTES: usize = 32 * 1024;

/// The body of a response. Its chunks hold the in-flight permit of the call until they are sent or the client cancels.
#[derive(Default)]
pub(in crate::server) struct ResponseBody {
    body: Body,
    /// What is left of the current frame.
    rest: Bytes,
    /// None: nothing is counted, because the call was refused before.
    permit: Option<Arc<InFlightPermit>>,
    /// None: the stream ends itself.
    end: Option<StreamEnd>,
}

impl ResponseBody {
    /// Lets a stream end when it has been idle for too long, or when the server shuts down.
    pub(in crate::server) fn end_with(&mut self, end: StreamEnd) {
        self.end = Some(end);
    }

    /// Encodes the message of a unary response, and returns its size. A later call of `poll_frame` returns it.
    pub(in crate::server) async fn encode_message(&mut self) -> usize {
        // The body of a unary response never waits. The end or an error is returned again by `poll_frame`.
        if let Some(Ok(frame)) = self.body.frame().await
            && let Ok(data) = frame.into_data()
        {
            self.rest = data;
        }
        self.rest.len()
    }

    /// Lets a header hold the permit too, if the response has no body. h2 drops the headers when it has sent them.
    pub(super) fn hold_until_sent(&self, header: HeaderValue) -> HeaderValue {
        match &self.permit {
            Some(permit) if self.is_end_stream() => {
                let bytes = UnsentChunk::hold(Bytes::from_owner(header.clone()), permit);
                // The value is that of a valid header.
                let mut held = HeaderValue::from_maybe_shared(bytes).unwrap_or(header);
                // Otherwise it would stay in the table of HPACK.
                held.set_sensitive(true);
                held
            }
            _ => header,
        }
    }

    /// Lets the response hold the permit of its call.
    pub(in crate::server) fn hold(&mut self, permit: Arc<InFlightPermit>) {
        self.permit = Some(permit);
    }
}

impl From<Body> for ResponseBody {
    fn from(body: Body) -> Self {
        Self { body, ..Self::default() }
    }
}

/// A chunk of a response, or a header, that h2 holds until it is sent.
struct UnsentChunk {
    data: Bytes,
    generation: usize,
    permit: Arc<InFlightPermit>,
}

impl UnsentChunk {
    fn hold(data: Bytes, permit: &Arc<InFlightPermit>) -> Bytes {
        let generation = permit.connection().chunk_created();
        Bytes::from_owner(Self { data, generation, permit: permit.clone() })
    }
}

impl AsRef<[u8]> for UnsentChunk {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl Drop for UnsentChunk {
    fn drop(&mut self) {
        self.permit.connection().chunk_sent(self.generation);
    }
}

/// Ends a stream of a mounted service when it has been idle for too long, or when the server shuts down.
pub(in crate::server) struct StreamEnd {
    /// None: the stream is idle by nature.
    idle_timeout: Option<Duration>,
    shutdown: CancellationToken,
    /// Why the stream ends. None while the stream is active.
    refusal: Option<Pin<Box<dyn Future<Output = Refusal> + Send>>>,
    _response_ended: DropGuard,
}

impl StreamEnd {
    /// `response_ended` is cancelled when the response has ended, for any reason.
    pub(in crate::server) fn new(
        idle_timeout: Option<Duration>,
        shutdown: CancellationToken,
        response_ended: DropGuard,
    ) -> Self {
        Self { idle_timeout, shutdown, refusal: None, _response_ended: response_ended }
    }

    /// Ready when the stream must end.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Refusal> {
        let (shutdown, idle_timeout) = (&self.shutdown, self.idle_timeout);
        let refusal = self.refusal.get_or_insert_with(|| {
            let shutdown = shutdown.clone().cancelled_owned();
            Box::pin(async move {
                let Some(idle_timeout) = idle_timeout else {
                    shutdown.await;
                    return Refusal::shutting_down();
                };
                match timeout(idle_timeout, shutdown).await {
                    Ok(()) => Refusal::shutting_down(),
                    Err(_) => Refusal::idle_stream(idle_timeout),
                }
            })
        });
        refusal.as_mut().poll(context)
    }
}

fn trailers(refusal: Refusal) -> Frame<Bytes> {
    let mut trailers = HeaderMap::new();
    // These refusals are short.
    let _ = Status::from(refusal).add_header(&mut trailers);
    Frame::trailers(trailers)
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        if this.rest.is_empty() {
            let frame = Pin::new(&mut this.body).poll_frame(context);
            if let Some(end) = &mut this.end {
                if frame.is_ready() {
                    end.refusal = None;
                } else if let Poll::Ready(refusal) = end.poll(context) {
                    (this.body, this.end) = (Body::empty(), None);
                    return Poll::Ready(Some(Ok(trailers(refusal))));
                }
            }
            match ready!(frame) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end_or_error => return Poll::Ready(end_or_error),
            }
        }
        let length = this.rest.len().min(MAX_CHUNK_BYTES);
        let chunk = this.rest.split_to(length);
        let chunk = match &this.permit {
            Some(permit) => UnsentChunk::hold(chunk, permit),
            None => chunk,
        };
        Poll::Ready(Some(Ok(Frame::data(chunk))))
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
