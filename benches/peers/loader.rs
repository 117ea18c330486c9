//! What is asked of every server alike.

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
const LASTS: Duration = Duration::from_millis(1500);

/// What a round has shown.
pub struct Seen {
    pub calls_a_second: f64,
    /// CPU time of the server a call, in microseconds.
    pub server_micros: f64,
    /// Share of a core that the loader took.
    pub loader_share: f64,
}

/// Keeps some calls under way for a while: each is followed by another as soon as it is answered.
pub async fn round(server: &Server, client: &Arc<Client>, call: &Call, under_way: usize) -> Seen {
    let (answered, over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut callers = JoinSet::new();
    for _ in 0..under_way {
        let (client, call) = (client.clone(), call.clone());
        let (answered, over) = (answered.clone(), over.clone());
        callers.spawn(async move {
            while !over.load(Ordering::Relaxed) {
                let answer = client.call(&call, Instant::now(), None).await;
                assert_eq!(answer.outcome, Outcome::Served);
                answered.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    let now = || {
        let of_loader = cpu_seconds(process::id());
        (Instant::now(), answered.load(Ordering::Relaxed), server.cpu_seconds(), of_loader)
    };
    sleep(WARM_UP).await;
    let (begun, calls_before, server_before, loader_before) = now();
    sleep(LASTS).await;
    let (ended, calls, of_server, of_loader) = now();
    over.store(true, Ordering::Relaxed);
    while let Some(done) = callers.join_next().await {
        done.expect("every call is served");
    }
    let (seconds, calls) = ((ended - begun).as_secs_f64(), (calls - calls_before) as f64);
    assert!(calls > 0.0, "the machine has time for a call");
    Seen {
        calls_a_second: calls / seconds,
        server_micros: (of_server - server_before) / calls * 1e6,
        loader_share: (of_loader - loader_before) / seconds,
    }
}

/// One call, for its answer.
pub async fn ask<Q, A>(server: &Server, path: &'static str, question: Q) -> A
where
    Q: Message + 'static,
    A: Message + Default + 'static,
{
    let endpoint = Endpoint::from_shared(format!("http://{}", server.address)).expect("an address");
    let mut client = Grpc::new(endpoint.connect().await.expect("the server can be reached"));
    client.ready().await.expect("the server is ready");
    let path = PathAndQuery::from_static(path);
    let answer = client.unary(Request::new(question), path, Codec::<Q, A>::default()).await;
    answer.expect("the status is 0").into_inner()
}
