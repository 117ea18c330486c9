//! Overload: calls that would wait too long are shed, the others succeed, and the server recovers when the load drops.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use arbiter::wire::proto;
use prost::Message;
use tokio::task::JoinSet;
use tonic::Code;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use crate::support::{
    TestServer,
    grpc_client::{GrpcClient, code_and_reason},
    requests::{framed, long_replay},
    wait::eventually,
};

/// Concurrent callers. The server has one thread, so each call waits behind many others.
const CALLERS: usize = 150;

#[derive(Default)]
struct CallCounts {
    succeeded: AtomicUsize,
    shed: AtomicUsize,
}

/// Callers that repeat an expensive call.
struct LoadGenerator {
    callers: JoinSet<()>,
    counts: Arc<CallCounts>,
    is_stopped: Arc<AtomicBool>,
}

impl LoadGenerator {
    async fn start(server: &TestServer) -> Self {
        Self::start_with(server, "ReplayGame", &long_replay()).await
    }

    async fn start_with(server: &TestServer, method: &'static str, request: &impl Message) -> Self {
        let client = Arc::new(GrpcClient::connect(&server.address).await);
        let (counts, is_stopped) = (Arc::<CallCounts>::default(), Arc::<AtomicBool>::default());
        let request = framed(&request.encode_to_vec());
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let (client, counts, is_stopped, request) =
                (client.clone(), counts.clone(), is_stopped.clone(), request.clone());
            callers.spawn(async move {
                while !is_stopped.load(Relaxed) {
                    let response = client.send(method, &[], request.clone()).await;
                    if response.is_ok() {
                        counts.succeeded.fetch_add(1, Relaxed);
                        continue;
                    }
                    let overloaded = (Code::ResourceExhausted, "ERROR_REASON_OVERLOADED".to_owned());
                    assert_eq!(code_and_reason(&response.status), overloaded);
                    assert!(
                        response.status.message().contains("would wait too long"),
                        "{:?}",
                        response.status
                    );
                    counts.shed.fetch_add(1, Relaxed);
                }
            });
        }
        Self { callers, counts, is_stopped }
    }

    fn succeeded(&self) -> usize {
        self.counts.succeeded.load(Relaxed)
    }

    fn shed(&self) -> usize {
        self.counts.shed.load(Relaxed)
    }

    async fn stop(mut self) {
        self.is_stopped.store(true, Relaxed);
        while let Some(result) = self.callers.join_next().await {
            result.expect("every call succeeds or is shed");
        }
    }
}

/// Half of the call timeout also limits the wait. It is so long that only `max_wait` takes effect.
fn start(max_wait: &str) -> TestServer {
    let flags = ["--log", "off", "--threads", "1", "--call-timeout", "2h", "--max-wait", max_wait];
    TestServer::start_with(&flags)
}

#[tokio::test]
async fn under_overload_some_calls_are_shed_and_others_succeed() {
    let server = start("5ms");
    let load = LoadGenerator::start(&server).await;
    eventually("calls are shed", async || load.shed() >= 100).await;
    let before = load.succeeded();
    eventually("other calls still succeed", async || load.succeeded() >= before + 100).await;
    load.stop().await;
    let client = GrpcClient::connect(&server.address).await;
    for _ in 0..10 {
        client.assert_call_succeeds().await;
    }
}

#[tokio::test]
async fn no_call_is_shed_within_the_configured_max_wait() {
    let server = start("1h");
    let load = LoadGenerator::start(&server).await;
    // Longer than the window in which the server detects overload.
    tokio::time::sleep(Duration::from_millis(500)).await;
    eventually("calls succeed", async || load.succeeded() >= CALLERS).await;
    assert_eq!(load.shed(), 0);
    load.stop().await;
}

#[tokio::test]
async fn replays_do_not_delay_other_calls() {
    let server = start("50ms");
    let load = LoadGenerator::start(&server).await;
    assert_other_calls_succeed(&server, load).await;
}

#[tokio::test]
async fn batches_do_not_delay_other_calls() {
    let server = start("150ms");
    let call = proto::Call { kind: Some(proto::call::Kind::ReplayGame(long_replay())) };
    let batch = proto::EvaluateBatchRequest::from_iter(vec![call; 3]);
    let load = LoadGenerator::start_with(&server, "EvaluateBatch", &batch).await;
    assert_other_calls_succeed(&server, load).await;
}

