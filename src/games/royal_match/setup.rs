use std::fmt;

use super::{
    Card, Diagram, Player, Position, RoyalMatch, Rules, Seat, Suit, View,
    rules::{MAX_HAND_SIZE, MAX_PLAYERS, MIN_PLAYERS},
};
use crate::{Count, RuleBreach, StateOrView};

/// A match as a caller sent it. It may be invalid: [`StateOrView::try_from`] checks it as a match or a view,
/// [`Diagram::try_from`] as seats that need not belong to a match.
///
/// A value that the caller sent but that could not be read is `None`. The reader has reported it, so it is not reported
/// again: the list of errors is empty if everything else is valid.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The rules.
    pub rules: Option<Rules>,
    /// The strong suit.
    pub dominant: Option<Suit>,
    /// The seats, in the order of their players.
    pub seats: Vec<SetupSeat>,
    /// The player who sees it, if it is a view.
    pub viewer: Option<Player>,
}

/// A seat as a caller sent it.
#[derive(Clone, Debug, Default)]
pub struct SetupSeat {
    /// The cards in the hand, including unreadable ones.
    pub hand: Vec<Option<Card>>,
    /// The card played in the current trick; `Some(None)` if it could not be read.
    pub played: Option<Option<Card>>,
    /// The number of tricks taken.
    pub tricks: u32,
    /// The number of cards in a hidden hand of a view.
    pub hidden: Option<u32>,
}

impl SetupSeat {
    /// The number of cards in the hand, hidden or not.
    fn hand_size(&self) -> usize {
        self.hidden.map_or(self.hand.len(), |hidden| hidden as usize)
    }

    /// The number of cards that the player had at the start of the current trick.
    fn cards_left(&self) -> usize {
        self.hand_size().saturating_add(usize::from(self.played.is_some()))
    }
}

/// Where a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a hand, with its index from 0.
    Hand(Player, usize),
    /// In the current trick.
    Played(Player),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hand(player, _) => write!(f, "in the hand of {player}"),
            Self::Played(player) => write!(f, "played by {player}"),
        }
    }
}

/// What is wrong with a setup (RM-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// There are too many or too few players.
    #[error("a match has {MIN_PLAYERS} to {MAX_PLAYERS} players, not {0}")]
    PlayerCount(usize),
    /// A hand is larger than any hand can be.
    #[error("the hand of {player} has {found} cards: a hand has at most {MAX_HAND_SIZE}")]
    HandTooLarge {
        /// The owner of the hand.
        player: Player,
        /// The number of cards in it.
        found: usize,
    },
    /// A card is in two places.
    #[error("{card} is in two places: {first}, and {second}")]
    DuplicateCard {
        /// The card.
        card: Card,
        /// The first place.
        first: Place,
        /// The second place.
        second: Place,
    },
    /// Two players do not have the same number of cards left.
    #[error(
        "{player} has {} left, including the one played in this trick, but another player has {wanted}",
        Count(*found, "card")
    )]
    HandSize {
        /// The player.
        player: Player,
        /// The number of cards left.
        found: usize,
        /// The number of cards that the other player has left.
        wanted: usize,
    },
    /// A player has more tricks than a match has.
    #[error("tricks must be from 0 to {MAX_HAND_SIZE}, not {found}")]
    Tricks {
        /// The player.
        player: Player,
        /// The number of tricks.
        found: u32,
    },
    /// The tricks taken and the cards left are more than a match has.
    #[error(
        "{} taken and {} left add up to more than {MAX_HAND_SIZE}",
        Count(*tricks, "trick"),
        Count(*left, "card")
    )]
    TooManyTricks {
        /// The number of tricks taken by all players.
        tricks: u32,
        /// The number of cards that each player has left.
        left: usize,
    },
    /// There are no cards to play and none were played.
    #[error("there are neither cards nor tricks: a match has 1 to {MAX_HAND_SIZE} cards per hand")]
    NoCards,
    /// All players have played, but the trick is not taken.
    #[error("all players have played: resolve the trick first")]
    TrickComplete,
    /// The viewer is not a player of the match.
    #[error("this match has {}: there is no {viewer}", Count(*players, "player"))]
    NoSuchViewer {
        /// The viewer.
        viewer: Player,
        /// The number of players in the match.
        players: usize,
    },
    /// A hand is hidden, but there is no viewer.
    #[error("the hand of {0} is hidden, but the viewer is missing")]
    ViewerMissing(Player),
    /// A view hides the viewer's hand.
    #[error("{0} sees this view, so their hand is not hidden: list its cards")]
    OwnHandHidden(Player),
    /// A view does not hide the hand of another player.
    #[error("{viewer} sees this view, so the hand of {player} is hidden: give only the number of its cards")]
    HandNotHidden {
        /// The owner of the hand.
        player: Player,
        /// The viewer.
        viewer: Player,
    },
    /// A view lists the cards of a hand that it hides.
    #[error(
        "the hand of {0} is hidden in this view and must be empty: only the number of its cards is known"
    )]
    HiddenHandListed(Player),
}

