//! `/live`, `/ready`, `/metrics` and `/log-level`, on a port of their own; and how to ask there.

use std::{
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::{StatusCode, header},
    response::IntoResponse,
    routing::get,
};
use tokio::net::TcpListener;

use super::{drain::Drain, logging::LogFilter, metrics::Metrics};

/// The longest filter of the log that is read.
const MAX_FILTER_BYTES: usize = 1024;

/// Answers until the server ends. What is logged can be changed only if there is a handle for it.
pub(super) async fn serve(
    listener: TcpListener,
    metrics: Arc<Metrics>,
    drain: Drain,
    log_filter: Option<LogFilter>,
) {
    let mut router = Router::new()
        .route("/live", get(|| async { "live\n" }))
        .route("/ready", get(move || async move { ready(&drain) }))
        .route("/metrics", get(move || async move { exposition(&metrics) }));
    if let Some(filter) = log_filter {
        let current = filter.clone();
        let route = get(move || async move { format!("{}\n", current.text()) })
            .put(move |text: String| async move { change_log(&filter, &text) })
            .layer(DefaultBodyLimit::max(MAX_FILTER_BYTES));
        router = router.route("/log-level", route);
    }
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

fn change_log(filter: &LogFilter, text: &str) -> impl IntoResponse + use<> {
    let (before, text) = (filter.text(), text.trim());
    if text.is_empty() {
        return (
            StatusCode::BAD_REQUEST,
            "a filter is missing, such as info or warn,arbiter=debug\n".to_owned(),
        );
    }
    match filter.set(text) {
        Ok(()) => {
            let now = filter.text();
            tracing::info!(before, now, "what is logged was changed");
            (StatusCode::OK, format!("{now}\n"))
        }
        Err(error) => {
            (StatusCode::BAD_REQUEST, format!("not a filter such as info or warn,arbiter=debug: {error}\n"))
        }
    }
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
