//! `/live`, `/ready` and `/metrics`, on a port of their own.

use std::sync::Arc;

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
