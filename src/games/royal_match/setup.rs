use std::fmt;

use super::{Card, Player, RoyalMatch, Rules, Seat, Suit, Table, View};
use crate::{RuleBreach, StateOrView};

/// The most cards in a hand.
pub(super) const MOST_CARDS: usize = 13;
/// The fewest players.
pub(super) const FEWEST_PLAYERS: usize = 2;
/// The most players.
pub(super) const MOST_PLAYERS: usize = 4;

/// A match as a caller wrote it, as far as it could be read. It may be invalid: the constructors check it, [`StateOrView`] for a
/// whole match or a view, [`Table`] for a trick without a match around it.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The rules it is played under.
    pub rules: Rules,
    /// The suit that is strong. None if that could not be read.
    pub dominant: Option<Suit>,
    /// The players, the first seat first.
    pub players: Vec<SetupPlayer>,
    /// The player who sees the view, if this is one.
    pub viewer: Option<Seat>,
}

/// A player as a caller wrote it.
#[derive(Clone, Debug, Default)]
pub struct SetupPlayer {
    /// The cards in the hand; one that could not be read is none, but counts.
    pub hand: Vec<Option<Card>>,
    /// The card played in the current trick, if there is one; none inside if it could not be read.
    pub played: Option<Option<Card>>,
    /// Tricks taken.
    pub tricks: u32,
    /// In a view: how many cards are in the hand, if they are hidden.
    pub hidden: Option<u32>,
}

impl SetupPlayer {
    /// Cards in the hand, hidden or not.
    fn hand_size(&self) -> usize {
        self.hidden.map_or(self.hand.len(), |hidden| hidden as usize)
    }

    /// Cards that the player had at the beginning of the current trick.
    fn cards_left(&self) -> usize {
        self.hand_size().saturating_add(usize::from(self.played.is_some()))
    }
}

/// Where a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a hand, from 0.
    Hand(Seat, usize),
    /// In the current trick.
    Played(Seat),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hand(seat, _) => write!(f, "in the hand of {seat}"),
            Self::Played(seat) => write!(f, "played by {seat}"),
        }
    }
}

/// What is wrong with a set-up (RM-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// There are too many or too few players.
    #[error("a match has {FEWEST_PLAYERS} to {MOST_PLAYERS} players, not {0}")]
    PlayerCount(usize),
    /// A hand has more cards than a hand can have.
    #[error("the hand of {seat} has {found} cards: a hand has at most {MOST_CARDS}")]
    HandTooLarge {
        /// Whose hand it is.
        seat: Seat,
        /// Cards in it.
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
    /// The players do not have as many cards as each other.
    #[error("{seat} has {found} cards left, with the one played in this trick: another player has {wanted}")]
    HandSize {
        /// Whose hand it is.
        seat: Seat,
        /// Cards left.
        found: usize,
        /// Cards that player one has left.
        wanted: usize,
    },
    /// A player has more tricks than a match has.
    #[error("tricks must be from 0 to {MOST_CARDS}, not {found}")]
    Tricks {
        /// Who.
        seat: Seat,
        /// Tricks.
        found: u32,
    },
    /// More tricks were taken by all than a match has.
    #[error("{tricks} tricks taken and {left} cards left make more than the {MOST_CARDS} of a match")]
    TooManyTricks {
        /// Tricks taken by all.
        tricks: u32,
        /// Cards that each player has left.
        left: usize,
    },
    /// There is nothing to play and nothing was played.
    #[error("there are neither cards nor tricks: a match has 1 to {MOST_CARDS} cards a hand")]
    NoCards,
    /// Everybody has played, and nobody has taken the trick.
    #[error("everybody has played: the trick is taken before the next card")]
    TrickComplete,
    /// The viewer is not one of the players.
    #[error("this match has {players} players: there is no {viewer}")]
    NoSuchViewer {
        /// The player who sees the view.
        viewer: Seat,
        /// How many players there are.
        players: usize,
    },
    /// A hand is hidden, but it is not a view.
    #[error("the hand of {0} is hidden, but the viewer is missing")]
    ViewerMissing(Seat),
    /// A view hides the viewer's own hand.
    #[error("{0} sees this view, so their hand is not hidden: list its cards")]
    OwnHandHidden(Seat),
    /// A view does not say how many cards another player has.
    #[error("{viewer} sees this view, so the hand of {seat} is hidden: give only the number of its cards")]
    HandNotHidden {
        /// Whose hand it is.
        seat: Seat,
        /// The player who sees the view.
        viewer: Seat,
    },
    /// A view lists cards that it hides.
    #[error(
        "the hand of {0} is hidden in this view and must be empty: only the number of its cards is known"
    )]
    HiddenHandListed(Seat),
}

impl RuleBreach for SetupError {
    fn clause(&self) -> &'static str {
        "RM-7"
    }
}

impl Setup {
    /// Every card that could be read, and where it is.
    fn cards(&self) -> impl Iterator<Item = (Card, Place)> {
        self.seats().flat_map(|(seat, player)| {
            let hand = player.hand.iter().take(MOST_CARDS).enumerate();
            let in_hand = hand.filter_map(move |(index, card)| Some(((*card)?, Place::Hand(seat, index))));
            let played = player.played.flatten().map(|card| (card, Place::Played(seat)));
            in_hand.chain(played)
        })
    }

    fn seats(&self) -> impl Iterator<Item = (Seat, &SetupPlayer)> {
        Seat::ALL.into_iter().zip(&self.players)
    }

