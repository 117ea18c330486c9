//! What a connection writes, gathered: all that one turn of its work has to say goes out at once.
//!
//! HTTP/2 flushes as it goes, so that an answer leaves in pieces: headers, then the message, then the status. It is cheaper
//! in one, and safer: if the process is killed between two pieces, a balancer that has passed on the first cannot ask
//! another replica any more.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How much may wait, in bytes, before it is sent in the middle of a turn.
const MOST: usize = 64 * 1024;

/// A stream of bytes whose writes wait until [`send`](Self::send). Clones are the same stream: one is handed to whoever
/// reads and writes, the other stays with whoever ends the turn.
pub(super) struct Gathered<I>(Arc<Mutex<Inner<I>>>);

struct Inner<I> {
    io: I,
    waiting: BytesMut,
}

impl<I> Clone for Gathered<I> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> Gathered<I> {
    pub(super) fn new(io: I) -> Self {
        Self(Arc::new(Mutex::new(Inner { io, waiting: BytesMut::new() })))
    }

    /// Sends what has been written. Ready when all of it is sent.
    pub(super) fn send(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().send(context)
    }

    fn inner(&self) -> MutexGuard<'_, Inner<I>> {
        // One task has both clones: nobody ever waits here, and nobody has failed meanwhile.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> Inner<I> {
    fn send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.waiting.is_empty() {
            return Poll::Ready(Ok(()));
        }
        while !self.waiting.is_empty() {
            match ready!(Pin::new(&mut self.io).poll_write(context, &self.waiting))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                sent => self.waiting.advance(sent),
            }
        }
        // A connection that is silent holds nothing.
        self.waiting = BytesMut::new();
        Pin::new(&mut self.io).poll_flush(context)
    }

    /// Waits until there is room.
    fn make_room(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.waiting.len() < MOST { Poll::Ready(Ok(())) } else { self.send(context) }
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncRead for Gathered<I> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner().io).poll_read(context, buffer)
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Gathered<I> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut inner = self.inner();
        ready!(inner.make_room(context))?;
        let before = inner.waiting.len();
        for slice in slices {
            inner.waiting.extend_from_slice(slice);
        }
        Poll::Ready(Ok(inner.waiting.len() - before))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Does nothing: what was written is sent at the end of the turn.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut inner = self.inner();
        ready!(inner.send(context))?;
        Pin::new(&mut inner.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    fn pair(room: usize) -> (Gathered<DuplexStream>, DuplexStream) {
        let (near, far) = duplex(room);
        (Gathered::new(near), far)
    }

    #[tokio::test]
    async fn nothing_is_sent_before_the_end_of_a_turn() {
        let (mut stream, mut far) = pair(1024);
        let turn = stream.clone();
        stream.write_all(b"a").await.unwrap();
        stream.flush().await.unwrap();
        stream.write_all(b"b").await.unwrap();
        let mut bytes = [0; 8];
        tokio::select! {
            biased;
            read = far.read(&mut bytes) => panic!("something was sent: {read:?}"),
            () = std::future::ready(()) => {}
        }
        poll_fn(|context| turn.send(context)).await.unwrap();
        assert_eq!(far.read(&mut bytes).await.unwrap(), 2);
        assert_eq!(&bytes[..2], b"ab");
    }

    #[tokio::test]
    async fn no_more_than_its_most_waits() {
        let (mut stream, _far) = pair(1);
        let full = vec![0; MOST];
        stream.write_all(&full).await.unwrap();
        tokio::select! {
            biased;
            more = stream.write_all(b"x") => panic!("it was taken: {more:?}"),
            () = std::future::ready(()) => {}
        }
    }

    #[tokio::test]
    async fn what_waits_is_sent_before_the_end() {
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
