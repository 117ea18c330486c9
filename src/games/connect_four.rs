//! Connect Four (clauses C4-1 to C4-6): tokens dropped into columns, a line of four wins.

mod bitboard;
mod board;
mod clauses;
mod illegal_move;
mod notation;
mod outcome;
mod position;
mod rules;
mod setup;
mod text;

use std::{fmt, str::FromStr};

pub use self::{
    illegal_move::IllegalMove,
    notation::ParseError,
    outcome::{Ending, Outcome},
    position::Position,
    rules::{PartialRules, Rules, RulesError},
    setup::{Setup, SetupError},
};
use crate::{Clause, Game, NoView, NotationError, Player, Square, StateOrView};

/// A game of Connect Four: a position and, when the state was written as the list of columns played,
/// that list, so that it is answered the way it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectFour {
    position: Position,
    /// The columns played since the empty board, from 0, if they are known.
    history: Option<Vec<u8>>,
}

/// A token dropped into a column. It may be a column that no board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Column from the left, from 0.
    pub column: i64,
}

/// A token came to lie on a cell (C4-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Whose token it is.
    pub player: Player,
    /// Where it lies.
    pub square: Square,
}

/// Connect Four captures nothing: no value of this type exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {}

impl ConnectFour {
    /// The position of the game.
    pub fn position(&self) -> &Position {
        &self.position
    }
}

impl From<Position> for ConnectFour {
    fn from(position: Position) -> Self {
        Self { position, history: None }
    }
}

impl Game for ConnectFour {
    const CLAUSES: &[Clause] = clauses::CLAUSES;
    type Rules = Rules;
    type Opening = ();
    type Move = Move;
    type Event = Dropped;
    type ParseError = ParseError;
    type IllegalMove = IllegalMove;
    type Outcome = Outcome;
    type Arrival = Self;
    type Capture = Capture;
    type Player = Player;
    type View = NoView;

    fn new(rules: Rules, (): (), _seed: u64) -> Self {
        Self { position: Position::start(rules), history: Some(Vec::new()) }
    }

    fn legal_moves(&self) -> Vec<Move> {
        self.position.legal_columns().map(|column| Move { column: column.into() }).collect()
    }

    fn why_illegal(&self, mv: &Move) -> Vec<IllegalMove> {
        self.position.why_illegal(mv)
    }

    fn play(&mut self, mv: &Move) -> Result<Vec<Dropped>, Vec<IllegalMove>> {
        let Some((column, dropped)) = self.position.play(mv) else {
            return Err(self.why_illegal(mv));
        };
        if let Some(history) = &mut self.history {
            history.push(column);
        }
        Ok(vec![dropped])
    }

    fn outcome(&self) -> Outcome {
        self.position.outcome()
    }

    fn resolve_captures(board: Self) -> (Vec<Capture>, Self) {
        (Vec::new(), board)
    }

    fn view(&self, _viewer: Player) -> StateOrView<Self> {
        StateOrView::State(self.clone())
    }

    fn recognizes(notation: &str) -> bool {
        notation::recognizes(notation)
    }

    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<ParseError>> {
        notation::parse(notation).map(StateOrView::State)
    }

    fn notation(&self) -> String {
        notation::write(self)
    }

    fn text(&self) -> String {
        text::draw(&self.position, &self.outcome())
    }
}

impl fmt::Display for Move {
    /// The column, from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.column.saturating_add(1))
    }
}

impl FromStr for Move {
    type Err = NotationError;

    /// Reads a column, from 1, with or without spaces around it.
    fn from_str(text: &str) -> Result<Self, NotationError> {
        notation::parse_column(text.trim()).map(|column| Self { column })
    }
}
