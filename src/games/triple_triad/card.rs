use std::fmt;

use crate::RuleBreach;

/// A side of a card, or a direction from a square to its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The top side.
    Top,
    /// The right side.
    Right,
    /// The bottom side.
    Bottom,
    /// The left side.
    Left,
}

impl Side {
    /// All sides, in the order in which captures are resolved (TT-10).
    pub const ALL: [Self; 4] = [Self::Top, Self::Right, Self::Bottom, Self::Left];

    /// The side of the neighbour that touches this side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Top => Self::Bottom,
            Self::Right => Self::Left,
            Self::Bottom => Self::Top,
            Self::Left => Self::Right,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Right => "right",
            Self::Bottom => "bottom",
            Self::Left => "left",
        }
    }
}

/// The four ranks of a card, in the order of [`Side::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ranks([u8; 4]);

impl Ranks {
    /// The maximum rank, written `A`.
    pub const MAX: u8 = 10;

    /// Ranks by side, each at most 10.
    pub(super) const fn new(by_side: [u8; 4]) -> Self {
        Self(by_side)
    }

    /// The rank of one side.
    #[inline(always)]
    pub const fn of(self, side: Side) -> u8 {
        self.0[side as usize]
    }

    /// All four ranks, in the order of [`Side::ALL`].
    pub const fn each(self) -> [u8; 4] {
        self.0
    }

    /// All ranks one higher.
    #[inline(always)]
    pub(super) const fn raised(self) -> Self {
        let [top, right, bottom, left] = self.0;
        Self([top + 1, right + 1, bottom + 1, left + 1])
    }

    /// All ranks one lower. None may be 0.
    #[inline(always)]
    pub(super) const fn lowered(self) -> Self {
        let [top, right, bottom, left] = self.0;
        Self([top - 1, right - 1, bottom - 1, left - 1])
    }

    /// The sum of all ranks.
    pub(super) fn sum(self) -> u8 {
        self.0.iter().sum()
    }
}

impl fmt::Display for Ranks {
    /// The ranks as on a card: top, right, bottom, left, with `A` for 10.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|rank| write!(f, "{rank:X}"))
    }
}

/// An element of a card or of a square (TT-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Fire.
    Fire,
    /// Ice.
    Ice,
    /// Thunder.
    Thunder,
    /// Earth.
    Earth,
    /// Poison.
    Poison,
    /// Wind.
    Wind,
    /// Water.
    Water,
    /// Holy.
    Holy,
}

impl Element {
    /// All elements.
    pub const ALL: [Self; 8] = [
        Self::Fire,
        Self::Ice,
        Self::Thunder,
        Self::Earth,
        Self::Poison,
        Self::Wind,
        Self::Water,
        Self::Holy,
    ];

    /// The letter of the element in the text notation.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Fire => 'f',
            Self::Ice => 'i',
            Self::Thunder => 't',
            Self::Earth => 'e',
            Self::Poison => 'p',
            Self::Wind => 'w',
            Self::Water => 'a',
            Self::Holy => 'h',
        }
    }

    /// The element with a letter.
    pub(super) fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.letter() == letter)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fire => "fire",
            Self::Ice => "ice",
            Self::Thunder => "thunder",
            Self::Earth => "earth",
            Self::Poison => "poison",
            Self::Wind => "wind",
            Self::Water => "water",
            Self::Holy => "holy",
        })
    }
}

/// The name of a card. It is stored inline, so that cards are `Copy`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Name {
    length: u8,
    bytes: [u8; Self::MAX_BYTES],
}

impl Name {
    /// The maximum length, in bytes.
    pub const MAX_BYTES: usize = 32;

    /// A name; none if it is too long.
    pub(super) const fn new(text: &str) -> Option<Self> {
        let source = text.as_bytes();
        if source.len() > Self::MAX_BYTES {
            return None;
        }
        let mut bytes = [0; Self::MAX_BYTES];
        let mut index = 0;
        while index < source.len() {
            bytes[index] = source[index];
            index += 1;
        }
        Some(Self { length: source.len() as u8, bytes })
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.length.into()]).expect("a name is made from text")
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

