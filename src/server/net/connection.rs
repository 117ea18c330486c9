//! One connection, from its first byte to its last.

use std::{
    error::Error,
    future::Future,
    io,
    net::TcpStream,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::future;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{sleep, timeout},
};
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

use super::{
    activity::{ActivityMonitor, ConnectionActivity, Observation},
    blocked::{Blocked, BlockedConnections},
    http_version::{HttpVersion, detect_version},
    tls::Tls,
    write_coalescing::CoalescedWrites,
};
use crate::{
    config::Limits,
    server::{
        admission::Budgets,
        drain::Drain,
        protocol::{Router, UnstartedCalls},
        telemetry::{LogLimiter, Metrics},
    },
};

/// Maximum number of `RST_STREAM` frames queued for a client's protocol errors. Without it, a client that never reads makes the
/// queue grow without limit (RUSTSEC-2024-0003).
const MAX_LOCAL_ERROR_RESETS: usize = 1024;

/// The initial HTTP/2 window of a stream: how much of a request h2 buffers before it is read. The byte budget counts it for
/// every open stream. The server reads unary requests as they arrive.
const STREAM_WINDOW_BYTES: u32 = 16 * 1024;

/// The initial HTTP/2 window of a connection. It also sets how many small unread frames h2 tolerates, at 240 bytes each that it
/// never releases: here about a thousand. That is enough for a stream of the shortest requests about a game, one per frame, whose
/// client sends as fast as the stream window allows.
const CONNECTION_WINDOW_BYTES: u32 = 480 * 1024;

/// Maximum size of the part of a response that h2 buffers for a stream before the client reads it. The last chunk may exceed it.
const SEND_BUFFER_BYTES: usize = 32 * 1024;

/// Maximum size of the headers of a request.
const MAX_HEADER_BYTES: u32 = 8 * 1024;

/// How much the operating system buffers for a client that does not read. Its default is up to 4 MiB.
const MAX_UNSENT_BYTES: u32 = 64 * 1024;

/// Maximum size of the HPACK table of a client's headers: enough for those that repeat in every call. Each entry keeps the
/// buffer alive in which it arrived, up to 16 KiB.
const HEADER_TABLE_BYTES: u32 = 1024;

type ConnectionError = Box<dyn Error + Send + Sync>;

/// A connection with or without TLS as one type: HTTP is compiled once for both.
type Transport = Either<tokio::net::TcpStream, Box<TlsStream<tokio::net::TcpStream>>>;

/// What all connections of a worker share.
#[derive(Clone)]
pub(in crate::server) struct ConnectionContext {
    pub(in crate::server) router: Router,
    pub(in crate::server) tls: Option<Tls>,
    pub(in crate::server) limits: Limits,
    pub(in crate::server) drain: Drain,
    pub(in crate::server) metrics: Arc<Metrics>,
    pub(in crate::server) budgets: Budgets,
    pub(in crate::server) blocked: BlockedConnections,
    pub(in crate::server) log_limiter: Arc<LogLimiter>,
}

impl ConnectionContext {
    /// Serves a connection until its client closes it, it reaches its maximum age, or the server shuts down.
    pub(super) async fn serve(
        self,
        stream: TcpStream,
        activity: Arc<ConnectionActivity>,
    ) -> Result<(), ConnectionError> {
        let stream = tokio::net::TcpStream::from_std(stream)?;
        stream.set_nodelay(true)?;
        if !self.wait_for_first_byte(&stream).await? {
            return Ok(());
        }
        // A client that stops reading is disconnected after the same time as one that stops answering pings.
        let unread_timeout = self.limits.keepalive_interval + self.limits.keepalive_timeout;
        SockRef::from(&stream).set_tcp_user_timeout(Some(unread_timeout))?;
        SockRef::from(&stream).set_tcp_notsent_lowat(MAX_UNSENT_BYTES)?;
        let mut transport = match &self.tls {
            None => Either::Left(stream),
            Some(tls) => match self.handshake(tls, stream).await? {
                Some(stream) => Either::Right(Box::new(stream)),
                None => return Ok(()),
            },
        };
        let detected = tokio::select! {
            detected = timeout(self.limits.call_timeout, detect_version(&mut transport)) => detected,
            () = self.drain.expired() => return Ok(()),
        };
        let Ok(detected) = detected else {
            self.metrics.connection_stalled();
            return Ok(());
        };
        let Some((version, received)) = detected? else { return Ok(()) };
        self.serve_http(version, CoalescedWrites::new(transport, received), activity).await
    }

