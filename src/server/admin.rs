//! `/live`, `/ready`, `/metrics` and `/log-level`, on a port of their own; and how to ask there.

use std::{
    convert::Infallible,
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    str,
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, time::sleep};

use super::{acceptor::NO_ROOM, drain::Drain, logging::LogFilter, metrics::Metrics};

/// The longest filter of the log that is read.
const MAX_FILTER_BYTES: usize = 1024;

/// Closes a connection whose request has not begun or whose headers are not complete after this time.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(30);

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// What the endpoints report on. The log filter can be changed only if there is a handle for it.
pub(super) struct Admin {
    pub(super) metrics: Arc<Metrics>,
    pub(super) drain: Drain,
    pub(super) log_filter: Option<LogFilter>,
}

impl Admin {
    /// Serves HTTP/1.1 until the process ends.
    pub(super) async fn serve(self, listener: TcpListener) {
        let admin = Arc::new(self);
        loop {
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection on the admin port");
                    sleep(NO_ROOM).await;
                    continue;
                }
            };
            let admin = admin.clone();
            let service = service_fn(move |request| {
                let admin = admin.clone();
                async move { Ok::<_, Infallible>(admin.handle(request).await) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_READ_TIMEOUT)
                .serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection to the admin port failed");
                }
            });
        }
    }

    async fn handle(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        match (request.uri().path(), &self.log_filter) {
            ("/live", _) if is_read => text(StatusCode::OK, "live\n"),
            ("/ready", _) if is_read => self.ready(),
            ("/metrics", _) if is_read => response(StatusCode::OK, OPEN_METRICS, self.metrics.exposition()),
            ("/log-level", Some(filter)) if is_read => text(StatusCode::OK, format!("{}\n", filter.text())),
            ("/log-level", Some(filter)) if request.method() == Method::PUT => {
                let filter_text = Limited::new(request.into_body(), MAX_FILTER_BYTES).collect().await;
                match filter_text {
                    Ok(filter_text) => change_log(filter, &filter_text.to_bytes()),
                    Err(_) => too_large(),
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

fn change_log(filter: &LogFilter, body: &[u8]) -> Response<Full<Bytes>> {
    const EXAMPLE: &str = "such as info or warn,arbiter=debug";
    let before = filter.text();
    let bad = |why: String| text(StatusCode::BAD_REQUEST, format!("not a filter {EXAMPLE}: {why}\n"));
    match str::from_utf8(body).map(str::trim) {
        Ok("") => text(StatusCode::BAD_REQUEST, format!("a filter is missing, {EXAMPLE}\n")),
        Ok(filter_text) => match filter.set(filter_text) {
            Ok(()) => {
                let now = filter.text();
                tracing::info!(before, now, "what is logged was changed");
                text(StatusCode::OK, format!("{now}\n"))
            }
            Err(error) => bad(error.to_string()),
        },
        Err(error) => bad(error.to_string()),
    }
}

fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    response(status, TEXT, body)
}

fn too_large() -> Response<Full<Bytes>> {
    text(StatusCode::PAYLOAD_TOO_LARGE, format!("a filter has at most {MAX_FILTER_BYTES} bytes\n"))
}

fn not_allowed(allowed: &'static str) -> Response<Full<Bytes>> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, format!("allowed here: {allowed}\n"));
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

fn response(status: StatusCode, content_type: HeaderValue, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

/// How long a server may take to say whether it is ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks the server whose admin port is listened on at this address, on this machine, whether it is ready.
///
/// # Errors
///
/// If nobody answers there.
pub fn ask_whether_ready(mut address: SocketAddr) -> io::Result<bool> {
    // Who listens on every address listens on this machine's own too.
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET /ready HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200 "))
}
