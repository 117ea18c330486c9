//! Text boards for people.

use std::fmt::{self, Write};

use super::{Outcome, Position};

/// Draws the board of C4-6, the numbers of the columns, and whose turn it is or how the game ended.
pub(super) fn draw(position: &Position, outcome: &Outcome) -> String {
    let mut text = position.to_string();
    let columns = 1..=u32::from(position.rules().columns());
    // Each number is below its column. With ten columns or more, the tens have a row above the units.
    let tens = |column: u32| if column < 10 { " ".to_owned() } else { (column / 10).to_string() };
    if *columns.end() >= 10 {
        columns.clone().for_each(|column| text.extend([" ", &tens(column)]));
        text.push('\n');
    }
    columns.for_each(|column| text.extend([" ", &(column % 10).to_string()]));
    text.push('\n');
    // Writing to a string cannot fail.
    let _ = match outcome.next_player {
        Some(next) => writeln!(text, "{next} ({}) to move", next.letter()),
        None => writeln!(text, "{outcome}"),
    };
    text
}

impl fmt::Display for Position {
    /// The board of C4-6.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.rows() {
            f.write_str("|")?;
            for token in row.chars() {
                write!(f, "{}|", if token == '.' { ' ' } else { token })?;
            }
            f.write_str("\n")?;
        }
        writeln!(f, "{}", "-".repeat(usize::from(self.rules().columns()) * 2 + 1))
    }
}
