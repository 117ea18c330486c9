//! The standard metrics of a process, read from `/proc` when they are scraped.

use std::{fmt, fs, time::SystemTime};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
};

/// `USER_HZ`: Linux reports CPU times to processes in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// This process. A metric that the operating system does not provide is left out.
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
        let mut add = |name, help, metric: &dyn EncodeMetric| {
            metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
        };
        if let Some(seconds) = cpu_seconds() {
            add("process_cpu_seconds", "CPU time used.", &ConstCounter::new(seconds))?;
        }
        if let Some(bytes) = resident_bytes() {
            add("process_resident_memory_bytes", "Resident memory.", &ConstGauge::new(bytes))?;
        }
        if let Ok(open) = fs::read_dir("/proc/self/fd") {
            let open = i64::try_from(open.count()).unwrap_or(i64::MAX);
            add("process_open_fds", "Open file descriptors.", &ConstGauge::new(open))?;
        }
        if let Some(max) = max_open_files() {
            add("process_max_fds", "Maximum number of open file descriptors.", &ConstGauge::new(max))?;
        }
        let started = self.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        add(
            "process_start_time_seconds",
            "Start time in seconds since the Unix epoch.",
            &ConstGauge::new(started.as_secs_f64()),
        )
    }
}

/// From `/proc/self/stat`: the fields after the program name, which ends with the last bracket.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map_while(|ticks| ticks.parse::<f64>().ok());
    Some((times.next()? + times.next()?) / TICKS_PER_SECOND)
}

/// From `/proc/self/status`, in kibibytes.
fn resident_bytes() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = size.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kibibytes * 1024)
}

/// From `/proc/self/limits`: the soft limit is first. None: no limit.
fn max_open_files() -> Option<i64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    limit.split_whitespace().next()?.parse().ok()
}