impl RuleBreach for SetupError {
    fn clause(&self) -> &'static str {
        "RM-7"
    }
}

impl Setup {
    /// Every readable card and its place.
    fn cards(&self) -> impl Iterator<Item = (Card, Place)> {
        self.seats().flat_map(|(player, seat)| {
            let hand = seat.hand.iter().take(MAX_HAND_SIZE).enumerate();
            let in_hand = hand.filter_map(move |(index, card)| Some(((*card)?, Place::Hand(player, index))));
            let played = seat.played.flatten().map(|card| (card, Place::Played(player)));
            in_hand.chain(played)
        })
    }

    fn seats(&self) -> impl Iterator<Item = (Player, &SetupSeat)> {
        Player::ALL.into_iter().zip(&self.seats)
    }

    /// The number of tricks taken by all players.
    fn tricks(&self) -> u32 {
        self.seats.iter().fold(0, |sum, seat| sum.saturating_add(seat.tricks))
    }

    fn is_trick_complete(&self) -> bool {
        self.seats.iter().all(|seat| seat.played.is_some())
    }

    /// Checks what holds for every diagram.
    fn check_diagram(&self, errors: &mut Vec<SetupError>) {
        if !(MIN_PLAYERS..=MAX_PLAYERS).contains(&self.seats.len()) {
            errors.push(SetupError::PlayerCount(self.seats.len()));
        }
        for (player, seat) in self.seats() {
            let found = seat.hand_size();
            if found > MAX_HAND_SIZE {
                errors.push(SetupError::HandTooLarge { player, found });
            }
        }
        self.check_hidden_hands(errors);
        for (index, (card, second)) in self.cards().enumerate() {
            if let Some((_, first)) = self.cards().take(index).find(|(earlier, _)| *earlier == card) {
                errors.push(SetupError::DuplicateCard { card, first, second });
            }
        }
    }

    /// Checks that a view hides every hand but the viewer's, and that a whole match hides none.
    fn check_hidden_hands(&self, errors: &mut Vec<SetupError>) {
        let players = self.seats.len();
        if let Some(viewer) = self.viewer.filter(|viewer| viewer.index() >= players) {
            errors.push(SetupError::NoSuchViewer { viewer, players });
            return;
        }
        for (player, seat) in self.seats() {
            match (self.viewer, seat.hidden) {
                (None, None) => {}
                (None, Some(_)) => errors.push(SetupError::ViewerMissing(player)),
                (Some(viewer), None) if viewer == player => {}
                (Some(viewer), Some(_)) if viewer == player => errors.push(SetupError::OwnHandHidden(player)),
                (Some(viewer), None) => errors.push(SetupError::HandNotHidden { player, viewer }),
                (Some(_), Some(_)) if seat.hand.is_empty() => {}
                (Some(_), Some(_)) => errors.push(SetupError::HiddenHandListed(player)),
            }
        }
    }

