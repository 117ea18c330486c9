//! RoyalMatch (clauses RM-1 to RM-7): which of two cards is stronger, and a match of tricks around it.

mod card;
mod clauses;
mod comparison;
mod illegal_move;
mod notation;
mod opening;
mod outcome;
mod setup;
mod table;
mod text;
mod view;

use std::{fmt, str::FromStr};

pub use self::{
    card::{Card, CardError, Suit},
    comparison::{Comparison, Decision, Order, Ordering},
    illegal_move::IllegalMove,
    notation::ParseError,
    opening::{Opening, OpeningError, OpeningSetup},
    outcome::{Ending, Outcome},
    setup::{Place, Setup, SetupError, SetupPlayer},
    table::{Player, Seat, Table, Trick},
    view::View,
};
use crate::{Clause, Game, NotationError, StateOrView};

/// A match: a table at which the current trick is not complete, and everybody has as many cards.
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

impl RoyalMatch {
    /// The table it is played at.
    pub fn table(&self) -> &Table {
        &self.0
    }
}

impl Game for RoyalMatch {
    const CLAUSES: &[Clause] = clauses::CLAUSES;
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

    fn why_illegal(&self, mv: &Move) -> Vec<IllegalMove> {
        self.0.why_illegal(*mv)
    }

    fn play(&mut self, mv: &Move) -> Result<Vec<Event>, Vec<IllegalMove>> {
        let reasons = self.why_illegal(mv);
        if reasons.is_empty() { Ok(self.0.play(mv.seat, mv.card)) } else { Err(reasons) }
    }

    fn outcome(&self) -> Outcome {
        self.0.outcome()
    }

    /// The trick, if everybody has played.
    fn resolve_captures(mut table: Table) -> (Vec<Trick>, Table) {
        let trick = table.take_trick();
        (trick.into_iter().collect(), table)
    }

    fn view(&self, viewer: Seat) -> StateOrView<Self> {
        StateOrView::View(View::of(self, viewer))
    }

    fn recognizes(notation: &str) -> bool {
        notation::recognizes(notation)
    }

    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<ParseError>> {
        notation::parse(notation)
    }

    fn notation(&self) -> String {
        self.0.notation()
    }

    fn text(&self) -> String {
        text::draw(&self.0, &self.outcome())
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
