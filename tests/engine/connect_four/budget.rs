//! Budgets of nodes, cancellation, and what is left of earlier searches.

use std::sync::{Arc, atomic::AtomicBool};

use arbiter_engine::{
    Analysis, Cancelled, Certainty, Engine, GameEnd, Search, Value, Workspace, connect_four::Book,
};
use arbiter_games::{
    Chance, Game,
    connect_four::{ConnectFour, Move, Rules},
};

use super::{analyse, exact, random_position, rules, state};

fn analyse_in(workspace: &mut Workspace, game: &ConnectFour, max_nodes: u32) -> Analysis<Move> {
    let is_cancelled = AtomicBool::new(false);
    let mut search = Search::new(max_nodes, 0, &is_cancelled, workspace);
    game.analyse(game.position().next_player(), &mut search).expect("the search is not cancelled")
}

/// Boards of all kinds of words.
fn boards() -> [Rules; 5] {
    [Rules::DEFAULT, rules(8, 7, 4), rules(6, 9, 5), rules(12, 9, 5), rules(64, 1, 5)]
}

#[test]
fn every_budget_gives_an_evaluation_of_each_legal_move() {
    let mut chance = Chance::new(4, 0);
    for rules in boards() {
        for max_nodes in [1, 2, 7, 50, 500, 5000] {
            let plies = chance.below(20);
            let game = random_position(rules, plies, &mut chance);
            let analysis = analyse(&game, max_nodes);
            let mut columns: Vec<_> =
                analysis.evaluations.iter().map(|evaluation| evaluation.mv.column).collect();
            columns.sort_unstable();
            let legal: Vec<_> = game.legal_moves().iter().map(|mv| mv.column).collect();
            assert_eq!(columns, legal, "{}", game.notation());
            assert!(analysis.nodes <= max_nodes, "{}", game.notation());
            assert_eq!(analysis.line[0], analysis.evaluations[0].mv, "{}", game.notation());
        }
    }
}

#[test]
fn a_win_with_the_next_move_is_exact_with_one_node() {
    let analysis = analyse(&state("414141"), 1);
    assert_eq!(exact(&analysis, 3), Some(GameEnd::Win { plies: 1 }));
    assert_eq!(analysis.evaluations[0].mv.column, 3);
}

#[test]
fn a_move_that_lets_the_opponent_win_is_exact_with_one_node() {
    let analysis = analyse(&state("41414"), 1);
    for column in [0, 1, 2, 4, 5, 6] {
        assert_eq!(exact(&analysis, column), Some(GameEnd::Loss { plies: 2 }), "column {column}");
    }
    assert_eq!(analysis.evaluations[0].mv.column, 3);
}

#[test]
fn a_forced_win_is_found_with_few_nodes_on_a_large_board() {
    let game = state("c4:12x9x4:5,5,6,6");
    let analysis = analyse(&game, 500);
    assert_eq!(analysis.evaluations[0].value, Value::ForcedEnd(GameEnd::Win { plies: 3 }));
    assert_eq!(analysis.evaluations[0].certainty, Certainty::Exact);
}

#[test]
fn the_empty_board_is_estimated_without_a_book() {
    let mut workspace = Workspace::with_book(Arc::new(Book::empty()));
    let analysis = analyse_in(&mut workspace, &ConnectFour::new(Rules::DEFAULT, (), 0), 10_000);
    assert!(analysis.evaluations.iter().all(|evaluation| evaluation.certainty == Certainty::Estimate));
    assert_eq!(analysis.evaluations[0].mv.column, 3, "the centre");
}

#[test]
fn a_used_workspace_does_not_change_a_result() {
    let mut chance = Chance::new(5, 0);
    let mut used = Workspace::default();
    for _ in 0..200 {
        let rules = boards()[chance.below(5) as usize];
        let plies = chance.below(30);
        let game = random_position(rules, plies, &mut chance);
        let max_nodes = [1, 100, 1000, 3000][chance.below(4) as usize];
        let expected = analyse_in(&mut Workspace::default(), &game, max_nodes);
        assert_eq!(analyse_in(&mut used, &game, max_nodes), expected, "{}", game.notation());
    }
}

#[test]
fn a_cancelled_search_is_an_error() {
    let (is_cancelled, mut workspace) = (AtomicBool::new(true), Workspace::default());
    let mut search = Search::new(1000, 0, &is_cancelled, &mut workspace);
    let game = ConnectFour::new(Rules::DEFAULT, (), 0);
    assert_eq!(game.analyse(game.position().next_player(), &mut search), Err(Cancelled));
}
