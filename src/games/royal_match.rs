//! RoyalMatch (clauses RM-1 to RM-7): an order of cards, and a match of tricks played with it.

mod capture;
mod card;
mod clauses;
mod comparison;
mod dealing;
mod diagram;
mod illegal_move;
mod notation;
mod opening;
mod outcome;
mod player;
mod position;
mod rules;
mod setup;
mod text;
mod view;

use std::{fmt, str::FromStr};

pub use self::{
    capture::Trick,
    card::{Card, CardError, Suit},
    comparison::{Comparison, Decision, Order},
    diagram::{Diagram, Seat},
    illegal_move::IllegalMove,
    notation::ParseError,
    opening::{Opening, OpeningError, OpeningSetup},
    outcome::{Ending, Outcome},
    player::Player,
    position::Position,
    rules::{Ordering, Rules},
    setup::{Place, Setup, SetupError, SetupSeat},
    view::View,
};
use crate::{Clause, Game, NotationError, StateOrView};

/// A match of RoyalMatch.
pub type RoyalMatch = Position;

/// A card played by a player (RM-7). The match may lack the player, or the player the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The player.
    pub player: Player,
    /// The card.
    pub card: Card,
}

/// One effect of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A card was played into the trick.
    Played {
        /// The player.
        player: Player,
        /// The card.
        card: Card,
    },
    /// A trick was taken.
    TrickTaken(Trick),
}

impl Game for Position {
    const CLAUSES: &[Clause] = clauses::CLAUSES;
    type Rules = Rules;
    type Opening = Opening;
    type Move = Move;
    type Event = Event;
    type ParseError = ParseError;
    type IllegalMove = IllegalMove;
    type Outcome = Outcome;
    type Arrival = Diagram;
    type Capture = Trick;
    type Player = Player;
    type View = View;

    fn new(rules: Rules, opening: Opening, seed: u64) -> Self {
        dealing::deal(rules, opening, seed)
    }

    fn legal_moves(&self) -> Vec<Move> {
        Position::legal_moves(self)
    }

    fn why_illegal(&self, mv: &Move) -> Vec<IllegalMove> {
        Position::why_illegal(self, mv)
    }

    fn play(&mut self, mv: &Move) -> Result<Vec<Event>, Vec<IllegalMove>> {
        Position::play(self, mv)
    }

    fn outcome(&self) -> Outcome {
        Position::outcome(self)
    }

    /// The trick, if it is complete.
    fn resolve_captures(mut diagram: Diagram) -> (Vec<Trick>, Diagram) {
        let trick = diagram.take_trick();
        (trick.into_iter().collect(), diagram)
    }

    fn view(&self, viewer: Player) -> StateOrView<Self> {
        StateOrView::View(View::of(self, viewer))
    }

    fn recognizes(notation: &str) -> bool {
        notation::recognizes(notation)
    }

    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<ParseError>> {
        notation::parse(notation)
    }

    fn notation(&self) -> String {
        self.diagram().notation()
    }

    fn text(&self) -> String {
        text::draw(self.diagram(), &self.outcome())
    }
}

impl fmt::Display for Move {
    /// The number of the player and the card: `2:7H`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.player.index() + 1, self.card)
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        notation::parse_move(text)
    }
}