    /// Notes what no table can have, with or without a match.
    fn check_table(&self, errors: &mut Vec<SetupError>) {
        if !(FEWEST_PLAYERS..=MOST_PLAYERS).contains(&self.players.len()) {
            errors.push(SetupError::PlayerCount(self.players.len()));
        }
        for (seat, player) in self.seats() {
            let found = player.hand_size();
            if found > MOST_CARDS {
                errors.push(SetupError::HandTooLarge { seat, found });
            }
        }
        self.check_view(errors);
        for (index, (card, second)) in self.cards().enumerate() {
            if let Some((_, first)) = self.cards().take(index).find(|(earlier, _)| *earlier == card) {
                errors.push(SetupError::DuplicateCard { card, first, second });
            }
        }
    }

    /// Notes what no view can have, and what a whole match cannot have because it is none.
    fn check_view(&self, errors: &mut Vec<SetupError>) {
        let players = self.players.len();
        if let Some(viewer) = self.viewer.filter(|viewer| viewer.index() >= players) {
            errors.push(SetupError::NoSuchViewer { viewer, players });
            return;
        }
        for (seat, player) in self.seats() {
            match (self.viewer, player.hidden) {
                (None, None) => {}
                (None, Some(_)) => errors.push(SetupError::ViewerMissing(seat)),
                (Some(viewer), None) if viewer == seat => {}
                (Some(viewer), Some(_)) if viewer == seat => errors.push(SetupError::OwnHandHidden(seat)),
                (Some(viewer), None) => errors.push(SetupError::HandNotHidden { seat, viewer }),
                (Some(_), Some(_)) if player.hand.is_empty() => {}
                (Some(_), Some(_)) => errors.push(SetupError::HiddenHandListed(seat)),
            }
        }
    }

    /// Notes more tricks than a match has, with so many cards left to each player.
    fn check_tricks(&self, left: usize, errors: &mut Vec<SetupError>) {
        let tricks = self.tricks();
        let too_many = |(seat, player): (Seat, &SetupPlayer)| {
            let found = player.tricks;
            (found as usize > MOST_CARDS).then_some(SetupError::Tricks { seat, found })
        };
        let count = errors.len();
        errors.extend(self.seats().filter_map(too_many));
        if errors.len() == count && tricks as usize + left > MOST_CARDS {
            errors.push(SetupError::TooManyTricks { tricks, left });
        }
    }

    fn is_trick_complete(&self) -> bool {
        self.players.iter().all(|player| player.played.is_some())
    }

    /// Notes what no match can have.
    fn check_match(&self, errors: &mut Vec<SetupError>) {
        if self.players.is_empty() {
            return;
        }
        // How many cards are in a hand is not known if the view does not hide it as it should, which has been noted.
        let is_known = |(seat, player): &(Seat, &SetupPlayer)| {
            let is_hidden = self.viewer.is_some_and(|viewer| viewer != *seat);
            player.hidden.is_some() == is_hidden
        };
        let mut counted = self.seats().filter(is_known);
        let first = counted.next().map(|(_, player)| player);
        let wanted = first.map_or(0, SetupPlayer::cards_left);
        // A hand that is too large has been noted.
        let is_too_large = first.is_some_and(|first| first.hand_size() > MOST_CARDS);
        self.check_tricks(if is_too_large { 0 } else { wanted }, errors);
        for (seat, player) in counted {
            let found = player.cards_left();
            if found != wanted {
                errors.push(SetupError::HandSize { seat, found, wanted });
            }
        }
        if self.tricks() == 0 && self.players.iter().all(|player| player.cards_left() == 0) {
            errors.push(SetupError::NoCards);
        }
        if self.is_trick_complete() {
            errors.push(SetupError::TrickComplete);
        }
    }

    fn tricks(&self) -> u32 {
        self.players.iter().fold(0, |sum, player| sum.saturating_add(player.tricks))
    }

    /// The table with everything read, or nothing if something was not.
    fn complete(&self) -> Option<Table> {
        let player = |player: &SetupPlayer| {
            Some(Player {
                hand: player.hand.iter().copied().collect::<Option<_>>()?,
                played: match player.played {
                    Some(card) => Some(card?),
                    None => None,
                },
                tricks: u8::try_from(player.tricks).ok()?,
                hidden: match player.hidden {
                    Some(hidden) => Some(u8::try_from(hidden).ok()?),
                    None => None,
                },
            })
        };
        let players = self.players.iter().map(player).collect::<Option<_>>()?;
        Some(Table { rules: self.rules, dominant: self.dominant?, players, viewer: self.viewer })
    }
}

impl TryFrom<&Setup> for Table {
    /// Everything that is wrong. Empty if something could not be read, and what could is right.
    type Error = Vec<SetupError>;

    fn try_from(setup: &Setup) -> Result<Self, Vec<SetupError>> {
        let mut errors = Vec::new();
        setup.check_table(&mut errors);
        setup.check_tricks(setup.is_trick_complete().into(), &mut errors);
        setup.complete().filter(|_| errors.is_empty()).ok_or(errors)
    }
}

impl TryFrom<&Setup> for StateOrView<RoyalMatch> {
    /// Everything that is wrong. Empty if something could not be read, and what could is right.
    type Error = Vec<SetupError>;

    /// The only way from a set-up to a match or to a view.
    fn try_from(setup: &Setup) -> Result<Self, Vec<SetupError>> {
        let mut errors = Vec::new();
        setup.check_table(&mut errors);
        setup.check_match(&mut errors);
        let table = setup.complete().filter(|_| errors.is_empty()).ok_or(errors)?;
        Ok(match table.viewer {
            None => Self::State(RoyalMatch(table)),
            Some(viewer) => Self::View(View::new(table, viewer)),
        })
    }
}