    /// Waits for the first byte. Keepalive starts with HTTP, so a client that sends nothing has to be timed out here.
    async fn wait_for_first_byte(&self, stream: &tokio::net::TcpStream) -> io::Result<bool> {
        let first_byte_timeout = self.limits.call_timeout.min(self.limits.max_connection_age);
        let mut first = [0];
        tokio::select! {
            peeked = timeout(first_byte_timeout, stream.peek(&mut first)) => match peeked {
                Ok(bytes) => Ok(bytes? > 0),
                Err(_) => Ok(false),
            },
            () = self.drain.expired() => Ok(false),
        }
    }

    /// Performs the TLS handshake. None: it failed or timed out.
    async fn handshake(
        &self,
        tls: &Tls,
        stream: tokio::net::TcpStream,
    ) -> io::Result<Option<TlsStream<tokio::net::TcpStream>>> {
        let peer = stream.peer_addr()?;
        let result = tokio::select! {
            result = timeout(self.limits.call_timeout, tls.accept(stream)) => result,
            () = self.drain.expired() => return Ok(None),
        };
        let reason = match result {
            Ok(Ok(stream)) => return Ok(Some(stream)),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "timeout".to_owned(),
        };
        self.metrics.handshake_failed();
        if self.log_limiter.allows_refused_connection() {
            tracing::warn!(%peer, reason, "TLS handshake failed");
        }
        Ok(None)
    }

    async fn serve_http(
        self,
        version: HttpVersion,
        io: CoalescedWrites<Transport>,
        activity: Arc<ConnectionActivity>,
    ) -> Result<(), ConnectionError> {
        let service = self.router.serve(activity.clone());
        let connection = match version {
            HttpVersion::Http1 => {
                future::Either::Left(http1(&self.limits).serve_connection(TokioIo::new(io.clone()), service))
            }
            HttpVersion::Http2 => {
                future::Either::Right(http2(&self.limits).serve_connection(TokioIo::new(io.clone()), service))
            }
        };
        let connection = pin!(connection);
        let blocked = Blocked::new(&self.budgets.blocked_connections, &self.blocked, &activity);
        let unstarted_calls = self.router.unstarted_calls();
        let mut connection = FlushAfterPoll {
            connection,
            io: io.clone(),
            activity: &activity,
            unstarted_calls,
            result: None,
            blocked,
        };
        let mut stalled = pin!(self.stalled(&io, ActivityMonitor::new(activity.clone())));

        let mut grace = self.limits.max_connection_age_grace;
        let is_draining = tokio::select! {
            // Poll first, so that a new connection reads its first requests before GOAWAY.
            biased;
            closed = &mut connection => return closed,
            stall = &mut stalled => match stall {
                Stall::Idle => {
                    grace = grace.min(IDLE_GRACE);
                    false
                }
                Stall::Unread => {
                    self.metrics.connection_stalled();
                    false
                }
                Stall::Blocked => {
                    self.metrics.connection_stalled();
                    return Ok(());
                }
            },
            () = sleep(with_jitter(self.limits.max_connection_age)) => false,
            () = self.drain.started() => true,
        };
        // Sends GOAWAY: calls in flight finish, and the client opens another connection for new ones.
        match connection.connection.as_mut().as_pin_mut() {
            future::Either::Left(http1) => http1.graceful_shutdown(),
            future::Either::Right(http2) => http2.graceful_shutdown(),
        }
        tokio::select! {
            closed = &mut connection => closed,
            () = sleep(grace), if !is_draining => Ok(()),
            () = self.drain.expired() => Ok(()),
        }
    }

