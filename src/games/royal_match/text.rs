//! Text boards for people.

use std::fmt::Write;

use super::{Diagram, Ordering, Outcome, outcome::join};
use crate::Count;

/// Draws the strong suit and the ordering, one line per player, and whose turn it is or how the match ended.
pub(super) fn draw(diagram: &Diagram, outcome: &Outcome) -> String {
    let ordering = match diagram.rules.ordering {
        Ordering::ValueThenSuit => "value, then suit",
        Ordering::SuitThenValue => "suit, then value",
    };
    let (strong, weak) = (diagram.dominant, diagram.dominant.opposite());
    let mut text = format!("{strong} are strong, {weak} are weak; {ordering}\n");
    for (player, seat) in diagram.players().zip(&diagram.seats) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{player}: {}; hand:", Count(seat.tricks, "trick"));
        match seat.hidden {
            None if seat.hand.is_empty() => text.push_str(" empty"),
            None => text.extend(seat.hand.iter().map(|card| format!(" {}", card.with_symbol()))),
            Some(0) => text.push_str(" empty"),
            Some(cards) => drop(write!(text, " {}", Count(cards, "hidden card"))),
        }
        if let Some(card) = seat.played {
            let _ = write!(text, "; played {}", card.with_symbol());
        }
        text.push('\n');
    }
    let _ = match outcome.ending {
        None => writeln!(text, "{} to play", join(&outcome.next_players)),
        Some(_) => writeln!(text, "{outcome}"),
    };
    text
}
