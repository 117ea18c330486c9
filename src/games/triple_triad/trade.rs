//! Which cards change hands after a game (TT-14).

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    fmt,
};

use super::{Card, Ending, Outcome, TradeRule, TripleTriad};
use crate::{Count, Game, Player, RuleBreach};

/// A trade that can be settled: the game is won, the collections hold together, and the picks are right.
#[derive(Clone, Debug)]
pub struct Trade {
    rule: TradeRule,
    winner: Player,
    /// The cards on the board and whose colour they show, row by row.
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
    /// Whose collection it leaves; none if it was in neither.
    pub from: Option<Player>,
    /// Whose collection it enters.
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
    /// The rule of the trade.
    pub rule: TradeRule,
    /// Who has won the game.
    pub winner: Player,
    /// What each player owns now.
    pub collections: [Vec<Card>; 2],
    /// Every card that went into a collection, in order.
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
    /// Nobody has won.
    #[error("this game has no winner: there is nothing to trade")]
    NoWinner,
    /// A card is there twice in the collections.
    #[error("card {id} is in the collections twice")]
    DuplicateCard {
        /// Whose collection has it a second time.
        player: Player,
        /// Where in that collection, from 0.
        index: usize,
        /// Its id.
        id: u32,
    },
    /// A card of a collection is another one in the game.
    #[error("card {id} differs from the card with this id in the game")]
    CardMismatch {
        /// Whose collection has it.
        player: Player,
        /// Where in that collection, from 0.
        index: usize,
        /// Its id.
        id: u32,
    },
    /// A card is picked that the loser does not own.
    #[error("card {id} is not in the collection of {loser}")]
    UnknownPick {
        /// Which pick, from 0.
        index: usize,
        /// The id picked.
        id: u32,
        /// Who has lost.
        loser: Player,
    },
    /// A card is picked twice.
    #[error("card {id} is picked twice")]
    DoublePick {
        /// Which pick, from 0.
        index: usize,
        /// The id picked.
        id: u32,
    },
    /// More or fewer cards are picked than the rule gives.
    #[error("the trade rule gives {} to the winner, not {found}", Count(*wanted, "card"))]
    PickCount {
        /// Cards picked.
        found: usize,
        /// Cards to pick.
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

/// A trade as someone wrote it down, as far as it could be read. It may be nonsense: [`Trade::try_from`] tells.
#[derive(Clone, Debug)]
pub struct TradeSetup {
    /// The game; none if it could not be read.
    pub game: Option<TripleTriad>,
    /// What each player owns; a card that could not be read is none, but counts.
    pub collections: [Vec<Option<Card>>; 2],
    /// The ids of the cards that the winner picks. Empty: the best cards are picked.
    pub picks: Vec<u32>,
}

impl TryFrom<&TradeSetup> for Trade {
    /// Everything that is wrong. Empty if something could not be read, and what could is right.
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
    /// Moves the cards.
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

/// Who takes cards after a game, and its scores.
fn winner(game: &TripleTriad) -> Result<(Player, [u32; 2]), TradeError> {
    let Outcome { ending, scores, .. } = game.outcome();
    match ending {
        Some(Ending::Won { winner }) => Ok((winner, scores)),
        Some(Ending::Draw | Ending::SuddenDeath | Ending::FinalDraw) => Err(TradeError::NoWinner),
        None => Err(TradeError::NotOver),
    }
}

/// Notes cards that are there twice, and cards that are others in the game.
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
    // A card that could not be read may be the one that is picked.
    let unread = owned.iter().any(Option::is_none);
    let owned: HashSet<u32> = owned.iter().flatten().map(Card::id).collect();
    let mut seen = HashSet::new();
    for (index, &id) in picks.iter().enumerate() {
        if !seen.insert(id) {
            errors.push(TradeError::DoublePick { index, id });
        } else if !owned.contains(&id) && !unread {
            errors.push(TradeError::UnknownPick { index, id, loser });
        }
    }
}

/// The ids of the best cards: of the highest level, then of the greatest sum of ranks, then of the lowest id.
fn best(owned: &[Card], count: usize) -> Vec<u32> {
    let mut cards: Vec<&Card> = owned.iter().collect();
    cards.sort_by_key(|card| (Reverse(card.level()), Reverse(card.ranks().sum()), card.id()));
    cards.into_iter().take(count).map(Card::id).collect()
}