    /// Waits until the client leaves a response unread for too long or is idle for too long. Above
    /// half of the maximum number of connections, an idle connection is closed at the next observation.
    async fn stalled(&self, io: &CoalescedWrites<Transport>, mut monitor: ActivityMonitor) -> Stall {
        let interval = self.limits.send_timeout;
        let (mut idle_for, mut last_sent) = (Duration::ZERO, None);
        loop {
            sleep(interval).await;
            let sent = io.bytes_sent_if_blocked();
            if sent.is_some() && sent == last_sent {
                return Stall::Blocked;
            }
            last_sent = sent;
            idle_for = match monitor.observe() {
                Observation::Unread => return Stall::Unread,
                Observation::Active => Duration::ZERO,
                Observation::Idle => idle_for + interval,
            };
            let is_idle = idle_for > Duration::ZERO && self.budgets.connections.is_scarce();
            if is_idle || idle_for >= self.limits.max_connection_idle {
                return Stall::Idle;
            }
        }
    }
}

/// How long an idle connection stays open after GOAWAY: a call that is already on its way is answered.
const IDLE_GRACE: Duration = Duration::from_secs(2);

/// Why a connection is not kept open.
enum Stall {
    /// It has no calls.
    Idle,
    /// The client does not read one of its responses. Its other calls may finish.
    Unread,
    /// The client does not read at all.
    Blocked,
}

/// A connection whose writes are flushed after each poll.
struct FlushAfterPoll<'c, C, I> {
    connection: Pin<&'c mut C>,
    io: CoalescedWrites<I>,
    activity: &'c ConnectionActivity,
    unstarted_calls: &'c UnstartedCalls,
    blocked: Blocked<'c>,
    /// The result of the connection while its last writes are flushed.
    result: Option<Result<(), ConnectionError>>,
}

impl<C, I> Future for FlushAfterPoll<'_, C, I>
where
    C: Future<Output = hyper::Result<()>>,
    I: AsyncRead + AsyncWrite + Unpin,
{
    type Output = Result<(), ConnectionError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.activity.record_poll();
        self.io.start_poll(!self.unstarted_calls.are_too_many());
        if self.result.is_none()
            && let Poll::Ready(result) = self.connection.as_mut().poll(context)
        {
            self.result = Some(result.map_err(ConnectionError::from));
        }
        let flushed = self.io.poll_flush_buffer(context);
        self.io.end_poll(self.activity.polled_at().elapsed());
        if !self.blocked.set(flushed.is_pending()) {
            return Poll::Ready(Err("the client does not read, and too many others do not, either".into()));
        }
        if self.result.is_none() && !matches!(flushed, Poll::Ready(Err(_))) {
            return Poll::Pending;
        }
        let flushed = ready!(flushed).map_err(ConnectionError::from);
        Poll::Ready(self.result.take().unwrap_or(Ok(())).and(flushed))
    }
}

fn http2(limits: &Limits) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.keepalive_interval)
        .keep_alive_timeout(limits.keepalive_timeout)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_concurrent_streams(limits.max_streams_per_connection)
        .max_local_error_reset_streams(MAX_LOCAL_ERROR_RESETS)
        // A client that cancels all its calls at once, for example at their deadline, is not an attacker.
        .max_pending_accept_reset_streams(limits.max_streams_per_connection as usize)
        .max_send_buf_size(SEND_BUFFER_BYTES)
        .header_table_size(HEADER_TABLE_BYTES)
        .max_header_list_size(MAX_HEADER_BYTES);
    builder
}

/// For clients without HTTP/2: browsers without TLS, and `curl` by default. HTTP/1.1 has no keep-alive pings: a connection that
/// is silent for too long is closed.
fn http1(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.keepalive_interval)
        .max_buf_size(MAX_HEADER_BYTES as usize);
    builder
}

/// Varies an age by up to a tenth, so that connections opened together do not close together.
fn with_jitter(age: Duration) -> Duration {
    age.mul_f64(0.9 + 0.2 * fastrand::f64())
}
