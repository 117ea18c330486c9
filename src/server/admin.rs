//! The admin port: `/live`, `/ready`, `/metrics` and `/log-level`.

mod health_command;

use std::{collections::VecDeque, convert::Infallible, net::IpAddr, str, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::SockRef;
use tokio::{
    net::{TcpListener, TcpStream},
    task::AbortHandle,
    time::{sleep, timeout},
};

pub use self::health_command::is_ready;
use super::{
    auth::Tokens,
    drain::Drain,
    net::ACCEPT_RETRY_DELAY,
    protocol::check_host,
    telemetry::{Log, Metrics},
};

/// Maximum number of connections. One more closes the oldest: a probe is answered even if another client leaves its
/// connections open. More than the runtime accepts before it polls the connections.
pub(super) const MAX_CONNECTIONS: usize = 256;

/// A connection is closed after this time without complete request headers.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time to send the body of a request. Also the time for which a client may leave a response unread.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum size of the headers of a request: the smallest that hyper allows.
const MAX_HEADER_BYTES: usize = 8 * 1024;

/// How much the operating system buffers for a client that does not read.
const MAX_UNSENT_BYTES: u32 = 16 * 1024;

/// Maximum size of a log filter.
const MAX_FILTER_BYTES: usize = 1024;

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// What the endpoints report on.
pub(super) struct Admin {
    pub(super) metrics: Arc<Metrics>,
    pub(super) drain: Drain,
    /// None: authentication is not configured.
    pub(super) tokens: Option<Tokens>,
    /// None: there is no log whose filter could be changed.
    pub(super) log: Option<Log>,
}

impl Admin {
    /// Serves HTTP/1.1 until the process ends.
    pub(super) async fn serve(self, listener: TcpListener) {
        let admin = Arc::new(self);
        let mut connections = VecDeque::<AbortHandle>::new();
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok((stream, peer)) => (stream, peer.ip().to_canonical()),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection on the admin port");
                    sleep(ACCEPT_RETRY_DELAY).await;
                    continue;
                }
            };
            connections.retain(|connection| !connection.is_finished());
            if connections.len() >= MAX_CONNECTIONS
                && let Some(oldest) = connections.pop_front()
            {
                oldest.abort();
                admin.metrics.admin_connection_evicted();
            }
            connections.push_back(tokio::spawn(admin.clone().serve_connection(stream, peer)).abort_handle());
        }
    }

    async fn serve_connection(self: Arc<Self>, stream: TcpStream, peer: IpAddr) {
        let socket = SockRef::from(&stream);
        // These fail only if the client has already closed the connection.
        let _ = socket.set_tcp_user_timeout(Some(TRANSFER_TIMEOUT));
        let _ = socket.set_tcp_notsent_lowat(MAX_UNSENT_BYTES);
        let service = service_fn(|request| async { Ok::<_, Infallible>(self.handle(request, peer).await) });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_READ_TIMEOUT)
            .max_buf_size(MAX_HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        if let Err(error) = connection.await {
            tracing::debug!(%error, "admin connection failed");
        }
    }

    async fn handle(&self, request: Request<Incoming>, peer: IpAddr) -> Response<Full<Bytes>> {
        if let Err(message) = check_host(&request) {
            let mut refused = text(StatusCode::BAD_REQUEST, format!("{message}\n"));
            refused.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            return refused;
        }
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        match (request.uri().path(), &self.log) {
            ("/live", _) if is_read => text(StatusCode::OK, "live\n"),
            ("/ready", _) if is_read => self.ready(),
            ("/metrics", _) if is_read => response(StatusCode::OK, OPEN_METRICS, self.metrics.encode()),
            ("/log-level", Some(log)) if is_read => text(StatusCode::OK, format!("{}\n", log.filter())),
            ("/log-level", Some(log)) if request.method() == Method::PUT => {
                match authorize_change(self.tokens.as_ref(), peer, request.headers()) {
                    Ok(()) => change_filter(log, request.into_body()).await,
                    Err(status) => unauthorized_change(status),
                }
            }
            ("/log-level", Some(_)) => not_allowed("GET, HEAD, PUT"),
            ("/live" | "/ready" | "/metrics", _) => not_allowed("GET, HEAD"),
            _ => text(StatusCode::NOT_FOUND, "not found: try /live, /ready, /metrics or /log-level\n"),
        }
    }

    fn ready(&self) -> Response<Full<Bytes>> {
        if self.drain.is_announced() {
            text(StatusCode::SERVICE_UNAVAILABLE, "draining\n")
        } else {
            text(StatusCode::OK, "ready\n")
        }
    }
}

