//! The load generator, which is the same for all servers.

use std::{
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use arbiter::wire::Codec;
use http::uri::PathAndQuery;
use prost::Message;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};
use tonic::{Request, client::Grpc, transport::Endpoint};

use super::{
    client::{Call, Client, Outcome},
    cpu::cpu_seconds,
    server::Server,
};

pub const CONNECTIONS: usize = 4;

const WARM_UP: Duration = Duration::from_millis(300);
const DURATION: Duration = Duration::from_millis(1500);

/// The measurements of a round.
pub struct Measurement {
    pub calls_per_second: f64,
    /// CPU time of the server per call, in microseconds.
    pub server_micros: f64,
    /// CPU usage of the load generator, as a share of a core.
    pub load_generator_share: f64,
}

/// Keeps `in_flight` calls in flight for a while.
pub async fn round(server: &Server, client: &Arc<Client>, call: &Call, in_flight: usize) -> Measurement {
    let (succeeded, is_stopped) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut callers = JoinSet::new();
    for _ in 0..in_flight {
        let (client, call) = (client.clone(), call.clone());
        let (succeeded, is_stopped) = (succeeded.clone(), is_stopped.clone());
        callers.spawn(async move {
            while !is_stopped.load(Ordering::Relaxed) {
                let result = client.call(&call, Instant::now(), None).await;
                assert_eq!(result.outcome, Outcome::Succeeded);
                succeeded.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    let read_counters = || {
        let own_cpu = cpu_seconds(process::id());
        (Instant::now(), succeeded.load(Ordering::Relaxed), server.cpu_seconds(), own_cpu)
    };
    sleep(WARM_UP).await;
    let (start, calls_before, server_cpu_before, own_cpu_before) = read_counters();
    sleep(DURATION).await;
    let (end, calls, server_cpu, own_cpu) = read_counters();
    is_stopped.store(true, Ordering::Relaxed);
    while let Some(done) = callers.join_next().await {
        done.expect("every call succeeds");
    }
    let (seconds, calls) = ((end - start).as_secs_f64(), (calls - calls_before) as f64);
    assert!(calls > 0.0, "no call finished: the machine is too busy");
    Measurement {
        calls_per_second: calls / seconds,
        server_micros: (server_cpu - server_cpu_before) / calls * 1e6,
        load_generator_share: (own_cpu - own_cpu_before) / seconds,
    }
}

/// Makes one call and returns its response.
pub async fn call_once<Q, R>(server: &Server, path: &'static str, request: Q) -> R
where
    Q: Message + 'static,
    R: Message + Default + 'static,
{
    let endpoint = Endpoint::from_shared(format!("http://{}", server.address)).expect("the address is valid");
    let mut client = Grpc::new(endpoint.connect().await.expect("the server is reachable"));
    client.ready().await.expect("the server is ready");
    let path = PathAndQuery::from_static(path);
    let response = client.unary(Request::new(request), path, Codec::<Q, R>::default()).await;
    response.expect("the call succeeds").into_inner()
}
