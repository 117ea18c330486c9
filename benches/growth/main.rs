//! Scaling: `cargo bench --bench growth`.
//!
//! Measures cost as a function of the board size, the batch size, and the number of streams and connections. Each curve
//! has a fitted exponent: in log–log scale a cost that grows like size^x is a line with slope x. R² is the quality of the
//! fit. A cost with a fixed part, such as that of a batch, is not a line; the exponent is then the mean over the range. For
//! memory, which always has a fixed part, a line is fitted in linear scale, and the exponent is that of the memory above the
//! fixed part.
//!
//! The server is the normal binary, in a separate process with one thread on the first core, and with a higher connection
//! limit than the default. The load generator uses the other cores. CPU time and resident memory of the server come from
//! the kernel, so the load generator does not count. Socket buffers in the kernel do not count either. All points of a curve
//! are measured in each round, so that noise affects them equally.
//!
//! The argument `boards`, `calls`, `streams` or `connections` selects one group of measurements.

#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "the figures are rounded anyway")]

mod boards;
mod calls;
#[allow(dead_code, reason = "the load test uses more of it")]
#[path = "../load/client.rs"]
mod client;
mod connection;
mod connections;
#[path = "../support/cpu.rs"]
mod cpu;
mod curve;
mod fit;
#[path = "../support/frames.rs"]
mod frames;
#[path = "../support/random.rs"]
mod random;
mod requests;
#[allow(dead_code, reason = "the load test uses more of it")]
#[path = "../load/server.rs"]
mod server;
#[path = "../support/spread.rs"]
mod spread;
mod streams;
#[path = "../support/table.rs"]
mod table;

use std::{
    env,
    os::unix::process::CommandExt,
    process::{Command, id},
    thread,
};

use tokio::runtime;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Maximum number of open files: 11,110 idle connections and a few others.
const MAX_OPEN_FILES: usize = 12_000;

/// Environment variable that is set to the id of this process after `prepare`.
const PREPARED: &str = "ARBITER_GROWTH_PREPARED";

fn main() {
    if env::var_os(PREPARED).is_none_or(|process| process != *id().to_string()) {
        prepare();
    }
    let argument = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let is_selected = |name: &str| argument.as_ref().is_none_or(|argument| argument == name);
    let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("the runtime starts");
    runtime.block_on(async {
        if is_selected("boards") {
            boards::measure();
        }
        if is_selected("calls") {
            calls::measure().await;
        }
        if is_selected("streams") {
            streams::measure().await;
        }
        if is_selected("connections") {
            connections::measure().await;
        }
    });
}

/// Re-executes this program without the first core, which is that of the server, and with a higher limit of open files.
/// Setting either directly would need unsafe code.
fn prepare() -> ! {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    assert!(cores > 1, "the server and the load generator need one core each");
    let script = format!(
        "export {PREPARED}=$$; ulimit -n {MAX_OPEN_FILES} && exec taskset -c 1-{} \"$0\" \"$@\"",
        cores - 1
    );
    let this = env::current_exe().expect("the path of this program");
    let error = Command::new("sh").args(["-c", &script]).arg(this).args(env::args_os().skip(1)).exec();
    panic!("cannot run sh: {error}");
}
