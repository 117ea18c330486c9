//! The capacity of the server in calls per second.

use std::{
    fmt, process,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use super::{
    client::{Call, Client, Outcome},
    cpu::cpu_seconds,
    server::Server,
};

const WARM_UP: Duration = Duration::from_millis(500);
const DURATION: Duration = Duration::from_millis(2500);

pub struct Capacity {
    pub calls_per_second: f64,
    /// CPU usage of the server, as a share of a core.
    pub server_cpu: f64,
    /// CPU usage of the load generator, as a share of a core.
    load_generator_cpu: f64,
}

impl Capacity {
    /// Keeps `in_flight` calls in flight for a while. Some may be shed on a busy machine; only successful calls count.
    pub async fn measure(server: &Server, client: &Arc<Client>, call: &Call, in_flight: usize) -> Self {
        let succeeded = Arc::new(AtomicUsize::new(0));
        let end = Instant::now() + WARM_UP + DURATION;
        let mut callers = JoinSet::new();
        for _ in 0..in_flight {
            let (client, call, succeeded) = (client.clone(), call.clone(), succeeded.clone());
            callers.spawn(async move {
                while Instant::now() < end {
                    let result = client.call(&call, Instant::now(), None).await;
                    succeeded.fetch_add(usize::from(result.outcome == Outcome::Succeeded), Ordering::Relaxed);
                }
            });
        }
        sleep(WARM_UP).await;
        let (start, before) = (Instant::now(), succeeded.load(Ordering::Relaxed));
        let (server_before, load_generator_before) = (server.cpu_seconds(), own_cpu_seconds());
        while let Some(done) = callers.join_next().await {
            done.expect("no caller panics");
        }
        let seconds = start.elapsed().as_secs_f64();
        Self {
            calls_per_second: (succeeded.load(Ordering::Relaxed) - before) as f64 / seconds,
            server_cpu: (server.cpu_seconds() - server_before) / seconds,
            load_generator_cpu: (own_cpu_seconds() - load_generator_before) / seconds,
        }
    }
}

impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls_per_second, server_cpu, load_generator_cpu } = self;
        write!(
            f,
            "{calls_per_second:.0} calls/s; CPU of the server: {:.0} % of a core, {:.1} µs per call; load generator: {:.0} %, {:.1} µs",
            server_cpu * 100.0,
            server_cpu / calls_per_second * 1e6,
            load_generator_cpu * 100.0,
            load_generator_cpu / calls_per_second * 1e6,
        )
    }
}

/// CPU time of this process, in seconds.
pub fn own_cpu_seconds() -> f64 {
    cpu_seconds(process::id())
}
