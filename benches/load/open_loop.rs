//! Open-loop load: calls start when they are due, whether or not earlier ones have finished.
//!
//! The latency of a call counts from its due time. It includes delays in the client: when all connections have the maximum
//! number of calls in flight, or when the client itself is late.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    task::yield_now,
    time::{self, Instant},
};
use tokio_util::task::TaskTracker;

use super::client::{Call, CallResult, Client, Outcome};

/// How long to wait for the last responses: longer than the call timeout of the server.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(12);

/// A period with a constant rate of calls.
#[derive(Clone, Copy)]
pub struct Phase {
    pub calls_per_second: f64,
    pub duration: Duration,
}

/// The measurement of one call.
pub struct Sample {
    /// Due time, relative to the start of the phase.
    pub due: Duration,
    /// Delay between the due time and the start of the call.
    pub start_delay: Duration,
    pub latency: Duration,
    pub result: CallResult,
}

/// Runs consecutive phases and waits for the responses. Returns the samples of each phase. A call without a response is a
/// transport error.
pub async fn run(
    client: &Arc<Client>,
    call: &Call,
    timeout: Option<Duration>,
    phases: &[Phase],
) -> Vec<Vec<Sample>> {
    let tasks = TaskTracker::new();
    let mut phase_start = Instant::now();
    let mut samples = Vec::new();
    let mut counts = Vec::new();
    for phase in phases {
        let phase_samples = Arc::new(Mutex::new(Vec::new()));
        let count = (phase.calls_per_second * phase.duration.as_secs_f64()) as usize;
        let due = |index: usize| phase_start + Duration::from_secs_f64(index as f64 / phase.calls_per_second);
        let mut index = 0;
        while index < count {
            let now = Instant::now();
            while index < count && due(index) <= now {
                let (client, call, phase_samples) = (client.clone(), call.clone(), phase_samples.clone());
                let (due, phase_start) = (due(index), phase_start);
                tasks.spawn(async move {
                    let start_delay = due.elapsed();
                    let result = client.call(&call, due, timeout).await;
                    let sample =
                        Sample { due: due - phase_start, start_delay, latency: due.elapsed(), result };
                    phase_samples.lock().expect("the lock is not poisoned").push(sample);
                });
                index += 1;
            }
            // Busy waiting: tokio timers have a resolution of milliseconds. The CPU time of a busy process also shows
            // whether it had its core for itself.
            yield_now().await;
        }
        phase_start += phase.duration;
        samples.push(phase_samples);
        counts.push(count);
    }
    tasks.close();
    // Calls that are still missing are added as lost below.
    let _ = time::timeout(RESPONSE_TIMEOUT, tasks.wait()).await;
    let take_samples = |(samples, count): (Arc<Mutex<Vec<Sample>>>, usize)| {
        let mut samples = std::mem::take(&mut *samples.lock().expect("the lock is not poisoned"));
        samples.resize_with(count, lost);
        samples
    };
    samples.into_iter().zip(counts).map(take_samples).collect()
}

fn lost() -> Sample {
    let result = CallResult { outcome: Outcome::TransportError("no response".to_owned()), waited: false };
    Sample { due: Duration::ZERO, start_delay: Duration::ZERO, latency: RESPONSE_TIMEOUT, result }
}
