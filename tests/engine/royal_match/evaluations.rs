//! What holds for every analysis of a match.

use std::sync::atomic::AtomicBool;

use arbiter_engine::{Analysis, Cancelled, Certainty, Engine, Search, Workspace};
use arbiter_games::{
    Game,
    royal_match::{Move, Player, RoyalMatch},
};

use super::support::{analyse_view, deal, in_progress, millitricks, next_players, parse, view};
use crate::support::analyse;

/// Calls a check with analyses of many matches: of states and views, of every player, with budgets from one node.
fn for_each_analysis(mut check: impl FnMut(&RoyalMatch, Player, &Analysis<Move>)) {
    for seed in 0..60 {
        let game = in_progress(2 + seed as u32 % 3, 1 + seed as u32 % 13, seed);
        for player in next_players(&game) {
            for max_nodes in [1, 40, 2000] {
                check(&game, player, &analyse(&game, player, max_nodes, seed));
                check(&game, player, &analyse_view(&game, player, max_nodes, seed));
            }
        }
    }
}

#[test]
fn every_card_of_the_asked_player_is_evaluated_once() {
    for_each_analysis(|game, player, analysis| {
        let mut legal: Vec<Move> = game.legal_moves().into_iter().filter(|mv| mv.player == player).collect();
        let mut evaluated: Vec<Move> = analysis.evaluations.iter().map(|evaluation| evaluation.mv).collect();
        legal.sort_by_key(|mv| mv.card.deck_index());
        evaluated.sort_by_key(|mv| mv.card.deck_index());
        assert_eq!(evaluated, legal, "{}", game.notation());
    });
}

#[test]
fn values_are_numbers_of_tricks_that_are_possible() {
    for_each_analysis(|game, player, analysis| {
        let seat = &game.diagram().seats()[player.index()];
        let taken = 1000 * i32::from(seat.tricks);
        let possible = taken..=taken + 1000 * seat.hand.len().cast_signed() as i32;
        for evaluation in &analysis.evaluations {
            assert!(
                possible.contains(&millitricks(evaluation.value)),
                "{evaluation:?} in {}",
                game.notation()
            );
        }
    });
}

#[test]
fn the_best_move_is_the_first() {
    for_each_analysis(|_, _, analysis| {
        let values = analysis.evaluations.iter().map(|evaluation| millitricks(evaluation.value));
        assert!(values.is_sorted_by(|better, worse| better >= worse));
        assert_eq!(analysis.line.first(), Some(&analysis.evaluations[0].mv));
    });
}

#[test]
fn lines_are_legal() {
    for_each_analysis(|game, _, analysis| {
        let mut after = game.clone();
        for mv in &analysis.line {
            after.play(mv).unwrap_or_else(|reasons| panic!("{mv} in {}: {reasons:?}", after.notation()));
        }
    });
}

#[test]
fn first_impressions_are_on_their_scale() {
    for_each_analysis(|_, _, analysis| {
        let scale = -1000..=1000;
        assert!(analysis.evaluations.iter().all(|evaluation| scale.contains(&evaluation.first_impression)));
    });
}

#[test]
fn the_budget_is_kept() {
    let game = deal(4, 13, 1);
    for max_nodes in [1, 100, 3000] {
        assert!(analyse(&game, Player::One, max_nodes, 0).nodes <= max_nodes);
    }
}

#[test]
fn a_move_after_which_nobody_has_a_choice_has_an_exact_value() {
    let analysis = analyse(&parse("rm:vH:2C;0;9C/3C,10C;0/4C;0;5C"), Player::Two, 100, 0);
    let values: Vec<(String, i32)> = analysis
        .evaluations
        .iter()
        .map(|evaluation| {
            assert_eq!(evaluation.certainty, Certainty::Exact);
            (evaluation.mv.to_string(), millitricks(evaluation.value))
        })
        .collect();
    // With the 3 of clubs player one takes this trick, and player two the last one.
    assert_eq!(values, [("2:10C".to_owned(), 1000), ("2:3C".to_owned(), 1000)]);
}

#[test]
fn what_nobody_can_choose_is_in_the_line() {
    let analysis = analyse(&parse("rm:vH:3C;0/2C;0/4C;0/5C;0"), Player::Two, 100, 0);
    let line: Vec<String> = analysis.line.iter().map(ToString::to_string).collect();
    assert_eq!(line, ["2:2C", "1:3C", "3:4C", "4:5C"]);
}

#[test]
fn a_used_workspace_is_like_a_new_one() {
    let (is_cancelled, mut workspace) = (AtomicBool::new(false), Workspace::default());
    for seed in 0..30 {
        let game = in_progress(2 + seed as u32 % 3, 6, seed);
        let player = next_players(&game)[0];
        let mut search = Search::new(3000, seed, &is_cancelled, &mut workspace);
        assert_eq!(game.analyse(player, &mut search), Ok(analyse(&game, player, 3000, seed)));
    }
}

#[test]
fn a_cancelled_search_has_no_result() {
    let (is_cancelled, mut workspace) = (AtomicBool::new(true), Workspace::default());
    for players in 2..=4 {
        let game = deal(players, 13, 1);
        let mut search = Search::new(1000, 0, &is_cancelled, &mut workspace);
        assert_eq!(game.analyse(Player::One, &mut search), Err(Cancelled));
        let mut search = Search::new(1000, 0, &is_cancelled, &mut workspace);
        let result = RoyalMatch::analyse_view(&view(&game, Player::One), &(), &mut search);
        assert_eq!(result, Err(Cancelled));
    }
}
