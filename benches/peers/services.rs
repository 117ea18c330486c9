//! Calls compared with other services.

use std::{net::SocketAddr, path::Path, rc::Rc, sync::Arc};

use tokio::runtime;

use super::{
    arbiter_calls, cerbos,
    client::{Call, Client},
    echo,
    load_generator::{self, CONNECTIONS, Measurement},
    server::{Server, free_address},
    spread::Spread,
    table::Table,
    tool,
};

const ROUNDS: usize = 9;

/// The default limit of Cerbos.
const BATCH_SIZE: usize = 50;

/// Enough to saturate every server.
const CALLS_IN_FLIGHT: usize = 200;
const BATCHES_IN_FLIGHT: usize = 16;

/// A call to a server, and its measurements.
struct Workload {
    name: &'static str,
    server: Rc<Server>,
    client: Arc<Client>,
    call: Call,
    /// Decisions per call.
    decisions: usize,
    measurements: Vec<Measurement>,
}

impl Workload {
    async fn connect(name: &'static str, server: &Rc<Server>, call: Call, decisions: usize) -> Self {
        let client = Client::connect(&server.address.to_string(), CONNECTIONS).await;
        Self { name, server: server.clone(), client, call, decisions, measurements: Vec::new() }
    }

    async fn round(&mut self) {
        let in_flight = if self.decisions == 1 { CALLS_IN_FLIGHT } else { BATCHES_IN_FLIGHT };
        let measurement = load_generator::round(&self.server, &self.client, &self.call, in_flight).await;
        self.measurements.push(measurement);
    }

    fn figures(&self, figure: impl Fn(&Measurement) -> f64) -> Vec<f64> {
        self.measurements.iter().map(figure).collect()
    }

    fn decisions_per_second(&self) -> Vec<f64> {
        self.figures(|measurement| measurement.calls_per_second * self.decisions as f64)
    }

    /// CPU time of the server per decision.
    fn micros(&self) -> Vec<f64> {
        self.figures(|measurement| measurement.server_micros / self.decisions as f64)
    }
}

const ARBITER: &str = "Arbiter, ApplyMove";
const ARBITER_BATCH: &str = "Arbiter, EvaluateBatch of 50 moves";
const CERBOS: &str = "Cerbos, CheckResources";
const CERBOS_BATCH: &str = "Cerbos, CheckResources of 50";
const TONIC: &str = "tonic, hello world";

pub fn measure() {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("the runtime starts");
    let workloads = runtime.block_on(async {
        let mut workloads = workloads().await;
        for _ in 0..ROUNDS {
            for workload in &mut workloads {
                workload.round().await;
            }
        }
        workloads
    });
    print(&workloads);
}

/// Starts the servers and checks their responses.
async fn workloads() -> Vec<Workload> {
    let mut workloads = Vec::new();

    let program = Path::new(env!("CARGO_BIN_EXE_arbiter"));
    if let Some(server) = start("arbiter", program, |address| {
        vec![format!("--listen={address}"), "--admin-listen=127.0.0.1:0".to_owned()]
    }) {
        arbiter_calls::check(&server, BATCH_SIZE).await;
        workloads.push(Workload::connect(ARBITER, &server, arbiter_calls::apply_move(), 1).await);
        workloads.push(
            Workload::connect(ARBITER_BATCH, &server, arbiter_calls::batch(BATCH_SIZE), BATCH_SIZE).await,
        );
    }
    if let Some(server) = start("cerbos", &tool("bin/cerbos"), |address| {
        vec![
            "server".to_owned(),
            "--config=benches/peers/cerbos/config.yaml".to_owned(),
            "--log-level=error".to_owned(),
            format!("--set=server.grpcListenAddr={address}"),
            format!("--set=server.httpListenAddr={}", free_address()),
        ]
    }) {
        cerbos::check(&server, 1).await;
        cerbos::check(&server, BATCH_SIZE).await;
        workloads.push(Workload::connect(CERBOS, &server, cerbos::check_resources(1), 1).await);
        workloads.push(
            Workload::connect(CERBOS_BATCH, &server, cerbos::check_resources(BATCH_SIZE), BATCH_SIZE).await,
        );
    }
    if let Some(server) = start("tonic", &tool("bin/hello"), |address| vec![address.to_string()]) {
        echo::check_hello(&server).await;
        workloads.push(Workload::connect(TONIC, &server, echo::call(echo::SAY_HELLO), 1).await);
    }
    for (name, label, program, script) in [
        ("grpc-js", "grpc-js, echo", "node".into(), "benches/peers/grpc-js/echo.cjs"),
        ("grpcio", "grpcio, echo", tool("peers-python/bin/python"), "benches/peers/grpcio/echo.py"),
    ] {
        let arguments = |address: SocketAddr| vec![script.to_owned(), address.port().to_string()];
        if let Some(server) = start(name, &program, arguments) {
            echo::check_echo(&server).await;
            workloads.push(Workload::connect(label, &server, echo::call(echo::SAY), 1).await);
        }
    }
    workloads
}

fn start(
    name: &str,
    program: &Path,
    arguments: impl FnOnce(SocketAddr) -> Vec<String>,
) -> Option<Rc<Server>> {
    let server = Server::start(name, program, arguments);
    if server.is_none() {
        eprintln!("{name}: not available");
    }
    server.map(Rc::new)
}

fn print(workloads: &[Workload]) {
    let note = format!(
        "One load generator for all, {ROUNDS} rounds of 1.5 s each, alternating; a batch counts as its decisions. CPU: all \
         threads of the server"
    );
    let table = Table::begin("Calls compared with other services", &note);
    for workload in workloads {
        table.row(workload.name, &Spread::of(&mut workload.decisions_per_second()), "decisions/s");
    }
    for workload in workloads {
        table.row(&format!("{}: CPU", workload.name), &Spread::of(&mut workload.micros()), "µs");
    }
    let find = |name| workloads.iter().find(|workload| workload.name == name);
    let ratio = |label, one: Option<Vec<f64>>, other: Option<Vec<f64>>| {
        let (Some(one), Some(other)) = (one, other) else { return };
        let mut ratios: Vec<_> = one.iter().zip(other).map(|(one, other)| one / other).collect();
        table.row(label, &Spread::of(&mut ratios), "×");
    };
    let rates = |name| find(name).map(Workload::decisions_per_second);
    let micros = |name| find(name).map(Workload::micros);
    ratio("Arbiter's calls/s relative to Cerbos", rates(ARBITER), rates(CERBOS));
    ratio(
        "Arbiter's decisions/s relative to Cerbos, batches of 50",
        rates(ARBITER_BATCH),
        rates(CERBOS_BATCH),
    );
    ratio("Arbiter's CPU for ApplyMove relative to hello world", micros(ARBITER), micros(TONIC));
    if let Some(workload) = find(ARBITER) {
        let mut shares = workload.figures(|measurement| measurement.load_generator_share * 100.0);
        table.row("CPU of the load generator for Arbiter, share of a core", &Spread::of(&mut shares), "%");
    }
}
