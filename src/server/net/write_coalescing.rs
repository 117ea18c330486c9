//! Write coalescing: everything that a connection writes during one poll is sent with one system call.
//!
//! HTTP/2 flushes headers, message and trailers of a response separately. One write is cheaper and safer: if the process is
//! killed between two writes, a load balancer that has forwarded the headers cannot retry the call on another replica.

use std::{
    future::Future,
    io, mem,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    task::yield_now,
};

use crate::service::TIME_SLICE;

/// Maximum number of bytes that a connection reads in one poll, before the worker polls others: a client that sends frames without
/// a pause would otherwise keep it busy for long.
const MAX_READ_BYTES_PER_POLL: usize = 8 * 1024;

/// The minimum of this number: it adapts to the time that a poll takes, because a frame of a few bytes may change hundreds of
/// streams.
const MIN_READ_BYTES_PER_POLL: usize = 256;

/// Its value at first: many new connections at once must not keep the worker busy.
const FIRST_READ_BYTES_PER_POLL: usize = 1024;

/// Maximum number of buffered bytes. A write beyond it waits until the buffer is sent.
const MAX_BUFFERED_BYTES: usize = 64 * 1024;

/// An I/O stream that buffers writes until [`poll_flush_buffer`](Self::poll_flush_buffer). Clones share the stream: hyper
/// writes to one, and `FlushAfterPoll` flushes the other.
pub(super) struct CoalescedWrites<I>(Arc<Mutex<Inner<I>>>);

struct Inner<I> {
    io: I,
    buffer: BytesMut,
    /// What was already read from the stream.
    received: Bytes,
    bytes_sent: usize,
    /// Whether the client does not read, so that the buffer could not be sent.
    is_blocked: bool,
    /// Whether a read waits until the buffer is sent.
    has_waiting_read: bool,
    /// How much may be read in a poll.
    quota: usize,
    /// How much may still be read in this poll.
    unread_quota: usize,
}

