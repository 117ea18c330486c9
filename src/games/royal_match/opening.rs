use super::{
    Card, Player, RoyalMatch, Rules, Seat, Suit, Table,
    setup::{FEWEST_PLAYERS, MOST_CARDS, MOST_PLAYERS},
};
use crate::{Chance, RuleBreach};

/// What a match is started from besides its rules. Whatever is left open follows from the seed.
#[derive(Clone, Debug)]
pub struct Opening {
    hands: Hands,
    dominant: Option<Suit>,
}

#[derive(Clone, Debug)]
enum Hands {
    Given(Vec<Vec<Card>>),
    Dealt { players: usize, cards: usize },
}

/// What a match is to be started from, as someone wrote it down. It may be nonsense: [`Opening::try_from`] tells.
#[derive(Clone, Debug, Default)]
pub struct OpeningSetup {
    /// How many players there are. Left open: two, or as many as there are hands.
    pub players: Option<u32>,
    /// How many cards each is dealt. Left open: 13, or as many as the hands have.
    pub hand_size: Option<u32>,
    /// The hands; a card that could not be read is none, but counts. Empty: dealt.
    pub hands: Vec<Vec<Option<Card>>>,
    /// The suit that is strong. Left open: drawn.
    pub dominant: Option<Suit>,
}

/// What is wrong with an opening (RM-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The number of players is out of range.
    #[error("players must be from {FEWEST_PLAYERS} to {MOST_PLAYERS}, not {0}")]
    Players(u32),
    /// The number of cards is out of range.
    #[error("hand_size must be from 1 to {MOST_CARDS}, not {0}")]
    HandSize(u32),
    /// There are too many or too few hands.
    #[error("there are {found} hands: there must be {wanted}, one a player")]
    HandCount {
        /// Hands that are there.
        found: usize,
        /// Hands that there must be.
        wanted: usize,
    },
    /// There are more hands than a match has players, or only one.
    #[error("there are {0} hands: a match has {FEWEST_PLAYERS} to {MOST_PLAYERS} players")]
    HandsOutOfRange(usize),
    /// A hand has more or fewer cards than it must have.
    #[error("the hand of {seat} has {found} cards: it must have {wanted}")]
    CardCount {
        /// Whose hand it is.
        seat: Seat,
        /// Cards in it.
        found: usize,
        /// Cards that it must have.
        wanted: usize,
    },
    /// A hand is too large, or empty.
    #[error("the hand of {seat} has {found} cards: a hand has 1 to {MOST_CARDS}")]
    CardsOutOfRange {
        /// Whose hand it is.
        seat: Seat,
        /// Cards in it.
        found: usize,
    },
    /// A card is there twice.
    #[error("{card} is there already")]
    DuplicateCard {
        /// Whose hand has it a second time.
        seat: Seat,
        /// Where in that hand, from 0.
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
    /// Everything that is wrong. Empty if something could not be read, and what could is right.
    type Error = Vec<OpeningError>;

    fn try_from(setup: &OpeningSetup) -> Result<Self, Vec<OpeningError>> {
        let mut errors = Vec::new();
        let players = setup.players.map(|players| players as usize);
        if let Some(found) = players.filter(|found| !(FEWEST_PLAYERS..=MOST_PLAYERS).contains(found)) {
            errors.push(OpeningError::Players(found as u32));
        }
        let cards = setup.hand_size.map(|cards| cards as usize);
        if let Some(found) = cards.filter(|found| !(1..=MOST_CARDS).contains(found)) {
            errors.push(OpeningError::HandSize(found as u32));
        }
        let hands = if setup.hands.is_empty() {
            Some(Hands::Dealt {
                players: players.unwrap_or(FEWEST_PLAYERS),
                cards: cards.unwrap_or(MOST_CARDS),
            })
        } else {
            check_hands(setup, players, cards, &mut errors);
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
    cards: Option<usize>,
    errors: &mut Vec<OpeningError>,
) {
    // What is out of range has been noted, and asks for nothing.
    let players = players.filter(|players| (FEWEST_PLAYERS..=MOST_PLAYERS).contains(players));
    let in_range = |cards: &usize| (1..=MOST_CARDS).contains(cards);
    let cards = cards.filter(in_range).or(setup.hands.iter().map(Vec::len).find(in_range));
    let found = setup.hands.len();
    match players {
        Some(wanted) if wanted != found => errors.push(OpeningError::HandCount { found, wanted }),
        None if !(FEWEST_PLAYERS..=MOST_PLAYERS).contains(&found) => {
            errors.push(OpeningError::HandsOutOfRange(found));
        }
        _ => {}
    }
    let mut seen = Vec::new();
    for (seat, hand) in Seat::ALL.into_iter().zip(&setup.hands) {
        let found = hand.len();
        match cards {
            _ if !in_range(&found) => errors.push(OpeningError::CardsOutOfRange { seat, found }),
            Some(wanted) if wanted != found => errors.push(OpeningError::CardCount { seat, found, wanted }),
            _ => {}
        }
        for (index, card) in hand.iter().take(MOST_CARDS).enumerate() {
            let Some(card) = *card else { continue };
            if seen.contains(&card) {
                errors.push(OpeningError::DuplicateCard { seat, index, card });
            }
            seen.push(card);
        }
    }
}

/// What is left to chance. The numbers must not change: states that follow from a seed would.
mod kind {
    pub(super) const DOMINANT_SUIT: u64 = 1;
    pub(super) const DECK: u64 = 2;
}

/// Starts a match.
pub(super) fn deal(rules: Rules, opening: Opening, seed: u64) -> RoyalMatch {
    let dominant = opening.dominant.unwrap_or_else(|| {
        // There are four suits.
        Suit::ALL[Chance::new(seed, kind::DOMINANT_SUIT).below(Suit::ALL.len() as u32) as usize]
    });
    let hands = match opening.hands {
        Hands::Given(hands) => hands,
        Hands::Dealt { players, cards } => {
            let mut deck: Vec<Card> = Card::deck().collect();
            let dealt = Chance::new(seed, kind::DECK).draw(&mut deck, players * cards);
            dealt.chunks(cards).map(<[Card]>::to_vec).collect()
        }
    };
    let player = |hand| Player { hand, ..Player::default() };
    let players = hands.into_iter().map(player).collect();
    RoyalMatch(Table { rules, dominant, players, viewer: None })
}
