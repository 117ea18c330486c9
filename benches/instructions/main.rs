//! Counts the instructions of the hot paths and compares each with an upper bound: `make instructions`.
//!
//! callgrind counts, so the result does not depend on how busy the machine is, and no earlier run is needed to compare with.
//! A bound leaves about 5 % of room: the C library chooses its copy routines by the processor. A change that exceeds a bound
//! is made faster, or its commit says why it is worth the price and raises the bound. A change far below it lowers it.
//!
//! The build is the release profile, with thin LTO. Each path runs once before it is counted, so one-time initialization does
//! not count.
//!
//! Each path runs in its own process under valgrind, which counts from the start of `counted` to its end. Existing harnesses
//! do more, but take longer to compile than all of this.

mod apply_move;
#[path = "../support/frames.rs"]
mod frames;
#[path = "../support/perft.rs"]
mod perft;

use std::{
    env,
    hint::black_box,
    process::{Command, ExitCode},
};

use arbiter::games::{
    Game, Player,
    connect_four::{ConnectFour, Position as Drops, Rules as Sizes},
    queen_rooks::{Move, Position as Rooks, Rules as Size},
    royal_match::{Card, Order, Ordering, Suit},
    triple_triad::{Move as Placement, Position as Cards, TripleTriad},
};

use self::{apply_move::ApplyMove, perft::perft};

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A path: its name, its maximum number of instructions, and the function that runs it.
type Path = (&'static str, u64, fn());

const PATHS: [Path; 13] = [
    ("Connect Four, 42 moves, 7 × 6", 3_190, || drop_all(drawn(7, 6))),
    ("Connect Four, 42 moves, 12 × 9", 12_010, || drop_all(drawn(12, 9))),
    ("Connect Four, perft 5", 1_571_000, perft_5),
    ("Triple Triad, a game with every rule", 4_560, || place_all(places())),
    ("Triple Triad, the same, validated and explained", 14_570, || play_all(moves())),
    ("Queen and rooks, list of moves, 8 × 8", 5_830, || list(spread(8))),
    ("Queen and rooks, list of moves, 26 × 26", 35_550, || list(spread(26))),
    ("Queen and rooks, a move, 8 × 8", 760, || make(spread(8))),
    ("Queen and rooks, a move, 26 × 26", 945, || make(spread(26))),
    ("RoyalMatch, 52 × 52 comparisons, value first", 120_400, || compare_all(Ordering::ValueThenSuit)),
    ("RoyalMatch, 52 × 52 comparisons, suit first", 120_400, || compare_all(Ordering::SuitThenValue)),
    ("ApplyMove of Connect Four, without a socket", 13_280, || {
        run(ApplyMove::prepare::<ConnectFour>("c4:7x6x4:XO..OX.OX.XOX..XO", "4"));
    }),
    ("ApplyMove of Triple Triad, without a socket", 35_050, || {
        run(ApplyMove::prepare::<TripleTriad>(
            "tt:eswpcd:O34,-,w/-,aX107,t/O24,X53,p:3,61,13:78,110,20:X",
            "61@4",
        ));
    }),
];

fn main() -> ExitCode {
    let asked = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    if let Some(asked) = asked {
        let (.., path) = PATHS.into_iter().find(|(name, ..)| *name == asked).expect("a path of this name");
        path();
        return ExitCode::SUCCESS;
    }
    let mut all_within = true;
    println!("{:<50} {:>12} {:>12}", "instructions", "counted", "maximum");
    for (name, max, _) in PATHS {
        let count = count(name);
        let is_within = (1..=max).contains(&count);
        all_within &= is_within;
        println!("{name:<50} {count:>12} {max:>12}{}", if is_within { "" } else { "  TOO MANY" });
    }
    if all_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Counts the instructions of a path.
fn count(name: &str) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*::counted*"])
        .arg(env::current_exe().expect("this program"))
        .arg(name)
        .output()
        .expect("valgrind runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {stderr}");
    let collected = stderr.lines().find_map(|line| line.split_once("Collected :"));
    collected.and_then(|(_, count)| count.trim().parse().ok()).expect("valgrind prints the count")
}

/// The part that is counted.
#[inline(never)]
fn counted<T>(path: impl FnOnce() -> T) -> T {
    black_box(path())
}

/// A drawn game: every cell is filled.
const DRAWN: &str = "441365675334466335442232661515577771217122";

fn drawn(columns: u32, rows: u32) -> (Drops, Vec<u32>) {
    let rules = Sizes::new(columns, rows, 4, Player::One).expect("the sizes are right");
    (Drops::start(rules), DRAWN.bytes().map(|column| u32::from(column - b'1')).collect())
}

// Drops each token and checks whether it wins: on the standard board, and on one that needs 128 bits.
fn drop_all((mut position, columns): (Drops, Vec<u32>)) {
    counted(|| {
        for &column in &columns {
            assert!(position.drop_token(black_box(column)));
        }
        position
    });
}

fn perft_5() {
    let leaves = counted(|| perft(&Drops::start(Sizes::default()), black_box(5)));
    assert_eq!(leaves, 16_807);
}

/// The game of `docs/triple-triad.md`, with every capture rule.
const DEALT: &str = "tt:eswpcO:-,-,w/-,a,t/-,-,p:53,3,61,107,13:78,34,24,110,20:X";
const PLACED: [&str; 9] = ["53@8", "34@1", "107@5", "24@7", "13@6", "20@2", "3@9", "110@3", "61@4"];
/// The same as indices of the hands and the board.
const PLACES: [(usize, usize); 9] = [(0, 7), (6, 0), (3, 4), (7, 6), (4, 5), (9, 1), (1, 8), (8, 2), (2, 3)];

fn dealt() -> TripleTriad {
    TripleTriad::parse(DEALT).ok().and_then(|known| known.into_state().ok()).expect("the deal can be read")
}

fn moves() -> (TripleTriad, Vec<Placement>) {
    (dealt(), PLACED.map(|mv| mv.parse().expect("the move can be read")).into())
}

fn places() -> (Cards, [(usize, usize); 9]) {
    (*dealt().position(), PLACES)
}

// A whole game: the captures.
fn place_all((mut position, places): (Cards, [(usize, usize); 9])) {
    let position = counted(|| {
        for (card, square) in places {
            black_box(position.place(black_box(card), square));
        }
        position
    });
    assert_eq!(Player::ALL.map(|player| position.score(player)), [8, 2]);
}

// The same, with each move validated and each capture explained.
fn play_all((mut game, moves): (TripleTriad, Vec<Placement>)) {
    counted(|| {
        for mv in &moves {
            black_box(game.play(mv).expect("the move is legal"));
        }
    });
}

/// A position with the pieces spread over the board, and one of its moves.
fn spread(size: u32) -> (Rooks, Move) {
    let mut position = Rooks::start(Size::new(size, 0).expect("it is a size"));
    for turn in 0..100 {
        let legal = position.legal_moves();
        let mv = legal[turn * 7919 % legal.len()];
        position.play(&mv).expect("the move is legal");
    }
    let legal = position.legal_moves();
    let mv = legal[legal.len() / 2];
    black_box(position).play(&mv).expect("the move is legal");
    (position, mv)
}

fn list((position, _): (Rooks, Move)) {
    counted(|| position.legal_moves());
}

// One move, validated and played.
fn make((mut position, mv): (Rooks, Move)) {
    counted(|| position.play(&mv).expect("the move is legal"));
}

// Each card against each.
fn compare_all(ordering: Ordering) {
    let order = black_box(Order { dominant: Suit::ALL[0], ordering });
    let deck: Vec<_> = Card::deck().collect();
    counted(|| {
        let mut compared = 0;
        for &first in &deck {
            for &second in &deck {
                let (told, decision) = order.compare(first, second);
                compared += told as i32 + decision as i32;
            }
        }
        compared
    });
}

// A whole `ApplyMove` without its socket.
fn run(mut call: ApplyMove) {
    counted(|| call.run());
}
