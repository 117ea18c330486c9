//! QR-3 to QR-7: random games of every size, compared with the naive implementation.

use std::collections::BTreeSet;

use super::support::{SIZES, Step, moves_on, naive, play_random_games, random_board_with_an_enclosed_player};
use crate::{
    chance::pick,
    naive::queen_rooks::{self as plain, Turn, cells},
};
use arbiter_games::{
    Chance, Game,
    queen_rooks::{Position, Rules, Setup},
};

#[test]
fn qr_3_the_naive_game_lists_the_same_legal_moves_in_the_same_order_in_random_games() {
    play_random_games(1, |Step { after, .. }| {
        let legal: Vec<_> = after.legal_moves().iter().map(cells).collect();
        assert_eq!(legal, naive(after).moves(), "{}", after.notation());
    });
}

#[test]
fn qr_4_the_naive_game_reports_the_same_move_captures_and_passes_in_random_games() {
    let mut seen = BTreeSet::new();
    play_random_games(2, |step| {
        let turn = step.turn();
        let (from, to) = cells(&step.mv);
        let wanted = naive(&step.before).play(from, to);
        assert_eq!(Some(&turn), wanted.as_ref(), "{} in {}", step.mv, step.before.notation());
        seen.insert((turn.captures.len(), turn.passed));
    });
    // Every case must occur, or it is not compared.
    for case in [(0, None), (1, None), (2, None), (0, Some(0)), (0, Some(1))] {
        assert!(seen.contains(&case), "{case:?}");
    }
}

#[test]
fn qr_5_the_naive_game_has_the_same_outcome_in_random_games() {
    let mut seen = BTreeSet::new();
    play_random_games(4, |Step { after, .. }| {
        let outcome = plain::Outcome::from(after.outcome());
        assert_eq!(outcome, naive(after).outcome(), "{}", after.notation());
        seen.insert((outcome.reason, outcome.winner));
    });
    // Every case must occur, or it is not compared.
    let won = Some("TOO_FEW_PIECES");
    let wanted = [(None, None), (Some("QUIET_MOVE_LIMIT"), None), (won, Some(0)), (won, Some(1))];
    assert!(seen.iter().eq(&wanted), "{seen:?}");
}

#[test]
fn qr_6_the_naive_game_has_the_same_passes_of_an_enclosed_player() {
    let mut chance = Chance::new(16, 0);
    let mut seen = BTreeSet::new();
    for size in SIZES {
        let mut moves = moves_on(size);
        while moves > 0 {
            let board = &random_board_with_an_enclosed_player(&mut chance, size);
            let (rules, next_player) = (Rules::new(size, 0).expect("the size is valid"), Some(chance.toss()));
            let setup = Setup { rules: rules.into(), board, next_player, quiet_moves: 0 };
            // The setup is rejected if the enclosed player is to move.
            let Ok(game) = Position::try_from(&setup) else { continue };
            let mv = pick(&mut chance, &game.legal_moves());
            let events = game.clone().play(&mv).expect("the move is legal");
            let turn = Turn::from(&events[..]);
            let (from, to) = cells(&mv);
            assert_eq!(Some(&turn), naive(&game).play(from, to).as_ref(), "{mv} in {}", game.notation());
            seen.insert((turn.captures.len(), turn.passed));
            moves -= 1;
        }
    }
    // Every case must occur, or it is not compared.
    for case in [(0, None), (0, Some(0)), (0, Some(1)), (1, Some(0)), (1, Some(1))] {
        assert!(seen.contains(&case), "{case:?}");
    }
}

#[test]
fn qr_7_the_naive_game_reaches_the_same_state_in_random_games() {
    play_random_games(3, |step| {
        let mut wanted = naive(&step.before);
        let (from, to) = cells(&step.mv);
        wanted.play(from, to);
        assert_eq!(naive(&step.after), wanted, "{} in {}", step.mv, step.before.notation());
    });
}