impl<I> Clone for CoalescedWrites<I> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> CoalescedWrites<I> {
    /// Wraps a stream of which this much was already read.
    pub(super) fn new(io: I, received: Bytes) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            io,
            buffer: BytesMut::new(),
            received,
            bytes_sent: 0,
            is_blocked: false,
            has_waiting_read: false,
            quota: FIRST_READ_BYTES_PER_POLL,
            unread_quota: FIRST_READ_BYTES_PER_POLL,
        })))
    }

    /// Starts a poll of the connection, in which it may read a limited number of bytes, or none.
    pub(super) fn start_poll(&self, may_read: bool) {
        let mut inner = self.inner();
        inner.unread_quota = if may_read { inner.quota } else { 0 };
    }

    /// Ends a poll that took this long: if it was longer than a time slice, the next ones read less, and otherwise more again.
    pub(super) fn end_poll(&self, duration: Duration) {
        let mut inner = self.inner();
        let quota = if duration > TIME_SLICE { inner.quota / 2 } else { inner.quota * 2 };
        inner.quota = quota.clamp(MIN_READ_BYTES_PER_POLL, MAX_READ_BYTES_PER_POLL);
    }

    /// Sends the buffer. Ready when all of it is sent.
    pub(super) fn poll_flush_buffer(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut inner = self.inner();
        ready!(inner.poll_send(context))?;
        if mem::take(&mut inner.has_waiting_read) {
            context.waker().wake_by_ref();
        }
        Poll::Ready(Ok(()))
    }

    /// How much was sent to the client, if it does not accept more.
    pub(super) fn bytes_sent_if_blocked(&self) -> Option<usize> {
        let inner = self.inner();
        inner.is_blocked.then_some(inner.bytes_sent)
    }

    fn inner(&self) -> MutexGuard<'_, Inner<I>> {
        // One task has both clones, so the lock is never contended.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> Inner<I> {
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.buffer.is_empty() && !self.is_blocked {
            return Poll::Ready(Ok(()));
        }
        let sent = self.poll_send_all(context);
        self.is_blocked = sent.is_pending();
        sent
    }

    fn poll_send_all(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.buffer.is_empty() {
            match ready!(Pin::new(&mut self.io).poll_write(context, &self.buffer))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                sent => {
                    self.buffer.advance(sent);
                    self.bytes_sent += sent;
                }
            }
        }
        // An idle connection holds no buffer.
        self.buffer = BytesMut::new();
        Pin::new(&mut self.io).poll_flush(context)
    }

    /// Waits until there is room in the buffer.
    fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.buffer.len() < MAX_BUFFERED_BYTES { Poll::Ready(Ok(())) } else { self.poll_send(context) }
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncRead for CoalescedWrites<I> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut inner = self.inner();
        // A client that does not read its responses may not send more requests.
        if inner.is_blocked {
            inner.has_waiting_read = true;
            return Poll::Pending;
        }
        if inner.received.is_empty() {
            if inner.unread_quota == 0 {
                // Wakes this task when the runtime has polled all sockets. Woken at once, it would run dozens of times before the
                // worker notices what other clients send.
                let _ = pin!(yield_now()).poll(context);
                return Poll::Pending;
            }
            let before = buffer.filled().len();
            let read = Pin::new(&mut inner.io).poll_read(context, buffer);
            inner.unread_quota = inner.unread_quota.saturating_sub(buffer.filled().len() - before);
            return read;
        }
        let length = inner.received.len().min(buffer.remaining());
        buffer.put_slice(&inner.received.split_to(length));
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncWrite for CoalescedWrites<I> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut inner = self.inner();
        ready!(inner.poll_room(context))?;
        let before = inner.buffer.len();
        for slice in slices {
            inner.buffer.extend_from_slice(slice);
        }
        Poll::Ready(Ok(inner.buffer.len() - before))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Does nothing: the buffer is sent after the poll.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut inner = self.inner();
        ready!(inner.poll_send(context))?;
        Pin::new(&mut inner.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        sync::atomic::{AtomicUsize, Ordering::Relaxed},
    };

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        net::UnixStream,
    };

    use super::*;

    fn pair(room: usize) -> (CoalescedWrites<DuplexStream>, DuplexStream) {
        let (near, far) = duplex(room);
        (CoalescedWrites::new(near, Bytes::new()), far)
    }

    #[tokio::test]
    async fn nothing_is_sent_before_the_flush() {
        let (mut stream, mut far) = pair(1024);
        let flusher = stream.clone();
        stream.write_all(b"a").await.unwrap();
        stream.flush().await.unwrap();
        stream.write_all(b"b").await.unwrap();
        let mut bytes = [0; 8];
        tokio::select! {
            biased;
            read = far.read(&mut bytes) => panic!("something was sent: {read:?}"),
            () = std::future::ready(()) => {}
        }
        poll_fn(|context| flusher.poll_flush_buffer(context)).await.unwrap();
        assert_eq!(far.read(&mut bytes).await.unwrap(), 2);
        assert_eq!(&bytes[..2], b"ab");
    }

    #[tokio::test]
    async fn a_full_buffer_blocks_writes() {
        let (mut stream, _far) = pair(1);
        let full = vec![0; MAX_BUFFERED_BYTES];
        stream.write_all(&full).await.unwrap();
        tokio::select! {
            biased;
            more = stream.write_all(b"x") => panic!("the write was accepted: {more:?}"),
            () = std::future::ready(()) => {}
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_not_read_from() {
        let (mut stream, mut far) = pair(4);
        let flusher = stream.clone();
        far.write_all(b"in").await.unwrap();
        stream.write_all(b"out, longer than the pipe").await.unwrap();
        let mut bytes = [0; 32];
        tokio::select! {
            biased;
            () = poll_fn(|context| flusher.poll_flush_buffer(context).map(Result::unwrap)) => panic!("it is sent"),
            read = stream.read(&mut bytes) => panic!("it is read: {read:?}"),
            () = std::future::ready(()) => {}
        }
        assert_eq!(flusher.bytes_sent_if_blocked(), Some(4));
        let flush = poll_fn(|context| flusher.poll_flush_buffer(context));
        let (sent, received) = tokio::join!(flush, far.read_exact(&mut bytes[..25]));
        sent.unwrap();
        received.unwrap();
        assert_eq!(flusher.bytes_sent_if_blocked(), None);
        assert_eq!(stream.read(&mut bytes).await.unwrap(), 2);
    }

    /// How much a connection reads in one poll.
    async fn read_in_one_poll(stream: &mut CoalescedWrites<DuplexStream>) -> usize {
        let mut bytes = vec![0; 2 * MAX_READ_BYTES_PER_POLL];
        stream.start_poll(true);
        let mut buffer = ReadBuf::new(&mut bytes);
        poll_fn(|context| {
            while buffer.remaining() > 0 {
                let (before, limit) = (buffer.filled().len(), buffer.remaining().min(256));
                let mut part = buffer.take(limit);
                if Pin::new(&mut *stream).poll_read(context, &mut part).is_pending() {
                    break;
                }
                let read = part.filled().len();
                buffer.set_filled(before + read);
            }
            Poll::Ready(buffer.filled().len())
        })
        .await
    }

    #[tokio::test]
    async fn a_poll_reads_a_limited_number_of_bytes_and_fewer_after_long_polls() {
        let (mut stream, mut far) = pair(1 << 20);
        far.write_all(&vec![0; 1 << 17]).await.unwrap();
        assert_eq!(read_in_one_poll(&mut stream).await, FIRST_READ_BYTES_PER_POLL);
        stream.end_poll(2 * TIME_SLICE);
        assert_eq!(read_in_one_poll(&mut stream).await, FIRST_READ_BYTES_PER_POLL / 2);
        (0..20).for_each(|_| stream.end_poll(2 * TIME_SLICE));
        assert_eq!(read_in_one_poll(&mut stream).await, MIN_READ_BYTES_PER_POLL);
        (0..20).for_each(|_| stream.end_poll(TIME_SLICE / 2));
        assert_eq!(read_in_one_poll(&mut stream).await, MAX_READ_BYTES_PER_POLL);
    }

    #[tokio::test]
    async fn a_client_that_sends_without_a_pause_does_not_delay_others() {
        let (stream, mut far) = pair(4);
        far.write_all(b"more").await.unwrap();
        let polls = Arc::new(AtomicUsize::new(0));
        let counter = polls.clone();
        let greedy = tokio::spawn(poll_fn(move |context| -> Poll<()> {
            counter.fetch_add(1, Relaxed);
            stream.start_poll(false);
            let read = Pin::new(&mut stream.clone()).poll_read(context, &mut ReadBuf::new(&mut [0; 4]));
            assert!(read.is_pending());
            Poll::Pending
        }));
        let (mut other, mut sender) = UnixStream::pair().unwrap();
        sender.write_all(b"x").await.unwrap();
        assert_eq!(other.read_u8().await.unwrap(), b'x');
        greedy.abort();
        // Woken at once, the task would run some sixty times before the runtime polls the socket.
        let polls = polls.load(Relaxed);
        assert!((1..=4).contains(&polls), "{polls}");
    }

    #[tokio::test]
    async fn the_buffer_is_sent_before_the_stream_is_closed() {
        let (mut stream, mut far) = pair(8);
        let sent = vec![7; 1000];
        stream.write_all(&sent).await.unwrap();
        let mut received = Vec::new();
        let (ended, read) = tokio::join!(stream.shutdown(), far.read_to_end(&mut received));
        ended.unwrap();
        read.unwrap();
        assert_eq!(received, sent);
    }
}
