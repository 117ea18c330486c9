//! QR-4: captures of a rook that moved.

use std::collections::BTreeSet;

use super::support::{SIZES, moves_on, play, position, random_diagram};
use crate::naive::queen_rooks::{self as plain, square};
use arbiter_games::{
    Chance,
    Player::{self, One, Two},
    Square,
    queen_rooks::{Capture, Event, Move, Piece},
};

/// The squares on which a move takes a rook.
fn taken(picture: &str, player: Player, text: &str) -> Vec<String> {
    let events = play(&mut position(picture, player), text);
    let captured = |event: &Event| match event {
        Event::Captured(capture) => Some(Move { from: capture.square, to: capture.square }.to_string()),
        _ => None,
    };
    let names = events.iter().filter_map(captured);
    names.map(|name| name.split('-').take(1).collect()).collect()
}

/// The rook of player one moves from d1 to d3. The queen is on a6, so a3 and d6 are the other corners.
fn taken_from(a3: char, d6: char) -> Vec<String> {
    taken(&format!("...R.q ...... {a3}....r .....r R....r Q..{d6}.."), One, "d1-d3")
}

#[test]
fn qr_4_a_rook_takes_nothing_from_empty_corners() {
    assert!(taken_from('.', '.').is_empty());
}

#[test]
fn qr_4_a_rook_takes_a_rook_on_the_corner_in_its_row() {
    assert_eq!(taken_from('r', '.'), ["a3"]);
}

#[test]
fn qr_4_a_rook_takes_a_rook_on_the_corner_in_its_column() {
    assert_eq!(taken_from('.', 'r'), ["d6"]);
}

#[test]
fn qr_4_a_rook_takes_two_rooks_at_once_first_the_one_in_its_row() {
    assert_eq!(taken_from('r', 'r'), ["a3", "d6"]);
}

#[test]
fn qr_4_a_rook_does_not_take_a_rook_of_its_own_colour() {
    assert_eq!(taken_from('R', 'r'), ["d6"]);
}

#[test]
fn qr_4_a_rook_does_not_take_a_queen() {
    assert_eq!(taken("...R.. ...... q....r .....r R....r Q..r..", One, "d1-d3"), ["d6"]);
}

#[test]
fn qr_4_a_rook_of_player_two_takes_too() {
    assert_eq!(taken("..R..q R..... ...... ...... RR.... Qrr...", Two, "c6-c5"), ["c1"]);
}

#[test]
fn qr_4_a_rook_takes_nothing_in_the_row_of_its_queen() {
    assert!(taken("...R.q ...... r....r .....r R.r... Qr....", One, "d1-d6").is_empty());
}

#[test]
fn qr_4_a_rook_takes_nothing_in_the_column_of_its_queen() {
    assert!(taken("...... .R...q r....r ....r. R..... Q..r..", One, "b2-a2").is_empty());
}

#[test]
fn qr_4_pieces_inside_the_rectangle_and_on_its_sides_do_not_matter() {
    assert_eq!(taken("...R.q ...... rrR..r R.r..r R..R.r QRrr..", One, "d1-d3"), ["a3", "d6"]);
}

#[test]
fn qr_4_a_rook_that_moves_to_a_corner_is_not_taken() {
    assert!(taken("r..... .....q ...R.. .....r R....r Q.....", Two, "a1-a3").is_empty());
}

/// The rook on d3 would take both corners if it moved there.
#[test]
fn qr_4_a_queen_that_moves_takes_nothing() {
    assert!(taken("...... .....q r..R.r .....r R....r .Q.r..", One, "b6-a6").is_empty());
}

#[test]
fn qr_4_a_capture_reports_the_queen_and_both_corners() {
    let mut game = position("...R.. ...... q....r .....r R....r Q..r..", One);
    let events = play(&mut game, "d1-d3");
    let at = |row, column| Square { row, column };
    let wanted = Capture {
        square: at(5, 3),
        rook: at(2, 3),
        queen: at(5, 0),
        corners: [(at(2, 0), Some(Piece::Queen(Two))), (at(5, 3), Some(Piece::Rook(Two)))],
    };
    assert_eq!(events[1..], [Event::Captured(wanted)]);
}

#[test]
fn qr_4_the_naive_game_explains_the_same_captures_on_random_boards_of_every_size() {
    let mut chance = Chance::new(13, 0);
    let (mut taken, mut corners) = (BTreeSet::new(), BTreeSet::new());
    for size in SIZES {
        for _ in 0..moves_on(size) / 20 + 2 {
            let diagram = random_diagram(&mut chance, size);
            let game = plain::Game::from(&diagram);
            for arrived_at in game.cells() {
                let mut after = diagram;
                let captures = after.resolve(square(arrived_at));
                let captures: Vec<_> = captures.iter().map(plain::Capture::from).collect();
                let mut wanted = game.clone();
                assert_eq!(captures, wanted.resolve(arrived_at), "{} {arrived_at:?}", diagram.notation());
                assert_eq!(plain::Game::from(&after), wanted, "{} {arrived_at:?}", diagram.notation());
                taken.insert((size, captures.len()));
                corners.extend(captures.iter().flat_map(|capture| capture.corners).map(|(_, piece)| piece));
            }
        }
    }
    // Every case must occur, or it is not compared.
    assert_eq!(taken.len(), 3 * SIZES.len(), "{taken:?}");
    assert!(corners.iter().copied().eq(".QRqr".chars()), "{corners:?}");
}
