//! How many instructions the paths take that every call goes through, each held to a bound: `make instructions`.
//!
//! Instructions are counted by callgrind, so that the count of one build is the same however busy the machine is, and a
//! bound needs no earlier run to be compared with. A bound leaves about 5 % of room: the C library picks its copying by the
//! processor. Whoever goes beyond it makes the path short again, or says in the commit what is worth the price and
//! raises the bound; whoever stays far below it lowers it.
//!
//! The build is that of `profile.toml`, without the optimisation across crates of a release, so the counts stand for changes,
//! not for what a release takes. A call is made once before it counts, so that what is set up only
//! once does not.

#![allow(missing_docs, reason = "the harness is made by macros")]

mod way;

use std::hint::black_box;

use arbiter::games::{
    Game, Player,
    connect_four::{ConnectFour, Position as Drops, Rules as Sizes},
    queen_rooks::{Move, Position as Rooks, Rules as Size},
    royal_match::{Card, Order, Ordering, Suit},
    triple_triad::{Move as Placement, Position as Cards, TripleTriad},
};
use gungraun::{
    Callgrind, EventKind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main,
};

use self::way::Way;

/// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The most instructions that a path may take.
fn most(instructions: u64) -> LibraryBenchmarkConfig {
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(Callgrind::with_args(["--cache-sim=no"]).hard_limits([(EventKind::Ir, instructions)]));
    config
}

/// A drawn game: every cell is filled.
const DRAWN: &str = "441365675334466335442232661515577771217122";

fn drawn(columns: u32, rows: u32) -> (Drops, Vec<u32>) {
    let rules = Sizes::new(columns, rows, 4, Player::One).expect("the sizes are right");
    (Drops::start(rules), DRAWN.bytes().map(|column| u32::from(column - b'1')).collect())
}

// Each token dropped, and looked at whether it wins: on the usual board, and on one that needs 128 bits.
#[library_benchmark]
#[bench::usual(args = (7, 6), setup = drawn, config = most(2_970))]
#[bench::wide(args = (12, 9), setup = drawn, config = most(13_250))]
fn connect_four_game((mut position, columns): (Drops, Vec<u32>)) -> (Drops, Vec<u32>) {
    for &column in &columns {
        assert!(position.drop_token(black_box(column)));
    }
    (position, columns)
}

#[library_benchmark]
#[bench::depth_5(args = (5), config = most(1_571_000))]
fn connect_four_perft(depth: u32) -> u64 {
    let leaves = perft(&Drops::start(Sizes::default()), depth);
    assert_eq!(leaves, 16_807);
    leaves
}

fn perft(position: &Drops, depth: u32) -> u64 {
    (0..7)
        .map(|column| {
            let mut next = *position;
            match next.drop_token(column) {
                false => 0,
                true if depth == 1 => 1,
                true => perft(&next, depth - 1),
            }
        })
        .sum()
}

/// The game that the README plays, with every rule of capture.
const DEALT: &str = "tt:eswpcO:-,-,w/-,a,t/-,-,p:53,3,61,107,13:78,34,24,110,20:X";
const PLACED: [&str; 9] = ["53@8", "34@1", "107@5", "24@7", "13@6", "20@2", "3@9", "110@3", "61@4"];
/// The same by place in the hands and on the board.
const PLACES: [(usize, usize); 9] = [(0, 7), (6, 0), (3, 4), (7, 6), (4, 5), (9, 1), (1, 8), (8, 2), (2, 3)];

fn dealt() -> TripleTriad {
    TripleTriad::parse(DEALT).expect("the deal can be read")
}

fn moves() -> (TripleTriad, Vec<Placement>) {
    (dealt(), PLACED.map(|mv| mv.parse().expect("the move can be read")).into())
}

fn places() -> (Cards, [(usize, usize); 9]) {
    (*dealt().position(), PLACES)
}

// A whole game: who takes what.
#[library_benchmark]
#[bench::every_rule(setup = places, config = most(5_090))]
fn triple_triad_game((mut position, places): (Cards, [(usize, usize); 9])) -> Cards {
    for (card, square) in places {
        black_box(position.place(black_box(card), square));
    }
    assert_eq!(Player::ALL.map(|player| position.score(player)), [8, 2]);
    position
}

// The same, each move checked and each capture explained.
#[library_benchmark]
#[bench::every_rule(setup = moves, config = most(15_900))]
fn triple_triad_game_told((mut game, moves): (TripleTriad, Vec<Placement>)) -> (TripleTriad, Vec<Placement>) {
    for mv in &moves {
        black_box(game.play(mv).expect("the move is legal"));
    }
    (game, moves)
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

#[library_benchmark]
#[bench::size_8(args = (8), setup = spread, config = most(7_650))]
#[bench::size_26(args = (26), setup = spread, config = most(47_400))]
fn queen_rooks_list((position, _): (Rooks, Move)) -> Vec<Move> {
    position.legal_moves()
}

// One move, checked and made.
#[library_benchmark]
#[bench::size_8(args = (8), setup = spread, config = most(1_015))]
#[bench::size_26(args = (26), setup = spread, config = most(1_205))]
fn queen_rooks_move((mut position, mv): (Rooks, Move)) -> Rooks {
    black_box(position.play(&mv).expect("the move is legal"));
    position
}

fn deck() -> Vec<Card> {
    Card::deck().collect()
}

// Each card against each, by either ordering.
#[library_benchmark]
#[bench::value_then_suit(args = (Ordering::ValueThenSuit), config = most(148_600))]
#[bench::suit_then_value(args = (Ordering::SuitThenValue), config = most(148_600))]
fn royal_match_comparisons(ordering: Ordering) -> i32 {
    let order = black_box(Order { dominant: Suit::ALL[0], ordering });
    let deck = deck();
    let mut compared = 0;
    for &first in &deck {
        for &second in &deck {
            let (told, decision) = order.compare(first, second);
            compared += told as i32 + decision as i32;
        }
    }
    compared
}

// The whole way of an `ApplyMove` but for its socket.
#[library_benchmark]
#[bench::connect_four(
    args = ("c4:7x6x4:XO..OX.OX.XOX..XO", "4"),
    setup = Way::prepare::<ConnectFour>,
    config = most(21_300)
)]
#[bench::triple_triad(
    args = ("tt:eswpcd:O34,-,w/-,aX107,t/O24,X53,p:3,61,13:78,110,20:X", "61@4"),
    setup = Way::prepare::<TripleTriad>,
    config = most(86_900)
)]
fn apply_move(mut way: Way) -> Way {
    way.go();
    way
}

library_benchmark_group!(
    name = rules,
    benchmarks = [
        connect_four_game,
        connect_four_perft,
        triple_triad_game,
        triple_triad_game_told,
        queen_rooks_list,
        queen_rooks_move,
        royal_match_comparisons
    ]
);
library_benchmark_group!(name = calls, benchmarks = [apply_move]);
main!(library_benchmark_groups = [rules, calls]);
