//! Text boards for people.

use std::fmt::Write;

use super::{Diagram, Outcome};
use crate::Player;

/// Draws the board, with letters for its columns and numbers for its rows, and whose turn it is or how the game ended.
pub(super) fn draw(diagram: &Diagram, outcome: &Outcome) -> String {
    let mut text = "   ".to_owned();
    for column in 0..diagram.rules.size() {
        text.push(' ');
        text.push(char::from(b'a' + column));
    }
    text.push('\n');
    // Writing to a string cannot fail.
    for (index, row) in diagram.rows().iter().enumerate() {
        let _ = write!(text, "{:>3}", index + 1);
        for letter in row.chars() {
            let _ = write!(text, " {letter}");
        }
        text.push('\n');
    }
    let _ = match outcome.next_player {
        Some(next @ Player::One) => writeln!(text, "{next} (Q, R) to move"),
        Some(next @ Player::Two) => writeln!(text, "{next} (q, r) to move"),
        None => writeln!(text, "{outcome}"),
    };
    text
}
