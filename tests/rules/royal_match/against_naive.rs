//! RM-7: random matches, compared with the naive implementation.

use std::collections::BTreeSet;

use super::support::{naive, play_side_by_side};
use crate::naive::royal_match as plain;
use arbiter_games::{Game, royal_match::Event};

#[test]
fn rm_7_the_naive_match_has_the_same_legal_moves() {
    play_side_by_side(1, |game, naive| {
        let legal: Vec<_> = game.legal_moves().iter().map(|mv| (mv.player.index(), mv.card.into())).collect();
        assert_eq!(legal, naive.moves(), "{}", game.notation());
    });
}

#[test]
fn rm_7_the_naive_match_reports_the_same_card_and_trick() {
    let mut tricks = 0;
    play_side_by_side(4, |game, naive| {
        for mv in game.legal_moves() {
            let events = game.clone().play(&mv).expect("the move is legal");
            let [Event::Played { player, card }, taken @ ..] = &events[..] else {
                panic!("{mv} in {} does not start with the card: {events:?}", game.notation());
            };
            assert_eq!((*player, *card), (mv.player, mv.card));
            let taken = taken.iter().map(|event| match event {
                Event::TrickTaken(trick) => plain::Trick::from(trick),
                Event::Played { .. } => panic!("{mv} in {} plays two cards", game.notation()),
            });
            let taken: Vec<_> = taken.collect();
            let wanted = naive.clone().play(mv.player.index(), mv.card.into());
            tricks += taken.len();
            assert_eq!(Some(taken), wanted, "{mv} in {}", game.notation());
        }
    });
    assert!(tricks > 1000, "{tricks} tricks were compared");
}

#[test]
fn rm_7_the_naive_match_reaches_the_same_position() {
    play_side_by_side(5, |game, wanted| assert_eq!(&naive(game), wanted, "{}", game.notation()));
}

#[test]
fn rm_7_the_naive_match_has_the_same_tricks_and_outcome() {
    let mut seen = BTreeSet::new();
    play_side_by_side(6, |game, naive| {
        let outcome = plain::Outcome::from(&game.outcome());
        assert_eq!(outcome, naive.outcome(), "{}", game.notation());
        seen.insert((outcome.result, outcome.best.len()));
    });
    // Every case must occur, or it is not compared: a match in progress, a winner, and draws between two to four players.
    let draws = [("DRAW", 2), ("DRAW", 3), ("DRAW", 4)];
    let all: BTreeSet<_> = draws.into_iter().chain([("IN_PROGRESS", 0), ("WINNER_DETERMINED", 1)]).collect();
    assert_eq!(seen, all);
}
