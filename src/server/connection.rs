//! One connection, from its first byte to its last.

use std::{
    error::Error,
    future::Future,
    io,
    net::TcpStream,
    pin::{Pin, pin},
    task::{Context, Poll, ready},
    time::Duration,
};

use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use socket2::SockRef;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader},
    time::{sleep, timeout},
};
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

use super::{drain::Drain, front::Front, gathered::Gathered, tls::Tls};
use crate::config::Limits;

/// The most that may wait on a connection to be reset because the client broke the protocol. Without a bound a
/// client that never reads makes the server hold a reset for each of its bad requests (RUSTSEC-2024-0003).
const MAX_LOCAL_ERROR_RESETS: usize = 1024;

/// How much of a request is taken before anybody reads it, in bytes: a batch over a long way, or a stream whose caller does not
/// read its answers.
const STREAM_WINDOW: u32 = 128 * 1024;

/// How much of all requests of a connection. HTTP/2 takes many small frames that nobody reads for an attack, and ends the
/// connection; how many depends on this. One stream of the smallest calls must fit, each in a frame of its own, or some
/// dozens of usual calls.
const CONNECTION_WINDOW: u32 = 16 * 1024 * 1024;

/// The largest headers of a call, in bytes.
const MAX_HEADER_BYTES: u32 = 16 * 1024;

/// Why a connection ended before its time.
type Failure = Box<dyn Error + Send + Sync>;

/// A connection with TLS.
type Private = BufReader<TlsStream<tokio::net::TcpStream>>;

/// A connection with or without TLS, as one type: HTTP is compiled once for both.
type Transport = Either<tokio::net::TcpStream, Box<Private>>;

/// What every connection is served with.
#[derive(Clone)]
pub(super) struct Connections {
    pub(super) front: Front,
    pub(super) tls: Option<Tls>,
    pub(super) limits: Limits,
    pub(super) drain: Drain,
}

impl Connections {
    /// Answers the calls of a connection until its client closes it, it is too old, or the server ends.
    pub(super) async fn serve(self, stream: TcpStream) -> Result<(), Failure> {
        let stream = tokio::net::TcpStream::from_std(stream)?;
        stream.set_nodelay(true)?;
        if !begins(&stream, &self.limits, &self.drain).await? {
            return Ok(());
        }
        // An answer that nobody takes is given up as a client is that answers nothing.
        let silence = self.limits.keepalive_interval + self.limits.keepalive_timeout;
        SockRef::from(&stream).set_tcp_user_timeout(Some(silence))?;
        match self.tls.clone() {
            None => self.answer(Either::Left(stream)).await,
            Some(tls) => match self.agree(&tls, stream).await? {
                Some(stream) => self.answer(Either::Right(Box::new(stream))).await,
                None => Ok(()),
            },
        }
    }

    /// Agrees on keys with the client, and waits until it says something by them. None: the client was refused, or
    /// took too long.
    async fn agree(&self, tls: &Tls, stream: tokio::net::TcpStream) -> io::Result<Option<Private>> {
        let peer = stream.peer_addr()?;
        let agree = async {
            let mut stream = BufReader::new(tls.accept(stream).await?);
            stream.fill_buf().await?;
            Ok::<_, io::Error>(stream)
        };
        let agreed = tokio::select! {
            agreed = timeout(self.limits.call_timeout, agree) => agreed,
            () = self.drain.over() => return Ok(None),
        };
        let refused = match agreed {
            Ok(Ok(stream)) => return Ok(Some(stream)),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it took too long".to_owned(),
        };
        self.front.as_ref().refuse_handshake();
        tracing::warn!(%peer, reason = refused, "refused a connection: no TLS with this client");
        Ok(None)
    }

    async fn answer(self, io: Transport) -> Result<(), Failure> {
        let Self { front, limits, drain, .. } = self;
        let builder = builder(&limits);
        let io = Gathered::new(io);
        let connection = pin!(builder.serve_connection(TokioIo::new(io.clone()), front));
        let mut turns = Turns { connection, io, ended: None };

        let age = with_jitter(limits.max_connection_age);
        let aged = tokio::select! {
            // Whoever has just begun is read from before being asked to go.
            biased;
            closed = &mut turns => return closed,
            () = sleep(age) => true,
            () = drain.begun() => false,
        };
        // From here on the client is asked to go: calls under way finish, further ones go elsewhere.
        turns.connection.as_mut().graceful_shutdown();
        tokio::select! {
            closed = &mut turns => closed,
            () = sleep(limits.max_connection_age_grace), if aged => Ok(()),
            () = drain.over() => Ok(()),
        }
    }
}

/// A connection at work. After each turn, what it has written is sent.
struct Turns<'c, C, I> {
    connection: Pin<&'c mut C>,
    io: Gathered<I>,
    /// How it ended, while the last of it is being sent.
    ended: Option<Result<(), Failure>>,
}

impl<C, I> Future for Turns<'_, C, I>
where
    C: Future<Output = Result<(), Failure>>,
    I: AsyncRead + AsyncWrite + Unpin,
{
    type Output = Result<(), Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.ended.is_none()
            && let Poll::Ready(ended) = self.connection.as_mut().poll(context)
        {
            self.ended = Some(ended);
        }
        let sent = self.io.send(context);
        if self.ended.is_none() && !matches!(sent, Poll::Ready(Err(_))) {
            return Poll::Pending;
        }
        let sent = ready!(sent).map_err(Failure::from);
        Poll::Ready(self.ended.take().unwrap_or(Ok(())).and(sent))
    }
}

/// Waits for the first byte. Keep-alive watches a connection from its handshake on: whoever does not even begin one
/// is not waited for longer than for a call.
async fn begins(stream: &tokio::net::TcpStream, limits: &Limits, drain: &Drain) -> io::Result<bool> {
    let longest = limits.call_timeout.min(limits.max_connection_age);
    let mut first = [0];
    tokio::select! {
        peeked = timeout(longest, stream.peek(&mut first)) => match peeked {
            Ok(bytes) => Ok(bytes? > 0),
            Err(_) => Ok(false),
        },
        () = drain.over() => Ok(false),
    }
}

/// HTTP/2, or HTTP/1.1 for those who cannot: browsers without TLS, and `curl` as it is.
fn builder(limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.keepalive_interval)
        .keep_alive_timeout(limits.keepalive_timeout)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(limits.max_streams_per_connection)
        .max_local_error_reset_streams(MAX_LOCAL_ERROR_RESETS)
        // Whoever gives up all its calls at once, because their time is over, is no attacker.
        .max_pending_accept_reset_streams(limits.max_streams_per_connection as usize)
        .max_header_list_size(MAX_HEADER_BYTES);
    // HTTP/1.1 has no way to ask whether the client is still there: one that is silent for too long is closed.
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.keepalive_interval)
        .max_buf_size(MAX_HEADER_BYTES as usize);
    builder
}

/// A tenth more or less, so that connections made together do not end together.
fn with_jitter(age: Duration) -> Duration {
    let unit = getrandom::u32().map_or(0.5, |random| f64::from(random) / f64::from(u32::MAX));
    age.mul_f64(0.9 + 0.2 * unit)
}
