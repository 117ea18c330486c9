//! How many instructions the paths take that every call goes through, each held to a bound: `make instructions`.
//!
//! Instructions are counted by callgrind, so that the count of one build is the same however busy the machine is, and a
//! bound needs no earlier run to be compared with. A bound leaves about 5 % of room: the C library picks its copying by the
//! processor. Whoever goes beyond it makes the path short again, or says in the commit what is worth the price and
//! raises the bound; whoever stays far below it lowers it.
//!
//! The build is that of a release, with thin LTO. A call is made once before it counts, so that one-time set-up is not
//! counted.
//!
//! Each path is gone by a process of its own below valgrind, which counts from the beginning of `counted` to its end. There are
//! harnesses that do as much and more; to compile one would take longer than everything here.

#[path = "../support/frames.rs"]
mod frames;
#[path = "../support/nobody.rs"]
mod nobody;
#[path = "../support/perft.rs"]
mod perft;
mod way;

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

use self::{perft::perft, way::Way};

/// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A path: its name, the most instructions that it may take, and how it is gone.
type Path = (&'static str, u64, fn());

const PATHS: [Path; 13] = [
    ("Connect Four, 42 moves, 7 × 6", 3_190, || drop_all(drawn(7, 6))),
    ("Connect Four, 42 moves, 12 × 9", 12_010, || drop_all(drawn(12, 9))),
    ("Connect Four, perft 5", 1_571_000, perft_5),
    ("Triple Triad, a game with every rule", 5_050, || place_all(places())),
    ("Triple Triad, the same, checked and told", 14_570, || play_all(moves())),
    ("Queen and rooks, list of moves, 8 × 8", 5_830, || list(spread(8))),
    ("Queen and rooks, list of moves, 26 × 26", 35_550, || list(spread(26))),
    ("Queen and rooks, a move, 8 × 8", 760, || make(spread(8))),
    ("Queen and rooks, a move, 26 × 26", 945, || make(spread(26))),
    ("RoyalMatch, 52 × 52 comparisons, value first", 120_400, || compare_all(Ordering::ValueThenSuit)),
    ("RoyalMatch, 52 × 52 comparisons, suit first", 120_400, || compare_all(Ordering::SuitThenValue)),
    ("ApplyMove of Connect Four, without a socket", 13_280, || {
        go(Way::prepare::<ConnectFour>("c4:7x6x4:XO..OX.OX.XOX..XO", "4"));
    }),
    ("ApplyMove of Triple Triad, without a socket", 35_050, || {
        go(Way::prepare::<TripleTriad>("tt:eswpcd:O34,-,w/-,aX107,t/O24,X53,p:3,61,13:78,110,20:X", "61@4"));
    }),
];

fn main() -> ExitCode {
    let asked = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    if let Some(asked) = asked {
        let (.., path) = PATHS.into_iter().find(|(name, ..)| *name == asked).expect("a path of this name");
        path();
        return ExitCode::SUCCESS;
    }
    let mut all_kept = true;
    println!("{:<50} {:>12} {:>12}", "instructions", "counted", "at most");
    for (name, most, _) in PATHS {
        let count = count(name);
        let is_kept = (1..=most).contains(&count);
        all_kept &= is_kept;
        println!("{name:<50} {count:>12} {most:>12}{}", if is_kept { "" } else { "  TOO MANY" });
    }
    if all_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How many instructions a path takes.
fn count(name: &str) -> u64 {
    let ended = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*::counted*"])
        .arg(env::current_exe().expect("this program"))
        .arg(name)
        .output()
        .expect("valgrind runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{name}: {said}");
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    collected.and_then(|(_, count)| count.trim().parse().ok()).expect("valgrind tells what it has counted")
}

/// What is counted.
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

// Each token dropped, and looked at whether it wins: on the usual board, and on one that needs 128 bits.
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

/// The game that the README plays, with every rule of capture.
const DEALT: &str = "tt:eswpcO:-,-,w/-,a,t/-,-,p:53,3,61,107,13:78,34,24,110,20:X";
const PLACED: [&str; 9] = ["53@8", "34@1", "107@5", "24@7", "13@6", "20@2", "3@9", "110@3", "61@4"];
/// The same by place in the hands and on the board.
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

// A whole game: who takes what.
fn place_all((mut position, places): (Cards, [(usize, usize); 9])) {
    let position = counted(|| {
        for (card, square) in places {
            black_box(position.place(black_box(card), square));
        }
        position
    });
    assert_eq!(Player::ALL.map(|player| position.score(player)), [8, 2]);
}

// The same, each move checked and each capture explained.
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

// One move, checked and made.
fn make((mut position, mv): (Rooks, Move)) {
    counted(|| position.play(&mv).expect("the move is legal"));
}

// Each card against each, by either ordering.
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

// The whole way of an `ApplyMove` but for its socket.
fn go(mut way: Way) {
    counted(|| way.go());
}