    /// Checks the number of tricks, given how many cards each player has left.
    fn check_tricks(&self, left: usize, errors: &mut Vec<SetupError>) {
        let too_many = |(player, seat): (Player, &SetupSeat)| {
            let found = seat.tricks;
            (found as usize > MAX_HAND_SIZE).then_some(SetupError::Tricks { player, found })
        };
        let errors_before = errors.len();
        errors.extend(self.seats().filter_map(too_many));
        let tricks = self.tricks();
        if errors.len() == errors_before && tricks as usize + left > MAX_HAND_SIZE {
            errors.push(SetupError::TooManyTricks { tricks, left });
        }
    }

    /// Checks what holds for every position of a match.
    fn check_position(&self, errors: &mut Vec<SetupError>) {
        if self.seats.is_empty() {
            return;
        }
        // The size of a hand is unknown if the view does not hide it as it must. That has been reported.
        let is_known = |(player, seat): &(Player, &SetupSeat)| {
            let is_hidden = self.viewer.is_some_and(|viewer| viewer != *player);
            seat.hidden.is_some() == is_hidden
        };
        let mut known = self.seats().filter(is_known);
        let first = known.next().map(|(_, seat)| seat);
        let wanted = first.map_or(0, SetupSeat::cards_left);
        // A hand that is too large has been reported.
        let is_too_large = first.is_some_and(|first| first.hand_size() > MAX_HAND_SIZE);
        self.check_tricks(if is_too_large { 0 } else { wanted }, errors);
        for (player, seat) in known {
            let found = seat.cards_left();
            if found != wanted {
                errors.push(SetupError::HandSize { player, found, wanted });
            }
        }
        if self.tricks() == 0 && self.seats.iter().all(|seat| seat.cards_left() == 0) {
            errors.push(SetupError::NoCards);
        }
        if self.is_trick_complete() {
            errors.push(SetupError::TrickComplete);
        }
    }

    /// The diagram; none if a value could not be read.
    fn complete(&self) -> Option<Diagram> {
        let seat = |seat: &SetupSeat| {
            Some(Seat {
                hand: seat.hand.iter().copied().collect::<Option<_>>()?,
                played: match seat.played {
                    Some(card) => Some(card?),
                    None => None,
                },
                tricks: u8::try_from(seat.tricks).ok()?,
                hidden: match seat.hidden {
                    Some(hidden) => Some(u8::try_from(hidden).ok()?),
                    None => None,
                },
            })
        };
        let seats = self.seats.iter().map(seat).collect::<Option<_>>()?;
        Some(Diagram { rules: self.rules?, dominant: self.dominant?, seats, viewer: self.viewer })
    }
}

impl TryFrom<&Setup> for Diagram {
    /// Every error except those that the reader has reported.
    type Error = Vec<SetupError>;

    fn try_from(setup: &Setup) -> Result<Self, Vec<SetupError>> {
        let mut errors = Vec::new();
        setup.check_diagram(&mut errors);
        setup.check_tricks(setup.is_trick_complete().into(), &mut errors);
        setup.complete().filter(|_| errors.is_empty()).ok_or(errors)
    }
}

impl TryFrom<&Setup> for StateOrView<RoyalMatch> {
    /// Every error except those that the reader has reported.
    type Error = Vec<SetupError>;

    fn try_from(setup: &Setup) -> Result<Self, Vec<SetupError>> {
        let mut errors = Vec::new();
        setup.check_diagram(&mut errors);
        setup.check_position(&mut errors);
        let diagram = setup.complete().filter(|_| errors.is_empty()).ok_or(errors)?;
        Ok(match diagram.viewer {
            None => Self::State(Position(diagram)),
            Some(_) => Self::View(View(diagram)),
        })
    }
}
