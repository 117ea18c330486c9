//! `arbiter health`, and what a server warns of when it can be reached from elsewhere.

use std::{
    net::TcpListener,
    process::{Output, Stdio},
};

use crate::support::{
    certificates::Authority,
    folder::Folder,
    raw::{PATIENCE, Process, arbiter, eventually},
};

const ON_THIS_MACHINE: &str = "127.0.0.1:0";
const EVERYWHERE: &str = "0.0.0.0:0";

fn start(admin: &str, flags: &[&str]) -> Process {
    let addresses = ["--listen", ON_THIS_MACHINE, "--admin-listen", admin, "--log", "off"];
    Process::start(arbiter().args(addresses).args(flags))
}

/// Asks whether the server with this admin address is ready.
fn ask(address: &str) -> Output {
    arbiter().args(["health", "--admin-listen", address]).output().expect("the binary runs")
}

/// How it ended, and what it printed.
fn told(output: &Output) -> (Option<i32>, &str) {
    (output.status.code(), str::from_utf8(&output.stdout).expect("it is text"))
}

#[test]
fn a_server_that_runs_is_ready() {
    let server = start(ON_THIS_MACHINE, &[]);
    assert_eq!(told(&ask(&server.admin_address)), (Some(0), "ready\n"));
}

#[test]
fn a_server_that_listens_everywhere_is_asked_on_this_machine() {
    let server = start(EVERYWHERE, &[]);
    assert!(server.admin_address.starts_with("0.0.0.0:"), "{}", server.admin_address);
    assert_eq!(told(&ask(&server.admin_address)), (Some(0), "ready\n"));
}

#[test]
fn the_address_can_come_before_the_command_or_from_a_variable() {
    let server = start(ON_THIS_MACHINE, &[]);
    let before = arbiter().args(["--admin-listen", &server.admin_address, "health"]).output();
    let variable = arbiter().arg("health").env("ARBITER_ADMIN_LISTEN", &server.admin_address).output();
    for output in [before, variable] {
        assert_eq!(told(&output.expect("the binary runs")), (Some(0), "ready\n"));
    }
}

#[test]
fn the_files_of_the_server_are_not_needed_to_ask() {
    let server = start(ON_THIS_MACHINE, &[]);
    let files = ["ARBITER_TLS_CERT", "ARBITER_TLS_KEY", "ARBITER_TOKEN_FILE"].map(|name| (name, "/missing"));
    let output = arbiter().args(["health", "--admin-listen", &server.admin_address]).envs(files).output();
    assert_eq!(told(&output.expect("the binary runs")), (Some(0), "ready\n"));
}

#[tokio::test]
async fn a_server_that_drains_is_not_ready() {
    let server = start(ON_THIS_MACHINE, &["--drain-delay", "60s"]);
    server.terminate();
    let not_ready = (Some(1), "not ready\n");
    eventually("it is not ready", async || told(&ask(&server.admin_address)) == not_ready).await;
}

#[test]
fn nobody_is_not_ready() {
    let free = TcpListener::bind(ON_THIS_MACHINE).expect("a port is free");
    let address = free.local_addr().expect("it has an address").to_string();
    drop(free);
    let output = ask(&address);
    assert_eq!(told(&output), (Some(1), ""));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.starts_with(&format!("error: no answer from {address}: ")), "{errors}");
}

#[test]
fn who_never_answers_is_not_ready() {
    let silent = TcpListener::bind(ON_THIS_MACHINE).expect("a port is free");
    let address = silent.local_addr().expect("it has an address").to_string();
    let output = ask(&address);
    assert_eq!(told(&output), (Some(1), ""));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains(&address), "{errors}");
}

#[test]
fn an_address_that_is_none_ends_with_64() {
    let output = ask("nowhere");
    assert_eq!(output.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--admin-listen"));
}

/// What a server at this address warns of by its end.
async fn warnings(listen: &str, flags: &[&str]) -> Vec<String> {
    let addresses = ["--listen", listen, "--admin-listen", ON_THIS_MACHINE];
    let quickly = ["--drain-delay", "0s", "--log-format", "json"];
    let mut command = arbiter();
    command.args(addresses).args(quickly).args(flags).stderr(Stdio::piped());
    let mut server = Process::start(&mut command);
    let log = server.log();
    server.terminate();
    assert!(server.wait(PATIENCE).await.is_some(), "the server ends");
    log.end().await;
    let text = |line: &serde_json::Value| line["message"].as_str().expect("it says something").to_owned();
    log.at("WARN").iter().map(text).collect()
}

/// The flags that a warning proposes, of those that could be proposed.
fn proposed(warnings: &[String]) -> Vec<Vec<&'static str>> {
    let flags = ["--tls-cert", "--token-file", "--tls-client-ca"];
    warnings.iter().map(|warning| flags.into_iter().filter(|flag| warning.contains(flag)).collect()).collect()
}

/// The flags for TLS, for certificates of clients, and for tokens.
fn security(folder: &Folder) -> [[String; 4]; 2] {
    let authority = Authority::new("who signs");
    let identity = authority.server();
    let certificate = folder.write("server.pem", identity.certificate_pem());
    let key = folder.write("server.key", identity.key_pem());
    let clients = folder.write("clients.pem", authority.pem());
    let tokens = folder.write("tokens", format!("alice {}", "0".repeat(64)));
    let tls = ["--tls-cert", &certificate, "--tls-key", &key].map(str::to_owned);
    [tls, ["--tls-client-ca", &clients, "--token-file", &tokens].map(str::to_owned)]
}

const READ: &[&str] = &["--tls-cert"];
const CALL: &[&str] = &["--token-file", "--tls-client-ca"];

#[tokio::test]
async fn who_can_be_reached_from_elsewhere_is_warned_of_readers_and_of_callers() {
    let warnings = warnings(EVERYWHERE, &[]).await;
    assert_eq!(proposed(&warnings), [READ, CALL], "{warnings:?}");
}

#[tokio::test]
async fn who_can_be_reached_from_this_machine_only_is_not_warned() {
    assert_eq!(warnings(ON_THIS_MACHINE, &[]).await, [""; 0]);
}

#[tokio::test]
async fn who_has_tls_only_is_warned_of_callers() {
    let folder = Folder::new();
    let [tls, _] = security(&folder);
    let warnings = warnings(EVERYWHERE, &tls.each_ref().map(String::as_str)).await;
    assert_eq!(proposed(&warnings), [CALL], "{warnings:?}");
}

#[tokio::test]
async fn who_has_tokens_only_is_warned_of_readers() {
    let folder = Folder::new();
    let [_, [.., flag, tokens]] = security(&folder);
    let warnings = warnings(EVERYWHERE, &[&flag, &tokens]).await;
    assert_eq!(proposed(&warnings), [READ], "{warnings:?}");
}

#[tokio::test]
async fn who_has_tls_and_tokens_is_not_warned() {
    let folder = Folder::new();
    let [tls, [.., flag, tokens]] = security(&folder);
    let flags = [&tls[..], &[flag, tokens]].concat();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    assert_eq!(warnings(EVERYWHERE, &flags).await, [""; 0]);
}

#[tokio::test]
async fn who_asks_clients_for_certificates_is_not_warned() {
    let folder = Folder::new();
    let [tls, [flag, clients, ..]] = security(&folder);
    let flags = [&tls[..], &[flag, clients]].concat();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    assert_eq!(warnings(EVERYWHERE, &flags).await, [""; 0]);
}
