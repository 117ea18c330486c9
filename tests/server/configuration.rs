//! Flags, environment variables, and the log.

use std::{
    net::TcpListener,
    process::{Output, Stdio},
};

use arbiter::wire::proto;
use clap::CommandFactory;

use crate::support::{
    grpc_client::GrpcClient,
    process::{Process, arbiter, arbiter_in_shell},
    requests::apply_move,
    wait::TIMEOUT,
};

const FREE_PORTS: [&str; 4] = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];

/// Runs the binary until it exits. Only for `--help` and for invalid configurations.
fn run(flags: &[&str], environment: &[(&str, &str)]) -> Output {
    arbiter().args(flags).envs(environment.iter().copied()).output().expect("the binary runs")
}

fn assert_rejected(flags: &[&str], environment: &[(&str, &str)], expected: &str) {
    // The port is in use: a configuration that is accepted by mistake exits with another code instead of serving.
    let occupied = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = occupied.local_addr().expect("the listener has an address").to_string();
    let output = run(flags, &[&[("ARBITER_LISTEN", address.as_str())], environment].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{flags:?}: {errors}");
    assert!(errors.contains(expected), "{flags:?}: {expected} is not in the error message: {errors}");
    assert_eq!(output.stdout, b"", "{flags:?}: standard output must be empty");
}

#[test]
fn help_names_every_flag_and_every_variable() {
    let output = run(&["--help"], &[]);
    let help = String::from_utf8(output.stdout).expect("valid UTF-8");
    assert_eq!(output.status.code(), Some(0));
    let command = arbiter::config::Config::command();
    let flags = command.get_arguments().filter(|flag| !["help", "version"].contains(&flag.get_id().as_str()));
    for flag in flags {
        let long = flag.get_long().expect("every flag has a name");
        let variable = format!("ARBITER_{}", long.to_uppercase().replace('-', "_"));
        assert!(help.contains(&format!("--{long} ")), "--{long} is not in the help");
        assert!(help.contains(&format!("[env: {variable}=")), "{variable} is not in the help");
        let has_help = flag.get_help().is_some_and(|help| !help.to_string().is_empty());
        assert!(has_help, "--{long} has no help text");
    }
}

#[test]
fn version_prints_name_and_version() {
    let output = run(&["--version"], &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("arbiter {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn an_invalid_value_exits_with_64_and_names_the_flag() {
    for (flag, value) in [
        ("--listen", "nowhere"),
        ("--listen", "127.0.0.1"),
        ("--admin-listen", "127.0.0.1:65536"),
        ("--threads", "0"),
        ("--log-format", "xml"),
        ("--max-message-bytes", "0"),
        ("--max-message-bytes", "64KiB"),
        ("--max-batch-bytes", "2147483648"),
        ("--max-batch-items", "0"),
        ("--max-batch-items", "16385"),
        ("--max-replay-moves", "0"),
        ("--max-in-flight", "0"),
        ("--max-connections", "0"),
        ("--max-streams-per-connection", "0"),
        ("--call-timeout", "10"),
        ("--call-timeout", "0s"),
        ("--keepalive-interval", "-1s"),
        ("--keepalive-timeout", "soon"),
        ("--max-connection-age", "0s"),
        ("--max-connection-age-grace", "1"),
        ("--drain-delay", "10"),
        ("--drain-timeout", "10"),
    ] {
        assert_rejected(&[&format!("{flag}={value}")], &[], flag);
    }
}

#[test]
fn an_invalid_otlp_endpoint_exits_with_64_and_shows_an_example() {
    for endpoint in [
        "",
        "https://127.0.0.1:4317",
        "127.0.0.1:4317",
        "localhost:4317",
        "collector",
        "http://",
        "http://:4317",
        "http:///v1/traces",
        "grpc://127.0.0.1:4317",
        "http://two words",
        "http://127.0.0.1:65536",
    ] {
        let flag = format!("--otlp-endpoint={endpoint}");
        assert_rejected(&[&flag], &[], "--otlp-endpoint");
        assert_rejected(&[&flag], &[], "such as http://127.0.0.1:4317");
        assert_rejected(&[], &[("ARBITER_OTLP_ENDPOINT", endpoint)], "--otlp-endpoint");
    }
}

#[test]
fn an_invalid_sampling_ratio_exits_with_64_and_names_the_range() {
    for ratio in ["", "-0.1", "1.1", "NaN", "inf", "-inf", "50%", "1/2", "x"] {
        let flag = format!("--otlp-sampling={ratio}");
        assert_rejected(&[&flag], &[], "--otlp-sampling");
        assert_rejected(&[&flag], &[], "from 0 to 1");
    }
}

#[tokio::test]
async fn a_duration_that_overflows_exits_with_64() {
    for flag in ["--call-timeout", "--keepalive-interval"] {
        let flags = [&FREE_PORTS[..], &["--log", "off", flag, "500000000000years"]].concat();
        let mut child = tokio::process::Command::from(arbiter())
            .args(flags)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary runs");
        let status = tokio::time::timeout(TIMEOUT / 10, child.wait()).await;
        let code = status.ok().and_then(|status| status.expect("the exit status is available").code());
        assert_eq!(code, Some(64), "{flag} is accepted");
    }
}

#[test]
fn an_invalid_log_filter_exits_with_64_and_names_the_flag() {
    assert_rejected(&["--log", "arbiter=loud"], &[], "--log");
    assert_rejected(&["--log", "wran"], &[], "--log: \"wran\" is not a level");
}

#[test]
fn an_unknown_flag_exits_with_64_and_is_named() {
    assert_rejected(&["--no-such-flag"], &[], "--no-such-flag");
}

#[test]
fn an_unknown_argument_exits_with_64() {
    assert_rejected(&["serve"], &[], "serve");
}

#[test]
fn an_invalid_variable_exits_with_64_and_names_the_flag() {
    assert_rejected(&[], &[("ARBITER_MAX_BATCH_ITEMS", "0")], "--max-batch-items");
}

#[test]
fn a_port_in_use_exits_with_1_and_names_the_flag_and_address() {
    let occupied = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = occupied.local_addr().expect("the listener has an address").to_string();
    for (flag, other) in [("--listen", "--admin-listen"), ("--admin-listen", "--listen")] {
        let output = run(&[flag, &address, other, "127.0.0.1:0"], &[]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(flag) && errors.contains(&address), "{errors}");
    }
}

fn batch_of(items: usize) -> proto::EvaluateBatchRequest {
    proto::EvaluateBatchRequest::from_iter(vec![proto::Call::default(); items])
}

/// The maximum number of calls that the server accepts in a batch.
async fn max_batch_items(server: &Process) -> usize {
    let client = GrpcClient::connect(&server.address).await;
    for items in 1..10 {
        if !client.call("EvaluateBatch", &batch_of(items)).await.is_ok() {
            return items - 1;
        }
    }
    panic!("no limit below 10 items")
}

#[tokio::test]
async fn an_environment_variable_configures_the_server() {
    let environment = [
        ("ARBITER_LISTEN", "127.0.0.1:0"),
        ("ARBITER_ADMIN_LISTEN", "127.0.0.1:0"),
        ("ARBITER_MAX_BATCH_ITEMS", "3"),
        ("ARBITER_LOG", "off"),
    ];
    let server = Process::start(arbiter().envs(environment));
    assert_eq!(max_batch_items(&server).await, 3);
}

#[tokio::test]
async fn a_flag_overrides_its_environment_variable() {
    let environment =
        [("ARBITER_LISTEN", "nowhere"), ("ARBITER_MAX_BATCH_ITEMS", "3"), ("ARBITER_LOG", "off")];
    let flags = [&FREE_PORTS[..], &["--max-batch-items", "5"]].concat();
    let server = Process::start(arbiter().args(flags).envs(environment));
    assert_eq!(max_batch_items(&server).await, 5);
}

/// The log of a server that receives one valid call and one invalid call.
async fn log_of(flags: &[&str]) -> String {
    let flags = [&FREE_PORTS[..], &["--drain-delay", "0s"], flags].concat();
    let mut server = Process::start(arbiter().args(flags).stderr(Stdio::piped()));
    let stderr = server.capture_stderr();
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    client.call("ApplyMove", &proto::ApplyMoveRequest { r#move: None, ..apply_move() }).await;
    drop(client);
    server.terminate();
    assert!(server.wait(TIMEOUT).await.is_some(), "the server exits");
    stderr()
}

/// The warnings of a server that is started after this shell command.
async fn warnings_after(shell_command: &str, flags: &[&str]) -> Vec<serde_json::Value> {
    let mut command = arbiter_in_shell(&format!("{shell_command}; exec \"$@\""));
    command
        .args(FREE_PORTS)
        .args(["--log-format", "json", "--threads", "2"])
        .args(flags)
        .stderr(Stdio::piped());
    let mut server = Process::start(&mut command);
    let log = server.capture_log();
    GrpcClient::connect(&server.address).await.assert_call_succeeds().await;
    server.terminate();
    log.wait_until_closed().await;
    log.at_level("WARN")
}

#[tokio::test]
async fn a_limit_of_open_files_below_the_maximum_number_of_connections_is_logged() {
    let warnings = warnings_after("ulimit -n 512", &["--max-connections", "200"]).await;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0]["message"].as_str().is_some_and(|text| text.contains("--max-connections")));
    // 200 connections, 4 for each thread, 256 for the admin port, and 100.
    let numbers = ["limit", "needed", "max_connections"].map(|name| warnings[0][name].as_u64());
    assert_eq!(numbers, [512, 564, 200].map(Some), "{warnings:?}");
}

#[tokio::test]
async fn a_sufficient_limit_of_open_files_is_not_logged() {
    let warnings = warnings_after("ulimit -n 512", &["--max-connections", "148"]).await;
    assert_eq!(warnings, [""; 0]);
}

#[tokio::test]
async fn a_soft_limit_of_open_files_is_raised() {
    let warnings = warnings_after("ulimit -S -n 256; ulimit -H -n 1000", &["--max-connections", "200"]).await;
    assert_eq!(warnings, [""; 0]);
}

fn json_lines(log: &str) -> Vec<serde_json::Value> {
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
        .collect()
}

#[tokio::test]
async fn a_failed_call_is_one_line_of_json() {
    let log = log_of(&["--log-format", "json"]).await;
    let lines = json_lines(&log);
    let calls: Vec<_> = lines.iter().filter(|line| line["method"] == "ApplyMove").collect();
    assert_eq!(calls.len(), 1, "at info only the failed call is logged: {log}");
    assert_eq!(calls[0]["level"], "INFO", "a client error is logged at INFO");
    assert_eq!(calls[0]["game"], "connect_four");
    assert_eq!(calls[0]["code"], "INVALID_ARGUMENT");
    assert_eq!(calls[0]["reason"], "ERROR_REASON_FIELD_REQUIRED");
}

#[tokio::test]
async fn every_call_is_one_line_at_debug() {
    let log = log_of(&["--log-format", "json", "--log", "arbiter=debug"]).await;
    let lines = json_lines(&log);
    let codes: Vec<_> =
        lines.iter().filter(|line| line["method"] == "ApplyMove").map(|line| &line["code"]).collect();
    assert_eq!(codes, ["OK", "INVALID_ARGUMENT"], "{log}");
}

#[tokio::test]
async fn a_state_is_never_logged() {
    for format in ["json", "text"] {
        let log = log_of(&["--log-format", format, "--log", "trace"]).await;
        assert!(log.contains("ApplyMove"), "no call is logged: {log}");
        assert!(!log.contains("c4:7x6x4"), "a state is logged: {log}");
    }
}

#[tokio::test]
async fn a_log_that_is_not_written_to_a_terminal_has_no_colors() {
    let log = log_of(&[]).await;
    assert!(log.contains("ApplyMove"), "the failed call is not logged: {log}");
    assert!(!log.contains('\u{1b}'), "{log}");
}
