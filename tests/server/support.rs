//! A real server for the tests: the binary itself, as a process of its own, on free ports.

pub mod certificates;
pub mod folder;
pub mod raw;
pub mod web;

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
};

use arbiter::wire::proto::rules_service_client::RulesServiceClient;
use tonic::transport::{Channel, Endpoint};

/// A running server. It is killed when it is dropped.
pub struct TestServer {
    process: Child,
    pub address: String,
    pub admin_address: String,
}

impl TestServer {
    /// Starts a server with further flags and waits until it has told its addresses.
    pub fn start_with(flags: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_arbiter"))
            .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(process.stdout.take().expect("standard output is piped")).lines();
        let mut told = |label: &str| {
            lines
                .by_ref()
                .map_while(Result::ok)
                .find_map(|line| Some(line.trim().strip_prefix(label)?.split_whitespace().next()?.to_owned()))
                .unwrap_or_else(|| panic!("the server tells its {label} address"))
        };
        let address = told("gRPC");
        let admin_address = told("admin").trim_start_matches("http://").to_owned();
        Self { process, address, admin_address }
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    pub async fn channel(&self) -> Channel {
        Endpoint::from_shared(format!("http://{}", self.address))
            .expect("the address is one")
            .connect()
            .await
            .expect("the server can be reached")
    }

    pub async fn client(&self) -> RulesServiceClient<Channel> {
        RulesServiceClient::new(self.channel().await)
    }

    /// What the admin port answers: status line and body.
    pub fn admin_get(&self, path: &str) -> (u16, String) {
        use std::io::Write;
        let mut stream =
            std::net::TcpStream::connect(&self.admin_address).expect("the admin port can be reached");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .expect("it can be asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("it answers HTTP");
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
        (status, body)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
