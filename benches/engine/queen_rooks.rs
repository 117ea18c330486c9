//! Queen and rooks: node counts and speed on boards of several sizes, and matches against simple opponents.

use std::{sync::atomic::AtomicBool, time::Instant};

use arbiter_engine::{Engine, Search, Workspace};
use arbiter_games::{
    Chance, Player,
    queen_rooks::{Ending, Move, Position, Rules},
};

const POSITIONS: u64 = 10;
const GAMES: u64 = 200;
/// The budget of a move in the matches, which would take hours with the default one.
const MATCH_NODES: u32 = 30_000;
const QUIET_MOVE_LIMIT: u32 = 100;

type Opponent = fn(&Position, &mut Chance) -> Move;

/// Prints all figures. `QUEEN_ROOKS_NODES` sets another budget for the matches.
pub fn run() {
    println!("Queen and rooks");
    for size in [4, 6, 8, 16, 26] {
        measure_speed(size);
    }
    let max_nodes = std::env::var("QUEEN_ROOKS_NODES").ok().and_then(|nodes| nodes.parse().ok());
    let max_nodes = max_nodes.unwrap_or(MATCH_NODES);
    for size in [6, 8] {
        for (name, opponent) in [("random", random as Opponent), ("greedy", greedy)] {
            measure_match(size, name, opponent, max_nodes);
        }
    }
}

/// Searches positions of random games with the default budget.
fn measure_speed(size: u32) {
    let mut workspace = Workspace::default();
    let (mut nodes, mut times) = (0, Vec::new());
    for seed in 0..POSITIONS {
        let position = random_position(size, seed);
        let start = Instant::now();
        nodes += u64::from(suggest(&position, Position::DEFAULT_MAX_NODES, &mut workspace).1);
        times.push(start.elapsed().as_secs_f64());
    }
    let rate = nodes as f64 / 1e6 / times.iter().sum::<f64>();
    times.sort_by(f64::total_cmp);
    let median = 1e3 * times[times.len() / 2];
    println!("  {size} × {size}: {nodes} nodes, {rate:.2} M nodes/s, median {median:.0} ms");
}

/// Plays a match. The engine starts every other game. A draw is not a win.
fn measure_match(size: u32, name: &str, opponent: Opponent, max_nodes: u32) {
    let (mut wins, mut draws, mut workspace) = (0, 0, Workspace::default());
    let start = Instant::now();
    for seed in 0..GAMES {
        let engine = Player::ALL[(seed % 2) as usize];
        let mut chance = Chance::new(seed, 0);
        let mut position = start_position(size);
        while !position.is_over() {
            let mv = if position.next_player() == engine {
                suggest(&position, max_nodes, &mut workspace).0
            } else {
                opponent(&position, &mut chance)
            };
            position.play(&mv).expect("the move is legal");
        }
        match position.outcome().ending {
            Some(Ending::Won { winner }) if winner == engine => wins += 1,
            Some(Ending::Won { .. }) => {}
            _ => draws += 1,
        }
    }
    let (losses, seconds) = (GAMES - wins - draws, start.elapsed().as_secs_f64());
    println!(
        "  {size} × {size} against {name}, {max_nodes} nodes: {wins} wins, {draws} draws, {losses} losses in {seconds:.0} s"
    );
}

fn start_position(size: u32) -> Position {
    Position::start(Rules::new(size, QUIET_MOVE_LIMIT).expect("the rules are valid"))
}

/// A position of a random game that is not over.
fn random_position(size: u32, seed: u64) -> Position {
    let mut chance = Chance::new(seed, 1);
    let mut position = start_position(size);
    for _ in 0..chance.below(2 * size) {
        let mut next = position;
        next.play(&random(&position, &mut chance)).expect("the move is legal");
        if next.is_over() {
            break;
        }
        position = next;
    }
    position
}

/// The best move, and the number of nodes of the search.
fn suggest(position: &Position, max_nodes: u32, workspace: &mut Workspace) -> (Move, u32) {
    let is_cancelled = AtomicBool::new(false);
    let mut search = Search::new(max_nodes, 0, &is_cancelled, workspace);
    let analysis =
        position.analyse(position.next_player(), &mut search).expect("the search is not cancelled");
    (analysis.evaluations[0].mv, analysis.nodes)
}

fn random(position: &Position, chance: &mut Chance) -> Move {
    pick(&position.legal_moves(), chance)
}

/// One of the moves that take the most rooks.
fn greedy(position: &Position, chance: &mut Chance) -> Move {
    let opponent = position.next_player().other();
    let left = |mv: &Move| {
        let mut next = *position;
        next.play(mv).expect("the move is legal");
        next.pieces(opponent)
    };
    let moves = position.legal_moves();
    let least = moves.iter().map(left).min();
    let best: Vec<Move> = moves.into_iter().filter(|mv| Some(left(mv)) == least).collect();
    pick(&best, chance)
}

fn pick(moves: &[Move], chance: &mut Chance) -> Move {
    // A position has far fewer than 2³² moves.
    moves[chance.below(moves.len() as u32) as usize]
}
