//! What the operating system knows of this process, by the names that every dashboard knows. Read when it is asked for.

use std::{fmt, fs, time::SystemTime};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
};

/// Parts of a second in which Linux tells processes their CPU time, whatever it counts in itself.
const TICKS_PER_SECOND: f64 = 100.0;

/// This process. What the operating system does not tell is left out.
#[derive(Debug)]
pub(super) struct Process {
    started: SystemTime,
}

impl Process {
    pub(super) fn new() -> Self {
        Self { started: SystemTime::now() }
    }
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut tell = |name, help, metric: &dyn EncodeMetric| {
            metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
        };
        if let Some(seconds) = cpu_seconds() {
            tell("process_cpu_seconds", "CPU time spent.", &ConstCounter::new(seconds))?;
        }
        if let Some(bytes) = resident_bytes() {
            tell("process_resident_memory_bytes", "Memory held.", &ConstGauge::new(bytes))?;
        }
        if let Ok(open) = fs::read_dir("/proc/self/fd") {
            let open = i64::try_from(open.count()).unwrap_or(i64::MAX);
            tell("process_open_fds", "Files and sockets open.", &ConstGauge::new(open))?;
        }
        if let Some(most) = max_fds() {
            tell("process_max_fds", "Files and sockets that may be open.", &ConstGauge::new(most))?;
        }
        let started = self.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        tell(
            "process_start_time_seconds",
            "When it started, since 1970.",
            &ConstGauge::new(started.as_secs_f64()),
        )
    }
}

/// From `/proc/self/stat`: the fields behind the name of the program, which may hold anything but the last bracket.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map_while(|ticks| ticks.parse::<f64>().ok());
    Some((times.next()? + times.next()?) / TICKS_PER_SECOND)
}

/// From `/proc/self/status`: in kibibytes, behind its name.
fn resident_bytes() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = size.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kibibytes * 1024)
}

/// From `/proc/self/limits`: the soft limit comes first. None: there is no limit.
fn max_fds() -> Option<i64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    limit.split_whitespace().next()?.parse().ok()
}
