//! Connect Four compared with other libraries.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use super::{connect_four, project, spread::Spread, table::Table, tool};

const ROUNDS: usize = 9;

/// The core on which all libraries run.
const CORE: &str = "0";

pub fn measure() {
    let mut players: Vec<_> = libraries()
        .into_iter()
        .filter_map(|(name, program, arguments)| {
            let player = Player::start(&program, &arguments);
            if player.is_none() {
                eprintln!("{name}: not available");
            }
            Some((name, player?, Vec::new()))
        })
        .collect();
    for _ in 0..ROUNDS {
        for (name, player, figures) in &mut players {
            figures.push(player.round().unwrap_or_else(|| panic!("{name} has stopped")) / 1e3);
        }
    }
    let note =
        format!("Random moves per second on one core, {ROUNDS} rounds of one second each, alternating");
    let table = Table::begin("Connect Four compared with other libraries", &note);
    for (name, _, mut figures) in players {
        table.row(name, &Spread::of(&mut figures), "k moves/s");
    }
}

/// The name of each library, with its program and arguments.
fn libraries() -> Vec<(&'static str, PathBuf, Vec<PathBuf>)> {
    let python = || tool("peers-python/bin/python");
    let script = |path: &str| project("benches/peers").join(path);
    let own = env::current_exe().expect("the path of this program");
    let open_spiel = |mode: &str| vec![script("open_spiel/connect_four.py"), mode.into()];
    vec![
        ("Arbiter's rules", own, vec![connect_four::ARGUMENT.into()]),
        ("OpenSpiel, rollouts in C++", python(), open_spiel("rollouts")),
        ("OpenSpiel, from Python", python(), open_spiel("python")),
        ("pgx, 4096 games at once", python(), vec![script("pgx/connect_four.py")]),
        ("PettingZoo", python(), vec![script("pettingzoo/connect_four.py")]),
        ("boardgame.io, reducer", "node".into(), vec![script("boardgame.io/connect_four.cjs")]),
    ]
}

/// A program that plays one round per line of input. Killed on drop.
struct Player {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Player {
    /// Starts the program and plays a warm-up round. `None` if the program is not available.
    fn start(program: &Path, arguments: &[PathBuf]) -> Option<Self> {
        let mut process = Command::new("taskset")
            .args(["-c", CORE])
            .arg(program)
            .args(arguments)
            .env("NODE_PATH", tool("peers-node/node_modules"))
            .env("NODE_ENV", "production")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("taskset is installed");
        let input = process.stdin.take().expect("standard input is piped");
        let output = BufReader::new(process.stdout.take().expect("standard output is piped"));
        let mut player = Self { process, input, output };
        player.round().map(|_| player)
    }

    /// Plays one round and returns its moves per second.
    fn round(&mut self) -> Option<f64> {
        self.input.write_all(b"\n").ok()?;
        let mut figure = String::new();
        self.output.read_line(&mut figure).ok()?;
        figure.trim().parse().ok()
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
