//! Queen and rooks (clauses QR-1 to QR-7): a queen and her rooks take the opponent's rooks on the corners between them.

mod board;
mod capture;
mod clauses;
mod diagram;
mod illegal_move;
mod notation;
mod outcome;
mod position;
mod rules;
mod setup;
mod text;

use std::{fmt, str::FromStr};

use self::notation::Named;
pub use self::{
    board::Piece,
    capture::Capture,
    diagram::{Arrival, Diagram},
    illegal_move::IllegalMove,
    notation::ParseError,
    outcome::{Ending, Outcome},
    position::Position,
    rules::{PartialRules, Rules, RulesError},
    setup::{Setup, SetupError},
};
use crate::{Clause, Game, NoView, NotationError, Player, Square, StateOrView};

/// A game of Queen and rooks.
pub type QueenRooks = Position;

/// A piece moved to another square (QR-3). It may be a piece that is not there, or a square that no board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
}

/// One thing that happens when a piece is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A piece went to another square (QR-3).
    Moved {
        /// Whose it is.
        player: Player,
        /// Where it stood.
        from: Square,
        /// Where it stands now.
        to: Square,
        /// Which piece it is.
        piece: Piece,
    },
    /// A rook was taken (QR-4).
    Captured(Capture),
    /// A player had no legal move (QR-6).
    Passed {
        /// Who.
        player: Player,
    },
}

impl Game for Position {
    const CLAUSES: &[Clause] = clauses::CLAUSES;
    type Rules = Rules;
    type Opening = ();
    type Move = Move;
    type Event = Event;
    type ParseError = ParseError;
    type IllegalMove = IllegalMove;
    type Outcome = Outcome;
    type Arrival = Arrival;
    type Capture = Capture;
    type Player = Player;
    type View = NoView;

    fn new(rules: Rules, (): (), _seed: u64) -> Self {
        Self::start(rules)
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

    fn resolve_captures(arrival: Arrival) -> (Vec<Capture>, Arrival) {
        arrival.resolve()
    }

    fn view(&self, _viewer: Player) -> StateOrView<Self> {
        StateOrView::State(*self)
    }

    fn recognizes(notation: &str) -> bool {
        notation::recognizes(notation)
    }

    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<ParseError>> {
        notation::parse(notation).map(StateOrView::State)
    }

    fn notation(&self) -> String {
        self.diagram().notation()
    }

    fn text(&self) -> String {
        text::draw(&self.diagram(), &self.outcome())
    }
}

impl fmt::Display for Move {
    /// The two squares by letter and number: `a8-a5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", Named(self.from), Named(self.to))
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        notation::parse_move(text)
    }
}
