//! The admin port: `/live`, `/ready`, `/metrics` and `/log-level`; and its client, the `health` command.

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

use super::{
    drain::Drain,
    net::ACCEPT_RETRY_DELAY,
    telemetry::{LogFilter, Metrics},
};

/// Maximum size of a log filter.
const MAX_FILTER_BYTES: usize = 1024;

/// A connection without complete request headers is closed after this time.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(30);

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// What the endpoints report on. The log filter can be changed only if there is a handle to it.
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
                    sleep(ACCEPT_RETRY_DELAY).await;
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
                    tracing::debug!(%error, "admin connection failed");
                }
            });
        }
    }

    async fn handle(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        match (request.uri().path(), &self.log_filter) {
            ("/live", _) if is_read => text(StatusCode::OK, "live\n"),
            ("/ready", _) if is_read => self.ready(),
            ("/metrics", _) if is_read => response(StatusCode::OK, OPEN_METRICS, self.metrics.encode()),
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
    let bad =
        |why: String| text(StatusCode::BAD_REQUEST, format!("expected a log filter {EXAMPLE}: {why}\n"));
    match str::from_utf8(body).map(str::trim) {
        Ok("") => text(StatusCode::BAD_REQUEST, format!("expected a log filter {EXAMPLE}\n")),
        Ok(filter_text) => match filter.set(filter_text) {
            Ok(()) => {
                let now = filter.text();
                tracing::info!(before, now, "log filter changed");
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
    text(StatusCode::PAYLOAD_TOO_LARGE, format!("a log filter has at most {MAX_FILTER_BYTES} bytes\n"))
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

/// Timeout of the `health` command.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);

/// Asks the server with this admin address, on this machine, whether it is ready.
///
/// # Errors
///
/// If no server answers.
pub fn is_ready(mut address: SocketAddr) -> io::Result<bool> {
    // A server that listens on all addresses also listens on loopback.
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    let mut stream = TcpStream::connect_timeout(&address, HEALTH_TIMEOUT)?;
    stream.set_read_timeout(Some(HEALTH_TIMEOUT))?;
    write!(stream, "GET /ready HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response.starts_with("HTTP/1.1 200 "))
}
