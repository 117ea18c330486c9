//! Text boards for people.

use std::fmt::Write;

use super::{Ordering, Outcome, Table, outcome::join};

/// Draws the strong suit and the ordering, a line for each player, and how the match stands.
pub(super) fn draw(table: &Table, outcome: &Outcome) -> String {
    let ordering = match table.rules.ordering {
        Ordering::ValueThenSuit => "value, then suit",
        Ordering::SuitThenValue => "suit, then value",
    };
    let (strong, weak) = (table.dominant, table.dominant.opposite());
    let mut text = format!("{strong} are strong, {weak} are weak; {ordering}\n");
    for (seat, player) in table.seats().zip(&table.players) {
        let tricks = if player.tricks == 1 { "trick" } else { "tricks" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{seat}: {} {tricks}; hand:", player.tricks);
        match player.hidden {
            None if player.hand.is_empty() => text.push_str(" empty"),
            None => text.extend(player.hand.iter().map(|card| format!(" {}", card.with_sign()))),
            Some(0) => text.push_str(" empty"),
            Some(1) => text.push_str(" 1 hidden card"),
            Some(cards) => text.extend([" ", &cards.to_string(), " hidden cards"]),
        }
        if let Some(card) = player.played {
            let _ = write!(text, "; played {}", card.with_sign());
        }
        text.push('\n');
    }
    let _ = match outcome.ending {
        None => writeln!(text, "{} to play", join(&outcome.next)),
        Some(_) => writeln!(text, "{outcome}"),
    };
    text
}
