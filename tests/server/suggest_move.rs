//! `SuggestMove` as a client sees it: its limits, its queue, cancellation, metrics. `tests/engine` has the tests of the moves
//! themselves.

use std::time::Duration;

use arbiter::{
    games::{
        Game,
        queen_rooks::{QueenRooks, Rules},
    },
    wire::proto::{self, rules_service_client::RulesServiceClient},
};
use prost::Message;
use tokio::{task::JoinSet, time::Instant};
use tonic::{Code, transport::Channel};

use crate::support::{
    TestServer,
    grpc_client::{GrpcClient, code_and_reason},
    requests::{apply_move, framed},
    wait::eventually,
};

/// A budget that no search uses up within a test, unless it ends earlier.
const MANY_NODES: u32 = 2_000_000_000;

fn start(flags: &[&str]) -> TestServer {
    TestServer::start_with(&[&["--log", "off", "--analysis-threads", "1"], flags].concat())
}

fn suggest(notation: &str, max_nodes: Option<u32>) -> proto::SuggestMoveRequest {
    let state = Some(proto::State::notation(notation));
    proto::SuggestMoveRequest { state, max_nodes, ..Default::default() }
}

/// A server that allows long searches, and a request for one that takes longer than any test.
fn start_with_long_searches(flags: &[&str]) -> (TestServer, proto::SuggestMoveRequest) {
    let max_nodes = MANY_NODES.to_string();
    let server = start(&[&["--max-analysis-nodes", &max_nodes, "--call-timeout", "1h"], flags].concat());
    let start_of_game = QueenRooks::new(Rules::default(), (), 0);
    (server, suggest(&start_of_game.notation(), Some(MANY_NODES)))
}

fn spawn(
    calls: &mut JoinSet<Code>,
    mut client: RulesServiceClient<Channel>,
    request: proto::SuggestMoveRequest,
) {
    calls.spawn(async move {
        client.suggest_move(request).await.map_or_else(|status| status.code(), |_| Code::Ok)
    });
}

/// The value of a metric.
fn metric(server: &TestServer, name: &str) -> u64 {
    let metrics = server.admin_get("/metrics").1;
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("there is no metric {name}"))
}

async fn assert_reason(server: &TestServer, request: &proto::SuggestMoveRequest, code: Code, reason: &str) {
    let response = GrpcClient::connect(&server.address).await.call("SuggestMove", request).await;
    assert_eq!(code_and_reason(&response.status), (code, reason.to_owned()), "{:?}", response.status);
}

#[tokio::test]
async fn the_maximum_of_nodes_is_accepted_and_one_more_is_refused() {
    let server = start(&["--max-analysis-nodes", "1000"]);
    let client = GrpcClient::connect(&server.address).await;
    let response = client.call("SuggestMove", &suggest("c4:7x6x4:", Some(1000))).await;
    assert!(response.is_ok(), "{:?}", response.status);
    assert!(response.message::<proto::SuggestMoveResponse>().nodes() <= 1000);
    for nodes in [0, 1001] {
        let request = suggest("c4:7x6x4:", Some(nodes));
        assert_reason(&server, &request, Code::InvalidArgument, "ERROR_REASON_VALUE_OUT_OF_RANGE").await;
    }
}

#[tokio::test]
async fn without_max_nodes_the_limit_of_the_server_applies_to_the_default() {
    let server = start(&["--max-analysis-nodes", "10"]);
    let client = GrpcClient::connect(&server.address).await;
    let response = client.call("SuggestMove", &suggest("c4:9x7x4:", None)).await;
    assert!((1..=10).contains(&response.message::<proto::SuggestMoveResponse>().nodes()));
}

