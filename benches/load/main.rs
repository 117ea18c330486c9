//! Load shedding at three times the capacity of the server: `cargo bench --bench load`, or `make load-test`.
//!
//! The server is the normal binary, in a separate process with one thread on the first core. The load generator uses the
//! other cores. It is open loop: calls start when they are due, whether or not earlier ones have finished, and the latency
//! of a call counts from its due time. The calls need several times more CPU in the server than in the load generator, so
//! that the load generator is not the bottleneck.
//!
//! Each scenario first measures the capacity in a closed loop. Then it offers a third of the capacity, three times the
//! capacity and a third again, without a pause. A third, since single calls cost up to half more than concurrent ones: half
//! of the capacity would use most of the core. At the same time a few small calls run on a separate connection. Prints
//! every check, and exits with a code other than 0 if one fails. If other processes used the cores, the measurement is
//! invalid and is repeated.
//!
//! The name of a scenario as argument selects it.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the figures are rounded anyway"
)]

mod capacity;
mod checks;
mod client;
#[path = "../support/cpu.rs"]
mod cpu;
#[path = "../support/frames.rs"]
mod frames;
mod open_loop;
mod report;
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
    open_loop::{Phase, Sample, run},
    report::{millis, print_outcomes, start_delay},
    server::Server,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The offered load relative to the capacity, and its duration: before, during and after the overload.
const PHASES: [(&str, f64, Duration); 3] = [
    ("a third of capacity", 1.0 / 3.0, Duration::from_secs(3)),
    ("three times capacity", 3.0, Duration::from_secs(8)),
    ("a third of capacity again", 1.0 / 3.0, Duration::from_secs(3)),
];

/// Maximum number of attempts if the machine is busy.
const MAX_ATTEMPTS: usize = 3;

/// Rate of the small calls on the other connection, per second.
const SMALL_CALLS_PER_SECOND: f64 = 200.0;

/// How long the small calls run alone, before the capacity is measured.
const SMALL_CALLS_ALONE: Duration = Duration::from_secs(5);

/// An overload scenario.
struct Scenario {
    name: &'static str,
    description: &'static str,
    call: Call,
    connections: usize,
    /// Calls in flight while the capacity is measured: enough to saturate the server, too few to be shed.
    in_flight: usize,
    /// The timeout of the client.
    timeout: Option<Duration>,
    /// How long a call may wait in the queue of the server.
    max_wait: Duration,
    /// Maximum latency of the small calls under overload, relative to that of small calls alone.
    max_slowdown: Option<f64>,
}

/// The measurements of a scenario.
struct Measurements {
    capacity: Capacity,
    phases: Vec<Vec<Sample>>,
    small_calls: Vec<Vec<Sample>>,
    /// The small calls without any other call.
    small_calls_alone: Vec<Sample>,
    /// Resident memory of the server before the first connection, in megabytes.
    idle_memory: f64,
    /// Peak resident memory of the server, in megabytes.
    peak_memory: f64,
    /// Minimum CPU usage of the saturated server, as a share of its core.
    min_server_cpu: f64,
    /// Minimum CPU usage of the load generator in a phase, as a share of a core. It never sleeps, so other processes used
    /// the rest.
    min_load_generator_cpu: f64,
}

fn main() -> ExitCode {
    let argument = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let mut scenarios = Vec::from(scenarios());
    if let Some(name) = argument {
        scenarios.retain(|scenario| scenario.name == name);
        assert!(!scenarios.is_empty(), "unknown scenario {name}");
    }
    leave_first_core();
    let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("the runtime starts");
    let mut all_passed = true;
    for scenario in scenarios {
        let mut attempts = (0..MAX_ATTEMPTS).map(|_| runtime.block_on(scenario.run()));
        all_passed &= attempts
            .find(checks::is_valid)
            .is_some_and(|measurements| checks::check(&scenario, &measurements));
    }
    if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `--max-wait`.
const MAX_WAIT: Duration = Duration::from_millis(100);

fn scenarios() -> [Scenario; 4] {
    [
        Scenario {
            name: "batches",
            description: "EvaluateBatch of 200 moves, from 16 connections",
            call: requests::batch(),
            connections: 16,
            in_flight: 24,
            timeout: None,
            max_wait: MAX_WAIT,
            max_slowdown: None,
        },
        Scenario {
            name: "replays",
            description: "ReplayGame of 1000 moves, from 100 connections",
            call: requests::replay(),
            connections: 100,
            in_flight: 100,
            timeout: None,
            max_wait: MAX_WAIT,
            max_slowdown: None,
        },
        Scenario {
            name: "deadlines",
            description: "ReplayGame of 1000 moves, from 100 connections, with a timeout of 100 ms",
            call: requests::replay(),
            connections: 100,
            in_flight: 100,
            timeout: Some(Duration::from_millis(100)),
            max_wait: MAX_WAIT,
            max_slowdown: None,
        },
        Scenario {
            name: "suggestions",
            description: "SuggestMove in Queen and rooks with 30,000 nodes, from 16 connections",
            call: requests::suggest_move(),
            connections: 16,
            in_flight: 4,
            timeout: None,
            // All places in the queue (`--max-analyses`), at the capacity of the server.
            max_wait: Duration::from_secs(2),
            max_slowdown: Some(2.0),
        },
    ]
}

/// Restricts the load generator to the other cores.
fn leave_first_core() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    assert!(cores > 1, "the server and the load generator need one core each");
    let own = std::process::id().to_string();
    let set = Command::new("taskset")
        .args(["-cp", &format!("1-{}", cores - 1), &own])
        .stdout(Stdio::null())
        .status();
    assert!(set.is_ok_and(|status| status.success()), "taskset fails");
}

