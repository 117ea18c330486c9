//! The server binary on free ports, and clients for it.

pub mod certificates;
pub mod grpc_client;
pub mod http2_frames;
pub mod http_client;
pub mod metrics;
pub mod process;
pub mod requests;
pub mod temp_dir;
pub mod wait;

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
};

use arbiter::wire::proto::rules_service_client::RulesServiceClient;
use tonic::transport::{Channel, Endpoint};

/// A running server. Killed on drop.
pub struct TestServer {
    process: Child,
    pub address: String,
    pub admin_address: String,
}

impl TestServer {
    /// Starts a server with these flags and reads its addresses from the banner.
    pub fn start_with(flags: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_arbiter"))
            .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(process.stdout.take().expect("standard output is piped")).lines();
        let mut address_of = |label: &str| {
            lines
                .by_ref()
                .map_while(Result::ok)
                .find_map(|line| Some(line.trim().strip_prefix(label)?.split_whitespace().next()?.to_owned()))
                .unwrap_or_else(|| panic!("no {label} address in the banner"))
        };
        let address = address_of("gRPC");
        let admin_address = address_of("admin").trim_start_matches("http://").to_owned();
        Self { process, address, admin_address }
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    pub async fn channel(&self) -> Channel {
        Endpoint::from_shared(format!("http://{}", self.address))
            .expect("the address is valid")
            .connect()
            .await
            .expect("the server is reachable")
    }

    pub async fn client(&self) -> RulesServiceClient<Channel> {
        RulesServiceClient::new(self.channel().await)
    }

    /// The status and the body of a response of the admin port.
    pub fn admin_get(&self, path: &str) -> (u16, String) {
        use std::io::Write;
        let mut stream =
            std::net::TcpStream::connect(&self.admin_address).expect("the admin port is reachable");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .expect("the request is sent");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("the response is text");
        let status =
            response.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("the response has a status");
        let body = response.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
        (status, body)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
