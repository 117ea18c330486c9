//! Comparisons with the crate `connect-four-ai`.

use arbiter_engine::{GameEnd, Value};
use arbiter_games::{Chance, Game, connect_four::Rules};
use connect_four_ai::Solver;

use super::{MANY_NODES, analyse, random_position};

/// The score of that crate: the number of tokens that the winner has left after the win, plus one.
fn score(end: GameEnd, free: i32) -> i32 {
    let plies = |plies: u32| plies.cast_signed();
    match end {
        GameEnd::Win { plies: to_end } => (free - plies(to_end)) / 2 + 1,
        GameEnd::Draw { .. } => 0,
        GameEnd::Loss { plies: to_end } => -((free - plies(to_end)) / 2 + 1),
    }
}

#[test]
fn random_positions_have_the_same_score() {
    let mut chance = Chance::new(2, 0);
    let mut solver = Solver::empty();
    for index in 0..240 {
        let plies = 16 + index % 26;
        let game = random_position(Rules::DEFAULT, plies, &mut chance);
        let Value::ForcedEnd(end) = analyse(&game, MANY_NODES).evaluations[0].value else {
            panic!("{} is not solved", game.notation());
        };
        let notation = game.notation();
        let (_, columns) = notation.rsplit_once(':').expect("the notation has columns");
        let peers = connect_four_ai::Position::from_moves(columns).expect("the columns are legal");
        solver.reset();
        let free = 42 - plies.cast_signed();
        assert_eq!(score(end, free), solver.solve(&peers).into(), "{}", game.notation());
    }
}
