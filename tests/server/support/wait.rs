//! Waiting for something that must happen, with a timeout.

use std::{future::Future, time::Duration};

/// Longer than any single step of a test takes on a busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(20);

/// Awaits a future, and fails the test if it takes too long.
pub async fn with_timeout<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, future).await.unwrap_or_else(|_| panic!("{what}: not within {TIMEOUT:?}"))
}

/// Polls a condition until it holds.
pub async fn eventually(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    with_timeout(what, async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}
