use std::{fmt, str::FromStr};

use crate::{NotationError, Quoted, RuleBreach};

/// A suit (RM-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suit {
    /// Hearts, red.
    Hearts,
    /// Diamonds, red.
    Diamonds,
    /// Clubs, black.
    Clubs,
    /// Spades, black.
    Spades,
}

impl Suit {
    /// All suits.
    pub const ALL: [Self; 4] = [Self::Hearts, Self::Diamonds, Self::Clubs, Self::Spades];

    /// The suit that is weak when this one is strong (RM-2).
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Hearts => Self::Spades,
            Self::Diamonds => Self::Clubs,
            Self::Clubs => Self::Diamonds,
            Self::Spades => Self::Hearts,
        }
    }

    /// Whether the suit is red, not black.
    pub const fn is_red(self) -> bool {
        matches!(self, Self::Hearts | Self::Diamonds)
    }

    /// The letter of the suit.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Hearts => 'H',
            Self::Diamonds => 'D',
            Self::Clubs => 'C',
            Self::Spades => 'S',
        }
    }

    /// The filled symbol of the suit.
    pub(super) const fn symbol(self) -> char {
        match self {
            Self::Hearts => '♥',
            Self::Diamonds => '♦',
            Self::Clubs => '♣',
            Self::Spades => '♠',
        }
    }

    /// The suit with a letter or a symbol.
    pub(super) const fn from_char(symbol: char) -> Option<Self> {
        Some(match symbol {
            'H' | 'h' | '♥' | '♡' => Self::Hearts,
            'D' | 'd' | '♦' | '♢' => Self::Diamonds,
            'C' | 'c' | '♣' | '♧' => Self::Clubs,
            'S' | 's' | '♠' | '♤' => Self::Spades,
            _ => return None,
        })
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hearts => "hearts",
            Self::Diamonds => "diamonds",
            Self::Clubs => "clubs",
            Self::Spades => "spades",
        })
    }
}

/// A card (RM-1). Its text is `10H`. Reading also accepts lower case and suit symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Card {
    suit: Suit,
    value: u8,
}

/// What is wrong with a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// The value is out of range.
    #[error("a value must be from {min} to {max}, not {0}", min = Card::MIN_VALUE, max = Card::MAX_VALUE)]
    Value(u32),
}

impl RuleBreach for CardError {
    fn clause(&self) -> &'static str {
        "RM-1"
    }
}

impl Card {
    /// The minimum value.
    pub const MIN_VALUE: u8 = 2;
    /// The maximum value: the ace.
    pub const MAX_VALUE: u8 = 14;
    /// The number of cards in a deck.
    pub const DECK_SIZE: usize = 52;

    /// A card.
    ///
    /// # Errors
    ///
    /// If the value is out of range.
    pub fn new(suit: Suit, value: u32) -> Result<Self, CardError> {
        match u8::try_from(value) {
            Ok(value @ Self::MIN_VALUE..=Self::MAX_VALUE) => Ok(Self { suit, value }),
            _ => Err(CardError::Value(value)),
        }
    }

    /// The suit.
    pub const fn suit(self) -> Suit {
        self.suit
    }

    /// The value, 2 to 14.
    pub const fn value(self) -> u8 {
        self.value
    }

    /// All cards: suit by suit, by ascending value.
    pub fn deck() -> impl Iterator<Item = Self> {
        Suit::ALL
            .into_iter()
            .flat_map(|suit| (Self::MIN_VALUE..=Self::MAX_VALUE).map(move |value| Self { suit, value }))
    }

    /// The index in [`Card::deck`].
    pub const fn deck_index(self) -> usize {
        self.suit as usize * Self::DECK_SIZE / Suit::ALL.len() + (self.value - Self::MIN_VALUE) as usize
    }

    /// The text of the value.
    fn value_text(self) -> &'static str {
        const TEXTS: [&str; 13] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
        TEXTS[usize::from(self.value - Self::MIN_VALUE)]
    }

    /// The card with the symbol of its suit, for people.
    pub(super) fn with_symbol(self) -> String {
        format!("{}{}", self.value_text(), self.suit.symbol())
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value_text(), self.suit.letter())
    }
}

impl FromStr for Card {
    type Err = NotationError;

    /// Reads a value and a suit: `7H`, `10♥`, `a♠`.
    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            // A suit symbol may be followed by a variation selector, which asks for a coloured or a plain glyph.
            let text = text.strip_suffix(['\u{FE0F}', '\u{FE0E}']).unwrap_or(text);
            let (at, symbol) = text.char_indices().next_back()?;
            let suit = Suit::from_char(symbol)?;
            let value = match &text[..at] {
                "J" | "j" => 11,
                "Q" | "q" => 12,
                "K" | "k" => 13,
                "A" | "a" => 14,
                number @ ("2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "10") => number.parse().ok()?,
                _ => return None,
            };
            Some(Self { suit, value })
        };
        read().ok_or_else(|| {
            NotationError::new(format!(
                "{} is not a card: expected a value from 2 to 10 or J, Q, K, A, and a suit, such as 10H or A♠",
                Quoted(text),
            ))
        })
    }
}
