//! Flags and environment: what can be set, what cannot, and what the log says.

use std::{
    net::TcpListener,
    process::{Output, Stdio},
};

use arbiter::wire::proto;
use clap::CommandFactory;

use crate::support::raw::{Client, PATIENCE, Process, apply_move, arbiter};

const FREE_PORTS: [&str; 4] = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];

/// Runs the binary to its end: only for configurations that it must refuse, and for help.
fn run(flags: &[&str], environment: &[(&str, &str)]) -> Output {
    arbiter().args(flags).envs(environment.iter().copied()).output().expect("the binary runs")
}

fn assert_refused(flags: &[&str], environment: &[(&str, &str)], named: &str) {
    // What is not refused ends all the same, and otherwise.
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has an address").to_string();
    let output = run(flags, &[&[("ARBITER_LISTEN", address.as_str())], environment].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{flags:?}: {errors}");
    assert!(errors.contains(named), "{flags:?} is refused without a word of {named}: {errors}");
    assert_eq!(output.stdout, b"", "{flags:?} is refused, and yet something is printed");
}

#[test]
fn help_names_every_flag_and_every_variable() {
    let output = run(&["--help"], &[]);
    let help = String::from_utf8(output.stdout).expect("help is text");
    assert_eq!(output.status.code(), Some(0));
    let command = arbiter::config::Config::command();
    let flags = command.get_arguments().filter(|flag| !["help", "version"].contains(&flag.get_id().as_str()));
    for flag in flags {
        let long = flag.get_long().expect("every flag has a name");
        let variable = format!("ARBITER_{}", long.to_uppercase().replace('-', "_"));
        assert!(help.contains(&format!("--{long} ")), "--{long} is not in the help");
        assert!(help.contains(&format!("[env: {variable}=")), "{variable} is not in the help");
        let explained = flag.get_help().is_some_and(|help| !help.to_string().is_empty());
        assert!(explained, "--{long} is not explained");
    }
}

#[test]
fn version_is_told() {
    let output = run(&["--version"], &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("arbiter {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_bad_value_ends_with_64_and_the_name_of_its_flag() {
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
        assert_refused(&[&format!("{flag}={value}")], &[], flag);
    }
}

#[test]
fn an_address_that_no_span_can_be_sent_to_ends_with_64_and_says_what_can_be() {
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
        assert_refused(&[&flag], &[], "--otlp-endpoint");
        assert_refused(&[&flag], &[], "such as http://127.0.0.1:4317");
        assert_refused(&[], &[("ARBITER_OTLP_ENDPOINT", endpoint)], "--otlp-endpoint");
    }
}

#[test]
fn a_share_that_is_none_ends_with_64_and_says_what_one_is() {
    for share in ["", "-0.1", "1.1", "NaN", "inf", "-inf", "50%", "1/2", "x"] {
        let flag = format!("--otlp-sampling={share}");
        assert_refused(&[&flag], &[], "--otlp-sampling");
        assert_refused(&[&flag], &[], "from 0 to 1");
    }
}

#[tokio::test]
async fn a_time_longer_than_can_be_counted_ends_with_64() {
    for flag in ["--call-timeout", "--keepalive-interval"] {
        let flags = [&FREE_PORTS[..], &["--log", "off", flag, "500000000000years"]].concat();
        let mut child = tokio::process::Command::from(arbiter())
            .args(flags)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary runs");
        let ended = tokio::time::timeout(PATIENCE / 10, child.wait()).await;
        let code = ended.ok().and_then(|status| status.expect("it can be waited for").code());
        assert_eq!(code, Some(64), "{flag} is taken as it is");
    }
}

#[test]
fn a_bad_log_filter_ends_with_64_and_the_name_of_its_flag() {
    assert_refused(&["--log", "arbiter=loud"], &[], "--log");
    assert_refused(&["--log", "wran"], &[], "--log: \"wran\" is not a level");
}

#[test]
fn an_unknown_flag_ends_with_64_and_its_name() {
    assert_refused(&["--no-such-flag"], &[], "--no-such-flag");
}

#[test]
fn an_argument_that_is_no_flag_ends_with_64() {
    assert_refused(&["serve"], &[], "serve");
}

#[test]
fn a_bad_variable_ends_with_64_and_the_name_of_its_flag() {
    assert_refused(&[], &[("ARBITER_MAX_BATCH_ITEMS", "0")], "--max-batch-items");
}

#[test]
fn a_port_in_use_ends_with_1_and_says_which() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has an address").to_string();
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

/// How many calls a server takes in a batch.
async fn most_items(server: &Process) -> usize {
    let client = Client::connect(&server.address).await;
    for items in 1..10 {
        if !client.call("EvaluateBatch", &batch_of(items)).await.is_ok() {
            return items - 1;
        }
    }
    panic!("there is no limit")
}

#[tokio::test]
async fn a_variable_is_heeded() {
    let environment = [
        ("ARBITER_LISTEN", "127.0.0.1:0"),
        ("ARBITER_ADMIN_LISTEN", "127.0.0.1:0"),
        ("ARBITER_MAX_BATCH_ITEMS", "3"),
        ("ARBITER_LOG", "off"),
    ];
    let server = Process::start(arbiter().envs(environment));
    assert_eq!(most_items(&server).await, 3);
}

#[tokio::test]
async fn a_flag_wins_over_its_variable() {
    let environment =
        [("ARBITER_LISTEN", "nowhere"), ("ARBITER_MAX_BATCH_ITEMS", "3"), ("ARBITER_LOG", "off")];
    let flags = [&FREE_PORTS[..], &["--max-batch-items", "5"]].concat();
    let server = Process::start(arbiter().args(flags).envs(environment));
    assert_eq!(most_items(&server).await, 5);
}

/// What a server logs of one refused call and one that is answered.
async fn log_of(flags: &[&str]) -> String {
    let flags = [&FREE_PORTS[..], &["--drain-delay", "0s"], flags].concat();
    let mut server = Process::start(arbiter().args(flags).stderr(Stdio::piped()));
    let errors = server.errors();
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    client.call("ApplyMove", &proto::ApplyMoveRequest { r#move: None, ..apply_move() }).await;
    drop(client);
    server.terminate();
    assert!(server.wait(PATIENCE).await.is_some(), "the server ends");
    errors()
}

fn json_lines(log: &str) -> Vec<serde_json::Value> {
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"))).collect()
}

#[tokio::test]
async fn a_refused_call_is_one_line_of_json() {
    let log = log_of(&["--log-format", "json"]).await;
    let lines = json_lines(&log);
    let calls: Vec<_> = lines.iter().filter(|line| line["method"] == "ApplyMove").collect();
    assert_eq!(calls.len(), 1, "at info only the refused call is logged: {log}");
    assert_eq!(calls[0]["level"], "INFO", "it is the caller's fault");
    assert_eq!(calls[0]["game"], "connect_four");
    assert_eq!(calls[0]["code"], "INVALID_ARGUMENT");
    assert_eq!(calls[0]["reason"], "ERROR_REASON_FIELD_REQUIRED");
}

#[tokio::test]
async fn every_call_is_one_line_when_asked() {
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
        assert!(log.contains("ApplyMove"), "the calls are logged: {log}");
        assert!(!log.contains("c4:7x6x4"), "a state is logged: {log}");
    }
}

#[tokio::test]
async fn a_log_that_is_not_read_on_a_terminal_has_no_colours() {
    let log = log_of(&[]).await;
    assert!(log.contains("ApplyMove"), "the refused call is logged: {log}");
    assert!(!log.contains('\u{1b}'), "{log}");
}
