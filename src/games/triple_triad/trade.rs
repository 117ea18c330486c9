//! Which cards change hands after a game (TT-14).

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    fmt,
};

use super::{CARD_COUNT, Card, Ending, Outcome, TradeRule, TripleTriad};
use crate::{Count, Game, Player, RuleBreach};

/// A valid trade: the game is won, and the collections and the picks are valid.
#[derive(Clone, Debug)]
pub struct Trade {
    rule: TradeRule,
    winner: Player,
    /// The cards on the board and their owners, row by row.
    board: Vec<(Card, Player)>,
    collections: [Vec<Card>; 2],
    /// The ids of the cards that the winner takes, with ONE and DIFF.
    picks: Vec<u32>,
}

/// A card that goes into a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The card.
    pub card: Card,
    /// The owner of the collection that it leaves; none if it was in neither.
    pub from: Option<Player>,
    /// The owner of the collection that it enters.
    pub to: Player,
}

impl fmt::Display for Transfer {
    /// For people, such as `player one takes Ifrit from player two`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { card, from, to } = self;
        match from {
            Some(from) => write!(f, "{to} takes {card} from {from}"),
            None => write!(f, "{to} receives {card}, which was in neither collection"),
        }
    }
}

/// A settled trade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// The trade rule.
    pub rule: TradeRule,
    /// The winner of the game.
    pub winner: Player,
    /// The collections after the trade.
    pub collections: [Vec<Card>; 2],
    /// Every card that entered a collection, in order.
    pub transfers: Vec<Transfer>,
}

impl fmt::Display for Settlement {
    /// For people: what was traded, or why nothing was.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, winner, transfers, .. } = self;
        let (count, loser) = (transfers.len(), winner.other());
        match (rule, count) {
            (TradeRule::None, _) => f.write_str("the trade rule is NONE: no card changes hands"),
            (TradeRule::Direct, 0) => f.write_str(
                "every card on the board is already in the collection of its colour: no card changes hands",
            ),
            (TradeRule::Direct, 1) => {
                f.write_str("1 card goes to the player whose colour it shows (trade rule DIRECT)")
            }
            (TradeRule::Direct, _) => {
                write!(f, "{count} cards go to the player whose colour they show (trade rule DIRECT)")
            }
            (TradeRule::One | TradeRule::Diff | TradeRule::All, 0) => {
                write!(f, "the collection of {loser} is empty: there is nothing to take")
            }
            (TradeRule::One | TradeRule::Diff | TradeRule::All, _) => {
                write!(f, "{winner} takes {} of {loser} (trade rule {rule})", Count(count, "card"))
            }
        }
    }
}

/// Why a trade cannot be settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TradeError {
    /// The game is not over.
    #[error("the game is not over: there is nothing to trade yet")]
    NotOver,
    /// The game has no winner.
    #[error("this game has no winner: there is nothing to trade")]
    NoWinner,
    /// A card is in the collections twice.
    #[error("card {id} is in the collections twice")]
    DuplicateCard {
        /// The owner of the collection that repeats it.
        player: Player,
        /// Its index in that collection, from 0.
        index: usize,
        /// The id of the card.
        id: u32,
    },
    /// A card of a collection differs from the card with the same id in the game.
    #[error("card {id} differs from the card with this id in the game")]
    CardMismatch {
        /// The owner of the collection.
        player: Player,
        /// Its index in that collection, from 0.
        index: usize,
        /// The id of the card.
        id: u32,
    },
    /// A picked card is not in the loser's collection.
    #[error("card {id} is not in the collection of {loser}")]
    UnknownPick {
        /// The index of the pick, from 0.
        index: usize,
        /// The id of the picked card.
        id: u32,
        /// The loser.
        loser: Player,
    },
    /// A card is picked twice.
    #[error("card {id} is picked twice")]
    DoublePick {
        /// The index of the pick, from 0.
        index: usize,
        /// The id of the picked card.
        id: u32,
    },
    /// More or fewer cards are picked than the rule gives.
    #[error("the trade rule gives {} to the winner, not {found}", Count(*wanted, "card"))]
    PickCount {
        /// The number of picked cards.
        found: usize,
        /// The number of cards to pick.
        wanted: usize,
    },
}

impl RuleBreach for TradeError {
    fn clause(&self) -> &'static str {
        match self {
            Self::DuplicateCard { .. } | Self::CardMismatch { .. } => "TT-1",
            _ => "TT-14",
        }
    }
}

/// A trade as a caller sent it. It may be invalid: [`Trade::try_from`] checks it.
///
/// A value that could not be read is `None`. The reader has reported it, so it is not reported again: the list of errors
/// is empty if everything else is valid.
#[derive(Clone, Debug)]
pub struct TradeSetup {
    /// The game.
    pub game: Option<TripleTriad>,
    /// The collections, including unreadable cards.
    pub collections: [Vec<Option<Card>>; 2],
    /// The ids of the cards that the winner picks. If empty, the best cards are picked.
    pub picks: Vec<u32>,
}

impl TryFrom<&TradeSetup> for Trade {
    /// Every error except those that the reader has reported.
    type Error = Vec<TradeError>;

