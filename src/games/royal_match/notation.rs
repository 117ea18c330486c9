//! RoyalMatch as text.
//!
//! A state is `rm:`, the ordering and the strong suit, a colon, and the players with slashes between them:
//!
//! ```text
//! rm:vH:7H,10S;0/2H,AD;0            by value; hearts are strong; two players with two cards each and no tricks
//! rm:sC:7H;2/-;1;2H/3D;0            by suit; clubs are strong; player two has played the two of hearts
//! ```
//!
//! A player is the hand, its cards with commas between them, or `-`; the tricks taken; and the card played in the trick
//! under way, if there is one. The ordering is `v` for value first, `s` for suit first; suits are `H`, `D`, `C`, `S`.
//! A move is the number of the player and a card: `2:7H`. A view has `?` and the number of cards in place of every hand but
//! the viewer's.

use std::fmt::Write;

use super::{Card, Diagram, Move, Ordering, Player, RoyalMatch, Rules, Setup, SetupError, SetupSeat, Suit};
use crate::{GameId, NotationError, Quoted, RuleBreach, StateOrView, parse_hidden_hand, parse_number};

/// What is wrong with a text that should be a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// It cannot be read.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// It is no state that a match can be in.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl RuleBreach for ParseError {
    fn clause(&self) -> &'static str {
        match self {
            Self::Notation(_) => "",
            Self::Setup(error) => error.clause(),
        }
    }
}

const PREFIX: &str = GameId::RoyalMatch.prefix();

/// Whether a text is meant as a state of RoyalMatch.
pub(super) fn recognizes(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// What could be read of a text.
struct Parsed {
    setup: Setup,
    /// What could not.
    errors: Vec<ParseError>,
    /// Whether it is known how many cards are where.
    counted: bool,
}

impl Parsed {
    /// Makes something of what was read, with everything that is wrong with the text and with what it says.
    fn check<T>(
        mut self,
        make: impl FnOnce(&Setup) -> Result<T, Vec<SetupError>>,
    ) -> Result<T, Vec<ParseError>> {
        let outcome = self.counted.then(|| make(&self.setup));
        match outcome {
            Some(Ok(value)) if self.errors.is_empty() => return Ok(value),
            Some(Err(wrong)) => self.errors.extend(wrong.into_iter().map(ParseError::from)),
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
    /// Reads seats that need not belong to a match.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text, or with what it says.
    pub fn parse(text: &str) -> Result<Self, Vec<ParseError>> {
        parse_setup(text).check(|setup| Self::try_from(setup))
    }

    /// The diagram as text that [`Diagram::parse`] reads back exactly.
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
        errors.push(NotationError::new(message).into());
        return Parsed { setup, errors, counted: false };
    };
    if let Some((ordering, dominant)) = parse_order(order) {
        (setup.rules, setup.dominant) = (Some(Rules { ordering }), Some(dominant));
    } else {
        let message = format!(
            "{} is no ordering and strong suit: expected v or s and one of H, D, C, S, such as vH",
            Quoted(order),
        );
        errors.push(NotationError::new(message).into());
    }
    let mut counted = true;
    for (index, seat) in seats.split('/').enumerate() {
        let seat = parse_seat(seat, index, &mut errors);
        counted &= seat.is_some();
        setup.seats.extend(seat);
    }
    // In a view every hand is hidden but one: that of the viewer.
    if setup.seats.iter().any(|seat| seat.hidden.is_some()) {
        let seats = Player::ALL.into_iter().zip(&setup.seats);
        let visible: Vec<Player> =
            seats.filter(|(_, seat)| seat.hidden.is_none()).map(|(player, _)| player).collect();
        if let [viewer] = visible[..] {
            setup.viewer = Some(viewer);
        } else {
            counted = false;
            let message = format!(
                "a view hides every hand but one, and here {} are visible: expected a view such as rm:vH:7H,10S;0/?2;0",
                visible.len(),
            );
            errors.push(NotationError::new(message).into());
        }
    }
    Parsed { setup, errors, counted }
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
            let message = format!(
                "player {nth} cannot be read from {}: expected a hand, tricks, and a card if one is played, such as 7H,2S;0;KD",
                Quoted(text),
            );
            errors.push(NotationError::new(message).into());
            return None;
        }
    };
    // Where nothing stands, or what stands for nothing, a card may have been meant or not.
    let counted =
        !hand.split(',').any(str::is_empty) && played.is_none_or(|played| !matches!(played, "" | "-"));
    let mut card = |text: &str| {
        let read: Result<Card, NotationError> = text.parse();
        read.map_err(|error| errors.push(NotationError::new(format!("player {nth}: {error}")).into())).ok()
    };
    let played = played.map(&mut card);
    let hidden = parse_hidden_hand(hand);
    let hand = match hand {
        "-" => Vec::new(),
        _ if hidden.is_some() => Vec::new(),
        _ => hand.split(',').map(card).collect(),
    };
    let tricks = parse_number(tricks).unwrap_or_else(|| {
        let message = format!("player {nth}: {} is no number of tricks", Quoted(tricks));
        errors.push(NotationError::new(message).into());
        0
    });
    counted.then_some(SetupSeat { hand, played, tricks, hidden })
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

/// Reads a move: the number of a player, a colon, and a card.
pub(super) fn parse_move(text: &str) -> Result<Move, NotationError> {
    let wrong = || {
        NotationError::new(format!(
            "{} is no move: expected the number of a player and a card, such as 2:7H",
            Quoted(text),
        ))
    };
    let (number, card) = text.split_once(':').ok_or_else(wrong)?;
    let index = parse_number::<usize>(number).and_then(|number| number.checked_sub(1)).ok_or_else(wrong)?;
    let player = Player::ALL.get(index).copied().ok_or_else(wrong)?;
    Ok(Move { player, card: card.parse()? })
}
