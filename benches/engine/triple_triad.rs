//! Triple Triad: nodes and speed with known hands and with a hidden one, and matches against simple players.

use std::{cmp::Ordering, sync::atomic::AtomicBool, time::Instant};

use arbiter_engine::{Analysis, Engine, Search, Workspace, triple_triad::HiddenPool};
use arbiter_games::{
    Chance, Game, Player, StateOrView,
    triple_triad::{BasicCapture, Move, Opening, Rule, Rules, TripleTriad, View},
};

use super::cpu_time::microseconds;

const DEALS: u64 = 50;
const GAMES: u64 = 400;
/// The numbers of placements after which positions are analysed.
const PLACEMENTS: [usize; 4] = [0, 1, 2, 4];

/// The rules of deals and matches, in turn.
fn rule_sets() -> [(&'static str, Rules); 6] {
    let special = [Rule::Same, Rule::SameWall, Rule::Plus, Rule::Combo];
    let default = Rules::DEFAULT;
    let all = default.with_all(special).with(Rule::Elemental);
    [
        ("default", default),
        ("same, plus", default.with_all([Rule::Same, Rule::Plus])),
        ("elemental", default.with(Rule::Elemental)),
        ("special", default.with_all(special)),
        ("all", all),
        ("all, always basic", all.with_basic_capture(BasicCapture::Always)),
    ]
}

/// Prints everything.
pub fn run() {
    println!("\nTriple Triad: hands known, {DEALS} deals");
    for placements in PLACEMENTS {
        for (name, rules) in rule_sets() {
            let what = format!("{placements} placements, {name}");
            measure(&what, rules, placements, |game, search| game.analyse(next_player(game), search).ok());
        }
    }
    println!("\nTriple Triad: a hand hidden, {DEALS} deals");
    for placements in PLACEMENTS {
        for (name, rules) in rule_sets() {
            measure(&format!("{placements} placements, {name}"), rules, placements, |game, search| {
                TripleTriad::analyse_view(&view(game), &HiddenPool::default(), search).ok()
            });
        }
    }
    println!("\nTriple Triad: seeing only the own hand, {GAMES} games with all rule sets in turn");
    play_match("random", |game, chance| random(&game.legal_moves(), chance));
    play_match("greedy", greedy);
}

/// Prints the nodes and the time of an analysis.
fn measure(
    what: &str,
    rules: Rules,
    placements: usize,
    analyse: impl Fn(&TripleTriad, &mut Search<'_>) -> Option<Analysis<Move>>,
) {
    let (is_cancelled, mut workspace) = (AtomicBool::new(false), Workspace::default());
    let (mut nodes, mut max_nodes, mut times) = (0, 0, Vec::new());
    for seed in 0..DEALS {
        let mut game = TripleTriad::new(rules, Opening::default(), seed);
        let mut chance = Chance::new(seed, 0);
        for _ in 0..placements {
            let mv = random(&game.legal_moves(), &mut chance);
            game.play(&mv).expect("the move is legal");
        }
        let mut search = Search::new(TripleTriad::DEFAULT_MAX_NODES, seed, &is_cancelled, &mut workspace);
        let (analysis, time) = microseconds(|| analyse(&game, &mut search));
        let analysis = analysis.expect("the search is not cancelled");
        times.push(time);
        nodes += u64::from(analysis.nodes);
        max_nodes = max_nodes.max(analysis.nodes);
    }
    let rate = nodes as f64 / times.iter().sum::<f64>();
    times.sort_by(f64::total_cmp);
    let percentile = |percent: usize| times[times.len() * percent / 100] / 1e3;
    println!(
        "  {what:<33} {nodes:>9} nodes, at most {max_nodes:>7}, {rate:.1} M nodes/s, median {:>7.2} ms, p90 {:>7.2} ms",
        percentile(50),
        percentile(90),
    );
}

/// Plays a match with deals from the catalogue, and prints the result. The engine plays first in every other game.
fn play_match(name: &str, opponent: impl Fn(&TripleTriad, &mut Chance) -> Move) {
    let (is_cancelled, mut workspace) = (AtomicBool::new(false), Workspace::default());
    let (mut wins, mut draws, mut losses) = (0, 0, 0);
    let start = Instant::now();
    for seed in 0..GAMES {
        let (_, rules) = rule_sets()[(seed / 2 % 6) as usize];
        let mut game = TripleTriad::new(rules, Opening::default(), seed);
        let first = next_player(&game);
        let engine = if seed % 2 == 0 { first } else { first.other() };
        let mut chance = Chance::new(seed, 1);
        while !game.position().is_over() {
            let mv = if next_player(&game) == engine {
                let mut search =
                    Search::new(TripleTriad::DEFAULT_MAX_NODES, seed, &is_cancelled, &mut workspace);
                let analysis = TripleTriad::analyse_view(&view(&game), &HiddenPool::default(), &mut search);
                analysis.expect("the search is not cancelled").evaluations[0].mv
            } else {
                opponent(&game, &mut chance)
            };
            game.play(&mv).expect("the move is legal");
        }
        let [own, other] = [engine, engine.other()].map(|player| game.position().score(player));
        match own.cmp(&other) {
            Ordering::Greater => wins += 1,
            Ordering::Equal => draws += 1,
            Ordering::Less => losses += 1,
        }
    }
    let percent = 100.0 * f64::from(wins) / GAMES as f64;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "  against {name}: {wins} wins, {draws} draws, {losses} losses: {percent:.1} %, in {seconds:.0} s"
    );
}

/// A random one of the moves that capture most cards.
fn greedy(game: &TripleTriad, chance: &mut Chance) -> Move {
    let captures = |mv: &Move| game.clone().play(mv).map_or(0, |events| events.len());
    let moves = game.legal_moves();
    let most = moves.iter().map(captures).max();
    let best: Vec<Move> = moves.into_iter().filter(|mv| Some(captures(mv)) == most).collect();
    random(&best, chance)
}

fn random(moves: &[Move], chance: &mut Chance) -> Move {
    // There are at most 45.
    moves[chance.below(moves.len() as u32) as usize]
}

fn next_player(game: &TripleTriad) -> Player {
    game.position().next_player()
}

/// What the player to move sees.
fn view(game: &TripleTriad) -> View {
    match game.view(next_player(game)) {
        StateOrView::View(view) => view,
        StateOrView::State(_) => panic!("the hands are open"),
    }
}
