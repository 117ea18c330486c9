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

use std::convert::Infallible;

pub use self::{
    capture::Trick,
    card::{Card, CardError, Suit},
    comparison::{Comparison, Decision, Order},
    diagram::{Diagram, Seat},
    illegal_move::IllegalMove,
    opening::{Opening, OpeningError, OpeningSetup},
    outcome::{Ending, Outcome},
    player::Player,
    position::Position,
    rules::{MAX_HAND_SIZE, MAX_PLAYERS, Ordering, Rules},
    setup::{Place, Setup, SetupError, SetupSeat},
    view::View,
};
use crate::{Clause, Game, GameId, ParseError, StateOrView};

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
    const ID: GameId = GameId::RoyalMatch;
    const CLAUSES: &[Clause] = clauses::CLAUSES;
    type Rules = Rules;
    type RulesError = Infallible;
    type SetupError = SetupError;
    type Opening = Opening;
    type Move = Move;
    type Event = Event;
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

    fn next_players(&self) -> Vec<Player> {
        self.outcome().next_players
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

    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<ParseError<Self>>> {
        notation::parse(notation)
    }

    fn notation(&self) -> String {
        self.diagram().notation()
    }

    fn text(&self) -> String {
        text::draw(self.diagram(), &self.outcome())
    }
}
