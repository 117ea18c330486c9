//! A server in a separate process.

use std::{
    fs::File,
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{cpu, project, tool};

/// Maximum startup time.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// A running server. Killed on drop.
pub struct Server {
    process: Child,
    pub address: SocketAddr,
}

impl Server {
    /// Starts a program that listens on the given address. `None` if it is not available.
    pub fn start(
        name: &str,
        program: &Path,
        arguments: impl FnOnce(SocketAddr) -> Vec<String>,
    ) -> Option<Self> {
        let address = free_address();
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("peers-{name}.log"));
        let process = Command::new(program)
            .args(arguments(address))
            .current_dir(project(""))
            .env("NODE_PATH", tool("peers-node/node_modules"))
            .env("NODE_ENV", "production")
            .stdout(Stdio::null())
            .stderr(File::create(log).expect("the log file can be created"))
            .spawn()
            .ok()?;
        let mut server = Self { process, address };
        let start = Instant::now();
        while start.elapsed() < START_TIMEOUT && matches!(server.process.try_wait(), Ok(None)) {
            if TcpStream::connect(address).is_ok() {
                return Some(server);
            }
            thread::sleep(Duration::from_millis(20));
        }
        None
    }

    /// CPU time of all threads, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        cpu::cpu_seconds(self.process.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A free address.
pub fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("the listener has an address")
}
