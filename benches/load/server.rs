//! The normal server binary in a separate process, with default flags and one thread.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use super::cpu;

/// The core of the server. The load generator uses the others.
const CORE: &str = "0";

/// A running server. Killed on drop.
pub struct Server {
    process: Child,
    pub address: String,
    log: PathBuf,
}

impl Server {
    pub fn start(name: &str) -> Self {
        Self::start_with(name, &[])
    }

    /// Starts a server with these flags.
    pub fn start_with(name: &str, flags: &[&str]) -> Self {
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("load-{name}.log"));
        let mut process = Command::new("taskset")
            .args(["-c", CORE, env!("CARGO_BIN_EXE_arbiter")])
            .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--threads", "1"])
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(File::create(&log).expect("the log file can be created"))
            .spawn()
            .expect("the server starts");
        let banner = BufReader::new(process.stdout.take().expect("standard output is piped"));
        let address = banner
            .lines()
            .find_map(|line| Some(line.ok()?.strip_prefix("  gRPC   ")?.to_owned()))
            .expect("the banner has an address");
        Self { process, address, log }
    }

    /// CPU time of all threads, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        cpu::cpu_seconds(self.process.id())
    }

    /// Resident memory, in megabytes.
    pub fn resident_megabytes(&self) -> f64 {
        self.status_megabytes("VmRSS:")
    }

    /// Peak resident memory, in megabytes.
    pub fn peak_megabytes(&self) -> f64 {
        self.status_megabytes("VmHWM:")
    }

    /// Size of the log, in megabytes.
    pub fn log_megabytes(&self) -> f64 {
        fs::metadata(&self.log).expect("the log file exists").len() as f64 / 1e6
    }

    fn status_megabytes(&self, field: &str) -> f64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("the server runs");
        let value =
            status.lines().find_map(|line| line.strip_prefix(field)).expect("the status has the field");
        value.trim().trim_end_matches(" kB").parse::<f64>().expect("the value is a number") / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
