//! RoyalMatch as text.
//!
//! A state is `rm:`, the ordering and the strong suit, a colon, and the seats with slashes between them:
//!
//! ```text
//! rm:vH:7H,10S;0/2H,AD;0            by value; hearts are strong; two players with two cards each and no tricks
//! rm:sC:7H;2/-;1;2H/3D;0            by suit; clubs are strong; player two has played the two of hearts
//! rm:vH:7H,10S;0/?2;0               the first state as player one sees it
//! ```
//!
//! A seat is the hand, the number of tricks taken, and the card played in the current trick, if any, with semicolons
//! between them. A hand is its cards with commas between them, or `-`; in a view, every hand but the viewer's is `?` and
//! its number of cards. The ordering is `v` for value first or `s` for suit first. Suits are `H`, `D`, `C`, `S`.
//!
//! A move is the number of the player and a card: `2:7H`.

use std::{
    fmt::{self, Write},
    str::FromStr,
};

use super::{Card, Diagram, Move, Ordering, Player, RoyalMatch, Rules, Setup, SetupError, SetupSeat, Suit};
use crate::{Game, NotationError, Quoted, StateOrView, parse_hidden_hand, parse_number};

type ParseError = crate::ParseError<RoyalMatch>;

const PREFIX: &str = RoyalMatch::ID.prefix();

/// What could be read of a text.
struct Parsed {
    setup: Setup,
    errors: Vec<ParseError>,
    /// Whether the number of cards in each place is known. The setup cannot be checked otherwise.
    is_counted: bool,
}

impl Parsed {
    /// Checks the setup, and adds its errors to those of the text.
    fn check<T>(
        mut self,
        check: impl FnOnce(&Setup) -> Result<T, Vec<SetupError>>,
    ) -> Result<T, Vec<ParseError>> {
        match self.is_counted.then(|| check(&self.setup)) {
            Some(Ok(value)) if self.errors.is_empty() => return Ok(value),
            Some(Err(wrong)) => self.errors.extend(wrong.into_iter().map(ParseError::Setup)),
            _ => {}
        }
        Err(self.errors)
    }
}

/// Reads a match or a view.
pub(super) fn parse(text: &str) -> Result<StateOrView<RoyalMatch>, Vec<ParseError>> {
    parse_setup(text).check(|setup| StateOrView::try_from(setup))
}

impl Diagram {
    /// Reads seats that need not be a position.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text and with the seats.
    pub fn parse(text: &str) -> Result<Self, Vec<ParseError>> {
        parse_setup(text).check(|setup| Self::try_from(setup))
    }

    /// The text notation of the seats. [`Diagram::parse`] reads it back exactly.
    pub fn notation(&self) -> String {
        write(self)
    }
}

fn parse_setup(text: &str) -> Parsed {
    let mut errors = Vec::new();
    let mut setup = Setup { rules: None, dominant: None, seats: Vec::new(), viewer: None };
    let body = text.strip_prefix(PREFIX).unwrap_or(text);
    let Some((order, seats)) = body.split_once(':') else {
        let message =
            "a state is its ordering and strong suit, a colon, and its players, such as rm:vH:7H;0/2S;0";
        errors.push(ParseError::notation(message));
        return Parsed { setup, errors, is_counted: false };
    };
    if let Some((ordering, dominant)) = parse_order(order) {
        (setup.rules, setup.dominant) = (Some(Rules { ordering }), Some(dominant));
    } else {
        errors.push(ParseError::notation(format!(
            "{} is not an ordering and a strong suit: expected v or s and one of H, D, C, S, such as vH",
            Quoted(order),
        )));
    }
    let mut is_counted = true;
    for (index, seat) in seats.split('/').enumerate() {
        let seat = parse_seat(seat, index, &mut errors);
        is_counted &= seat.is_some();
        setup.seats.extend(seat);
    }
    // The one visible hand of a view is the viewer's.
    if setup.seats.iter().any(|seat| seat.hidden.is_some()) {
        let seats = Player::ALL.into_iter().zip(&setup.seats);
        let visible: Vec<Player> =
            seats.filter(|(_, seat)| seat.hidden.is_none()).map(|(player, _)| player).collect();
        if let [viewer] = visible[..] {
            setup.viewer = Some(viewer);
        } else {
            is_counted = false;
            errors.push(ParseError::notation(format!(
                "a view hides every hand but one, but {} are visible: expected a view such as rm:vH:7H,10S;0/?2;0",
                visible.len(),
            )));
        }
    }
    Parsed { setup, errors, is_counted }
}

