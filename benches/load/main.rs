//! The server with three times as many calls as it can answer: `cargo bench --bench load`, or `make load-test`.
//!
//! The server is the program as it is, in a process of its own with one thread on the first core; the loader has the
//! other cores. Calls are made when they are due, whether or not earlier ones were answered, and a call's latency counts
//! from then. What is asked costs the server several times what it costs the loader, or the loader would be what is
//! measured.
//!
//! Each scenario: as many calls a second as the server can answer, each caller asking again as soon as it is answered; then a
//! third of that, three times that, and a third of it again, without a pause. A third, since calls that come one by one cost
//! up to half more than those that come together: half of the capacity would be most of the core. A few small calls go on
//! beside it all on a connection of their own. Whatever is promised and does not hold is told, and the end is not 0. If
//! somebody else had the cores meanwhile, nothing was measured, and it is tried again.
//!
//! With the name of a scenario as its argument it runs only that one.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "figures for people"
)]

mod capacity;
mod client;
#[path = "../support/cpu.rs"]
mod cpu;
mod figures;
#[path = "../support/frames.rs"]
mod frames;
mod open_loop;
mod promises;
mod requests;
mod server;

use std::{
    env,
    process::{Command, ExitCode, Stdio},
    thread,
    time::Duration,
};

use tokio::{runtime, time::sleep};

use self::{
    capacity::{Capacity, own_cpu_seconds},
    client::{Call, Client},
    figures::{millis, print_outcomes, share_behind},
    open_loop::{Phase, Sample, run},
    server::Server,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How much of the capacity is asked for, and for how long: before, during and after the overload.
const PHASES: [(&str, f64, Duration); 3] = [
    ("a third of capacity", 1.0 / 3.0, Duration::from_secs(3)),
    ("three times capacity", 3.0, Duration::from_secs(8)),
    ("a third of capacity again", 1.0 / 3.0, Duration::from_secs(3)),
];

/// How often a scenario is tried on a machine that does something else meanwhile.
const ATTEMPTS: usize = 3;

/// Small calls a second beside the others.
const BESIDE: f64 = 200.0;

/// A way to ask for too much.
struct Scenario {
    name: &'static str,
    what: &'static str,
    call: Call,
    connections: usize,
    /// Calls under way while the capacity is measured: enough to keep the server busy, fewer than it refuses.
    under_way: usize,
    /// How long callers wait for an answer.
    patience: Option<Duration>,
}

/// What was seen of it.
struct Seen {
    capacity: Capacity,
    phases: Vec<Vec<Sample>>,
    beside: Vec<Vec<Sample>>,
    /// Memory of the server, in megabytes: before its first connection, and at most.
    idle: f64,
    peak: f64,
    /// The least share of its core that the server had while it had more to do than it could.
    server_had: f64,
    /// The least share of its core that the loader had in a phase. It never sleeps: if that is less than all, somebody else
    /// had the rest.
    loader_had: f64,
}

fn main() -> ExitCode {
    let asked = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let mut scenarios = Vec::from(scenarios());
    if let Some(asked) = asked {
        scenarios.retain(|scenario| scenario.name == asked);
        assert!(!scenarios.is_empty(), "there is no scenario {asked}");
    }
    leave_the_first_core();
    let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut kept = true;
    for scenario in scenarios {
        let mut attempts = (0..ATTEMPTS).map(|_| runtime.block_on(scenario.run()));
        kept &=
            attempts.find(promises::is_server_measured).is_some_and(|seen| promises::check(&scenario, &seen));
    }
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn scenarios() -> [Scenario; 3] {
    [
        Scenario {
            name: "batches",
            what: "EvaluateBatch of 200 moves, from 16 connections",
            call: requests::batch(),
            connections: 16,
            under_way: 24,
            patience: None,
        },
        Scenario {
            name: "replays",
            what: "ReplayGame of 1000 moves, from 100 connections",
            call: requests::replay(),
            connections: 100,
            under_way: 100,
            patience: None,
        },
        Scenario {
            name: "deadlines",
            what: "ReplayGame of 1000 moves, from 100 connections, given up after 100 ms",
            call: requests::replay(),
            connections: 100,
            under_way: 100,
            patience: Some(Duration::from_millis(100)),
        },
    ]
}

/// The server is alone on its core, as far as the loader is concerned.
fn leave_the_first_core() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    assert!(cores > 1, "the server and the loader need a core each");
    let own = std::process::id().to_string();
    let set = Command::new("taskset")
        .args(["-cp", &format!("1-{}", cores - 1), &own])
        .stdout(Stdio::null())
        .status();
    assert!(set.is_ok_and(|status| status.success()), "taskset sets the cores of this process");
}

impl Scenario {
    async fn run(&self) -> Seen {
        let server = Server::start(self.name);
        let idle = server.resident_megabytes();
        let client = Client::connect(&server.address, self.connections).await;
        let neighbour = Client::connect(&server.address, 1).await;
        let capacity = Capacity::measure(&server, &client, &self.call, self.under_way).await;
        println!("\n{}: {}", self.name, self.what);
        println!("  capacity {capacity}");

        let small = requests::apply_move();
        let phases =
            PHASES.map(|(_, share, lasts)| Phase { calls_a_second: capacity.calls_a_second * share, lasts });
        let beside = phases.map(|phase| Phase { calls_a_second: BESIDE, ..phase });
        let (phases_seen, beside, cpu) = tokio::join!(
            run(&client, &self.call, self.patience, &phases),
            run(&neighbour, &small, self.patience, &beside),
            cpu_by_phase(&server),
        );
        println!("  {:<57} {:>8} {:>9} {:>9} {:>9}", "", "calls/s", "p50 ms", "p99 ms", "most ms");
        for (index, (name, _, lasts)) in PHASES.into_iter().enumerate() {
            let (of_server, of_loader) = cpu[index];
            let samples = &phases_seen[index];
            println!(
                "  {name}: {:.0} calls/s offered, CPU of the server {:.0} %, of the loader {:.0} %",
                phases[index].calls_a_second,
                of_server / lasts.as_secs_f64() * 100.0,
                of_loader / lasts.as_secs_f64() * 100.0,
            );
            print_outcomes("", samples, lasts);
            print_outcomes("ApplyMove beside", &beside[index], lasts);
            let waited = samples.iter().filter(|sample| sample.answer.waited).count();
            println!(
                "    begun late, p99: {} ms; had to wait in the client: {waited}",
                millis(share_behind(samples, 0.99))
            );
        }
        let peak = server.peak_megabytes();
        println!(
            "  memory of the server: {idle:.1} MB idle, {peak:.1} at most, {:.1} at the end; log {:.1} MB",
            server.resident_megabytes(),
            server.log_megabytes(),
        );
        let (busy, lasts) = (cpu[1].0, PHASES[1].2);
        let server_had = capacity.of_server.min(busy / lasts.as_secs_f64());
        let shares =
            cpu.iter().zip(PHASES).map(|((_, of_loader), (_, _, lasts))| of_loader / lasts.as_secs_f64());
        let loader_had = shares.fold(1.0, f64::min);
        Seen { capacity, phases: phases_seen, beside, idle, peak, server_had, loader_had }
    }
}

/// CPU time of the server and of the loader in each phase, in seconds.
async fn cpu_by_phase(server: &Server) -> Vec<(f64, f64)> {
    let mut spent = Vec::new();
    for (_, _, lasts) in PHASES {
        let (of_server, of_loader) = (server.cpu_seconds(), own_cpu_seconds());
        sleep(lasts).await;
        spent.push((server.cpu_seconds() - of_server, own_cpu_seconds() - of_loader));
    }
    spent
}
