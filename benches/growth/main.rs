//! What grows with what, and how fast: `cargo bench --bench growth`.
//!
//! Cost against the size of the board, of a batch, the number of streams and of connections. Each curve has its fitted
//! exponent: a cost that grows like size^x is a straight line of slope x when both are taken as logarithms, and R² tells how
//! straight it is. What takes a fixed part and a part for each, as a batch does, is no straight line; the exponent is then
//! the mean over the range. Memory, which has a fixed part for certain, has a line fitted to it as it is, and the exponent
//! is that of what is above the fixed part.
//!
//! The server is the program as it is, in a process of its own with one thread on the first core, and with room for more
//! connections than it takes by default; the loader has the other cores. CPU time and resident memory of the server are
//! read from the kernel, so that the loader does not count; nor does what the kernel keeps for a socket. All points of a
//! curve are taken in turns, round by round, so that a noisy machine disturbs them alike.
//!
//! With `boards`, `calls`, `streams` or `connections` as its argument it measures only these.

#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "figures for people")]

mod boards;
mod calls;
#[allow(dead_code, reason = "the load test asks for more")]
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
#[allow(dead_code, reason = "the load test asks for more")]
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

/// Files that this process has open at most: 11,110 idle connections, and a few that are not.
const FILES: usize = 12_000;

/// Set once this process is as it must be.
const PREPARED: &str = "ARBITER_GROWTH_PREPARED";

fn main() {
    if env::var_os(PREPARED).is_none_or(|process| process != *id().to_string()) {
        prepare();
    }
    let asked = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let wanted = |name: &str| asked.as_ref().is_none_or(|asked| asked == name);
    let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        if wanted("boards") {
            boards::measure();
        }
        if wanted("calls") {
            calls::measure().await;
        }
        if wanted("streams") {
            streams::measure().await;
        }
        if wanted("connections") {
            connections::measure().await;
        }
    });
}

/// Begins anew off the first core, which is the server's, and with enough open files: a socket is one. Both are inherited,
/// and neither can be asked for here without unsafe code.
fn prepare() -> ! {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    assert!(cores > 1, "the server and the loader need a core each");
    let script =
        format!("export {PREPARED}=$$; ulimit -n {FILES} && exec taskset -c 1-{} \"$0\" \"$@\"", cores - 1);
    let this = env::current_exe().expect("this program");
    let error = Command::new("sh").args(["-c", &script]).arg(this).args(env::args_os().skip(1)).exec();
    panic!("sh can be run: {error}");
}