/// A card (TT-1). It is always valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    id: u32,
    ranks: Ranks,
    element: Option<Element>,
    level: u8,
    name: Name,
}

/// What is wrong with a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// The id is 0.
    #[error("an id is a number from 1")]
    Id,
    /// A rank is out of range.
    #[error("the rank at the {} must be from 1 to {max}, not {rank}", side.name(), max = Ranks::MAX)]
    Rank {
        /// The side.
        side: Side,
        /// The rank.
        rank: u32,
    },
    /// The level is out of range.
    #[error("a level must be from 1 to {max}, not {0}", max = Card::MAX_LEVEL)]
    Level(u32),
    /// The name is too long.
    #[error("a name of {0} bytes is too long: at most {max}", max = Name::MAX_BYTES)]
    LongName(usize),
    /// The text notation cannot be read.
    #[error(
        "this is not a card: expected a catalogue number, such as 54, or an id and a card, such as 7=c54 or \
         7=A594f*8~Ifrit"
    )]
    Unreadable,
    /// The name contains characters that cannot be printed.
    #[error(
        "a name must not contain control characters, line breaks or marks that change the text direction"
    )]
    UnprintableName,
}

impl RuleBreach for CardError {
    fn clause(&self) -> &'static str {
        "TT-1"
    }
}

/// Whether a character breaks a line, is invisible or changes the text direction.
fn is_unprintable(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}')
        || matches!(letter, '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}')
}

impl Card {
    /// The maximum level.
    pub const MAX_LEVEL: u8 = 10;

    /// Checks a card. The ranks are in the order of [`Side::ALL`].
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn new(
        id: u32,
        ranks: [u32; 4],
        element: Option<Element>,
        level: u32,
        name: &str,
    ) -> Result<Self, Vec<CardError>> {
        let mut errors = Vec::new();
        if id == 0 {
            errors.push(CardError::Id);
        }
        for (side, rank) in Side::ALL.into_iter().zip(ranks) {
            if !(1..=Ranks::MAX.into()).contains(&rank) {
                errors.push(CardError::Rank { side, rank });
            }
        }
        if !(1..=Self::MAX_LEVEL.into()).contains(&level) {
            errors.push(CardError::Level(level));
        }
        let short = Name::new(name);
        if short.is_none() {
            errors.push(CardError::LongName(name.len()));
        }
        if name.contains(is_unprintable) {
            errors.push(CardError::UnprintableName);
        }
        match short {
            // Ranks and level are at most 10 by the checks above.
            Some(name) if errors.is_empty() => {
                let ranks = Ranks::new(ranks.map(|rank| rank as u8));
                Ok(Self { id, ranks, element, level: level as u8, name })
            }
            _ => Err(errors),
        }
    }

    /// A card of the catalogue. The values must be valid.
    pub(super) const fn built_in(
        id: u32,
        name: &str,
        level: u8,
        ranks: [u8; 4],
        element: Option<Element>,
    ) -> Self {
        let Some(name) = Name::new(name) else { panic!("the name is too long") };
        Self { id, ranks: Ranks::new(ranks), element, level, name }
    }

    /// The id, unique in a game.
    #[inline(always)]
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The ranks as printed.
    #[inline(always)]
    pub const fn ranks(&self) -> Ranks {
        self.ranks
    }

    /// The element, if it has one.
    #[inline(always)]
    pub const fn element(&self) -> Option<Element> {
        self.element
    }

    /// The level, 1 to 10.
    pub const fn level(&self) -> u8 {
        self.level
    }

    /// The name, which may be empty.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The same card with another id.
    pub(super) const fn with_id(self, id: u32) -> Self {
        Self { id, ..self }
    }
}

impl fmt::Display for Card {
    /// The name, or the id of a card without one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            "" => write!(f, "card {}", self.id),
            name => f.write_str(name),
        }
    }
}