/// Allows a change from this machine, or with a token. An error is the status of the response.
fn authorize_change(tokens: Option<&Tokens>, peer: IpAddr, headers: &HeaderMap) -> Result<(), StatusCode> {
    match tokens {
        _ if peer.is_loopback() => Ok(()),
        Some(tokens) if tokens.accept(headers) => Ok(()),
        Some(_) => Err(StatusCode::UNAUTHORIZED),
        None => Err(StatusCode::FORBIDDEN),
    }
}

fn unauthorized_change(status: StatusCode) -> Response<Full<Bytes>> {
    let remedy = match status {
        StatusCode::UNAUTHORIZED => ": send the header authorization: Bearer <token>",
        _ => ", and no --token-file is configured",
    };
    let message = "only a client on the same machine may change the log filter without a token";
    let mut response = text(status, format!("{message}{remedy}\n"));
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

async fn change_filter(log: &Log, body: Incoming) -> Response<Full<Bytes>> {
    let body = match timeout(TRANSFER_TIMEOUT, Limited::new(body, MAX_FILTER_BYTES).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("a log filter has at most {MAX_FILTER_BYTES} bytes\n");
            return text(StatusCode::PAYLOAD_TOO_LARGE, message);
        }
        Ok(Err(_)) => return text(StatusCode::BAD_REQUEST, "the request body is incomplete\n"),
        Err(_) => {
            let message =
                format!("the request body was not complete after {} s\n", TRANSFER_TIMEOUT.as_secs());
            return text(StatusCode::REQUEST_TIMEOUT, message);
        }
    };
    match set_filter(log, &body) {
        Ok(filter) => text(StatusCode::OK, format!("{filter}\n")),
        Err(why) => {
            let expected = "expected a log filter such as info or warn,arbiter=debug";
            text(StatusCode::BAD_REQUEST, format!("{expected}: {why}\n"))
        }
    }
}

/// Changes the filter and returns it.
fn set_filter(log: &Log, text: &[u8]) -> Result<String, String> {
    let text = str::from_utf8(text).map_err(|error| error.to_string())?.trim();
    if text.is_empty() {
        return Err("the request body is empty".to_owned());
    }
    let before = log.filter();
    log.set_filter(text).map_err(|error| error.to_string())?;
    let now = log.filter();
    tracing::info!(before, now, "log filter changed");
    Ok(now)
}

fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    response(status, TEXT, body)
}

fn not_allowed(allowed: &'static str) -> Response<Full<Bytes>> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, format!("method not allowed: use {allowed}\n"));
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

fn response(status: StatusCode, content_type: HeaderValue, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

#[cfg(test)]
mod tests {
    use std::{fs, net::Ipv4Addr};

    use clap::Parser;

    use super::*;
    use crate::config::Config;

    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

    fn status(tokens: Option<&Tokens>, peer: IpAddr, token: &str) -> Option<StatusCode> {
        let value = HeaderValue::from_str(&format!("Bearer {token}")).expect("a valid header");
        let headers = [(header::AUTHORIZATION, value)].into_iter().collect();
        authorize_change(tokens, peer, &headers).err()
    }

    #[test]
    fn without_tokens_only_loopback_may_change_the_filter() {
        assert_eq!(status(None, LOOPBACK, "any"), None);
        assert_eq!(status(None, ELSEWHERE, "any"), Some(StatusCode::FORBIDDEN));
    }

    #[tokio::test]
    async fn with_tokens_others_need_one() {
        let path = std::env::temp_dir().join(format!("arbiter-admin-{}", std::process::id()));
        // The SHA-256 of "secret".
        let line = "operator 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\n";
        fs::write(&path, line).expect("the file can be written");
        let flags = ["arbiter".as_ref(), "--token-file".as_ref(), path.as_os_str()];
        let tokens = Tokens::load(&Config::parse_from(flags).security).expect("the file is valid");
        fs::remove_file(&path).expect("the file can be removed");
        let status = |peer, token| status(tokens.as_ref(), peer, token);
        assert_eq!(status(LOOPBACK, "wrong"), None);
        assert_eq!(status(ELSEWHERE, "secret"), None);
        assert_eq!(status(ELSEWHERE, "wrong"), Some(StatusCode::UNAUTHORIZED));
    }
}