    fn try_from(setup: &TradeSetup) -> Result<Self, Vec<TradeError>> {
        let mut errors = Vec::new();
        check_collections(setup, &mut errors);
        let won = setup.game.and_then(|game| match winner(&game) {
            Ok((winner, scores)) => Some((game, winner, scores)),
            Err(error) => {
                errors.push(error);
                None
            }
        });
        let Some((game, winner, scores)) = won else {
            return Err(errors);
        };
        let rule = game.position().rules().trade();
        let owned = &setup.collections[winner.other() as usize];
        let wanted = match rule {
            TradeRule::One => 1,
            TradeRule::Diff => scores[0].abs_diff(scores[1]) as usize,
            TradeRule::None | TradeRule::Direct | TradeRule::All => 0,
        }
        .min(owned.len());
        if !setup.picks.is_empty() {
            check_picks(&setup.picks, owned, winner.other(), wanted, &mut errors);
        }
        let [one, two] = &setup.collections;
        let all = |cards: &[Option<Card>]| cards.iter().copied().collect::<Option<Vec<Card>>>();
        let collections = all(one).zip(all(two)).filter(|_| errors.is_empty());
        let (one, two) = collections.ok_or(errors)?;
        let collections = [one, two];
        let picks = if setup.picks.is_empty() {
            best(&collections[winner.other() as usize], wanted)
        } else {
            setup.picks.clone()
        };
        let board = game.diagram().squares.into_iter().filter_map(|(_, card)| card).collect();
        Ok(Self { rule, winner, board, collections, picks })
    }
}

impl Trade {
    /// Moves the cards between the collections.
    pub fn settle(self) -> Settlement {
        let Self { rule, winner, board, mut collections, picks } = self;
        let loser = winner.other();
        let moves: Vec<(Card, Player)> = match rule {
            TradeRule::None => Vec::new(),
            TradeRule::One | TradeRule::Diff => {
                let owned: HashMap<u32, Card> =
                    collections[loser as usize].iter().map(|card| (card.id(), *card)).collect();
                picks.iter().filter_map(|id| Some((*owned.get(id)?, winner))).collect()
            }
            TradeRule::Direct => board,
            TradeRule::All => collections[loser as usize].iter().map(|&card| (card, winner)).collect(),
        };
        let mut owner: HashMap<u32, Player> = HashMap::new();
        for player in Player::ALL {
            owner.extend(collections[player as usize].iter().map(|card| (card.id(), player)));
        }
        let transfer = |(card, to): (Card, Player)| {
            let from = owner.get(&card.id()).copied();
            (from != Some(to)).then_some(Transfer { card, from, to })
        };
        let transfers: Vec<Transfer> = moves.into_iter().filter_map(transfer).collect();
        let gone: HashSet<u32> = transfers.iter().map(|transfer| transfer.card.id()).collect();
        for player in Player::ALL {
            let collection = &mut collections[player as usize];
            collection.retain(|card| !gone.contains(&card.id()));
            let came = transfers.iter().filter(|transfer| transfer.to == player);
            collection.extend(came.map(|transfer| transfer.card));
        }
        Settlement { rule, winner, collections, transfers }
    }
}

/// The winner of a game, and the scores.
fn winner(game: &TripleTriad) -> Result<(Player, [u32; 2]), TradeError> {
    let Outcome { ending, scores, .. } = game.outcome();
    match ending {
        Some(Ending::Won { winner }) => Ok((winner, scores)),
        Some(Ending::Draw | Ending::SuddenDeath | Ending::FinalDraw) => Err(TradeError::NoWinner),
        None => Err(TradeError::NotOver),
    }
}

/// Checks that every card has a unique id, and is the card with that id in the game.
fn check_collections(setup: &TradeSetup, errors: &mut Vec<TradeError>) {
    let mut seen = HashSet::new();
    for player in Player::ALL {
        for (index, card) in setup.collections[player as usize].iter().enumerate() {
            let Some(card) = card else { continue };
            let id = card.id();
            if !seen.insert(id) {
                errors.push(TradeError::DuplicateCard { player, index, id });
            }
            let in_game = setup.game.as_ref().map_or(&[][..], |game| game.cards());
            if in_game.iter().any(|other| other.id() == id && other != card) {
                errors.push(TradeError::CardMismatch { player, index, id });
            }
        }
    }
}

fn check_picks(
    picks: &[u32],
    owned: &[Option<Card>],
    loser: Player,
    wanted: usize,
    errors: &mut Vec<TradeError>,
) {
    if picks.len() != wanted {
        errors.push(TradeError::PickCount { found: picks.len(), wanted });
    }
    // An unreadable card may be the picked one.
    let unread = owned.iter().any(Option::is_none);
    let owned: HashSet<u32> = owned.iter().flatten().map(Card::id).collect();
    let mut seen = HashSet::new();
    // No rule gives more cards than a game has: the number of more picks has been reported.
    for (index, &id) in picks.iter().enumerate().take(CARD_COUNT) {
        if !seen.insert(id) {
            errors.push(TradeError::DoublePick { index, id });
        } else if !owned.contains(&id) && !unread {
            errors.push(TradeError::UnknownPick { index, id, loser });
        }
    }
}

/// The ids of the best cards: the highest level, then the highest sum of ranks, then the lowest id.
fn best(owned: &[Card], count: usize) -> Vec<u32> {
    let mut cards: Vec<&Card> = owned.iter().collect();
    cards.sort_by_key(|card| (Reverse(card.level()), Reverse(card.ranks().sum()), card.id()));
    cards.into_iter().take(count).map(Card::id).collect()
}
