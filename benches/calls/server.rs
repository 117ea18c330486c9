//! The server in its own process.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
};

use arbiter::{config::Config, server::Server};
use clap::Parser;

use super::{cpu::cpu_seconds, noop::Noop};

/// The argument that makes this program serve.
pub const SERVE: &str = "serve";

/// Runs the server until the process is killed.
pub fn serve() {
    let addresses = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    // Expensive calls may wait: none of them is to be shed here.
    let config = [&["arbiter", "--max-wait", "1h"], &addresses[..]].concat();
    let server = Server::bind(Config::parse_from(config)).expect("the server can listen");
    println!("{}", server.address().expect("the server has an address"));
    std::io::stdout().flush().expect("standard output can be written");
    server.with_service(Noop).run(std::future::pending()).expect("the server runs");
}

/// A server in its own process, killed when it is dropped.
pub struct ServerProcess {
    process: Child,
    pub address: String,
}

impl ServerProcess {
    pub fn start() -> Self {
        let mut process = Command::new(env::current_exe().expect("this program has a path"))
            .arg(SERVE)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut address = String::new();
        let output = process.stdout.take().expect("standard output is piped");
        BufReader::new(output).read_line(&mut address).expect("the server prints its address");
        Self { process, address: address.trim().to_owned() }
    }

    /// The CPU time of the server during some work, in microseconds.
    pub fn cpu_micros(&self, work: impl FnOnce()) -> f64 {
        let before = cpu_seconds(self.process.id());
        work();
        (cpu_seconds(self.process.id()) - before) * 1e6
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
