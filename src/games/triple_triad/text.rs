//! Text boards for people.

use std::fmt::Write;

use super::{Card, Diagram, Element, Outcome, Rule, Side, board::WIDTH};
use crate::{Count, Player};

/// The number of characters between the bars of a square.
const SQUARE_WIDTH: usize = 20;
/// The number of characters for a name, between the ranks at its sides.
const NAME_WIDTH: usize = SQUARE_WIDTH - 4;

/// Draws the board, the hands below it, and whose turn it is or how the game ended.
///
/// The bar above a square has its number in move notation. A card is its name between its four ranks, with the letter of
/// its owner at the upper left. The element of a square is at its upper right, and its effect on the card at its lower
/// right.
pub(super) fn draw(diagram: &Diagram, outcome: &Outcome) -> String {
    let mut text = String::new();
    for (index, row) in diagram.squares.chunks(WIDTH).enumerate() {
        for square in 0..WIDTH {
            // Writing to a string cannot fail.
            let _ = write!(text, "+-{:-<width$}", index * WIDTH + square + 1, width = SQUARE_WIDTH - 1);
        }
        text.push_str("+\n");
        let squares: Vec<[String; 3]> =
            row.iter().map(|&(element, card)| draw_square(diagram, element, card)).collect();
        for line in 0..3 {
            for square in &squares {
                text.push('|');
                text.push_str(&square[line]);
            }
            text.push_str("|\n");
        }
    }
    let _ = writeln!(text, "+{}", format!("{}+", "-".repeat(SQUARE_WIDTH)).repeat(WIDTH));
    for player in Player::ALL {
        let hand = &diagram.hands[player as usize];
        let cards = Count(diagram.hand_size(player), "card");
        let hidden =
            if diagram.hidden.is_some_and(|hidden| hidden.viewer != player) { ", hidden" } else { "" };
        let _ = writeln!(text, "{player} ({}): {cards} in hand{hidden}", player.letter());
        for card in hand {
            draw_card(&mut text, card);
        }
    }
    let _ = match outcome.next_player {
        Some(next) => writeln!(text, "{next} ({}) to move", next.letter()),
        None => writeln!(text, "{outcome}"),
    };
    text
}

fn draw_square(diagram: &Diagram, element: Option<Element>, card: Option<(Card, Player)>) -> [String; 3] {
    let element_name = element.map(|element| element.to_string()).unwrap_or_default();
    let Some((card, owner)) = card else {
        return [
            format!("{element_name:>width$} ", width = SQUARE_WIDTH - 1),
            " ".repeat(SQUARE_WIDTH),
            " ".repeat(SQUARE_WIDTH),
        ];
    };
    let rank = |side| rank(card.ranks().of(side));
    let name: String = card.to_string().chars().take(NAME_WIDTH).collect();
    let half = SQUARE_WIDTH / 2 - 1;
    let change = match element {
        Some(element) if diagram.rules.has(Rule::Elemental) => {
            if card.element() == Some(element) {
                "+1"
            } else {
                "-1"
            }
        }
        _ => "",
    };
    [
        format!("{:<half$}{}{element_name:>half$} ", owner.letter(), rank(Side::Top), half = half),
        format!("{} {name:^NAME_WIDTH$} {}", rank(Side::Left), rank(Side::Right)),
        format!("{:half$}{}{change:>half$} ", "", rank(Side::Bottom), half = half),
    ]
}

fn draw_card(text: &mut String, card: &Card) {
    let _ = write!(text, "  {}: {}", card.id(), card.ranks());
    if !card.name().is_empty() {
        let _ = write!(text, " {}", card.name());
    }
    if let Some(element) = card.element() {
        let _ = write!(text, ", {element}");
    }
    let _ = writeln!(text, ", level {}", card.level());
}

/// A rank as on a card: `A` for 10.
fn rank(rank: u8) -> String {
    format!("{rank:X}")
}