impl Scenario {
    async fn run(&self) -> Measurements {
        let server = Server::start(self.name);
        let idle_memory = server.resident_megabytes();
        let client = Client::connect(&server.address, self.connections).await;
        let small_call_client = Client::connect(&server.address, 1).await;
        let small_call = requests::apply_move();
        let alone = Phase { calls_per_second: SMALL_CALLS_PER_SECOND, duration: SMALL_CALLS_ALONE };
        let small_calls_alone = run(&small_call_client, &small_call, self.timeout, &[alone]).await.remove(0);
        let capacity = Capacity::measure(&server, &client, &self.call, self.in_flight).await;
        println!("\n{}: {}", self.name, self.description);
        println!("  capacity {capacity}");

        let phases = PHASES.map(|(_, load, duration)| Phase {
            calls_per_second: capacity.calls_per_second * load,
            duration,
        });
        let small_phases = phases.map(|phase| Phase { calls_per_second: SMALL_CALLS_PER_SECOND, ..phase });
        let (phase_samples, small_calls, cpu) = tokio::join!(
            run(&client, &self.call, self.timeout, &phases),
            run(&small_call_client, &small_call, self.timeout, &small_phases),
            cpu_by_phase(&server),
        );
        println!("  {:<57} {:>8} {:>9} {:>9} {:>9}", "", "calls/s", "p50 ms", "p99 ms", "max ms");
        println!("  nothing else");
        print_outcomes("small ApplyMove", &small_calls_alone, SMALL_CALLS_ALONE);
        for (index, (name, _, duration)) in PHASES.into_iter().enumerate() {
            let (server_cpu, load_generator_cpu) = cpu[index];
            let samples = &phase_samples[index];
            println!(
                "  {name}: {:.0} calls/s offered, CPU of the server {:.0} %, of the load generator {:.0} %",
                phases[index].calls_per_second,
                server_cpu / duration.as_secs_f64() * 100.0,
                load_generator_cpu / duration.as_secs_f64() * 100.0,
            );
            print_outcomes("", samples, duration);
            print_outcomes("small ApplyMove", &small_calls[index], duration);
            let waited = samples.iter().filter(|sample| sample.result.waited).count();
            println!(
                "    start delay, p99: {} ms; calls that waited in the client: {waited}",
                millis(start_delay(samples, 0.99))
            );
        }
        let peak_memory = server.peak_megabytes();
        println!(
            "  memory of the server: {idle_memory:.1} MB idle, {peak_memory:.1} peak, {:.1} at the end; log {:.1} MB",
            server.resident_megabytes(),
            server.log_megabytes(),
        );
        let (overload_cpu, duration) = (cpu[1].0, PHASES[1].2);
        let min_server_cpu = capacity.server_cpu.min(overload_cpu / duration.as_secs_f64());
        let shares =
            cpu.iter().zip(PHASES).map(|((_, seconds), (_, _, duration))| seconds / duration.as_secs_f64());
        let min_load_generator_cpu = shares.fold(1.0, f64::min);
        Measurements {
            capacity,
            phases: phase_samples,
            small_calls,
            small_calls_alone,
            idle_memory,
            peak_memory,
            min_server_cpu,
            min_load_generator_cpu,
        }
    }
}

/// CPU time of the server and of the load generator in each phase, in seconds.
async fn cpu_by_phase(server: &Server) -> Vec<(f64, f64)> {
    let mut by_phase = Vec::new();
    for (_, _, duration) in PHASES {
        let (server_before, own_before) = (server.cpu_seconds(), own_cpu_seconds());
        sleep(duration).await;
        by_phase.push((server.cpu_seconds() - server_before, own_cpu_seconds() - own_before));
    }
    by_phase
}
