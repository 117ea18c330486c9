//! More calls than can be answered: some are refused because their turn would come too late, the others are answered, and all
//! is well as soon as there are fewer.

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
    raw::{Client, eventually, framed, long_replay, refusal},
};

/// So many that each waits for many others: the server has one thread.
const CALLERS: usize = 150;

/// What became of calls.
#[derive(Default)]
struct Tally {
    served: AtomicUsize,
    refused: AtomicUsize,
}

/// Callers who ask for something dear, again and again.
struct Crowd {
    callers: JoinSet<()>,
    tally: Arc<Tally>,
    is_over: Arc<AtomicBool>,
}

impl Crowd {
    async fn gather(server: &TestServer) -> Self {
        Self::gather_for(server, "ReplayGame", &long_replay()).await
    }

    async fn gather_for(server: &TestServer, call: &'static str, request: &impl Message) -> Self {
        let client = Arc::new(Client::connect(&server.address).await);
        let (tally, is_over) = (Arc::<Tally>::default(), Arc::<AtomicBool>::default());
        let request = framed(&request.encode_to_vec());
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let (client, tally, is_over, request) =
                (client.clone(), tally.clone(), is_over.clone(), request.clone());
            callers.spawn(async move {
                while !is_over.load(Relaxed) {
                    let reply = client.send(call, &[], request.clone()).await;
                    if reply.is_ok() {
                        tally.served.fetch_add(1, Relaxed);
                        continue;
                    }
                    let overloaded = (Code::ResourceExhausted, "ERROR_REASON_OVERLOADED".to_owned());
                    assert_eq!(refusal(&reply.status), overloaded);
                    assert!(reply.status.message().contains("would wait too long"), "{:?}", reply.status);
                    tally.refused.fetch_add(1, Relaxed);
                }
            });
        }
        Self { callers, tally, is_over }
    }

    fn served(&self) -> usize {
        self.tally.served.load(Relaxed)
    }

    fn refused(&self) -> usize {
        self.tally.refused.load(Relaxed)
    }

    async fn disperse(mut self) {
        self.is_over.store(true, Relaxed);
        while let Some(ended) = self.callers.join_next().await {
            ended.expect("every call is answered or refused as it should be");
        }
    }
}

/// Half of the call timeout bounds the wait too: it is so long that only `max_wait` does.
fn start(max_wait: &str) -> TestServer {
    let flags = ["--log", "off", "--threads", "1", "--call-timeout", "2h", "--max-wait", max_wait];
    TestServer::start_with(&flags)
}

#[tokio::test]
async fn calls_whose_turn_would_come_too_late_are_refused_and_the_others_answered() {
    let server = start("5ms");
    let crowd = Crowd::gather(&server).await;
    eventually("some are refused", async || crowd.refused() >= 100).await;
    let before = crowd.served();
    eventually("others are still served", async || crowd.served() >= before + 100).await;
    crowd.disperse().await;
    let client = Client::connect(&server.address).await;
    for _ in 0..10 {
        client.assert_answers().await;
    }
}

#[tokio::test]
async fn calls_may_wait_as_long_as_configured() {
    let server = start("1h");
    let crowd = Crowd::gather(&server).await;
    // Longer than it takes to see that everybody waits.
    tokio::time::sleep(Duration::from_millis(500)).await;
    eventually("calls are served", async || crowd.served() >= CALLERS).await;
    assert_eq!(crowd.refused(), 0);
    crowd.disperse().await;
}

#[tokio::test]
async fn no_call_stands_behind_replays() {
    let server = start("50ms");
    let crowd = Crowd::gather(&server).await;
    assert_others_pass(&server, crowd).await;
}

#[tokio::test]
async fn no_call_stands_behind_batches() {
    let server = start("150ms");
    let call = proto::Call { kind: Some(proto::call::Kind::ReplayGame(long_replay())) };
    let batch = proto::EvaluateBatchRequest::from_iter(vec![call; 3]);
    let crowd = Crowd::gather_for(&server, "EvaluateBatch", &batch).await;
    assert_others_pass(&server, crowd).await;
}

async fn assert_others_pass(server: &TestServer, crowd: Crowd) {
    eventually("some are refused", async || crowd.refused() >= 100).await;
    let before = crowd.served();
    let client = Client::connect(&server.address).await;
    eventually("others are still served", async || {
        client.assert_answers().await;
        crowd.served() >= before + 100
    })
    .await;
    crowd.disperse().await;
}

/// Half of the caller's time at most, so that there is some left for the answer.
#[tokio::test]
async fn calls_wait_no_longer_than_their_deadline_allows() {
    let server = start("1h");
    let crowd = Crowd::gather(&server).await;
    let client = Client::connect(&server.address).await;
    let request = framed(&long_replay().encode_to_vec());
    eventually("a call with little time is refused before its time is over", async || {
        let reply = client.send("ReplayGame", &[("grpc-timeout", "40m")], request.clone()).await;
        reply.status.code() == Code::ResourceExhausted
    })
    .await;
    assert_eq!(crowd.refused(), 0);
    crowd.disperse().await;
}

#[tokio::test]
async fn health_does_not_stand_in_line() {
    const TIMES: usize = 20;
    let server = start("1h");
    let mut health = HealthClient::new(server.channel().await);
    let mut is_serving = async || health.check(HealthCheckRequest::default()).await.is_ok();
    assert!(is_serving().await);
    // Small to send, so that all of them are there at once.
    let crowd = Crowd::gather_for(
        &server,
        "ListGames",
        &proto::ListGamesRequest { include_cards: true, include_clauses: false },
    )
    .await;
    eventually("calls are served", async || crowd.served() > 0).await;
    let before = crowd.served();
    for _ in 0..TIMES {
        assert!(is_serving().await);
    }
    let meanwhile = crowd.served() - before;
    assert!(
        meanwhile < TIMES * CALLERS / 4,
        "{meanwhile} calls were answered before {TIMES} answers of health"
    );
    crowd.disperse().await;
}
