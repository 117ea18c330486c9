//! What a new game starts from (TT-2, TT-3, TT-4).

use std::{collections::HashSet, fmt};

use super::{
    Card, Element, Rule, Rules,
    board::{SQUARE_COUNT, index_of},
    position::HAND_SIZE,
};
use crate::{Count, Player, RuleBreach, Square};

/// What a game starts from, in addition to its rules. The seed decides the rest; by default, everything.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    pub(super) hands: Hands,
    pub(super) first_player: Option<Player>,
    /// The elements of the squares, row by row. If none are given, they are drawn if the rules say so.
    pub(super) elements: Option<[Option<Element>; SQUARE_COUNT]>,
}

/// Where the hands of a new game come from (TT-2).
#[derive(Clone, Debug, Default)]
pub(super) enum Hands {
    /// The caller gives them, the hand of player one first.
    Given(Box<[[Card; HAND_SIZE]; 2]>),
    /// They are drawn from collections of at least five cards, that of player one first.
    Drawn([Vec<Card>; 2]),
    /// They are dealt from the catalogue.
    #[default]
    Dealt,
}

/// An opening as a caller sent it. It may be invalid: [`Opening::try_from`] checks it.
///
/// A value that could not be read is `None`. The reader has reported it, so it is not reported again: the list of errors
/// is empty if everything else is valid.
#[derive(Clone, Debug, Default)]
pub struct OpeningSetup {
    /// The rules.
    pub rules: Option<Rules>,
    /// The hands. If both are empty, they are not given.
    pub hands: [Vec<Option<Card>>; 2],
    /// The collections. If both are empty, they are not given.
    pub collections: [Vec<Option<Card>>; 2],
    /// The first player. If none, it is tossed.
    pub first_player: Option<Player>,
    /// The squares with an element, if they are given.
    pub elements: Option<Vec<(Option<Square>, Option<Element>)>>,
}

/// The two lists of cards that a caller can give for each player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardList {
    /// The hand.
    Hand,
    /// The collection from which the hand is drawn.
    Collection,
}

impl fmt::Display for CardList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hand => "hand",
            Self::Collection => "collection",
        })
    }
}

/// What is wrong with an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// A list is given for one player but not for the other.
    #[error("the {0} of {1} is missing: give those of both players, or of neither")]
    Missing(CardList, Player),
    /// A hand has more or fewer than five cards.
    #[error("the hand of {player} has {}: it must have {HAND_SIZE}", Count(*found, "card"))]
    HandSize {
        /// The owner of the hand.
        player: Player,
        /// The number of cards in it.
        found: usize,
    },
    /// A collection has fewer than five cards.
    #[error("the collection of {player} has {}: a hand of {HAND_SIZE} cannot be drawn from it", Count(*found, "card"))]
    CollectionSize {
        /// The owner of the collection.
        player: Player,
        /// The number of cards in it.
        found: usize,
    },
    /// A card is given twice.
    #[error("card {id} is given twice")]
    DuplicateCard {
        /// The list that repeats it.
        list: CardList,
        /// The owner of the list.
        player: Player,
        /// Its index in that list, from 0.
        index: usize,
        /// The id of the card.
        id: u32,
    },
    /// A hand is given, but the rules draw it.
    #[error("with the rule random hands are drawn: give collections to draw them from, or turn the rule off")]
    HandWithRandom(Player),
    /// A collection is given, but the rules draw nothing from it.
    #[error("hands are drawn from collections only with the rule random: turn it on, or give hands")]
    CollectionWithoutRandom(Player),
    /// A square is not on the board.
    #[error("{square} is not on the board: rows and columns are 0 to 2")]
    SquareOutOfRange {
        /// Its index in the list, from 0.
        index: usize,
        /// The square.
        square: Square,
    },
    /// A square is given two elements.
    #[error("{square} already has an element")]
    DuplicateSquare {
        /// Its index in the list, from 0.
        index: usize,
        /// The square.
        square: Square,
    },
}

impl RuleBreach for OpeningError {
    fn clause(&self) -> &'static str {
        match self {
            Self::DuplicateCard { .. } => "TT-1",
            Self::SquareOutOfRange { .. } | Self::DuplicateSquare { .. } => "TT-4",
            _ => "TT-2",
        }
    }
}

