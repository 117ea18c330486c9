use rustix::time::{ClockId, clock_gettime};

/// Runs some work. Returns its result, and its CPU time in microseconds: unlike the time on the clock, it does not include
/// that of other processes on the same core.
pub fn microseconds<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = thread_time();
    let result = work();
    (result, thread_time() - start)
}

fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}
