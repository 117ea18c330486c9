//! CPU time of the server for a call, against a call that does nothing with messages of the same sizes, in one run:
//! `cargo bench --bench calls`.
//!
//! The server is a process of its own and its CPU time is read from the kernel, so that the client does not count.
//! The two calls take turns, so that a noisy machine disturbs both alike. The call that does nothing reads a message
//! with one field of bytes and answers another; it passes the same sockets, HTTP/2, gate and gRPC framing, but takes no
//! place among the calls under way and is not counted: that is ours.
//!
//! With `shapes` as its argument it compares ways to run the server instead: see
//! `docs/decisions/0003-runtime-shape.md`.

#![allow(clippy::cast_precision_loss, reason = "figures for people")]

mod load;
mod noop;
mod shapes;
#[path = "../support/spread.rs"]
mod spread;

use std::env;

use arbiter::wire::proto::{self, new_game_request::Setup, state::Kind};
use prost::Message;

use self::{
    load::{Call, Load},
    shapes::{ServerProcess, Shape},
    spread::Spread,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 15;
const CALLS_A_ROUND: usize = 20_000;

fn main() {
    let argument = env::args().find(|argument| !argument.starts_with("--") && !argument.contains("/calls"));
    match argument.as_deref() {
        Some(shape) if shape.starts_with("serve-") => Shape::named(&shape["serve-".len()..]).serve(),
        Some("shapes") => compare_shapes(),
        _ => compare_calls(),
    }
}

/// Each call against the one that does nothing.
fn compare_calls() {
    let server = ServerProcess::start(Shape::Arbiter);
    let load = Load::new(&server.address);
    println!(
        "CPU time of the server per call, {ROUNDS} rounds of {CALLS_A_ROUND} (median, lowest to highest)"
    );
    println!(
        "{:<28} {:>5} {:>5}  {:<24} {:<24} ratio",
        "call", "in", "out", "µs", "no-op of the same sizes, µs"
    );
    for (name, call) in calls() {
        let answer = load.answer(&call);
        let noop = noop::call(call.request.len(), answer.len());
        let (mut costs, mut noops, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let cost = server.cpu_micros(|| load.run(&call, CALLS_A_ROUND)) / CALLS_A_ROUND as f64;
            let nothing = server.cpu_micros(|| load.run(&noop, CALLS_A_ROUND)) / CALLS_A_ROUND as f64;
            costs.push(cost);
            noops.push(nothing);
            ratios.push(cost / nothing);
        }
        println!(
            "{name:<28} {:>5} {:>5}  {:<24} {:<24} {}",
            call.request.len(),
            answer.len(),
            Spread::of(&mut costs).to_string(),
            Spread::of(&mut noops).to_string(),
            Spread::of(&mut ratios),
        );
    }
}

/// The same call on servers of different shapes.
fn compare_shapes() {
    let servers = Shape::ALL.map(|shape| (shape, ServerProcess::start(shape)));
    let servers = servers.map(|(shape, server)| (shape, Load::new(&server.address), server, Vec::new()));
    let (_, call) = calls().remove(0);
    let mut servers = Vec::from(servers);
    for _ in 0..ROUNDS {
        for (_, load, server, costs) in &mut servers {
            let cpu = server.cpu_micros(|| load.run(&call, CALLS_A_ROUND));
            costs.push(cpu / CALLS_A_ROUND as f64);
        }
    }
    println!(
        "CPU time of the server per ApplyMove, {ROUNDS} rounds of {CALLS_A_ROUND} (median, lowest to highest)"
    );
    for (shape, _, _, mut costs) in servers {
        println!("{:<48} {} µs", shape.describe(), Spread::of(&mut costs));
    }
}

/// What is measured: typed states in the middle of a game, and one as text.
fn calls() -> Vec<(&'static str, Call)> {
    let typed = || Some(proto::State { kind: Some(middle_of_a_game()) });
    let text = || Some(proto::State { kind: Some(Kind::Notation("c4:7x6x4:4453526".to_owned())) });
    let column = || {
        let mv = proto::ConnectFourMove { column: Some(3) };
        Some(proto::Move { kind: Some(proto::r#move::Kind::ConnectFour(mv)) })
    };
    let call = |method, request: Vec<u8>| (method, Call::rules(method, request));
    vec![
        call("ApplyMove", proto::ApplyMoveRequest { state: typed(), r#move: column() }.encode_to_vec()),
        call("ValidateMove", proto::ValidateMoveRequest { state: typed(), r#move: column() }.encode_to_vec()),
        call(
            "ResolveCaptures",
            proto::ResolveCapturesRequest { state: typed(), arrived_at: None }.encode_to_vec(),
        ),
        call("DetermineWinner", proto::DetermineWinnerRequest { state: typed(), seed: None }.encode_to_vec()),
        call("ListLegalMoves", proto::ListLegalMovesRequest { state: typed() }.encode_to_vec()),
        call("ViewState", proto::ViewStateRequest { state: typed(), viewer: 1 }.encode_to_vec()),
        call(
            "NewGame",
            proto::NewGameRequest {
                setup: Some(Setup::ConnectFour(proto::ConnectFourSetup {})),
                seed: Some(1),
                ..Default::default()
            }
            .encode_to_vec(),
        ),
        (
            "ApplyMove (notation)",
            Call::rules(
                "ApplyMove",
                proto::ApplyMoveRequest { state: text(), r#move: column() }.encode_to_vec(),
            ),
        ),
    ]
}

fn middle_of_a_game() -> Kind {
    let board = [".......", ".......", ".......", ".......", "...OX.X", "OXOXX.O"];
    Kind::ConnectFour(proto::ConnectFourState {
        rules: Some(proto::ConnectFourRules {
            columns: Some(7),
            rows: Some(6),
            line_length: Some(4),
            first_player: Some(proto::Player::One.into()),
        }),
        board: board.map(ToOwned::to_owned).to_vec(),
        next_player: proto::Player::Two.into(),
    })
}