#[tokio::test]
async fn streams_do_not_delay_other_calls() {
    const STREAMS: usize = 100;
    let server = start("1h");
    let streaming = GrpcClient::connect(&server.address).await;
    let call = proto::Call { kind: Some(proto::call::Kind::ReplayGame(long_replay())) };
    let item = framed(&proto::EvaluateRequest { call: Some(call) }.encode_to_vec());
    let mut streams = JoinSet::new();
    for _ in 0..STREAMS {
        let mut stream = streaming.open("Evaluate", &[]).await.expect("the connection stays open");
        for _ in 0..20 {
            stream.body.send_data(item.clone(), false).expect("the data is sent");
        }
        streams.spawn(async move { stream.response().await });
    }
    let handled = || {
        let metrics = server.admin_get("/metrics").1;
        let items = metrics.lines().filter(|line| line.starts_with("arbiter_items_handled_total{"));
        items.filter_map(|line| line.rsplit_once(' ')?.1.parse::<usize>().ok()).sum::<usize>()
    };
    eventually("items are handled", async || handled() > 0).await;
    let client = GrpcClient::connect(&server.address).await;
    let before = handled();
    for _ in 0..20 {
        client.assert_call_succeeds().await;
    }
    let meanwhile = handled() - before;
    // Each call waits for a few slices, not for one of every stream.
    assert!(meanwhile < 20 * STREAMS / 4, "{meanwhile} items were handled during 20 calls");
    streams.shutdown().await;
}

async fn assert_other_calls_succeed(server: &TestServer, load: LoadGenerator) {
    eventually("calls are shed", async || load.shed() >= 100).await;
    let before = load.succeeded();
    let client = GrpcClient::connect(&server.address).await;
    eventually("other calls still succeed", async || {
        client.assert_call_succeeds().await;
        load.succeeded() >= before + 100
    })
    .await;
    load.stop().await;
}

/// A call waits for at most half of its timeout, which leaves time for its execution.
#[tokio::test]
async fn a_call_with_a_short_deadline_is_shed_before_it_expires() {
    let server = start("1h");
    let load = LoadGenerator::start(&server).await;
    let client = GrpcClient::connect(&server.address).await;
    let request = framed(&long_replay().encode_to_vec());
    eventually("a call with a short deadline is shed before it expires", async || {
        // A client with several waiting calls waits behind other such clients.
        let calls = (0..20).map(|_| client.send("ReplayGame", &[("grpc-timeout", "40m")], request.clone()));
        let responses = futures_util::future::join_all(calls).await;
        responses.iter().any(|response| response.status.code() == Code::ResourceExhausted)
    })
    .await;
    assert_eq!(load.shed(), 0);
    load.stop().await;
}

/// The client that causes the overload is shed, not another one with few calls of the same kind.
#[tokio::test]
async fn shedding_hits_the_client_that_causes_the_load() {
    let server = start("200ms");
    let load = LoadGenerator::start(&server).await;
    eventually("calls are shed", async || load.shed() >= 100).await;
    let client = GrpcClient::connect(&server.address).await;
    for _ in 0..20 {
        let response = client.call("ReplayGame", &long_replay()).await;
        assert!(response.is_ok(), "{:?}", response.status);
        // It uses much less than half of the CPU time.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    load.stop().await;
}

#[tokio::test]
async fn health_checks_are_not_queued() {
    const CHECKS: usize = 20;
    let server = start("1h");
    let mut health = HealthClient::new(server.channel().await);
    let mut is_serving = async || health.check(HealthCheckRequest::default()).await.is_ok();
    assert!(is_serving().await);
    // Small requests, so that all of them are queued at once.
    let load = LoadGenerator::start_with(
        &server,
        "ListGames",
        &proto::ListGamesRequest { include_cards: true, include_clauses: false },
    )
    .await;
    eventually("calls succeed", async || load.succeeded() > 0).await;
    let before = load.succeeded();
    for _ in 0..CHECKS {
        assert!(is_serving().await);
    }
    let meanwhile = load.succeeded() - before;
    assert!(meanwhile < CHECKS * CALLERS / 4, "{meanwhile} calls succeeded during {CHECKS} health checks");
    load.stop().await;
}
