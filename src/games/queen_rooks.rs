//! Queen and rooks (clauses QR-1 to QR-7): a rook and its queen take the opposing rooks on the other corners of their
//! rectangle.

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

pub use self::{
    board::Piece,
    capture::Capture,
    diagram::{Arrival, Diagram},
    illegal_move::IllegalMove,
    outcome::{Ending, Outcome},
    position::Position,
    rules::{PartialRules, Rules, RulesError},
    setup::{Setup, SetupError},
};
use crate::{Clause, Game, GameId, NoView, ParseError, Player, Square, StateOrView};

/// A game of Queen and rooks.
pub type QueenRooks = Position;

/// A piece moved to another square (QR-3). There may be no such piece, and the squares may be off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The square of the piece.
    pub from: Square,
    /// The destination.
    pub to: Square,
}

/// One effect of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A piece moved to another square (QR-3).
    Moved {
        /// Its owner.
        player: Player,
        /// The square that it left.
        from: Square,
        /// The square that it moved to.
        to: Square,
        /// The piece.
        piece: Piece,
    },
    /// A rook was taken (QR-4).
    Captured(Capture),
    /// A player had no legal move (QR-6).
    Passed {
        /// The player.
        player: Player,
    },
}

impl Game for Position {
    const ID: GameId = GameId::QueenRooks;
    const CLAUSES: &[Clause] = clauses::CLAUSES;
    type Rules = Rules;
    type RulesError = RulesError;
    type SetupError = SetupError;
    type Opening = ();
    type Move = Move;
    type Event = Event;
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

    fn next_players(&self) -> Vec<Player> {
        self.outcome().next_player.into_iter().collect()
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

    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<ParseError<Self>>> {
        notation::parse(notation).map(StateOrView::State)
    }

    fn notation(&self) -> String {
        self.diagram().notation()
    }

    fn text(&self) -> String {
        text::draw(&self.diagram(), &self.outcome())
    }
}
