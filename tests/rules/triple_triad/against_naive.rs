//! TT-3, TT-11 and TT-12: random games, compared with the naive implementation.

use std::collections::BTreeSet;

use super::support::{
    elemental_squares, naive, random_cards, random_element, random_rules, start, with_hands,
};
use crate::{
    chance::pick,
    naive::triple_triad::{self as plain, CELLS, cell},
};
use arbiter_games::{
    Chance, Game, Player,
    triple_triad::{Event, OpeningSetup, TripleTriad},
};

fn random_game(chance: &mut Chance) -> TripleTriad {
    let elements = Some(elemental_squares(&std::array::from_fn(|_| random_element(chance))));
    let cards = random_cards::<10>(chance);
    let first_player = Some(pick(chance, &Player::ALL));
    start(random_rules(chance), &OpeningSetup { first_player, elements, ..with_hands(&cards) }, 0)
}

/// Plays random games with the crate and the naive implementation side by side. Calls `compare` before each move and at
/// the end.
fn play_side_by_side(stream: u64, mut compare: impl FnMut(&TripleTriad, &plain::Game)) {
    let mut chance = Chance::new(5, stream);
    for _ in 0..10_000 {
        let mut game = random_game(&mut chance);
        let mut naive = naive(&game);
        loop {
            compare(&game, &naive);
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = pick(&mut chance, &legal);
            game.play(&mv).expect("the move is legal");
            naive.play(mv.card, cell(mv.square)).expect("the move is legal");
        }
    }
}

#[test]
fn tt_3_the_naive_game_has_the_same_legal_moves_in_random_games() {
    play_side_by_side(1, |game, naive| {
        let legal: Vec<_> = game.legal_moves().iter().map(|mv| (mv.card, cell(mv.square))).collect();
        assert_eq!(legal, naive.moves(), "{}", game.notation());
    });
}

#[test]
fn tt_11_the_naive_game_reports_the_same_placement_and_captures_in_random_games() {
    let mut chance = Chance::new(6, 0);
    play_side_by_side(2, |game, naive| {
        let legal = game.legal_moves();
        if legal.is_empty() {
            return;
        }
        let mv = pick(&mut chance, &legal);
        let events = game.clone().play(&mv).expect("the move is legal");
        let [Event::Placed { player, card, square }, captures @ ..] = &events[..] else {
            panic!("{mv} in {} does not start with its placement: {events:?}", game.notation());
        };
        assert_eq!((*player, card.id(), *square), (game.position().next_player(), mv.card, mv.square));
        let captures = captures.iter().map(|event| match event {
            Event::Captured(capture) => plain::Capture::from(capture),
            Event::Placed { .. } => panic!("{mv} in {} places two cards", game.notation()),
        });
        let wanted = naive.clone().play(mv.card, cell(mv.square)).expect("the move is legal");
        assert_eq!(captures.collect::<Vec<_>>(), wanted, "{mv} in {}", game.notation());
    });
}

#[test]
fn tt_12_the_naive_game_has_the_same_scores_and_outcome_in_random_games() {
    let mut seen = BTreeSet::new();
    play_side_by_side(3, |game, naive| {
        let outcome = plain::Outcome::from(&game.outcome());
        assert_eq!(outcome, naive.outcome(), "{}", game.notation());
        seen.insert((outcome.result, outcome.winner));
    });
    // Every case must occur, or it is not compared.
    assert_eq!(seen.len(), 5, "{seen:?}");
}

#[test]
fn tt_12_the_naive_game_reaches_the_same_board_in_random_games() {
    play_side_by_side(4, |game, wanted| {
        let board = |game: &plain::Game| {
            let squares = CELLS.map(|(row, column)| game.grid[row][column].card);
            (squares, game.hands.clone(), game.player)
        };
        assert_eq!(board(&naive(game)), board(wanted), "{}", game.notation());
    });
}
