//! CPU time, as the kernel counts it.

use std::{fs, path::Path};

/// CPU time that all threads of a process have taken, in seconds. It must run.
pub fn cpu_seconds(process: u32) -> f64 {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("the process runs");
    let nanos: u64 = threads.map(|thread| cpu_nanos(&thread.expect("a thread").path())).sum();
    nanos as f64 / 1e9
}

fn cpu_nanos(thread: &Path) -> u64 {
    let stat = fs::read_to_string(thread.join("schedstat")).expect("the kernel counts");
    stat.split(' ').next().and_then(|nanos| nanos.parse().ok()).expect("a number")
}
