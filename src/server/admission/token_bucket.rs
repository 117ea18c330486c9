//! A rate limiter.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// A token bucket (as GCRA, with one number for its state): it starts full, has tokens for one second, and refills at a
/// constant rate.
#[derive(Debug, Default)]
pub(in crate::server) struct TokenBucket {
    /// When the bucket will be full again, in nanoseconds.
    full_at: AtomicU64,
}

impl TokenBucket {
    const CAPACITY_NANOS: u64 = 1_000_000_000;

    /// Takes a token, if there is one. `now` is the time since some start, the same in all calls.
    pub(in crate::server) fn try_take(&self, tokens_per_second: u32, now: Duration) -> bool {
        // 584 years.
        let now = now.as_nanos() as u64;
        let nanos_per_token = Self::CAPACITY_NANOS / u64::from(tokens_per_second.max(1));
        self.full_at
            .fetch_update(Relaxed, Relaxed, |full_at| {
                let full_at = full_at.max(now) + nanos_per_token;
                (full_at <= now + Self::CAPACITY_NANOS).then_some(full_at)
            })
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_tokens_for_one_second_and_refills_at_its_rate() {
        let bucket = TokenBucket::default();
        let take_all = |now| (0..100).filter(|_| bucket.try_take(10, now)).count();
        let now = Duration::from_hours(1);
        assert_eq!(take_all(now), 10);
        assert_eq!(take_all(now), 0);
        assert_eq!(take_all(now + Duration::from_millis(250)), 2);
        assert_eq!(take_all(now + Duration::from_secs(9)), 10);
    }
}
