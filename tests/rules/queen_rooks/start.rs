//! QR-2: the start of a game.

use super::support::{SIZES, naive, picture};
use crate::naive::queen_rooks as plain;
use arbiter_games::{
    Player::One,
    queen_rooks::{Position, Rules},
};

#[test]
fn qr_2_each_player_fills_a_square_in_a_corner_with_the_queen_outermost() {
    let start = Position::start(Rules::new(6, 0).expect("the size is valid"));
    assert_eq!(picture(&start), "...rrq ...rrr ...rrr RRR... RRR... QRR...");
}

#[test]
fn qr_2_player_one_starts() {
    assert_eq!(Position::start(Rules::default()).next_player(), One);
}

#[test]
fn qr_2_the_naive_game_has_the_same_start_on_every_size() {
    for size in SIZES {
        let rules = Rules::new(size, 7).expect("the size is valid");
        assert_eq!(naive(&Position::start(rules)), plain::Game::start(size as usize, 7));
    }
}
