//! RM-7: the end of a match.

use arbiter_games::royal_match::{
    Ending,
    Player::{Four, One, Three, Two},
    RoyalMatch,
};

#[test]
fn rm_7_the_most_tricks_win_and_a_tie_is_a_draw() {
    for (state, ending) in [
        ("rm:vH:-;3/-;2", Ending::Won { winner: One }),
        ("rm:vH:-;1/-;5/-;0/-;4", Ending::Won { winner: Two }),
        ("rm:vH:-;2/-;1/-;2", Ending::Draw { between: vec![One, Three] }),
        ("rm:vH:-;0/-;3/-;3/-;3", Ending::Draw { between: vec![Two, Three, Four] }),
        ("rm:vH:-;1/-;1/-;1/-;1", Ending::Draw { between: vec![One, Two, Three, Four] }),
    ] {
        let game = crate::parse_state::<RoyalMatch>(state).expect("the match is over");
        assert_eq!(game.outcome().ending, Some(ending), "{state}");
    }
}
