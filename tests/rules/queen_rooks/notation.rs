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
fn a_move_may_have_capitals_no_hyphen_and_spaces() {
    let wanted: Move = "c4-c1".parse().expect("the move can be read");
    for text in ["C4-C1", "c4c1", "C4C1", " c4-c1 ", "c4 - c1", "c4 c1", "c4–c1"] {
        assert_eq!(text.parse(), Ok(wanted), "{text}");
    }
    assert_eq!(wanted.to_string(), "c4-c1");
    for text in
        ["", "c4", "c4-", "-c4c1", "c4--c1", "c4-c1-", "c4-c1c1", "c-c1", "cc4-c1", "c04-c1", "c+4-c1"]
    {
        assert!(text.parse::<Move>().is_err(), "{text}");
    }
}

#[test]
fn a_move_may_have_a_row_off_the_board() {
    for (text, written) in
        [("a0-a1", "a0-a1"), ("a99-z4294967295", "a99-z4294967295"), ("a99999999999-a1", "a4294967295-a1")]
    {
        let mv: Move = text.parse().expect(text);
        assert_eq!(mv.to_string(), written);
    }
}

#[test]
fn every_move_reads_back_from_its_notation() {
    play_random_games(6, |Step { mv, .. }| assert_eq!(mv.to_string().parse(), Ok(*mv)));
}

#[test]
fn an_unreadable_text_is_rejected_with_all_other_errors() {
    let errors_of = |text: &str| {
        let errors = QueenRooks::parse(text).expect_err("the text is rejected");
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let wanted =
        ["size must be an even number from 4 to 26, not 5", "player one has 2 queens: each player has one"];
    assert_eq!(errors_of("qr:3rq/3rr/5/RR3/QQ3:1"), wanted);
    let [row, queens, length] = &errors_of("qr:2rK/2rr/QR1/QR2:1")[..] else { panic!("three errors") };
    assert!(row.starts_with("row 1 cannot be read from \"2rK\""), "{row}");
    assert_eq!(queens, "row 2 must have 4 characters, one per column, not 3");
    assert_eq!(length, wanted[1]);
    // The number of squares of an unreadable number is unknown.
    assert_eq!(errors_of("qr:02rq/2rr/RR2/QR2:1").len(), 1);
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
