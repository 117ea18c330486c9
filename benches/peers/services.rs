//! Calls beside other services.

use std::{net::SocketAddr, path::Path, rc::Rc, sync::Arc};

use tokio::runtime;

use super::{
    arbiter_calls, cerbos,
    client::{Call, Client},
    echo,
    loader::{self, CONNECTIONS, Seen},
    server::{Server, free_address},
    spread::Spread,
    table::Table,
    tool,
};

const ROUNDS: usize = 9;

/// As many as Cerbos takes by default.
const BATCH: usize = 50;

/// Calls under way: enough to keep every server busy.
const UNDER_WAY: usize = 200;
const BATCHES_UNDER_WAY: usize = 16;

/// What is asked of a server, and what was seen of it.
struct Work {
    name: &'static str,
    server: Rc<Server>,
    client: Arc<Client>,
    call: Call,
    /// How many decisions a call asks for.
    decisions: usize,
    seen: Vec<Seen>,
}

impl Work {
    async fn connect(name: &'static str, server: &Rc<Server>, call: Call, decisions: usize) -> Self {
        let client = Client::connect(&server.address.to_string(), CONNECTIONS).await;
        Self { name, server: server.clone(), client, call, decisions, seen: Vec::new() }
    }

    async fn round(&mut self) {
        let under_way = if self.decisions == 1 { UNDER_WAY } else { BATCHES_UNDER_WAY };
        let seen = loader::round(&self.server, &self.client, &self.call, under_way).await;
        self.seen.push(seen);
    }

    fn figures(&self, figure: impl Fn(&Seen) -> f64) -> Vec<f64> {
        self.seen.iter().map(figure).collect()
    }

    fn decisions_a_second(&self) -> Vec<f64> {
        self.figures(|seen| seen.calls_a_second * self.decisions as f64)
    }

    /// CPU time of the server for a decision.
    fn micros(&self) -> Vec<f64> {
        self.figures(|seen| seen.server_micros / self.decisions as f64)
    }
}

const ARBITER: &str = "Arbiter, ApplyMove";
const ARBITER_BATCH: &str = "Arbiter, EvaluateBatch of 50 moves";
const CERBOS: &str = "Cerbos, CheckResources";
const CERBOS_BATCH: &str = "Cerbos, CheckResources of 50";
const TONIC: &str = "tonic, hello world";

pub fn measure() {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let works = runtime.block_on(async {
        let mut works = works().await;
        for _ in 0..ROUNDS {
            for work in &mut works {
                work.round().await;
            }
        }
        works
    });
    print(&works);
}

/// Starts the servers and checks what they answer.
async fn works() -> Vec<Work> {
    let mut works = Vec::new();

    let program = Path::new(env!("CARGO_BIN_EXE_arbiter"));
    if let Some(server) = start("arbiter", program, |address| {
        vec![format!("--listen={address}"), "--admin-listen=127.0.0.1:0".to_owned()]
    }) {
        arbiter_calls::check(&server, BATCH).await;
        works.push(Work::connect(ARBITER, &server, arbiter_calls::apply_move(), 1).await);
        works.push(Work::connect(ARBITER_BATCH, &server, arbiter_calls::batch(BATCH), BATCH).await);
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
        cerbos::check(&server, BATCH).await;
        works.push(Work::connect(CERBOS, &server, cerbos::check_resources(1), 1).await);
        works.push(Work::connect(CERBOS_BATCH, &server, cerbos::check_resources(BATCH), BATCH).await);
    }
    if let Some(server) = start("tonic", &tool("bin/hello"), |address| vec![address.to_string()]) {
        echo::check_hello(&server).await;
        works.push(Work::connect(TONIC, &server, echo::call(echo::SAY_HELLO), 1).await);
    }
    for (name, label, program, script) in [
        ("grpc-js", "grpc-js, echo", "node".into(), "benches/peers/grpc-js/echo.cjs"),
        ("grpcio", "grpcio, echo", tool("peers-python/bin/python"), "benches/peers/grpcio/echo.py"),
    ] {
        let arguments = |address: SocketAddr| vec![script.to_owned(), address.port().to_string()];
        if let Some(server) = start(name, &program, arguments) {
            echo::check_echo(&server).await;
            works.push(Work::connect(label, &server, echo::call(echo::SAY), 1).await);
        }
    }
    works
}

fn start(
    name: &str,
    program: &Path,
    arguments: impl FnOnce(SocketAddr) -> Vec<String>,
) -> Option<Rc<Server>> {
    let server = Server::start(name, program, arguments);
    if server.is_none() {
        eprintln!("{name}: not available here");
    }
    server.map(Rc::new)
}

fn print(works: &[Work]) {
    let note = format!(
        "One loader for all, {ROUNDS} rounds of 1.5 s each, taken in turns; a batch counts by what it decides. CPU: all \
         threads of the server"
    );
    let table = Table::begin("Calls beside other services", &note);
    for work in works {
        table.row(work.name, &Spread::of(&mut work.decisions_a_second()), "decisions/s");
    }
    for work in works {
        table.row(&format!("{}: CPU", work.name), &Spread::of(&mut work.micros()), "µs");
    }
    let find = |name| works.iter().find(|work| work.name == name);
    let ratio = |what, one: Option<Vec<f64>>, other: Option<Vec<f64>>| {
        let (Some(one), Some(other)) = (one, other) else { return };
        let mut ratios: Vec<_> = one.iter().zip(other).map(|(one, other)| one / other).collect();
        table.row(what, &Spread::of(&mut ratios), "×");
    };
    let rates = |name| find(name).map(Work::decisions_a_second);
    let micros = |name| find(name).map(Work::micros);
    ratio("Arbiter's calls/s over Cerbos'", rates(ARBITER), rates(CERBOS));
    ratio("Arbiter's decisions/s over Cerbos', batches of 50", rates(ARBITER_BATCH), rates(CERBOS_BATCH));
    ratio("Arbiter's CPU for ApplyMove over hello world's", micros(ARBITER), micros(TONIC));
    if let Some(work) = find(ARBITER) {
        let mut shares = work.figures(|seen| seen.loader_share * 100.0);
        table.row("Share of a core that the loader took for Arbiter", &Spread::of(&mut shares), "%");
    }
}
