//! TT-15: the state as one player sees it.

use proptest::prelude::*;

use super::support::{any_record, config, game, naive};
use crate::naive::triple_triad as plain;
use arbiter_games::{
    Game, Player,
    triple_triad::{Diagram, ParseError, Rule, TripleTriad},
};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn tt_15_a_view_hides_only_the_hands_that_the_naive_game_hides(record in any_record()) {
        for game in record.states() {
            for viewer in Player::ALL {
                let mut view = game.view(viewer);
                prop_assert_eq!(plain::hands_of(&view), naive(&game).view(viewer as usize));
                let whole = Diagram::from(&game);
                view.diagram.hands.clone_from(&whole.hands);
                prop_assert_eq!(view.diagram, whole);
            }
        }
    }

    #[test]
    fn tt_15_a_view_does_not_depend_on_the_hidden_cards(record in any_record()) {
        for state in record.states().into_iter().filter(|game| !game.position().rules().has(Rule::Open)) {
            for viewer in Player::ALL {
                let mut other = Diagram::from(&state);
                let hand = &mut other.hands[viewer.other() as usize];
                *hand = record.others[..hand.len()].to_vec();
                let (view, other) = (state.view(viewer), game(&other).view(viewer));
                prop_assert_eq!(view.notation(), other.notation());
                prop_assert_eq!(view, other);
            }
        }
    }

    #[test]
    fn tt_15_a_view_is_not_accepted_as_a_state(record in any_record()) {
        for game in record.states().into_iter().filter(|game| !game.position().rules().has(Rule::Open)) {
            for viewer in Player::ALL {
                let refused = TripleTriad::parse(&game.view(viewer).notation());
                prop_assert!(refused.is_err_and(|errors| errors.contains(&ParseError::View)));
            }
        }
    }

    #[test]
    fn tt_15_in_an_open_game_nothing_is_hidden(record in any_record()) {
        for game in record.states().into_iter().filter(|game| game.position().rules().has(Rule::Open)) {
            for view in Player::ALL.map(|viewer| game.view(viewer)) {
                prop_assert_eq!(view.notation(), game.notation());
                prop_assert_eq!(view.hidden, None);
                prop_assert_eq!(view.diagram, Diagram::from(&game));
            }
        }
    }
}
