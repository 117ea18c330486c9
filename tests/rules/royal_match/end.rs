//! RM-7: the end of a match.

use super::support::{FOUR, ONE, THREE, TWO};
use arbiter_games::{
    Game,
    royal_match::{Ending, RoyalMatch},
};

#[test]
fn rm_7_most_tricks_win_and_equal_most_is_a_draw_between_those_players() {
    for (state, ending) in [
        ("rm:vH:-;3/-;2", Ending::Won { winner: ONE }),
        ("rm:vH:-;1/-;5/-;0/-;4", Ending::Won { winner: TWO }),
        ("rm:vH:-;2/-;1/-;2", Ending::Draw { between: vec![ONE, THREE] }),
        ("rm:vH:-;0/-;3/-;3/-;3", Ending::Draw { between: vec![TWO, THREE, FOUR] }),
        ("rm:vH:-;1/-;1/-;1/-;1", Ending::Draw { between: vec![ONE, TWO, THREE, FOUR] }),
    ] {
        let game = crate::parse_state::<RoyalMatch>(state).expect("the match is over");
        assert_eq!(game.outcome().ending, Some(ending), "{state}");
    }
}
