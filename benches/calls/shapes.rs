//! The server in a process of its own, in the shape that it has and in those that it could have had.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::{Child, Command, Stdio},
    thread,
};

use arbiter::{
    config::Config,
    server::Server,
    service::{Limits, Referee},
    wire::proto::rules_service_server::RulesServiceServer,
};
use clap::Parser;
use tokio::runtime;
use tokio_stream::wrappers::TcpListenerStream;

use super::{cpu::cpu_seconds, nobody::Nobody, noop::Noop};

/// A way to run the server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// As it is: one acceptor, and a single-threaded runtime a core.
    Arbiter,
    /// tonic's own server on a single-threaded runtime a core, each with a socket of its own on the same port.
    ReusePort,
    /// tonic's own server on one multi-threaded runtime.
    MultiThread,
}

impl Shape {
    pub const ALL: [Self; 3] = [Self::Arbiter, Self::ReusePort, Self::MultiThread];

    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|shape| shape.name() == name).expect("a shape of this name")
    }

    fn name(self) -> &'static str {
        match self {
            Self::Arbiter => "arbiter",
            Self::ReusePort => "reuseport",
            Self::MultiThread => "multithread",
        }
    }

    pub fn describe(self) -> &'static str {
        match self {
            Self::Arbiter => "arbiter: acceptor, one runtime a core",
            Self::ReusePort => "tonic's server, SO_REUSEPORT, one runtime a core",
            Self::MultiThread => "tonic's server, one multi-threaded runtime",
        }
    }

    /// Runs the server until the process is ended.
    pub fn serve(self) {
        match self {
            Self::Arbiter => {
                let addresses = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
                // What is dear may wait: none of it is to be refused here.
                let config = [&["arbiter", "--max-wait", "1h"], &addresses[..]].concat();
                let server = Server::bind(Config::parse_from(config)).expect("the server can listen");
                announce(server.address().expect("an address"));
                server.with_service(Noop).run(std::future::pending()).expect("the server runs");
            }
            Self::ReusePort => {
                let first = reusable("127.0.0.1:0");
                let address = first.local_addr().expect("an address");
                let others = (1..cores()).map(|_| reusable(&address.to_string()));
                let workers: Vec<_> = std::iter::once(first)
                    .chain(others)
                    .map(|listener| {
                        thread::spawn(move || run_tonic(runtime::Builder::new_current_thread(), listener))
                    })
                    .collect();
                announce(address);
                for worker in workers {
                    worker.join().expect("a worker runs");
                }
            }
            Self::MultiThread => {
                let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
                announce(listener.local_addr().expect("an address"));
                run_tonic(runtime::Builder::new_multi_thread(), listener);
            }
        }
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn announce(address: std::net::SocketAddr) {
    println!("{address}");
    std::io::stdout().flush().expect("standard output");
}

fn reusable(address: &str) -> TcpListener {
    use socket2::{Domain, Socket, Type};
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_reuse_port(true).expect("the port can be shared");
    let address: std::net::SocketAddr = address.parse().expect("an address");
    socket.bind(&address.into()).expect("the address is free");
    socket.listen(1024).expect("the socket can listen");
    socket.into()
}

fn run_tonic(mut builder: runtime::Builder, listener: TcpListener) {
    let runtime = builder.enable_all().build().expect("a runtime");
    runtime.block_on(async {
        listener.set_nonblocking(true).expect("a socket option");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
        let limits =
            Limits { replay_moves: 1000, batch_items: 1000, item_bytes: 65536, batch_answer_bytes: 4 << 20 };
        let referee = Referee::new(limits, Nobody, tokio_util::sync::CancellationToken::new());
        tonic::transport::Server::builder()
            .tcp_nodelay(true)
            .add_service(RulesServiceServer::new(referee))
            .serve_with_incoming(TcpListenerStream::new(listener))
            .await
            .expect("the server runs");
    });
}

/// A server in a process of its own, ended when it is dropped.
pub struct ServerProcess {
    process: Child,
    pub address: String,
}

impl ServerProcess {
    pub fn start(shape: Shape) -> Self {
        let mut process = Command::new(env::current_exe().expect("this program"))
            .arg(format!("serve-{}", shape.name()))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut address = String::new();
        let output = process.stdout.take().expect("standard output is piped");
        BufReader::new(output).read_line(&mut address).expect("the server tells its address");
        Self { process, address: address.trim().to_owned() }
    }

    /// How much CPU time the server takes while something is done, in microseconds.
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