fn parse_order(text: &str) -> Option<(Ordering, Suit)> {
    let mut letters = text.chars();
    let ordering = match letters.next()? {
        'v' => Ordering::ValueThenSuit,
        's' => Ordering::SuitThenValue,
        _ => return None,
    };
    let letter = letters.next()?;
    let suit = Suit::ALL.into_iter().find(|suit| suit.letter() == letter)?;
    letters.next().is_none().then_some((ordering, suit))
}

/// Reads a seat; none if its number of cards is unknown.
fn parse_seat(text: &str, index: usize, errors: &mut Vec<ParseError>) -> Option<SetupSeat> {
    let nth = index + 1;
    let parts: Vec<&str> = text.split(';').collect();
    let (hand, tricks, played) = match *parts.as_slice() {
        [hand, tricks] => (hand, tricks, None),
        [hand, tricks, played] => (hand, tricks, Some(played)),
        _ => {
            errors.push(ParseError::notation(format!(
                "player {nth} cannot be read from {}: expected a hand, tricks, and a card if one is played, such as 7H,2S;0;KD",
                Quoted(text),
            )));
            return None;
        }
    };
    // An empty text, or a `-` for the played card, may or may not stand for a card.
    let is_counted =
        !hand.split(',').any(str::is_empty) && played.is_none_or(|played| !matches!(played, "" | "-"));
    let mut card = |text: &str| {
        let read: Result<Card, NotationError> = text.parse();
        read.map_err(|error| errors.push(ParseError::notation(format!("player {nth}: {error}")))).ok()
    };
    let played = played.map(&mut card);
    let hidden = parse_hidden_hand(hand);
    let hand = match hand {
        "-" => Vec::new(),
        _ if hidden.is_some() => Vec::new(),
        _ => hand.split(',').map(card).collect(),
    };
    let tricks = parse_number(tricks).unwrap_or_else(|| {
        let message = format!("player {nth}: {} is not a number of tricks", Quoted(tricks));
        errors.push(ParseError::notation(message));
        0
    });
    is_counted.then_some(SetupSeat { hand, played, tricks, hidden })
}

fn write(diagram: &Diagram) -> String {
    let ordering = match diagram.rules.ordering {
        Ordering::ValueThenSuit => 'v',
        Ordering::SuitThenValue => 's',
    };
    let mut text = format!("{PREFIX}{ordering}{}", diagram.dominant.letter());
    // Writing to a string cannot fail.
    for (index, seat) in diagram.seats.iter().enumerate() {
        text.push(if index == 0 { ':' } else { '/' });
        match seat.hidden {
            Some(cards) => drop(write!(text, "?{cards}")),
            None if seat.hand.is_empty() => text.push('-'),
            None => {
                let cards: Vec<String> = seat.hand.iter().map(ToString::to_string).collect();
                text.push_str(&cards.join(","));
            }
        }
        let _ = write!(text, ";{}", seat.tricks);
        if let Some(card) = seat.played {
            let _ = write!(text, ";{card}");
        }
    }
    text
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.player.index() + 1, self.card)
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let wrong = || {
            NotationError::new(format!(
                "{} is not a move: expected the number of a player and a card, such as 2:7H",
                Quoted(text),
            ))
        };
        let (number, card) = text.split_once(':').ok_or_else(wrong)?;
        let index =
            parse_number::<usize>(number).and_then(|number| number.checked_sub(1)).ok_or_else(wrong)?;
        let player = Player::ALL.get(index).copied().ok_or_else(wrong)?;
        Ok(Self { player, card: card.parse()? })
    }
}
