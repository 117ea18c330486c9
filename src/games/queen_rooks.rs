//! Queen and rooks (clauses QR-1 to QR-7): a queen and her rooks take the opponent's rooks on the corners between them.

mod board;
mod capture;
mod clauses;
mod illegal_move;
mod notation;
mod outcome;
mod position;
mod rules;
mod setup;

use std::{
    fmt::{self, Write},
    str::FromStr,
};

use self::notation::Named;
pub use self::{
    board::Piece,
    capture::Capture,
    illegal_move::IllegalMove,
    notation::ParseError,
    outcome::{Ending, Outcome},
    position::Position,
    rules::{PartialRules, Rules, RulesError},
    setup::{Diagram, Setup, SetupError},
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

/// A board on which a piece has just arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    diagram: Diagram,
    square: Square,
}

impl Arrival {
    /// The arrival of the piece on a square; none if no piece stands there.
    pub fn new(diagram: Diagram, square: Square) -> Option<Self> {
        diagram.piece(square).map(|_| Self { diagram, square })
    }

    /// The board.
    pub fn diagram(&self) -> &Diagram {
        &self.diagram
    }
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

    fn resolve_captures(Arrival { diagram, square }: Arrival) -> (Vec<Capture>, Arrival) {
        let (captures, diagram) = diagram.resolve(square);
        (captures, Arrival { diagram, square })
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
        Diagram::from(self).notation()
    }

    /// The board with letters for its columns and numbers for its rows, and how the game stands.
    fn text(&self) -> String {
        let rows = Diagram::from(self).rows();
        let mut text = "   ".to_owned();
        for column in 0..self.rules().size() {
            text.push(' ');
            text.push(char::from(b'a' + column));
        }
        text.push('\n');
        // Writing to a string cannot fail.
        for (index, row) in rows.iter().enumerate() {
            let _ = write!(text, "{:>3}", index + 1);
            for letter in row.chars() {
                let _ = write!(text, " {letter}");
            }
            text.push('\n');
        }
        let outcome = self.outcome();
        let _ = match outcome.next {
            Some(next @ Player::One) => writeln!(text, "{next} (Q, R) to move"),
            Some(next @ Player::Two) => writeln!(text, "{next} (q, r) to move"),
            None => writeln!(text, "{outcome}"),
        };
        text
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
