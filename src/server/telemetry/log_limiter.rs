//! The rate limit of log lines that clients cause.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Instant,
};

use crate::server::admission::{Client, TokenBucket};

/// A client gets at most this fraction of the rate.
const SHARE_OF_CLIENT: u32 = 10;

/// Limits the log lines about failed calls and connections. A line at level `debug` is not limited: it is logged on request.
pub(in crate::server) struct LogLimiter {
    lines_per_second: u32,
    started: Instant,
    all_clients: TokenBucket,
    /// The client of all connections that are refused before they become clients.
    refused_connections: Client,
    suppressed: AtomicU64,
}

impl LogLimiter {
    pub(in crate::server) fn new(lines_per_second: u32) -> Self {
        Self {
            lines_per_second,
            started: Instant::now(),
            all_clients: TokenBucket::default(),
            refused_connections: Client::default(),
            suppressed: AtomicU64::new(0),
        }
    }

    /// Whether to log a line that this client causes. A line that is not logged is counted.
    pub(in crate::server) fn allows(&self, client: &Client) -> bool {
        let now = self.started.elapsed();
        let share = self.lines_per_second.div_ceil(SHARE_OF_CLIENT);
        let is_allowed =
            client.log_lines.try_take(share, now) && self.all_clients.try_take(self.lines_per_second, now);
        if !is_allowed {
            self.suppressed.fetch_add(1, Relaxed);
        }
        is_allowed
    }

    /// Whether to log a line about a connection that is refused.
    pub(in crate::server) fn allows_refused_connection(&self) -> bool {
        self.allows(&self.refused_connections)
    }

    /// How many lines were not logged.
    pub(in crate::server) fn suppressed(&self) -> u64 {
        self.suppressed.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_a_tenth_and_all_together_the_whole_rate() {
        let limiter = LogLimiter::new(1000);
        let lines_of = |client: &Client| (0..1000).filter(|_| limiter.allows(client)).count();
        let clients: [Client; 20] = Default::default();
        let first = lines_of(&clients[0]);
        assert!((100..110).contains(&first), "{first}");
        let all: usize = first + clients[1..].iter().map(lines_of).sum::<usize>();
        assert!((1000..1100).contains(&all), "{all}");
        assert_eq!(limiter.suppressed(), 20_000 - all as u64);
    }
}