impl TryFrom<&OpeningSetup> for Opening {
    /// Every error except those that the reader has reported.
    type Error = Vec<OpeningError>;

    fn try_from(setup: &OpeningSetup) -> Result<Self, Vec<OpeningError>> {
        let mut errors = Vec::new();
        let random = setup.rules.map(|rules| rules.has(Rule::Random));
        check_cards(setup, CardList::Hand, random == Some(true), &mut errors);
        check_cards(setup, CardList::Collection, random == Some(false), &mut errors);
        let elements = setup.elements.as_ref().map(|elements| read_elements(elements, &mut errors));
        let hands = complete(setup).filter(|_| errors.is_empty()).ok_or(errors)?;
        let elements = elements.map(|elements| elements.ok_or_else(Vec::new)).transpose()?;
        Ok(Self { hands, first_player: setup.first_player, elements })
    }
}

impl OpeningSetup {
    fn list(&self, list: CardList, player: Player) -> &[Option<Card>] {
        match list {
            CardList::Hand => &self.hands[player as usize],
            CardList::Collection => &self.collections[player as usize],
        }
    }
}

/// Checks the hands or the collections, which the rules may exclude.
fn check_cards(setup: &OpeningSetup, list: CardList, excluded: bool, errors: &mut Vec<OpeningError>) {
    let sizes = Player::ALL.map(|player| setup.list(list, player).len());
    if sizes == [0, 0] {
        return;
    }
    for (player, found) in Player::ALL.into_iter().zip(sizes) {
        match list {
            CardList::Hand if excluded && found > 0 => errors.push(OpeningError::HandWithRandom(player)),
            CardList::Collection if excluded && found > 0 => {
                errors.push(OpeningError::CollectionWithoutRandom(player));
            }
            _ if found == 0 && !excluded => errors.push(OpeningError::Missing(list, player)),
            CardList::Hand if found != HAND_SIZE && !excluded => {
                errors.push(OpeningError::HandSize { player, found });
            }
            CardList::Collection if found < HAND_SIZE && !excluded => {
                errors.push(OpeningError::CollectionSize { player, found });
            }
            _ => {}
        }
    }
    let mut seen = HashSet::new();
    for player in Player::ALL {
        for (index, card) in setup.list(list, player).iter().enumerate() {
            if let Some(id) = card.map(|card| card.id()).filter(|&id| !seen.insert(id)) {
                errors.push(OpeningError::DuplicateCard { list, player, index, id });
            }
        }
    }
}

/// Checks the elements. Returns them by square; none if one could not be read.
fn read_elements(
    given: &[(Option<Square>, Option<Element>)],
    errors: &mut Vec<OpeningError>,
) -> Option<[Option<Element>; SQUARE_COUNT]> {
    let mut elements = [None; SQUARE_COUNT];
    for (index, &(square, element)) in given.iter().enumerate() {
        let Some(square) = square else { continue };
        match index_of(square) {
            None => errors.push(OpeningError::SquareOutOfRange { index, square }),
            Some(at) if elements[at].is_some() => {
                errors.push(OpeningError::DuplicateSquare { index, square });
            }
            Some(at) => elements[at] = Some(element),
        }
    }
    let read = given.iter().all(|(square, element)| square.is_some() && element.is_some());
    read.then(|| elements.map(Option::flatten))
}

/// Where the hands come from, for a setup without errors; none if a card could not be read.
fn complete(setup: &OpeningSetup) -> Option<Hands> {
    let all = |cards: &[Option<Card>]| cards.iter().copied().collect::<Option<Vec<Card>>>();
    let [one, two] = &setup.hands;
    if !one.is_empty() || !two.is_empty() {
        let hand = |cards| <[Card; HAND_SIZE]>::try_from(all(cards)?).ok();
        return Some(Hands::Given(Box::new([hand(one)?, hand(two)?])));
    }
    let [one, two] = &setup.collections;
    Some(if one.is_empty() && two.is_empty() { Hands::Dealt } else { Hands::Drawn([all(one)?, all(two)?]) })
}
