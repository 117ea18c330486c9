//! The server in a process of its own: the program as it is, with its defaults, on one thread.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use super::cpu;

/// The core of the server. The loader has the others.
const CORE: &str = "0";

/// A running server, ended when it is dropped.
pub struct Server {
    process: Child,
    pub address: String,
    log: PathBuf,
}

impl Server {
    pub fn start(name: &str) -> Self {
        Self::start_with(name, &[])
    }

    /// Starts it with further flags.
    pub fn start_with(name: &str, flags: &[&str]) -> Self {
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("load-{name}.log"));
        let mut process = Command::new("taskset")
            .args(["-c", CORE, env!("CARGO_BIN_EXE_arbiter")])
            .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--threads", "1"])
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(File::create(&log).expect("a file for the log"))
            .spawn()
            .expect("the server starts");
        let banner = BufReader::new(process.stdout.take().expect("standard output is piped"));
        let address = banner
            .lines()
            .find_map(|line| Some(line.ok()?.strip_prefix("  gRPC   ")?.to_owned()))
            .expect("the server tells its address");
        Self { process, address, log }
    }

    /// CPU time that all its threads have taken, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        cpu::cpu_seconds(self.process.id())
    }

    /// Memory that it holds, in megabytes.
    pub fn resident_megabytes(&self) -> f64 {
        self.status_megabytes("VmRSS:")
    }

    /// The most that it ever held.
    pub fn peak_megabytes(&self) -> f64 {
        self.status_megabytes("VmHWM:")
    }

    /// How much it has logged.
    pub fn log_megabytes(&self) -> f64 {
        fs::metadata(&self.log).expect("the log is there").len() as f64 / 1e6
    }

    fn status_megabytes(&self, field: &str) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("it runs");
        let value = status.lines().find_map(|line| line.strip_prefix(field)).expect("it is told");
        value.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
