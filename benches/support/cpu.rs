//! CPU time from the kernel.

use std::{fs, path::Path};

/// CPU time of all threads of a running process, in seconds.
pub fn cpu_seconds(process: u32) -> f64 {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("the process runs");
    let nanos: u64 = threads.map(|thread| cpu_nanos(&thread.expect("the thread can be listed").path())).sum();
    nanos as f64 / 1e9
}

fn cpu_nanos(thread: &Path) -> u64 {
    let stat = fs::read_to_string(thread.join("schedstat")).expect("the kernel reports scheduler statistics");
    stat.split(' ').next().and_then(|nanos| nanos.parse().ok()).expect("the CPU time is a number")
}
