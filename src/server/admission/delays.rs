//! Whether a queue is overloaded, by the delays of its calls, as in `CoDel` (RFC 8289).
//!
//! A call that has waited for its maximum is shed only if the minimum delay of the last window is high too: if the queue was
//! short a moment ago, this is a burst that will soon pass. A call that would probably wait too long is shed on arrival if the
//! queue was never empty during the last window: a client that gets an early error can retry elsewhere.

use std::time::Duration;

use tokio::time::Instant;

/// The window over which delays are observed: longer than a burst, and short enough that the queue does not grow far meanwhile.
const WINDOW: Duration = Duration::from_millis(50);

/// The queueing delays of one client: of the current window and the one before.
pub(super) struct Delays {
    previous: Window,
    current: Window,
    current_ends: Instant,
}

/// What is known of the calls that started to run within a window.
#[derive(Clone, Copy)]
struct Window {
    min_delay: Duration,
    started: u32,
    /// Whether the queue was never empty: then no more calls could have started.
    is_saturated: bool,
}

impl Window {
    const NEW: Self = Self { min_delay: Duration::MAX, started: 0, is_saturated: true };

    /// A window without queued calls.
    const IDLE: Self = Self { min_delay: Duration::ZERO, started: 0, is_saturated: false };
}

impl Delays {
    pub(super) fn new(now: Instant) -> Self {
        Self { previous: Window::IDLE, current: Window::NEW, current_ends: now + WINDOW }
    }

    /// Records that a call starts to run after this delay, with this many calls left in the queue.
    pub(super) fn record(&mut self, now: Instant, delay: Duration, queued: usize) {
        if now >= self.current_ends {
            let previous = match self.current {
                window if window.started > 0 && !self.is_stale(now) => window,
                // Calls start far apart, or the machine paused: the throughput is unknown.
                window if window.is_saturated && window.started > 0 => {
                    Window { is_saturated: false, ..window }
                }
                _ => Window::IDLE,
            };
            *self = Self { previous, ..Self::new(now) };
        }
        self.current.min_delay = self.current.min_delay.min(delay);
        self.current.started += 1;
        self.current.is_saturated &= queued > 0;
    }

    /// Whether a whole window has passed since the current one ended.
    fn is_stale(&self, now: Instant) -> bool {
        now >= self.current_ends + WINDOW
    }

    /// Whether all calls of the last window waited for more than half of `max_wait`. A threshold of `max_wait`
    /// itself would stop shedding while the queue is still nearly full.
    pub(super) fn has_standing_queue(&self, max_wait: Duration) -> bool {
        self.previous.min_delay > max_wait / 2
    }

    /// Whether a call behind `queued` others would wait for more than three quarters of `max_wait`, at the throughput of the
    /// last window. The rest is a margin, so that few calls wait and are then shed.
    pub(super) fn predicts_wait_over(&self, now: Instant, queued: usize, max_wait: Duration) -> bool {
        let queued = u32::try_from(queued).unwrap_or(u32::MAX);
        let expected_wait = WINDOW.saturating_mul(queued) / self.previous.started.max(1);
        self.previous.is_saturated && !self.is_stale(now) && expected_wait >= max_wait / 4 * 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_millis(150);
    const SHORT: Duration = Duration::from_millis(5);

    /// The minimum delay of the last window after calls that started at these times, in milliseconds, with these delays.
    fn min_delay_after(calls: &[(u64, Duration)]) -> Duration {
        let start = Instant::now();
        let mut delays = Delays::new(start);
        for (at, delay) in calls {
            delays.record(start + Duration::from_millis(*at), *delay, 0);
        }
        delays.previous.min_delay
    }

    /// The delays after calls that started at these times, in milliseconds, with this many left in the queue; and the last of
    /// these times.
    fn delays_after(calls: &[(u64, usize)]) -> (Delays, Instant) {
        let mut now = Instant::now();
        let (start, mut delays) = (now, Delays::new(now));
        for (at, queued) in calls {
            now = start + Duration::from_millis(*at);
            delays.record(now, LONG, *queued);
        }
        (delays, now)
    }

    #[test]
    fn a_high_minimum_delay_stays_however_far_apart_calls_start() {
        assert_eq!(delays_after(&[(10, 3), (160, 2), (310, 1)]).0.previous.min_delay, LONG);
        assert_eq!(delays_after(&[(10, 3), (160, 0), (310, 1)]).0.previous.min_delay, Duration::ZERO);
    }

    #[test]
    fn a_wait_over_the_maximum_is_predicted() {
        // Two calls in 50 ms are six in 150 ms, three quarters of this.
        let max_wait = Duration::from_millis(200);
        let (saturated, last) = delays_after(&[(10, 7), (40, 6), (60, 5)]);
        assert!(!saturated.predicts_wait_over(last, 5, max_wait));
        assert!(saturated.predicts_wait_over(last, 6, max_wait));
        // An old window says nothing.
        assert!(!saturated.predicts_wait_over(last + 2 * WINDOW, 6, max_wait));
    }

    #[test]
    fn no_wait_is_predicted_if_the_queue_was_empty_recently() {
        let max_wait = Duration::from_millis(200);
        for calls in [&[(10, 7), (40, 0), (60, 5)][..], &[(10, 7), (160, 6)], &[(60, 7)], &[]] {
            let (delays, last) = delays_after(calls);
            assert!(!delays.predicts_wait_over(last, 1000, max_wait), "{calls:?}");
        }
    }

    #[test]
    fn the_minimum_delay_counts_after_its_window() {
        assert_eq!(min_delay_after(&[(10, LONG), (40, LONG)]), Duration::ZERO);
        assert_eq!(min_delay_after(&[(10, LONG), (40, LONG), (60, LONG)]), LONG);
    }

    #[test]
    fn one_short_delay_shows_that_the_queue_was_empty() {
        assert_eq!(min_delay_after(&[(10, LONG), (20, SHORT), (40, LONG), (60, LONG)]), SHORT);
    }

    #[test]
    fn there_is_no_delay_before_the_first_call() {
        assert_eq!(min_delay_after(&[(60, LONG)]), Duration::ZERO);
    }

    #[test]
    fn a_pause_is_not_a_delay() {
        assert_eq!(min_delay_after(&[(10, LONG), (40, LONG), (160, LONG)]), Duration::ZERO);
    }
}
