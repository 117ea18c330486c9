//! The notation of cards (RM-1) and of states (RM-7).

use super::support::{at_every_state, random_diagram, random_match};
use crate::chance::pick;
use arbiter_games::{
    Chance, Game,
    royal_match::{Card, Diagram, RoyalMatch, Suit},
};

#[test]
fn every_card_reads_back_from_its_text() {
    for card in Card::deck() {
        assert_eq!(card.to_string().parse(), Ok(card));
    }
}

#[test]
fn every_way_to_write_a_card_is_accepted() {
    let values = "2 3 4 5 6 7 8 9 10 Jj Qq Kk Aa".split(' ').zip(2..);
    let values = values.flat_map(|(texts, value)| match value {
        ..=10 => vec![(texts.to_owned(), value)],
        _ => texts.chars().map(|letter| (letter.to_string(), value)).collect(),
    });
    let suits = Suit::ALL.into_iter().zip([
        ["H", "h", "♥", "♡", "♥\u{FE0F}", "♡\u{FE0F}"],
        ["D", "d", "♦", "♢", "♦\u{FE0F}", "♢\u{FE0F}"],
        ["C", "c", "♣", "♧", "♣\u{FE0F}", "♧\u{FE0F}"],
        ["S", "s", "♠", "♤", "♠\u{FE0F}", "♤\u{FE0F}"],
    ]);
    let mut ways = 0;
    for (value_text, value) in values {
        for (suit, texts) in suits.clone() {
            for suit_text in texts {
                let text = format!("{value_text}{suit_text}");
                assert_eq!(text.parse::<Card>().ok(), Card::new(suit, value).ok(), "{text}");
                ways += 1;
            }
        }
    }
    // Nine numbers, and four letters in two cases.
    assert_eq!(ways, (9 + 8) * 4 * 6);
}

#[test]
fn text_that_is_not_a_card_is_rejected() {
    let words = "H 7 10 J ♥ HH 77 H7 ♥7 7X XH 0H 1H 01H 07H 11H 14H 010H 100H +7H -7H 7.0H 7_H 7HH 7♥♥ 7♥H JJ \
                 10J JQH TH ７H ٧H 7Ｈ 7❤ 🂷 7H,8H 1:7H";
    let spaced = ["", " ", "7H ", " 7H", "7 H", "7H\0"];
    // A variation selector is only accepted once, after a suit.
    let marked = ["\u{FE0F}", "7\u{FE0F}", "7\u{FE0F}♥", "\u{FE0F}7♥", "7♥\u{FE0F}\u{FE0F}"];
    for text in words.split(' ').chain(spaced).chain(marked) {
        assert!(text.parse::<Card>().is_err(), "{text:?}");
    }
}

#[test]
fn every_state_reads_back_from_its_notation() {
    at_every_state(7, |game| {
        let text = game.notation();
        assert_eq!(crate::parse_state::<RoyalMatch>(&text).as_ref(), Ok(game), "{text}");
    });
}

#[test]
fn every_diagram_reads_back_from_its_notation() {
    let mut chance = Chance::new(11, 0);
    for _ in 0..2000 {
        let diagram = random_diagram(&mut chance);
        let text = diagram.notation();
        assert_eq!(Diagram::parse(&text), Ok(diagram), "{text}");
    }
}

#[test]
fn a_state_with_random_changes_is_rejected_with_a_reason_or_valid() {
    let mut chance = Chance::new(12, 0);
    let letters: Vec<char> = "rmvsHDCShdcsAKQJakqj0123456789:;/,-?♥♡\u{FE0F} ".chars().collect();
    let mut read = 0;
    for _ in 0..20_000 {
        let mut text: Vec<char> = random_match(&mut chance).notation().chars().collect();
        for _ in 0..=chance.below(2) {
            let at = chance.below(text.len() as u32) as usize;
            text.splice(
                at..=at,
                (0..chance.below(3)).map(|_| pick(&mut chance, &letters)).collect::<Vec<_>>(),
            );
        }
        let text: String = text.into_iter().collect();
        match crate::parse_state::<RoyalMatch>(&text) {
            Ok(game) => {
                read += 1;
                assert_eq!(crate::parse_state::<RoyalMatch>(&game.notation()), Ok(game), "{text}");
            }
            Err(errors) => assert!(!errors.is_empty(), "{text}"),
        }
    }
    assert!(read > 100, "only {read} were valid");
}
