//! Analyses of what one player sees.

use arbiter_engine::{Certainty, Value};
use arbiter_games::royal_match::Player;

use super::support::{analyse_view, deal, parse};

#[test]
fn hidden_cards_do_not_matter() {
    for (one, other) in [
        ("rm:vH:7H,10S,3C;0/2H,AD,5C;0", "rm:vH:7H,10S,3C;0/KS,QD,9H;0"),
        ("rm:sC:7H,10S;1;KH/2H,AD,5C;0/4S,5S,6S;2", "rm:sC:7H,10S;1;KH/2H,AD,5C;0/AS,AC,AH;2"),
        ("rm:vD:7H,9D;0/2H;0;8C/QD,KD;0/5C,6C;0", "rm:vD:7H,9D;0/AH;0;8C/2D,QD;0/KD,JC;0"),
    ] {
        let viewer = if one.contains("KH") { Player::Two } else { Player::One };
        // Only the hand of the viewer is the same.
        let (one, other) = (parse(one), parse(other));
        assert_eq!(analyse_view(&one, viewer, 2000, 7), analyse_view(&other, viewer, 2000, 7));
    }
}

#[test]
fn the_seed_decides_the_deals() {
    let game = deal(3, 5, 1);
    let analyse = |seed| analyse_view(&game, Player::One, 5000, seed);
    assert_eq!(analyse(1), analyse(1));
    assert_ne!(analyse(1), analyse(2));
}

#[test]
fn values_are_estimates_and_the_line_is_one_move() {
    for players in 2..=4 {
        let analysis = analyse_view(&deal(players, 5, 1), Player::Two, 5000, 0);
        assert!(analysis.evaluations.iter().all(|evaluation| evaluation.certainty == Certainty::Estimate));
        assert_eq!(analysis.line, [analysis.evaluations[0].mv]);
    }
}

#[test]
fn the_last_card_of_a_match_has_an_exact_value() {
    for (notation, value) in [("rm:vH:-;0;9C/10C;1", 2000), ("rm:vH:-;0;9C/8C;1/-;2;7C", 1000)] {
        let analysis = analyse_view(&parse(notation), Player::Two, 1, 0);
        assert_eq!(analysis.evaluations[0].certainty, Certainty::Exact);
        assert_eq!(analysis.evaluations[0].value, Value::ExpectedMillitricks(value));
    }
}

#[test]
fn the_last_player_of_a_trick_wins_it_cheaply() {
    let game = parse("rm:vH:2D,4D,5D;0;7C/2S,9C,AH,AC;0");
    let best = &analyse_view(&game, Player::Two, 20_000, 0).evaluations[0];
    assert_eq!(best.mv.to_string(), "2:9C");
}

#[test]
fn the_last_of_three_players_gives_up_the_weakest_card_in_a_lost_trick() {
    let game = parse("rm:vH:2D,4D,5D;0;7C/6D,7D,8D;0;AH/2S,9C,AC,KH;0");
    let best = &analyse_view(&game, Player::Three, 20_000, 0).evaluations[0];
    assert_eq!(best.mv.to_string(), "3:2S");
}

#[test]
fn a_sure_trick_is_expected() {
    // The ace of the strong suit takes a trick against any cards.
    let game = parse("rm:vH:AH;0/2C;0");
    let analysis = analyse_view(&game, Player::One, 1000, 0);
    assert_eq!(analysis.evaluations[0].value, Value::ExpectedMillitricks(1000));
}
