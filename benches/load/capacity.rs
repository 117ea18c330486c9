//! How many calls a second the server can answer.

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
const LASTS: Duration = Duration::from_millis(2500);

pub struct Capacity {
    pub calls_a_second: f64,
    /// Share of a core that the server took for it, and the loader.
    pub of_server: f64,
    of_loader: f64,
}

impl Capacity {
    /// Keeps some calls under way for a while: each is followed by another as soon as it is answered. On a machine that has
    /// too little time for the server some are refused; only those that are served count.
    pub async fn measure(server: &Server, client: &Arc<Client>, call: &Call, under_way: usize) -> Self {
        let answered = Arc::new(AtomicUsize::new(0));
        let end = Instant::now() + WARM_UP + LASTS;
        let mut callers = JoinSet::new();
        for _ in 0..under_way {
            let (client, call, answered) = (client.clone(), call.clone(), answered.clone());
            callers.spawn(async move {
                while Instant::now() < end {
                    let answer = client.call(&call, Instant::now(), None).await;
                    answered.fetch_add(usize::from(answer.outcome == Outcome::Served), Ordering::Relaxed);
                }
            });
        }
        sleep(WARM_UP).await;
        let (begun, before) = (Instant::now(), answered.load(Ordering::Relaxed));
        let (of_server, of_loader) = (server.cpu_seconds(), own_cpu_seconds());
        while let Some(done) = callers.join_next().await {
            done.expect("no caller fails");
        }
        let seconds = begun.elapsed().as_secs_f64();
        Self {
            calls_a_second: (answered.load(Ordering::Relaxed) - before) as f64 / seconds,
            of_server: (server.cpu_seconds() - of_server) / seconds,
            of_loader: (own_cpu_seconds() - of_loader) / seconds,
        }
    }
}

impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls_a_second, of_server, of_loader } = self;
        write!(
            f,
            "{calls_a_second:.0} calls/s: {:.0} % of a core for {:.1} µs a call, and {:.0} % and {:.1} µs in the loader",
            of_server * 100.0,
            of_server / calls_a_second * 1e6,
            of_loader * 100.0,
            of_loader / calls_a_second * 1e6,
        )
    }
}

/// CPU time that this process has taken, in seconds.
pub fn own_cpu_seconds() -> f64 {
    cpu_seconds(process::id())
}