#[tokio::test]
async fn a_search_ends_at_the_deadline_of_its_call() {
    let (server, request) = start_with_long_searches(&[]);
    let client = GrpcClient::connect(&server.address).await;
    let headers = [("grpc-timeout", "300m")];
    let response = client.send("SuggestMove", &headers, framed(&request.encode_to_vec())).await;
    assert_eq!(
        code_and_reason(&response.status),
        (Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED".to_owned())
    );
    // The thread is free again.
    assert!(client.call("SuggestMove", &suggest("c4:7x6x4:", Some(1))).await.is_ok());
}

#[tokio::test]
async fn a_cancelled_call_frees_its_thread() {
    let (server, request) = start_with_long_searches(&[]);
    let mut calls = JoinSet::new();
    spawn(&mut calls, server.client().await, request);
    eventually("the search runs", async || metric(&server, "arbiter_analyses") >= 1).await;
    calls.abort_all();
    server.client().await.suggest_move(suggest("c4:7x6x4:", Some(1))).await.expect("the next search runs");
    eventually("nothing runs", async || metric(&server, "arbiter_analyses") == 0).await;
}

#[tokio::test]
async fn further_suggestions_are_refused_when_the_queue_is_full() {
    let (server, request) = start_with_long_searches(&["--max-analyses", "2"]);
    let mut calls = JoinSet::new();
    // Two clients: each may have a share of the queue.
    for running in [1, 2] {
        spawn(&mut calls, server.client().await, request.clone());
        eventually("the call arrives", async || metric(&server, "arbiter_analyses") >= running).await;
    }
    assert_reason(&server, &request, Code::ResourceExhausted, "ERROR_REASON_OVERLOADED").await;
    assert!(metric(&server, "arbiter_analyses_refused_total") >= 1);
}

#[tokio::test]
async fn a_search_counts_its_table_against_the_byte_budget() {
    let (server, request) = start_with_long_searches(&[]);
    let mut calls = JoinSet::new();
    spawn(&mut calls, server.client().await, request);
    let table = 16 << 20;
    eventually("the search runs", async || metric(&server, "arbiter_bytes_in_flight") >= table).await;
    calls.abort_all();
    eventually("it is released", async || metric(&server, "arbiter_bytes_in_flight") < table).await;
}

#[tokio::test]
async fn searches_do_not_delay_other_calls() {
    let (server, request) = start_with_long_searches(&["--threads", "1"]);
    let mut calls = JoinSet::new();
    for _ in 0..4 {
        spawn(&mut calls, server.client().await, request.clone());
    }
    eventually("the searches run", async || metric(&server, "arbiter_analyses") >= 4).await;
    let client = GrpcClient::connect(&server.address).await;
    let mut durations = Vec::new();
    for _ in 0..200 {
        let started = Instant::now();
        assert!(client.call("ApplyMove", &apply_move()).await.is_ok());
        durations.push(started.elapsed());
    }
    durations.sort();
    // Far more than a call takes on a busy machine, and far less than a search.
    assert!(durations[100] < Duration::from_millis(100), "{:?}", durations[100]);
}

#[tokio::test]
async fn searches_are_counted_by_game_and_certainty() {
    let server = start(&[]);
    let client = GrpcClient::connect(&server.address).await;
    // The player to move wins at once.
    let response = client.call("SuggestMove", &suggest("112233", None)).await;
    let nodes = response.message::<proto::SuggestMoveResponse>().nodes();
    client.call("SuggestMove", &suggest("c4:9x7x4:", Some(1))).await;
    let count = |certainty: &str| {
        let labels = format!("{{game=\"connect_four\",certainty=\"{certainty}\"}}");
        metric(&server, &format!("arbiter_searches_completed_total{labels}"))
    };
    assert_eq!([count("exact"), count("estimate")], [1, 1]);
    let labels = "{game=\"connect_four\"}";
    assert_eq!(metric(&server, &format!("arbiter_search_nodes_total{labels}")), u64::from(nodes + 1));
    assert_eq!(metric(&server, &format!("arbiter_search_duration_seconds_count{labels}")), 2);
}
