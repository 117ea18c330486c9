//! TT-15: the game as one player sees it.

use proptest::prelude::*;

use super::support::{any_record, config, game, naive};
use crate::naive::triple_triad as plain;
use arbiter_games::{
    Game, PlayError, Player, Square, StateOrView, View as _,
    triple_triad::{Card, IllegalMove, Move, Rule, TripleTriad, View},
};

/// The view of a player; none if hands are open.
fn view(game: &TripleTriad, viewer: Player) -> Option<View> {
    match game.view(viewer) {
        StateOrView::View(view) => Some(view),
        StateOrView::State(_) => None,
    }
}

/// The views of both players in every state with hidden hands.
fn views(states: &[TripleTriad]) -> impl Iterator<Item = (&TripleTriad, Player, View)> {
    let pairs = states.iter().flat_map(|game| Player::ALL.map(|viewer| (game, viewer)));
    pairs.filter_map(|(game, viewer)| Some((game, viewer, view(game, viewer)?)))
}

/// Moves of all cards of a game and of an unknown card, to squares on and off the board.
fn some_moves(game: &TripleTriad) -> impl Iterator<Item = Move> {
    let cards: Vec<u32> = game.cards().iter().map(Card::id).chain([u32::MAX]).collect();
    let squares = (0..4).flat_map(|row| (0..3).map(move |column| Square { row, column }));
    squares.flat_map(move |square| cards.clone().into_iter().map(move |card| Move { card, square }))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn tt_15_a_view_hides_only_the_hands_that_the_naive_game_hides(record in any_record()) {
        for game in record.states() {
            for viewer in Player::ALL {
                let known = game.view(viewer);
                prop_assert_eq!(plain::hands_of(&known), naive(&game).view(viewer as usize));
                let StateOrView::View(view) = known else { continue };
                let whole = game.diagram();
                let mut shown = view.diagram().clone();
                shown.hands.clone_from(&whole.hands);
                shown.hidden = None;
                prop_assert_eq!(shown, whole);
            }
        }
    }

    #[test]
    fn tt_15_a_view_does_not_depend_on_the_hidden_cards(record in any_record()) {
        for (state, viewer, view) in views(&record.states()) {
            let mut other = state.diagram();
            let hand = &mut other.hands[viewer.other() as usize];
            *hand = record.others[..hand.len()].to_vec();
            prop_assert_eq!(game(&other).view(viewer), StateOrView::View(view));
        }
    }

    #[test]
    fn tt_15_a_view_reads_back_from_its_notation(record in any_record()) {
        for (_, _, view) in views(&record.states()) {
            let text = view.notation();
            prop_assert_eq!(TripleTriad::parse(&text), Ok(StateOrView::View(view)), "{}", text);
        }
    }

    #[test]
    fn tt_15_on_the_viewers_turn_a_view_behaves_like_the_whole_state(record in any_record()) {
        let states = record.states();
        for (game, viewer, view) in views(&states).filter(|(game, viewer, _)| game.position().next_player() == *viewer) {
            prop_assert_eq!(view.legal_moves(), Ok(game.legal_moves()));
            for mv in some_moves(game) {
                prop_assert_eq!(view.why_illegal(&mv), Ok(game.why_illegal(&mv)), "{} in {}", mv, view.notation());
                let (mut whole, mut seen) = (*game, view.clone());
                let (played, wanted) = (seen.play(&mv), whole.play(&mv).map_err(PlayError::Illegal));
                prop_assert_eq!(played, wanted, "{} in {}", mv, view.notation());
                prop_assert_eq!(StateOrView::View(seen), whole.view(viewer), "{} in {}", mv, view.notation());
            }
        }
    }

    #[test]
    fn tt_15_a_view_rejects_moves_of_the_other_player(record in any_record()) {
        let states = record.states();
        for (game, _, view) in views(&states).filter(|(game, viewer, _)| game.position().next_player() != *viewer) {
            prop_assert_eq!(view.legal_moves().is_ok(), game.position().is_over());
            for mv in some_moves(game) {
                let (why, played) = (view.why_illegal(&mv), view.clone().play(&mv));
                if game.position().is_over() {
                    prop_assert_eq!(why.as_ref().map(|reasons| reasons[0]), Ok(IllegalMove::GameOver));
                    prop_assert_eq!(played, why.map_err(PlayError::Hidden).and_then(|why| Err(why.into())));
                } else {
                    prop_assert!(why.is_err());
                    prop_assert!(matches!(played, Err(PlayError::Hidden(_))));
                }
            }
        }
    }

    #[test]
    fn tt_15_a_view_has_the_outcome_of_the_whole_state(record in any_record()) {
        for (game, _, view) in views(&record.states()) {
            prop_assert_eq!(view.outcome(), game.outcome(), "{}", view.notation());
        }
    }

    #[test]
    fn tt_15_in_an_open_game_nothing_is_hidden(record in any_record()) {
        for game in record.states().into_iter().filter(|game| game.position().rules().has(Rule::Open)) {
            for viewer in Player::ALL {
                prop_assert_eq!(game.view(viewer), StateOrView::State(game));
            }
        }
    }
}
