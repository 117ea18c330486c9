//! One connection, from its first byte to its last.

use std::{error::Error, io, net::TcpStream, pin::pin, time::Duration};

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::time::{sleep, timeout};

use super::{drain::Drain, gate::Gate};
use crate::config::Limits;

/// The most that may wait on a connection to be reset because the client broke the protocol. Without a bound a
/// client that never reads makes the server hold a reset for each of its bad requests (RUSTSEC-2024-0003).
const MAX_LOCAL_ERROR_RESETS: usize = 1024;

/// The largest headers of a call, in bytes.
const MAX_HEADER_BYTES: u32 = 16 * 1024;

/// Answers the calls of a connection until its client closes it, it is too old, or the server ends.
pub(super) async fn serve(
    stream: TcpStream,
    gate: Gate,
    limits: Limits,
    drain: Drain,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let stream = tokio::net::TcpStream::from_std(stream)?;
    stream.set_nodelay(true)?;
    if !begins(&stream, &limits, &drain).await? {
        return Ok(());
    }
    let mut connection = pin!(builder(&limits).serve_connection(TokioIo::new(stream), gate));

    let age = with_jitter(limits.max_connection_age);
    let aged = tokio::select! {
        closed = &mut connection => return Ok(closed?),
        () = sleep(age) => true,
        () = drain.begun() => false,
    };
    // From here on the client is asked to go: calls under way finish, further ones go elsewhere.
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        closed = &mut connection => Ok(closed?),
        () = sleep(limits.max_connection_age_grace), if aged => Ok(()),
        () = drain.over() => Ok(()),
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

fn builder(limits: &Limits) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.keepalive_interval)
        .keep_alive_timeout(limits.keepalive_timeout)
        .max_concurrent_streams(limits.max_streams_per_connection)
        .max_local_error_reset_streams(MAX_LOCAL_ERROR_RESETS)
        .max_header_list_size(MAX_HEADER_BYTES);
    builder
}

/// A tenth more or less, so that connections made together do not end together.
fn with_jitter(age: Duration) -> Duration {
    let unit = getrandom::u32().map_or(0.5, |random| f64::from(random) / f64::from(u32::MAX));
    age.mul_f64(0.9 + 0.2 * unit)
}
