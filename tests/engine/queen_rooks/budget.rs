//! What an analysis returns with any budget.

use std::sync::atomic::AtomicBool;

use arbiter_engine::{Cancelled, Certainty, Engine, GameEnd, Level, Search, Value, Workspace};
use arbiter_games::{Chance, Player::One, queen_rooks::Position};

use super::{after, analyse, position, random_game, random_position, rules};
use crate::support;

const BUDGETS: [u32; 6] = [1, 2, 30, 300, 3000, 30_000];

/// Positions on boards of several sizes, some near the limit of quiet moves.
fn positions() -> impl Iterator<Item = Position> {
    (0..24).map(|seed| {
        let mut chance = Chance::new(seed, 0);
        let (size, limit) = ([4, 6, 8, 10][seed as usize % 4], [0, 3, 100][seed as usize % 3]);
        random_position(&mut chance, size, limit)
    })
}

#[test]
fn every_legal_move_is_evaluated_once_and_the_best_is_first() {
    for position in positions() {
        for max_nodes in BUDGETS {
            let analysis = analyse(&position, max_nodes);
            assert!(analysis.nodes <= max_nodes);
            let mut listed: Vec<String> = analysis.evaluations.iter().map(|e| e.mv.to_string()).collect();
            let mut legal: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
            listed.sort();
            legal.sort();
            assert_eq!(listed, legal);
            let ranks: Vec<(i32, i32)> = analysis.evaluations.iter().map(|e| rank(e.value)).collect();
            assert!(ranks.is_sorted_by(|better, worse| better >= worse), "{ranks:?}");
        }
    }
}

/// The greater, the better.
fn rank(value: Value) -> (i32, i32) {
    match value {
        Value::ForcedEnd(GameEnd::Win { plies }) => (1, -plies.cast_signed()),
        Value::ForcedEnd(GameEnd::Draw { .. }) => (0, 0),
        Value::ForcedEnd(GameEnd::Loss { plies }) => (-1, plies.cast_signed()),
        Value::Heuristic(value) => (0, value),
        other => panic!("{other:?} is not a value of this game"),
    }
}

#[test]
fn the_line_is_legal_and_starts_with_the_best_move() {
    for position in positions() {
        for max_nodes in BUDGETS {
            let analysis = analyse(&position, max_nodes);
            assert_eq!(analysis.line.first(), Some(&analysis.evaluations[0].mv));
            let end = analysis.line.iter().fold(position, |position, mv| after(&position, mv));
            let best = &analysis.evaluations[0];
            if let (Certainty::Exact, Value::ForcedEnd(end_value)) = (best.certainty, best.value) {
                // A proven line leads to the end.
                let (GameEnd::Win { plies } | GameEnd::Draw { plies } | GameEnd::Loss { plies }) = end_value;
                assert_eq!((analysis.line.len(), end.is_over()), (plies as usize, true), "{position:?}");
            }
        }
    }
}

#[test]
fn a_used_workspace_changes_nothing() {
    let (is_cancelled, mut used) = (AtomicBool::new(false), Workspace::default());
    for position in positions() {
        let mut search = Search::new(3000, 0, &is_cancelled, &mut used);
        let analysis = position.analyse(position.next_player(), &mut search);
        assert_eq!(analysis, Ok(analyse(&position, 3000)));
    }
}

#[test]
fn a_cancelled_analysis_is_an_error() {
    let (is_cancelled, mut workspace) = (AtomicBool::new(true), Workspace::default());
    for size in [4, 8, 26] {
        for max_nodes in [1, 1000] {
            let position = Position::start(rules(size, 0));
            let mut search = Search::new(max_nodes, 0, &is_cancelled, &mut workspace);
            assert_eq!(position.analyse(position.next_player(), &mut search), Err(Cancelled));
        }
    }
}

#[test]
fn one_node_is_enough_on_the_largest_board() {
    let position = random_game(&mut Chance::new(0, 0), rules(26, 0), 300);
    let analysis = analyse(&position, 1);
    assert_eq!((analysis.nodes, analysis.evaluations.len()), (1, position.legal_moves().len()));
}

#[test]
fn a_few_hundred_nodes_show_what_lets_the_opponent_win_at_once() {
    for seed in 0..100 {
        let position = random_position(&mut Chance::new(seed, 0), 4, 0);
        let player = position.next_player();
        for evaluation in analyse(&position, 300).evaluations {
            let next = after(&position, &evaluation.mv);
            let loses = next.next_player() != player
                && next.legal_moves().iter().any(|reply| {
                    let end = after(&next, reply);
                    end.is_over() && end.pieces(player) <= 2
                });
            let found = evaluation.value == Value::ForcedEnd(GameEnd::Loss { plies: 2 });
            assert_eq!(found, loses, "{position:?}: {evaluation:?}");
        }
    }
}

#[test]
fn a_casual_player_wins_at_once() {
    let position = position("Q..r q... r... R..R", One, 0, 0).expect("the position is valid");
    for seed in 0..20 {
        let analysis = support::analyse(&position, position.next_player(), 1000, seed);
        let chosen = Level::Casual.choose(&analysis, seed);
        assert_eq!(chosen.value, Value::ForcedEnd(GameEnd::Win { plies: 1 }));
    }
}

#[test]
fn first_impressions_are_in_range() {
    for position in positions() {
        let analysis = analyse(&position, 1);
        assert!(analysis.evaluations.iter().all(|e| (-1000..=1000).contains(&e.first_impression)));
    }
}

#[test]
fn the_move_that_takes_the_most_looks_best() {
    // Only this move takes the rooks on a3 and on d1.
    let position = position("Q..r q... r.r. R..R", One, 0, 0).expect("the position is valid");
    let evaluations = analyse(&position, 1).evaluations;
    let best = evaluations.iter().max_by_key(|evaluation| evaluation.first_impression);
    assert_eq!(best.map(|best| best.mv.to_string()), Some("d4-d3".to_owned()));
}
