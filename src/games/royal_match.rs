//! RoyalMatch (clauses RM-1 to RM-7): which of two cards is stronger, and a match of tricks around it.

mod card;
mod comparison;
mod illegal_move;
mod notation;
mod opening;
mod setup;
mod table;

use std::{
    fmt::{self, Write},
    str::FromStr,
};

pub use self::{
    card::{Card, CardError, Suit},
    comparison::{Comparison, Decision, Order, Ordering},
    illegal_move::IllegalMove,
    notation::ParseError,
    opening::{Opening, OpeningError, OpeningSetup},
    setup::{Place, Setup, SetupError, SetupPlayer},
    table::{Player, Seat, Table, Trick},
};
use crate::{Game, NotationError};

/// A match: a table at which the trick under way is not complete, and everybody has as many cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoyalMatch(Table);

/// The rules of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// How cards are compared.
    pub ordering: Ordering,
}

/// A card played by a player (RM-7). It may be a player that is not there, or a card that they do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Who plays.
    pub seat: Seat,
    /// The card.
    pub card: Card,
}

/// One thing that happens when a card is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A card was played into the trick.
    Played {
        /// Who played it.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// A trick was taken.
    TrickTaken(Trick),
}

/// Where a match stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it has ended; none while it goes on.
    pub ending: Option<Ending>,
    /// The tricks of each player.
    pub tricks: Vec<u32>,
}

/// How a match has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A player has more tricks than any other.
    Won {
        /// Who.
        winner: Seat,
    },
    /// Several players have the most tricks.
    Draw {
        /// Who.
        between: Vec<Seat>,
    },
}

/// A match as one player sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What the viewer sees; hidden hands are empty.
    pub table: Table,
    /// Who looks.
    pub viewer: Seat,
    /// How many cards of each player are hidden; none for the viewer.
    pub hidden: Vec<Option<usize>>,
}

impl RoyalMatch {
    /// The table it is played at.
    pub fn table(&self) -> &Table {
        &self.0
    }

    fn is_over(&self) -> bool {
        self.0.players.iter().all(|player| player.cards_left() == 0)
    }
}

impl Game for RoyalMatch {
    type Rules = Rules;
    type Opening = Opening;
    type Move = Move;
    type Event = Event;
    type ParseError = ParseError;
    type IllegalMove = IllegalMove;
    type Outcome = Outcome;
    type Board = Table;
    type Capture = Trick;
    type Seat = Seat;
    type View = View;

    fn new(rules: Rules, opening: Opening, seed: u64) -> Self {
        opening::deal(rules, opening, seed)
    }

    /// Player by player who has not played in this trick, each with their cards as they are in the hand.
    fn legal_moves(&self) -> Vec<Move> {
        let waiting = self.0.seats().zip(&self.0.players).filter(|(_, player)| player.played.is_none());
        waiting.flat_map(|(seat, player)| player.hand.iter().map(move |&card| Move { seat, card })).collect()
    }

    fn why_illegal(&self, &Move { seat, card }: &Move) -> Vec<IllegalMove> {
        let mut reasons = Vec::new();
        if self.is_over() {
            reasons.push(IllegalMove::GameOver);
        }
        let Some(player) = self.0.players.get(seat.index()) else {
            reasons.push(IllegalMove::NoSuchPlayer { seat, players: self.0.players.len() });
            return reasons;
        };
        if player.played.is_some() {
            reasons.push(IllegalMove::AlreadyPlayed(seat));
        }
        if !player.hand.contains(&card) {
            reasons.push(IllegalMove::CardNotInHand { seat, card });
        }
        reasons
    }

    fn play(&mut self, mv: &Move) -> Result<Vec<Event>, Vec<IllegalMove>> {
        let reasons = self.why_illegal(mv);
        if !reasons.is_empty() {
            return Err(reasons);
        }
        let &Move { seat, card } = mv;
        let player = &mut self.0.players[seat.index()];
        player.hand.retain(|&other| other != card);
        player.played = Some(card);
        let mut events = vec![Event::Played { seat, card }];
        events.extend(self.0.take_trick().map(Event::TrickTaken));
        Ok(events)
    }

    fn outcome(&self) -> Outcome {
        let tricks: Vec<u32> = self.0.players.iter().map(|player| player.tricks.into()).collect();
        let most = tricks.iter().max();
        let best: Vec<Seat> = self
            .0
            .seats()
            .zip(&tricks)
            .filter(|(_, tricks)| Some(*tricks) == most)
            .map(|(seat, _)| seat)
            .collect();
        let ending = self.is_over().then(|| match best[..] {
            [winner] => Ending::Won { winner },
            _ => Ending::Draw { between: best },
        });
        Outcome { ending, tricks }
    }

    /// The trick, if everybody has played.
    fn resolve_captures(mut table: Table) -> (Vec<Trick>, Table) {
        let trick = table.take_trick();
        (trick.into_iter().collect(), table)
    }

    fn view(&self, viewer: Seat) -> View {
        let mut table = self.0.clone();
        let hide = |(seat, player): (Seat, &mut Player)| {
            (seat != viewer).then(|| std::mem::take(&mut player.hand).len())
        };
        let hidden = Seat::ALL.into_iter().zip(&mut table.players).map(hide).collect();
        View { table, viewer, hidden }
    }

    fn recognizes(notation: &str) -> bool {
        notation::recognizes(notation)
    }

    fn parse(notation: &str) -> Result<Self, Vec<ParseError>> {
        notation::parse(notation)
    }

    fn notation(&self) -> String {
        self.0.notation()
    }

    /// The strong suit and the ordering, and a line for each player.
    fn text(&self) -> String {
        let table = &self.0;
        let ordering = match table.rules.ordering {
            Ordering::ValueThenSuit => "value, then suit",
            Ordering::SuitThenValue => "suit, then value",
        };
        let (strong, weak) = (table.dominant, table.dominant.opposite());
        let mut text = format!("{strong} are strong, {weak} are weak; {ordering}\n");
        // Writing to a string cannot fail.
        for (seat, player) in table.seats().zip(&table.players) {
            let tricks = if player.tricks == 1 { "trick" } else { "tricks" };
            let _ = write!(text, "{seat}: {} {tricks}; hand:", player.tricks);
            for card in &player.hand {
                let _ = write!(text, " {}", card.with_sign());
            }
            if player.hand.is_empty() {
                text.push_str(" empty");
            }
            if let Some(card) = player.played {
                let _ = write!(text, "; played {}", card.with_sign());
            }
            text.push('\n');
        }
        text
    }
}

impl fmt::Display for Move {
    /// The number of the player and the card: `2:7H`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seat.index() + 1, self.card)
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        notation::parse_move(text)
    }
}
