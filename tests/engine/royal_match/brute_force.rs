//! Matches of two players against a search of all their continuations.

use arbiter_engine::Certainty;
use arbiter_games::{
    Game,
    royal_match::{Player, RoyalMatch},
};

use super::support::{deal, in_progress, millitricks, next_players};
use crate::support::analyse;

#[test]
fn every_value_of_a_new_match_is_that_of_brute_force() {
    for seed in 0..200 {
        assert_exact(&deal(2, 1 + seed as u32 % 4, seed));
    }
}

#[test]
fn every_value_of_a_match_in_progress_is_that_of_brute_force() {
    for seed in 0..200 {
        assert_exact(&in_progress(2, 4, seed));
    }
}

#[test]
fn every_value_with_five_cards_is_that_of_brute_force() {
    for seed in 0..8 {
        assert_exact(&deal(2, 5, seed));
    }
}

/// Checks every legal move.
fn assert_exact(game: &RoyalMatch) {
    for player in next_players(game) {
        let analysis = analyse(game, player, 1000, 0);
        for evaluation in analysis.evaluations {
            let mut after = game.clone();
            after.play(&evaluation.mv).expect("the move is legal");
            assert_eq!(evaluation.certainty, Certainty::Exact);
            let tricks = millitricks(evaluation.value);
            assert_eq!(
                tricks,
                1000 * most_tricks(&after, player),
                "{} of {}",
                evaluation.mv,
                game.notation()
            );
        }
    }
}

/// The tricks of a player at the end of the match, if both play as well as possible in the order of their seats.
fn most_tricks(game: &RoyalMatch, player: Player) -> i32 {
    let outcome = game.outcome();
    let Some(&next) = outcome.next_players.first() else {
        return outcome.tricks[player.index()].cast_signed();
    };
    let results = game.legal_moves().into_iter().filter(|mv| mv.player == next).map(|mv| {
        let mut after = game.clone();
        after.play(&mv).expect("the move is legal");
        most_tricks(&after, player)
    });
    let best = if next == player { results.max() } else { results.min() };
    best.expect("the player has a card")
}
