//! Deadlines of calls.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};

use http::HeaderMap;
use tokio::time::{Instant, sleep_until};

use crate::wire::Refusal;

/// When a call must be answered.
pub(super) struct Deadline {
    /// The timeout of the client or of the configuration, whichever is shorter.
    pub(super) timeout: Duration,
    pub(super) at: Instant,
    /// The client's own deadline, without `--call-timeout`.
    pub(super) of_client: Option<Instant>,
}

impl Deadline {
    /// Reads the deadline of a call that arrived at this time.
    pub(super) fn from_headers(
        headers: &HeaderMap,
        arrived: Instant,
        call_timeout: Duration,
    ) -> Result<Self, Refusal> {
        let client_timeout = match headers.get("grpc-timeout") {
            None => None,
            Some(value) => Some(parse_timeout(value.as_bytes()).ok_or_else(|| {
                Refusal::malformed(
                    "",
                    "the header grpc-timeout is not a number of at most eight digits and a unit (H, M, S, m, u or n), \
                     such as 1500m",
                )
            })?),
        };
        let timeout = client_timeout.unwrap_or(Duration::MAX).min(call_timeout);
        let of_client = client_timeout.and_then(|timeout| arrived.checked_add(timeout));
        Ok(Self { timeout, at: arrived + timeout, of_client })
    }

    /// Runs a future until the deadline. Unlike `tokio::time::timeout_at`, it checks the deadline before each poll, so that no
    /// work is done for an expired call, and creates a timer only if the future has to wait.
    pub(super) async fn run<T>(
        &self,
        future: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<T, Refusal> {
        let (mut future, mut timer) = (pin!(future), None);
        poll_fn(|context| {
            if Instant::now() >= self.at {
                return Poll::Ready(Err(Refusal::deadline_exceeded()));
            }
            if let Poll::Ready(result) = future.as_mut().poll(context) {
                return Poll::Ready(result);
            }
            let timer = timer.get_or_insert_with(|| Box::pin(sleep_until(self.at)));
            timer.as_mut().poll(context).map(|()| Err(Refusal::deadline_exceeded()))
        })
        .await
    }
}

fn parse_timeout(value: &[u8]) -> Option<Duration> {
    let (unit, digits) = value.split_last()?;
    if !(1..=8).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    Some(match unit {
        b'H' => Duration::from_secs(number * 3600),
        b'M' => Duration::from_secs(number * 60),
        b'S' => Duration::from_secs(number),
        b'm' => Duration::from_millis(number),
        b'u' => Duration::from_micros(number),
        b'n' => Duration::from_nanos(number),
        _ => return None,
    })
}
