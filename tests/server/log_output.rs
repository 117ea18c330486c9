//! A log that is not read never blocks the server, and a client cannot flood it.

use std::process::{ExitStatus, Stdio};

use http::{Method, Version};

use crate::support::{
    grpc_client::GrpcClient,
    http_client::HttpClient,
    process::{Log, Process, arbiter},
    requests::framed,
    wait::{TIMEOUT, eventually},
};

/// Starts a server whose standard error is a pipe.
fn start(flags: &[&str]) -> Process {
    let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let common = ["--log-format", "json", "--drain-delay", "0s"];
    Process::start(arbiter().args(ports).args(common).args(flags).stderr(Stdio::piped()))
}

/// Makes calls that fail, and each causes a log line.
async fn make_failing_calls(process: &Process, calls: usize) {
    let client = GrpcClient::connect(&process.address).await;
    for _ in 0..calls {
        assert!(!client.send("ApplyMove", &[], framed(&[])).await.is_ok());
    }
}

async fn assert_serves(process: &Process) {
    GrpcClient::connect(&process.address).await.assert_call_succeeds().await;
    let mut admin = HttpClient::connect(&process.admin_address, Version::HTTP_11).await;
    assert_eq!(admin.request(Method::GET, "/ready", &[], "").await.status, 200);
}

async fn shut_down(mut process: Process) -> ExitStatus {
    process.terminate();
    process.wait(TIMEOUT).await.expect("the server exits")
}

/// The total of the field `lines` of all log lines whose message starts with this text.
fn reported_lines(log: &Log, message: &str) -> u64 {
    let is_report =
        |line: &serde_json::Value| line["message"].as_str().is_some_and(|it| it.starts_with(message));
    log.lines().iter().filter(|line| is_report(line)).filter_map(|line| line["lines"].as_u64()).sum()
}

/// Makes calls until lines are dropped: more than the pipe and the queue hold, about 300 bytes per line.
async fn fill_the_log(process: &Process) {
    eventually("lines are dropped", async || {
        make_failing_calls(process, 1000).await;
        process.metric("arbiter_log_lines_dropped_total").await > 0
    })
    .await;
}

#[tokio::test]
async fn a_stalled_reader_of_the_log_does_not_block_the_server() {
    let process = start(&["--log", "debug,h2=off,hyper=off", "--max-log-rate", "1000000"]);
    fill_the_log(&process).await;
    assert_serves(&process).await;
    assert!(shut_down(process).await.success());
}

#[tokio::test]
async fn dropped_lines_are_reported_when_the_reader_continues() {
    let mut process = start(&["--max-log-rate", "1000000"]);
    fill_the_log(&process).await;
    let log = process.capture_log();
    eventually("the loss is reported", async || {
        reported_lines(&log, "log lines dropped") == process.metric("arbiter_log_lines_dropped_total").await
    })
    .await;
}

#[tokio::test]
async fn a_closed_log_does_not_end_the_server() {
    let mut process = start(&[]);
    drop(process.take_stderr());
    make_failing_calls(&process, 10).await;
    eventually("the loss is counted", async || process.metric("arbiter_log_lines_dropped_total").await >= 10)
        .await;
    assert_serves(&process).await;
    assert!(shut_down(process).await.success());
}

#[tokio::test]
async fn a_client_gets_a_tenth_of_the_log_rate_and_the_rest_is_counted() {
    let mut process = start(&["--max-log-rate", "100"]);
    let log = process.capture_log();
    // 10 lines per second, and as many at once.
    make_failing_calls(&process, 100).await;
    let suppressed = process.metric("arbiter_log_lines_suppressed_total").await;
    assert!((50..=90).contains(&suppressed), "{suppressed}");
    // Another client is not limited.
    make_failing_calls(&process, 5).await;
    eventually("every other call is logged, and the suppressed lines are reported", async || {
        log.calls().len() as u64 == 105 - suppressed
            && reported_lines(&log, "log lines suppressed") == suppressed
    })
    .await;
}

#[tokio::test]
async fn lines_at_level_debug_are_not_limited() {
    let mut process = start(&["--max-log-rate", "1", "--log", "arbiter=debug"]);
    let log = process.capture_log();
    let client = GrpcClient::connect(&process.address).await;
    for _ in 0..20 {
        client.assert_call_succeeds().await;
    }
    eventually("every call is logged", async || log.calls().len() == 20).await;
}

#[tokio::test]
async fn refused_connections_are_logged_within_the_rate() {
    let mut process = start(&["--max-connections", "1", "--max-log-rate", "10"]);
    let log = process.capture_log();
    let client = GrpcClient::connect(&process.address).await;
    // A connection with a call is not closed for a new one.
    let _call = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    process.wait_for_in_flight(1).await;
    for _ in 0..20 {
        let _ = GrpcClient::try_connect(&process.address).await;
    }
    eventually("the rest is counted", async || {
        let logged = log.at_level("WARN").iter().filter(|line| line["limit"] == 1).count() as u64;
        (1..10).contains(&logged) && logged + process.metric("arbiter_log_lines_suppressed_total").await == 20
    })
    .await;
}
