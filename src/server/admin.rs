//! `/live`, `/ready` and `/metrics`, on a port of their own; and how to ask there.

use std::{
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    http::{StatusCode, header},
    response::IntoResponse,
    routing::get,
};
use tokio::net::TcpListener;

use super::{drain::Drain, metrics::Metrics};

/// Answers until the server ends.
pub(super) async fn serve(listener: TcpListener, metrics: Arc<Metrics>, drain: Drain) {
    let router = Router::new()
        .route("/live", get(|| async { "live\n" }))
        .route("/ready", get(move || async move { ready(&drain) }))
        .route("/metrics", get(move || async move { exposition(&metrics) }));
    if let Err(error) = axum::serve(listener, router).await {
        tracing::error!(%error, "the admin port is gone");
    }
}

fn ready(drain: &Drain) -> impl IntoResponse + use<> {
    if drain.is_announced() {
        (StatusCode::SERVICE_UNAVAILABLE, "draining\n")
    } else {
        (StatusCode::OK, "ready\n")
    }
}

fn exposition(metrics: &Metrics) -> impl IntoResponse + use<> {
    const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], metrics.exposition())
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
