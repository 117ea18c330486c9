//! `arbiter health`, and the warnings of a server that listens on a non-loopback address.

use std::{
    net::TcpListener,
    process::{Output, Stdio},
};

use crate::support::{
    certificates::CertificateAuthority,
    process::{Process, arbiter},
    temp_dir::TempDir,
    wait::{TIMEOUT, eventually},
};

const LOOPBACK: &str = "127.0.0.1:0";
const ALL_INTERFACES: &str = "0.0.0.0:0";

fn start(admin: &str, flags: &[&str]) -> Process {
    let addresses = ["--listen", LOOPBACK, "--admin-listen", admin, "--log", "off"];
    Process::start(arbiter().args(addresses).args(flags))
}

/// Runs `arbiter health` for the server with this admin address.
fn run_health(address: &str) -> Output {
    arbiter().args(["health", "--admin-listen", address]).output().expect("the binary runs")
}

/// The exit code and standard output.
fn result(output: &Output) -> (Option<i32>, &str) {
    (output.status.code(), str::from_utf8(&output.stdout).expect("valid UTF-8"))
}

#[test]
fn a_running_server_is_ready() {
    let server = start(LOOPBACK, &[]);
    assert_eq!(result(&run_health(&server.admin_address)), (Some(0), "ready\n"));
}

#[test]
fn a_server_on_all_interfaces_is_checked_over_loopback() {
    let server = start(ALL_INTERFACES, &[]);
    assert!(server.admin_address.starts_with("0.0.0.0:"), "{}", server.admin_address);
    assert_eq!(result(&run_health(&server.admin_address)), (Some(0), "ready\n"));
}

#[test]
fn the_address_may_precede_the_command_or_be_an_environment_variable() {
    let server = start(LOOPBACK, &[]);
    let before = arbiter().args(["--admin-listen", &server.admin_address, "health"]).output();
    let variable = arbiter().arg("health").env("ARBITER_ADMIN_LISTEN", &server.admin_address).output();
    for output in [before, variable] {
        assert_eq!(result(&output.expect("the binary runs")), (Some(0), "ready\n"));
    }
}

#[test]
fn the_health_command_does_not_read_certificates_or_tokens() {
    let server = start(LOOPBACK, &[]);
    let files = ["ARBITER_TLS_CERT", "ARBITER_TLS_KEY", "ARBITER_TOKEN_FILE"].map(|name| (name, "/missing"));
    let output = arbiter().args(["health", "--admin-listen", &server.admin_address]).envs(files).output();
    assert_eq!(result(&output.expect("the binary runs")), (Some(0), "ready\n"));
}

#[tokio::test]
async fn a_draining_server_is_not_ready() {
    let server = start(LOOPBACK, &["--drain-delay", "60s"]);
    server.terminate();
    let not_ready = (Some(1), "not ready\n");
    eventually("the server is not ready", async || result(&run_health(&server.admin_address)) == not_ready)
        .await;
}

#[test]
fn a_closed_port_is_not_ready() {
    let free = TcpListener::bind(LOOPBACK).expect("a port is free");
    let address = free.local_addr().expect("the listener has an address").to_string();
    drop(free);
    let output = run_health(&address);
    assert_eq!(result(&output), (Some(1), ""));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.starts_with(&format!("error: cannot reach {address}: ")), "{errors}");
}

#[test]
fn a_server_that_does_not_respond_is_not_ready() {
    let silent = TcpListener::bind(LOOPBACK).expect("a port is free");
    let address = silent.local_addr().expect("the listener has an address").to_string();
    let output = run_health(&address);
    assert_eq!(result(&output), (Some(1), ""));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains(&address), "{errors}");
}

