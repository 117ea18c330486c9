//! Analysis of Connect Four.

mod book;
mod brute_force;
mod budget;
mod comparison;
mod opponent;
mod symmetry;

use arbiter_engine::{Analysis, Certainty, GameEnd, Value};
use arbiter_games::{
    Chance, Game, Player, StateOrView,
    connect_four::{ConnectFour, Move, Rules},
};

use crate::support::random_move;

/// Enough for all positions of these tests.
const MANY_NODES: u32 = 50_000_000;

/// Reads a state, given by its columns or by its rows.
fn state(notation: &str) -> ConnectFour {
    match ConnectFour::parse(notation) {
        Ok(StateOrView::State(game)) => game,
        _ => panic!("{notation} is a state"),
    }
}

fn rules(columns: u32, rows: u32, line_length: u32) -> Rules {
    Rules::new(columns, rows, line_length, Player::One).expect("the rules are valid")
}

fn analyse(game: &ConnectFour, max_nodes: u32) -> Analysis<Move> {
    crate::support::analyse(game, game.position().next_player(), max_nodes, 0)
}

/// A random position with this many tokens that is not over.
fn random_position(rules: Rules, plies: u32, chance: &mut Chance) -> ConnectFour {
    loop {
        let mut game = ConnectFour::new(rules, (), 0);
        while game.position().ply() < plies && !game.position().is_over() {
            let mv = random_move(&game, chance);
            game.play(&mv).expect("the move is legal");
        }
        if !game.position().is_over() {
            return game;
        }
    }
}

/// The column and the value of a move with an exact value.
fn exact(analysis: &Analysis<Move>, column: i64) -> Option<GameEnd> {
    let evaluation = analysis.evaluations.iter().find(|evaluation| evaluation.mv.column == column)?;
    match (evaluation.certainty, evaluation.value) {
        (Certainty::Exact, Value::ForcedEnd(end)) => Some(end),
        _ => None,
    }
}
