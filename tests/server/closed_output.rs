//! Standard output and standard error that nobody reads, as in `arbiter | true`, or that are closed.

use std::process::{Child, Command, ExitStatus, Stdio};

use http::Version;
use tokio::net::TcpStream;

use crate::support::{
    http_client::HttpClient,
    process::{Process, arbiter, arbiter_in_shell, free_address},
    wait::{TIMEOUT, eventually},
};

/// A pipe whose reader is gone: a write to it fails.
fn broken_pipe() -> Stdio {
    let (_, writer) = std::io::pipe().expect("a pipe can be created");
    writer.into()
}

/// Runs a command whose output nobody reads until it exits.
fn exit_code(command: &mut Command) -> Option<i32> {
    command.stdout(broken_pipe()).stderr(broken_pipe()).status().expect("the binary runs").code()
}

/// A server without a banner. Killed on drop.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks that a server serves calls, logs them, and shuts down gracefully.
async fn assert_serves(command: &mut Command) {
    let address = free_address();
    let flags =
        ["--listen", &address, "--admin-listen", "127.0.0.1:0", "--log", "debug", "--drain-delay", "0s"];
    let mut server = Server(command.args(flags).spawn().expect("the server starts"));
    eventually("the server listens", async || TcpStream::connect(&address).await.is_ok()).await;
    let mut client = HttpClient::connect(&address, Version::HTTP_11).await;
    for _ in 0..2 {
        client.assert_call_succeeds().await;
    }
    drop(client);
    let killed = Command::new("kill").args(["-TERM", &server.0.id().to_string()]).status();
    assert!(killed.expect("kill runs").success(), "the signal is delivered");
    let mut status = None;
    eventually("the server exits", async || {
        status = server.0.try_wait().expect("the exit status is available");
        status.is_some()
    })
    .await;
    assert!(status.as_ref().is_some_and(ExitStatus::success), "the server exits with 0: {status:?}");
}

#[tokio::test]
async fn a_server_whose_banner_nobody_reads_serves_calls() {
    assert_serves(arbiter().stdout(broken_pipe()).stderr(Stdio::null())).await;
}

#[tokio::test]
async fn a_server_whose_log_nobody_reads_serves_calls() {
    assert_serves(arbiter().stdout(Stdio::null()).stderr(broken_pipe())).await;
}

#[tokio::test]
async fn a_server_without_standard_output_and_standard_error_serves_calls() {
    assert_serves(&mut arbiter_in_shell("exec \"$@\" >&- 2>&-")).await;
}

#[tokio::test]
async fn the_health_command_exits_as_usual_if_nobody_reads_its_output() {
    let mut server = Process::start_on_fixed_port(&["--log", "off", "--drain-delay", "60s"]);
    let health = || exit_code(arbiter().args(["health", "--admin-listen", &server.admin_address]));
    assert_eq!(health(), Some(0));
    server.terminate();
    eventually("the server is not ready", async || health() == Some(1)).await;
    server.terminate();
    assert!(server.wait(TIMEOUT).await.is_some(), "the server exits");
    assert_eq!(exit_code(arbiter().args(["health", "--admin-listen", &server.admin_address])), Some(1));
}

#[test]
fn errors_and_help_that_nobody_reads_have_the_usual_exit_code() {
    let occupied = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = occupied.local_addr().expect("the listener has an address").to_string();
    for (flags, expected) in [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["--no-such-flag"], 64),
        (&["--log", "loud"], 64),
        (&["--token-file", "/missing"], 64),
        (&["--listen", &address], 1),
    ] {
        assert_eq!(exit_code(arbiter().args(flags)), Some(expected), "{flags:?}");
    }
}
