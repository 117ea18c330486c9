//! QR-5, QR-6 and QR-7: too few pieces, blocked players, and the limit of quiet moves.

use super::support::{play, position, set_up, set_up_with_quiet_moves};
use arbiter_games::{
    Player::{One, Two},
    queen_rooks::{Ending, Event, Outcome, Position, Rules, SetupError},
};

fn outcome(game: &Position) -> (Option<Ending>, [u32; 2]) {
    let Outcome { ending, pieces, .. } = game.outcome();
    (ending, pieces)
}

#[test]
fn qr_5_a_player_with_three_pieces_plays_on() {
    let mut game = position("...R.q ...... r..... .....r R....r Q.....", One);
    play(&mut game, "d1-d3");
    assert_eq!(outcome(&game), (None, [3, 3]));
}

#[test]
fn qr_5_a_player_with_two_pieces_loses_immediately() {
    let mut game = position("...R.q ...... r..... ...... R....r Q.....", One);
    play(&mut game, "d1-d3");
    assert_eq!(outcome(&game), (Some(Ending::Won { winner: One }), [3, 2]));
}

#[test]
fn qr_5_a_player_with_only_the_queen_loses_immediately() {
    let mut game = position("...R.q ...... r..... ...... R..... Q..r..", One);
    play(&mut game, "d1-d3");
    assert_eq!(outcome(&game), (Some(Ending::Won { winner: One }), [3, 1]));
}

#[test]
fn qr_5_no_move_is_legal_after_the_end() {
    let mut game = position("...R.q ...... r..... ...... R....r Q.....", One);
    play(&mut game, "d1-d3");
    assert_eq!(game.legal_moves(), []);
}

/// The queen of player one can close the last exit of player two's corner.
const ABOUT_TO_BLOCK: &str = ".Rrq ...r ...R QR..";

#[test]
fn qr_6_a_blocked_player_passes_and_the_other_moves_again() {
    let mut game = position(ABOUT_TO_BLOCK, One);
    let events = play(&mut game, "a4-c2");
    assert_eq!(events[1..], [Event::Passed { player: Two }]);
    assert_eq!((game.next_player(), game.outcome().ending), (One, None));
}

#[test]
fn qr_6_a_blocked_player_moves_again_once_there_is_an_exit() {
    let mut game = position(".Rrq R.Qr ...R ....", One);
    let events = play(&mut game, "c2-c3");
    assert_eq!((events.len(), game.next_player()), (1, Two));
}

/// The two pieces that player two has left could not move either.
#[test]
fn qr_6_a_blocked_player_with_two_pieces_has_lost_and_does_not_pass() {
    let mut game = position("...RRq ....Rr r....R ...... ...... Q.....", One);
    let events = play(&mut game, "d1-d3");
    assert!(matches!(events[1..], [Event::Captured(_)]), "{events:?}");
    assert_eq!(game.outcome().ending, Some(Ending::Won { winner: One }));
}

#[test]
fn qr_6_a_blocked_player_does_not_pass_when_quiet_moves_make_a_draw() {
    let mut game = set_up_with_quiet_moves(ABOUT_TO_BLOCK, One, 1, 2).expect("the setup is accepted");
    let events = play(&mut game, "a4-c2");
    assert_eq!((events.len(), game.outcome().ending), (1, Some(Ending::QuietMoveLimit)));
}

/// If neither player can move, the game is a draw. No game reaches this: at least half of the board is empty, so some
/// piece has an empty square next to it, and a piece that has just moved can move back. Only a full board blocks both
/// players, and it is rejected.
#[test]
fn qr_6_a_board_that_blocks_both_players_is_rejected() {
    let errors = set_up("RRrq RRrr RRrr QRrr", One).expect_err("the board is full");
    let too_many = |player| SetupError::TooManyPieces { player, found: 8, max: 4 };
    assert_eq!(errors, [too_many(One), too_many(Two)]);
}

fn start_with_limit(limit: u32) -> Position {
    Position::start(Rules::new(4, limit).expect("the rules are valid"))
}

#[test]
fn qr_7_quiet_moves_of_both_players_make_a_draw_at_the_limit() {
    let mut game = start_with_limit(2);
    play(&mut game, "b3-b1");
    assert_eq!(game.outcome().ending, None);
    play(&mut game, "d2-d4");
    assert_eq!(game.outcome().ending, Some(Ending::QuietMoveLimit));
    assert_eq!(game.legal_moves(), []);
}

#[test]
fn qr_7_a_capture_resets_the_count_of_quiet_moves() {
    let mut game = start_with_limit(3);
    for text in ["b3-b1", "d2-d4", "a3-d3"] {
        play(&mut game, text);
    }
    assert_eq!((game.quiet_moves(), game.outcome().ending), (0, None));
}

#[test]
fn qr_7_a_pass_is_not_counted_as_a_quiet_move() {
    let mut game = set_up_with_quiet_moves(".Rrq ...r ...R QR..", One, 7, 0).expect("the setup is accepted");
    let events = play(&mut game, "a4-c2");
    assert_eq!((events.len(), game.quiet_moves()), (2, 8));
}

#[test]
fn qr_7_without_a_limit_quiet_moves_make_no_draw_and_are_counted_up_to_a_million() {
    let mut game =
        set_up_with_quiet_moves("..rq ..rr RR.. QR..", One, 999_999, 0).expect("the setup is accepted");
    play(&mut game, "b3-b1");
    play(&mut game, "d2-d4");
    assert_eq!((game.quiet_moves(), game.outcome().ending), (1_000_000, None));
}
