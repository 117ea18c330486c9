//! Exact analyses of two players.

use arbiter_engine::{Certainty, Value};
use arbiter_games::{
    Game,
    royal_match::{MAX_HAND_SIZE, Player},
};

use super::support::{deal, millitricks, next_players, parse};
use crate::support::analyse;

#[test]
fn a_trick_is_won_with_the_weakest_card_that_does() {
    let game = parse("rm:vH:2C,4C;0;9C/3C,10C,AC;0");
    let best = &analyse(&game, Player::Two, 1000, 0).evaluations[0];
    assert_eq!(best.mv.to_string(), "2:10C");
}

#[test]
fn a_trick_that_is_lost_costs_the_weakest_card() {
    let game = parse("rm:vH:2C,4C;0;AH/3C,10C,AC;0");
    let best = &analyse(&game, Player::Two, 1000, 0).evaluations[0];
    assert_eq!(best.mv.to_string(), "2:3C");
    assert_eq!(best.value, Value::ExpectedMillitricks(2000));
}

#[test]
fn tricks_already_taken_count() {
    let game = parse("rm:vH:2C;5/3C;4");
    let best = &analyse(&game, Player::One, 1000, 0).evaluations[0];
    assert_eq!(best.value, Value::ExpectedMillitricks(5000));
}

#[test]
fn the_line_leads_to_the_end_that_the_value_promises() {
    for seed in 0..50 {
        let game = deal(2, MAX_HAND_SIZE as u32, seed);
        for player in next_players(&game) {
            let analysis = analyse(&game, player, 1000, 0);
            let mut after = game.clone();
            for mv in &analysis.line {
                assert_eq!(after.why_illegal(mv), [], "{mv} in {}", after.notation());
                after.play(mv).expect("the move is legal");
            }
            assert!(after.is_over());
            let tricks = 1000 * after.outcome().tricks[player.index()].cast_signed();
            assert_eq!(tricks, millitricks(analysis.evaluations[0].value));
        }
    }
}

#[test]
fn a_few_hundred_nodes_are_enough_for_the_largest_hands() {
    let game = deal(2, MAX_HAND_SIZE as u32, 1);
    for player in next_players(&game) {
        let analysis = analyse(&game, player, 300, 0);
        assert!(analysis.evaluations.iter().all(|evaluation| evaluation.certainty == Certainty::Exact));
    }
}
