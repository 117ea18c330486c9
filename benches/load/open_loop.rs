//! Calls that are made when they are due, whether or not the earlier ones were answered.
//!
//! A call's latency counts from when it was due. So it counts too if the client could not make it in time: because every
//! connection has as many calls under way as it may, or because the client itself is behind.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    task::yield_now,
    time::{Instant, timeout},
};
use tokio_util::task::TaskTracker;

use super::client::{Answer, Call, Client, Outcome};

/// How long the last answers are waited for: longer than the server gives any call.
const PATIENCE: Duration = Duration::from_secs(12);

/// Calls at a steady rate for some time.
#[derive(Clone, Copy)]
pub struct Phase {
    pub calls_a_second: f64,
    pub lasts: Duration,
}

/// What became of a call.
pub struct Sample {
    /// When it was due, from the beginning of its phase.
    pub due: Duration,
    /// From when it was due to when the client could begin with it.
    pub behind: Duration,
    pub latency: Duration,
    pub answer: Answer,
}

/// Makes the calls of some phases, one right after the other, and waits for the answers. Answers with the samples of each
/// phase; a call that was not answered at all is among them as broken.
pub async fn run(
    client: &Arc<Client>,
    call: &Call,
    patience: Option<Duration>,
    phases: &[Phase],
) -> Vec<Vec<Sample>> {
    let tasks = TaskTracker::new();
    let mut begins = Instant::now();
    let mut samples = Vec::new();
    let mut counts = Vec::new();
    for phase in phases {
        let of_phase = Arc::new(Mutex::new(Vec::new()));
        let count = (phase.calls_a_second * phase.lasts.as_secs_f64()) as usize;
        let due = |index: usize| begins + Duration::from_secs_f64(index as f64 / phase.calls_a_second);
        let mut index = 0;
        while index < count {
            let now = Instant::now();
            while index < count && due(index) <= now {
                let (client, call, of_phase) = (client.clone(), call.clone(), of_phase.clone());
                let (due, begins) = (due(index), begins);
                tasks.spawn(async move {
                    let behind = due.elapsed();
                    let answer = client.call(&call, due, patience).await;
                    let sample = Sample { due: due - begins, behind, latency: due.elapsed(), answer };
                    of_phase.lock().expect("nobody fails").push(sample);
                });
                index += 1;
            }
            // Awake: tokio sleeps for milliseconds, and who never sleeps sees by its CPU time whether it had its core.
            yield_now().await;
        }
        begins += phase.lasts;
        samples.push(of_phase);
        counts.push(count);
    }
    tasks.close();
    // Whoever is not back by then is counted as lost below.
    let _ = timeout(PATIENCE, tasks.wait()).await;
    let of_phase = |(samples, count): (Arc<Mutex<Vec<Sample>>>, usize)| {
        let mut samples = std::mem::take(&mut *samples.lock().expect("nobody fails"));
        samples.resize_with(count, lost);
        samples
    };
    samples.into_iter().zip(counts).map(of_phase).collect()
}

fn lost() -> Sample {
    let answer = Answer { outcome: Outcome::Broken("no answer at all".to_owned()), waited: false };
    Sample { due: Duration::ZERO, behind: Duration::ZERO, latency: PATIENCE, answer }
}
