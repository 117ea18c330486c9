//! Connect Four compared with the crate `connect-four-ai`: the two alternate position by position.
//!
//! The crate only finds the score of a position. Arbiter also finds a best move, a line, and bounds of the other moves.
//!
//! | variable | meaning |
//! |---|---|
//! | `ARBITER_PONS_SETS` | a folder with the test sets of Pascal Pons' solver: each line has the columns played, from 1, and the score. Without it, random positions with as many tokens are solved |
//! | `ARBITER_BOOK` | the file of another book for Arbiter; the peer has its own of 8 plies |
//! | `ARBITER_SAMPLE` | only every nth position, 10 by default |
//! | `ARBITER_SET` | only sets whose name contains this |

use std::{
    collections::BTreeSet,
    env, fs,
    ops::Range,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use arbiter_engine::{
    Analysis, Certainty, Engine, Evaluation, GameEnd, Search, Value, Workspace, connect_four::Book,
};
use arbiter_games::{
    Chance, Game, Player, StateOrView,
    connect_four::{ConnectFour, Move, Rules},
};
use connect_four_ai::{Position, Solver};

use super::cpu_time::microseconds;

/// Enough for every position.
const MAX_NODES: u32 = u32::MAX;

const CELLS: i32 = 42;

/// The number of positions of a random set, before a sample is taken.
const RANDOM_POSITIONS: usize = 500;

struct Set {
    name: &'static str,
    /// The file in Pons' folder.
    file: &'static str,
    /// The numbers of tokens of random positions.
    plies: Range<u32>,
}

const SETS: [Set; 6] = [
    Set { name: "end-easy", file: "Test_L3_R1", plies: 29..41 },
    Set { name: "middle-easy", file: "Test_L2_R1", plies: 22..29 },
    Set { name: "middle-medium", file: "Test_L2_R2", plies: 15..22 },
    Set { name: "begin-easy", file: "Test_L1_R1", plies: 13..15 },
    Set { name: "begin-medium", file: "Test_L1_R2", plies: 11..13 },
    Set { name: "begin-hard", file: "Test_L1_R3", plies: 9..11 },
];

struct Case {
    columns: String,
    score: Option<i32>,
}

/// Boards of other sizes: columns, rows and the length of a line.
const SIZES: [(u32, u32, u32); 7] =
    [(4, 4, 3), (5, 5, 4), (6, 5, 4), (6, 6, 4), (8, 7, 4), (12, 9, 5), (64, 1, 5)];

/// The budget for the empty boards of these sizes.
const SIZES_MAX_NODES: u32 = 1_000_000;

/// Sums over the positions of a set.
#[derive(Default)]
struct Totals {
    time: f64,
    nodes: u64,
    max_nodes: u64,
    moves: usize,
    exact_moves: usize,
}

impl Totals {
    fn add(&mut self, time: f64, nodes: u64) {
        self.time += time;
        self.nodes += nodes;
        self.max_nodes = self.max_nodes.max(nodes);
    }
}

pub fn measure() {
    let sample =
        env::var("ARBITER_SAMPLE").map_or(10, |text| text.parse().expect("ARBITER_SAMPLE is a number"));
    let selected = env::var("ARBITER_SET").unwrap_or_default();
    let mut books = vec![
        ("without a book", Book::empty().into(), Solver::empty as fn() -> Solver),
        ("with a book of 8 plies", Book::embedded(), Solver::new),
    ];
    if let Some(path) = env::var_os("ARBITER_BOOK") {
        let bytes = fs::read(path).expect("ARBITER_BOOK is a file");
        let book = Book::from_bytes(&bytes).unwrap_or_else(|error| panic!("{error}"));
        books.push(("with another book", book.into(), Solver::new));
    }
    for (title, book, make_peer) in books {
        println!("\nConnect Four {title}, CPU time and nodes per position; the peer is connect-four-ai");
        println!(
            "                positions  right        µs     nodes  most nodes  nodes/µs  exact moves   peer µs  peer nodes  ratio"
        );
        for set in SETS.iter().filter(|set| set.name.contains(&selected)) {
            measure_set(set, sample, &book, make_peer());
        }
    }
    if selected.is_empty() {
        measure_sizes();
    }
}

fn measure_sizes() {
    println!("\nEmpty boards of other sizes, with at most {SIZES_MAX_NODES} nodes");
    println!("                    nodes  nodes/µs  value");
    let mut workspace = Workspace::default();
    for (columns, rows, line_length) in SIZES {
        let rules = Rules::new(columns, rows, line_length, Player::One).expect("the rules are valid");
        let game = ConnectFour::new(rules, (), 0);
        let (analysis, time) = microseconds(|| analyse(&game, SIZES_MAX_NODES, &mut workspace));
        let best = &analysis.evaluations[0];
        let certainty = if best.certainty == Certainty::Exact { "exact" } else { "estimate" };
        println!(
            "  {:13} {:>9} {:>9.2}  {certainty}: {} {}",
            format!("{columns}x{rows}x{line_length}"),
            analysis.nodes,
            f64::from(analysis.nodes) / time,
            best.mv,
            best.value,
        );
    }
}

fn measure_set(set: &Set, sample: usize, book: &Arc<Book>, mut peer: Solver) {
    let cases: Vec<_> = set.cases().into_iter().step_by(sample).collect();
    let mut workspace = Workspace::with_book(Arc::clone(book));
    // The first search allocates the table, which the peer has allocated already.
    analyse(&ConnectFour::new(Rules::DEFAULT, (), 0), 1, &mut workspace);
    let [mut ours, mut peers] = [Totals::default(), Totals::default()];
    let mut right = 0;
    for Case { columns, score } in &cases {
        let Ok(StateOrView::State(game)) = ConnectFour::parse(columns) else {
            panic!("{columns} is a state")
        };
        let (analysis, time) = microseconds(|| analyse(&game, MAX_NODES, &mut workspace));
        ours.add(time, analysis.nodes.into());
        let is_exact = |evaluation: &&Evaluation<Move>| evaluation.certainty == Certainty::Exact;
        ours.moves += analysis.evaluations.len();
        ours.exact_moves += analysis.evaluations.iter().filter(is_exact).count();

        let position = Position::from_moves(columns).expect("the columns are legal");
        let (peers_score, time) = microseconds(|| {
            peer.reset();
            peer.solve(&position)
        });
        peers.add(time, peer.explored_positions as u64);

        let wanted = score.unwrap_or(peers_score.into());
        right += usize::from(exact_score(&game, &analysis) == Some(wanted));
    }
    let count = cases.len() as f64;
    println!(
        "  {:13} {:>10} {:>6} {:>9.1} {:>9.0} {:>11} {:>9.2} {:>11.0}% {:>9.1} {:>11.0} {:>6.3}",
        set.name,
        cases.len(),
        right,
        ours.time / count,
        ours.nodes as f64 / count,
        ours.max_nodes,
        ours.nodes as f64 / ours.time,
        100.0 * ours.exact_moves as f64 / ours.moves as f64,
        peers.time / count,
        peers.nodes as f64 / count,
        ours.time / peers.time,
    );
}

fn analyse(game: &ConnectFour, max_nodes: u32, workspace: &mut Workspace) -> Analysis<Move> {
    let is_cancelled = AtomicBool::new(false);
    let mut search = Search::new(max_nodes, 0, &is_cancelled, workspace);
    game.analyse(game.position().next_player(), &mut search).expect("the search is not cancelled")
}

/// The number of tokens that the winner has left at the end, plus one; negative for a loss.
fn exact_score(game: &ConnectFour, analysis: &Analysis<Move>) -> Option<i32> {
    let best = analysis.evaluations.first().filter(|best| best.certainty == Certainty::Exact)?;
    let Value::ForcedEnd(end) = best.value else { return None };
    let free = CELLS - game.position().ply().cast_signed();
    let tokens_left = |plies: u32| (free - plies.cast_signed()) / 2 + 1;
    Some(match end {
        GameEnd::Win { plies } => tokens_left(plies),
        GameEnd::Draw { .. } => 0,
        GameEnd::Loss { plies } => -tokens_left(plies),
    })
}

impl Set {
    fn cases(&self) -> Vec<Case> {
        match env::var_os("ARBITER_PONS_SETS") {
            Some(folder) => {
                let path = Path::new(&folder).join(self.file);
                let text = fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{} is a set of positions: {error}", path.display()));
                text.lines().map(read_case).collect()
            }
            None => self.random_cases(),
        }
    }

    /// Different random positions.
    fn random_cases(&self) -> Vec<Case> {
        let mut chance = Chance::new(0, self.plies.start.into());
        let mut found = BTreeSet::new();
        while found.len() < RANDOM_POSITIONS {
            let plies = self.plies.start + chance.below(self.plies.end - self.plies.start);
            let mut game = ConnectFour::new(Rules::DEFAULT, (), 0);
            while game.position().ply() < plies && !game.position().is_over() {
                let moves = game.legal_moves();
                // At most seven.
                let mv = moves[chance.below(moves.len() as u32) as usize];
                game.play(&mv).expect("the move is legal");
            }
            let notation = game.notation();
            let (_, columns) = notation.rsplit_once(':').expect("the notation has columns");
            if !game.position().is_over() {
                found.insert(columns.to_owned());
            }
        }
        found.into_iter().map(|columns| Case { columns, score: None }).collect()
    }
}

fn read_case(line: &str) -> Case {
    let (columns, score) = line.split_once(' ').unwrap_or_else(|| panic!("{line} is columns and a score"));
    Case { columns: columns.to_owned(), score: Some(score.trim().parse().expect("the score is a number")) }
}
