//! What a new match starts from (RM-7).

use super::{
    Card, Player, Suit,
    rules::{MAX_HAND_SIZE, MAX_PLAYERS, MIN_PLAYERS},
};
use crate::{Count, RuleBreach};

/// What a match starts from, in addition to its rules. The seed decides the rest.
#[derive(Clone, Debug)]
pub struct Opening {
    pub(super) hands: Hands,
    pub(super) dominant: Option<Suit>,
}

/// Where the hands of a new match come from.
#[derive(Clone, Debug)]
pub(super) enum Hands {
    /// The caller gives them.
    Given(Vec<Vec<Card>>),
    /// They are dealt from a deck.
    Dealt { players: usize, hand_size: usize },
}

/// An opening as a caller sent it. It may be invalid: [`Opening::try_from`] checks it.
///
/// A card that could not be read is `None`. The reader has reported it, so it is not reported again: the list of errors
/// is empty if everything else is valid.
#[derive(Clone, Debug, Default)]
pub struct OpeningSetup {
    /// The number of players. Default: the number of hands, or two if they are dealt.
    pub players: Option<u32>,
    /// The number of cards in each hand. Default: that of the given hands, or 13 if they are dealt.
    pub hand_size: Option<u32>,
    /// The hands. If empty, they are dealt.
    pub hands: Vec<Vec<Option<Card>>>,
    /// The strong suit. If none, it is drawn.
    pub dominant: Option<Suit>,
}

/// What is wrong with an opening (RM-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The number of players is out of range.
    #[error("players must be from {MIN_PLAYERS} to {MAX_PLAYERS}, not {0}")]
    Players(u32),
    /// The hand size is out of range.
    #[error("hand_size must be from 1 to {MAX_HAND_SIZE}, not {0}")]
    HandSize(u32),
    /// The number of hands differs from the number of players.
    #[error("there must be {wanted} hands, one per player, not {found}")]
    HandCount {
        /// The number of hands.
        found: usize,
        /// The number of players.
        wanted: usize,
    },
    /// The number of hands is out of range.
    #[error("there must be {MIN_PLAYERS} to {MAX_PLAYERS} hands, one per player, not {0}")]
    HandsOutOfRange(usize),
    /// A hand does not have the hand size of the match.
    #[error("the hand of {player} has {}: it must have {wanted}", Count(*found, "card"))]
    CardCount {
        /// The owner of the hand.
        player: Player,
        /// The number of cards in it.
        found: usize,
        /// The hand size.
        wanted: usize,
    },
    /// A hand is too large, or empty.
    #[error("the hand of {player} has {found} cards: a hand has 1 to {MAX_HAND_SIZE}")]
    CardsOutOfRange {
        /// The owner of the hand.
        player: Player,
        /// The number of cards in it.
        found: usize,
    },
    /// A card is given twice.
    #[error("{card} is given twice")]
    DuplicateCard {
        /// The owner of the hand that repeats it.
        player: Player,
        /// Its index in that hand, from 0.
        index: usize,
        /// The card.
        card: Card,
    },
}

impl RuleBreach for OpeningError {
    fn clause(&self) -> &'static str {
        "RM-7"
    }
}

impl TryFrom<&OpeningSetup> for Opening {
    /// Every error except those that the reader has reported.
    type Error = Vec<OpeningError>;

    fn try_from(setup: &OpeningSetup) -> Result<Self, Vec<OpeningError>> {
        let mut errors = Vec::new();
        let players = setup.players.map(|players| players as usize);
        if let Some(found) = players.filter(|found| !(MIN_PLAYERS..=MAX_PLAYERS).contains(found)) {
            errors.push(OpeningError::Players(found as u32));
        }
        let hand_size = setup.hand_size.map(|size| size as usize);
        if let Some(found) = hand_size.filter(|found| !(1..=MAX_HAND_SIZE).contains(found)) {
            errors.push(OpeningError::HandSize(found as u32));
        }
        let hands = if setup.hands.is_empty() {
            Some(Hands::Dealt {
                players: players.unwrap_or(MIN_PLAYERS),
                hand_size: hand_size.unwrap_or(MAX_HAND_SIZE),
            })
        } else {
            check_hands(setup, players, hand_size, &mut errors);
            let hand = |hand: &Vec<Option<Card>>| hand.iter().copied().collect::<Option<Vec<Card>>>();
            setup.hands.iter().map(hand).collect::<Option<_>>().map(Hands::Given)
        };
        let opening = hands.map(|hands| Self { hands, dominant: setup.dominant });
        opening.filter(|_| errors.is_empty()).ok_or(errors)
    }
}

fn check_hands(
    setup: &OpeningSetup,
    players: Option<usize>,
    hand_size: Option<usize>,
    errors: &mut Vec<OpeningError>,
) {
    // A value out of range has been reported. The hands are not compared with it.
    let players = players.filter(|players| (MIN_PLAYERS..=MAX_PLAYERS).contains(players));
    let in_range = |size: &usize| (1..=MAX_HAND_SIZE).contains(size);
    let hand_size = hand_size.filter(in_range).or(setup.hands.iter().map(Vec::len).find(in_range));
    let found = setup.hands.len();
    match players {
        Some(wanted) if wanted != found => errors.push(OpeningError::HandCount { found, wanted }),
        None if !(MIN_PLAYERS..=MAX_PLAYERS).contains(&found) => {
            errors.push(OpeningError::HandsOutOfRange(found));
        }
        _ => {}
    }
    let mut seen = Vec::new();
    for (player, hand) in Player::ALL.into_iter().zip(&setup.hands) {
        let found = hand.len();
        match hand_size {
            _ if !in_range(&found) => errors.push(OpeningError::CardsOutOfRange { player, found }),
            Some(wanted) if wanted != found => errors.push(OpeningError::CardCount { player, found, wanted }),
            _ => {}
        }
        for (index, card) in hand.iter().take(MAX_HAND_SIZE).enumerate() {
            let Some(card) = *card else { continue };
            if seen.contains(&card) {
                errors.push(OpeningError::DuplicateCard { player, index, card });
            }
            seen.push(card);
        }
    }
}