#[test]
fn an_invalid_address_exits_with_64() {
    let output = run_health("nowhere");
    assert_eq!(output.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--admin-listen"));
}

/// The warnings that a server with this address logs.
async fn warnings(listen: &str, flags: &[&str]) -> Vec<String> {
    let addresses = ["--listen", listen, "--admin-listen", LOOPBACK];
    // Few connections: the machine may limit the number of open files.
    let common = ["--drain-delay", "0s", "--log-format", "json", "--max-connections", "100"];
    let mut command = arbiter();
    command.args(addresses).args(common).args(flags).stderr(Stdio::piped());
    let mut server = Process::start(&mut command);
    let log = server.capture_log();
    server.terminate();
    assert!(server.wait(TIMEOUT).await.is_some(), "the server exits");
    log.wait_until_closed().await;
    let text =
        |line: &serde_json::Value| line["message"].as_str().expect("a log line has a message").to_owned();
    log.at_level("WARN").iter().map(text).collect()
}

/// The security flags that each warning mentions.
fn suggested_flags(warnings: &[String]) -> Vec<Vec<&'static str>> {
    let flags = ["--tls-cert", "--token-file", "--tls-client-ca"];
    warnings.iter().map(|warning| flags.into_iter().filter(|flag| warning.contains(flag)).collect()).collect()
}

/// The flags for TLS, client certificates and tokens.
fn security_flags(dir: &TempDir) -> [[String; 4]; 2] {
    let authority = CertificateAuthority::new("test CA");
    let identity = authority.server();
    let certificate = dir.write("server.pem", identity.certificate_pem());
    let key = dir.write("server.key", identity.key_pem());
    let clients = dir.write("clients.pem", authority.pem());
    let tokens = dir.write("tokens", format!("alice {}", "0".repeat(64)));
    let tls = ["--tls-cert", &certificate, "--tls-key", &key].map(str::to_owned);
    [tls, ["--tls-client-ca", &clients, "--token-file", &tokens].map(str::to_owned)]
}

const ENCRYPTION_FLAGS: &[&str] = &["--tls-cert"];
const AUTHENTICATION_FLAGS: &[&str] = &["--token-file", "--tls-client-ca"];

#[tokio::test]
async fn a_public_server_without_tls_and_tokens_logs_two_warnings() {
    let warnings = warnings(ALL_INTERFACES, &[]).await;
    assert_eq!(suggested_flags(&warnings), [ENCRYPTION_FLAGS, AUTHENTICATION_FLAGS], "{warnings:?}");
}

#[tokio::test]
async fn a_loopback_server_logs_no_warning() {
    assert_eq!(warnings(LOOPBACK, &[]).await, [""; 0]);
}

#[tokio::test]
async fn a_public_server_with_tls_only_warns_about_authentication() {
    let dir = TempDir::new();
    let [tls, _] = security_flags(&dir);
    let warnings = warnings(ALL_INTERFACES, &tls.each_ref().map(String::as_str)).await;
    assert_eq!(suggested_flags(&warnings), [AUTHENTICATION_FLAGS], "{warnings:?}");
}

#[tokio::test]
async fn a_public_server_with_tokens_only_warns_about_encryption() {
    let dir = TempDir::new();
    let [_, [.., flag, tokens]] = security_flags(&dir);
    let warnings = warnings(ALL_INTERFACES, &[&flag, &tokens]).await;
    assert_eq!(suggested_flags(&warnings), [ENCRYPTION_FLAGS], "{warnings:?}");
}

#[tokio::test]
async fn a_public_server_with_tls_and_tokens_logs_no_warning() {
    let dir = TempDir::new();
    let [tls, [.., flag, tokens]] = security_flags(&dir);
    let flags = [&tls[..], &[flag, tokens]].concat();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    assert_eq!(warnings(ALL_INTERFACES, &flags).await, [""; 0]);
}

#[tokio::test]
async fn a_public_server_with_mutual_tls_logs_no_warning() {
    let dir = TempDir::new();
    let [tls, [flag, clients, ..]] = security_flags(&dir);
    let flags = [&tls[..], &[flag, clients]].concat();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    assert_eq!(warnings(ALL_INTERFACES, &flags).await, [""; 0]);
}
