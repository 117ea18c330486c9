//! Cooperative yielding: long work lets other calls of its worker run in between.

use std::time::Duration;

use tokio::{task::yield_now, time::Instant};

/// How long a batch, a stream or queued calls run before other tasks of the worker do.
pub const TIME_SLICE: Duration = Duration::from_micros(200);

/// Bytes read and written between two checks of the clock. They take far less than a time slice.
const BYTES_PER_CHECK: usize = 512;

/// A time slice that has started.
pub struct TimeSlice {
    started: Instant,
    /// Bytes read and written since the last check of the clock.
    unchecked_bytes: usize,
}

impl Default for TimeSlice {
    fn default() -> Self {
        Self { started: Instant::now(), unchecked_bytes: 0 }
    }
}

impl TimeSlice {
    /// Yields to other tasks if the slice is used up, and starts the next one. Call it after each piece of work.
    pub async fn yield_if_used_up(&mut self) {
        if self.is_used_up() {
            yield_now().await;
            *self = Self::default();
        }
    }

    /// Like `yield_if_used_up`, but checks the clock only every `BYTES_PER_CHECK` bytes.
    pub(super) async fn yield_after(&mut self, bytes: usize) {
        self.unchecked_bytes += bytes;
        if self.unchecked_bytes > BYTES_PER_CHECK {
            self.unchecked_bytes = 0;
            self.yield_if_used_up().await;
        }
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.started.elapsed() >= TIME_SLICE
    }
}
