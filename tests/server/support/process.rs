//! The server binary as a child process, with its banner, its metrics and its log.

use std::{
    io::{self, BufRead, BufReader},
    net::TcpListener,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::wait::eventually;

/// A command for the binary, without the environment variables that would configure it.
pub fn arbiter() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arbiter"));
    let configures = |name: &str| name.starts_with("ARBITER_") || name.starts_with("OTEL_");
    for (name, _) in std::env::vars().filter(|(name, _)| configures(name)) {
        command.env_remove(name);
    }
    command
}

/// A command for a shell script that runs the binary with its flags as `"$@"`.
pub fn arbiter_in_shell(script: &str) -> Command {
    let binary = arbiter();
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(binary.get_program());
    for (name, _) in binary.get_envs() {
        command.env_remove(name);
    }
    command
}

/// A free address with a port below the ephemeral range. Within that range a client could connect to itself.
pub fn free_address() -> String {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    std::iter::repeat_with(|| {
        20_000 + (std::process::id() * 37 + TRIED.fetch_add(1, Ordering::Relaxed)) % 12_000
    })
    .take(1000)
    .map(|port| format!("127.0.0.1:{port}"))
    .find(|address| TcpListener::bind(address).is_ok())
    .expect("a port is free")
}

/// A command for the binary with a fixed port, which no other process reuses after the server has exited.
pub fn arbiter_on_fixed_port() -> Command {
    let mut command = arbiter();
    command.args(["--listen", &free_address(), "--admin-listen", "127.0.0.1:0"]);
    command
}

/// A running server and its banner. Killed on drop.
pub struct Process {
    child: Child,
    pub banner: String,
    pub address: String,
    pub admin_address: String,
}

impl Process {
    /// Runs a command and reads the banner.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("standard output is piped")).lines();
        let mut banner = String::new();
        while let Some(Ok(line)) = lines.next() {
            banner += &line;
            banner.push('\n');
            if line.contains("grpcurl") {
                break;
            }
        }
        let address_of = |label: &str| {
            let line = banner.lines().find_map(|line| line.trim().strip_prefix(label));
            let address = line.and_then(|line| line.split_whitespace().next());
            address.unwrap_or_else(|| panic!("no {label} address in {banner:?}")).to_owned()
        };
        let (address, admin) = (address_of("gRPC"), address_of("admin"));
        let admin_address = admin.trim_start_matches("http://").to_owned();
        Self { child, banner, address, admin_address }
    }

    /// Starts a server with [`arbiter_on_fixed_port`].
    pub fn start_on_fixed_port(flags: &[&str]) -> Self {
        Self::start(arbiter_on_fixed_port().args(flags))
    }

    pub fn terminate(&self) {
        self.send_signal("TERM");
    }

    pub fn send_signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &pid]).status().expect("kill runs");
        assert!(status.success(), "the signal is delivered");
    }

    /// Waits until the process has exited.
    pub async fn wait(&mut self, within: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + within;
        loop {
            match self.child.try_wait().expect("the exit status is available") {
                None if Instant::now() < end => tokio::time::sleep(Duration::from_millis(10)).await,
                status => return status,
            }
        }
    }

    /// The metrics exposition.
    pub async fn metrics(&self) -> String {
        let mut stream = TcpStream::connect(&self.admin_address).await.expect("the admin port is reachable");
        let request = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.expect("the request is sent");
        let mut response = String::new();
        stream.read_to_string(&mut response).await.expect("the response is text");
        response
    }

    /// The value of a metric without labels.
    pub async fn metric(&self, name: &str) -> u64 {
        let response = self.metrics().await;
        let value = response.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        value.unwrap_or_else(|| panic!("no {name} in {response}"))
    }

    /// Waits until this many calls are in flight.
    pub async fn wait_for_in_flight(&self, calls: u64) {
        eventually("the calls are in flight", async || {
            self.metric("arbiter_calls_in_flight").await + self.metric("arbiter_streams_open").await == calls
        })
        .await;
    }

    /// Standard error, which must be piped.
    pub fn take_stderr(&mut self) -> ChildStderr {
        self.child.stderr.take().expect("standard error is piped")
    }

    /// Captures the log from standard error, which must be piped.
    pub fn capture_log(&mut self) -> Log {
        let errors = self.take_stderr();
        let (lines, is_closed) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let log = Log { lines: lines.clone(), is_closed: is_closed.clone() };
        // Read continuously: a full pipe would block the server.
        std::thread::spawn(move || {
            for line in BufReader::new(errors).lines() {
                lines.lock().expect("the lock is not poisoned").push(line.expect("valid UTF-8"));
            }
            is_closed.store(true, Ordering::Release);
        });
        log
    }

    /// Captures standard error, which must be piped. The returned function waits for its end.
    pub fn capture_stderr(&mut self) -> impl FnOnce() -> String + use<> {
        let mut errors = self.take_stderr();
        // Read continuously: a full pipe would block the server.
        let reader = std::thread::spawn(move || io::read_to_string(&mut errors).expect("valid UTF-8"));
        || reader.join().expect("the reader does not panic")
    }
}

/// The JSON log written so far.
pub struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    is_closed: Arc<AtomicBool>,
}

impl Log {
    pub fn lines(&self) -> Vec<serde_json::Value> {
        let lines = self.lines.lock().expect("the lock is not poisoned");
        let parse = |line: &String| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        lines.iter().map(parse).collect()
    }

    /// The lines with this level.
    pub fn at_level(&self, level: &str) -> Vec<serde_json::Value> {
        self.lines().into_iter().filter(|line| line["level"] == level).collect()
    }

    /// The lines about calls.
    pub fn calls(&self) -> Vec<serde_json::Value> {
        self.lines().into_iter().filter(|line| line["method"].is_string()).collect()
    }

    /// Waits until the server has closed it.
    pub async fn wait_until_closed(&self) {
        eventually("the log is closed", async || self.is_closed.load(Ordering::Acquire)).await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
