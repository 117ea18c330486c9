//! The notation of states, boards and moves (QR-1 to QR-3, QR-7).

use super::support::{SIZES, Step, naive, play_random_games, random_diagram};
use crate::naive::queen_rooks as plain;
use arbiter_games::{
    Chance, Game, Square,
    queen_rooks::{Diagram, Move, QueenRooks},
};

#[test]
fn a_move_is_written_as_two_squares_with_a1_at_the_top_left() {
    let wanted = Move { from: Square { row: 0, column: 0 }, to: Square { row: 25, column: 3 } };
    assert_eq!("a1-d26".parse(), Ok(wanted));
}

#[test]
fn every_move_reads_back_from_its_notation() {
    play_random_games(6, |Step { mv, .. }| assert_eq!(mv.to_string().parse(), Ok(*mv)));
}

#[test]
fn every_state_has_the_notation_of_the_naive_game_and_reads_back_from_it() {
    play_random_games(5, |Step { after, .. }| {
        let text = after.notation();
        assert_eq!(text, naive(after).notation());
        assert_eq!(crate::parse_state::<QueenRooks>(&text), Ok(*after), "{text}");
    });
}

#[test]
fn every_diagram_reads_back_from_its_notation() {
    let mut chance = Chance::new(14, 0);
    for size in SIZES {
        for _ in 0..20 {
            let diagram = random_diagram(&mut chance, size);
            assert_eq!(diagram.notation(), plain::Game::from(&diagram).notation());
            assert_eq!(Diagram::parse(&diagram.notation()), Ok(diagram), "{}", diagram.notation());
        }
    }
}
