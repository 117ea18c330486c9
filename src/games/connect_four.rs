//! Connect Four (clauses C4-1 to C4-6): tokens dropped into columns, and a line of four wins.

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

pub use self::{
    illegal_move::IllegalMove,
    outcome::{Ending, Outcome},
    position::Position,
    rules::{PartialRules, Rules, RulesError},
    setup::{Setup, SetupError},
};
use crate::{Clause, Game, GameId, NoView, ParseError, Player, Square, StateOrView};

/// A game of Connect Four: a position, and the columns played if the state was given by them. The notation of the game
/// then lists columns too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectFour {
    position: Position,
    /// The columns played since the empty board, from 0, if known.
    history: Option<Vec<u8>>,
}

/// A token dropped into a column. The column may be off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The column, from 0 at the left.
    pub column: i64,
}

/// One effect of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A token fell onto a cell (C4-2).
    Dropped {
        /// The owner of the token.
        player: Player,
        /// The cell.
        square: Square,
    },
}

/// Connect Four has no captures. This type has no values.
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
    const ID: GameId = GameId::ConnectFour;
    const CLAUSES: &[Clause] = clauses::CLAUSES;
    type Rules = Rules;
    type RulesError = RulesError;
    type SetupError = SetupError;
    type Opening = ();
    type Move = Move;
    type Event = Event;
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

    fn play(&mut self, mv: &Move) -> Result<Vec<Event>, Vec<IllegalMove>> {
        let Some((column, event)) = self.position.play(mv) else {
            return Err(self.why_illegal(mv));
        };
        if let Some(history) = &mut self.history {
            history.push(column);
        }
        Ok(vec![event])
    }

    fn next_players(&self) -> Vec<Player> {
        self.outcome().next_player.into_iter().collect()
    }

    fn outcome(&self) -> Outcome {
        self.position.outcome()
    }

    fn resolve_captures(arrival: Self) -> (Vec<Capture>, Self) {
        (Vec::new(), arrival)
    }

    fn view(&self, _viewer: Player) -> StateOrView<Self> {
        StateOrView::State(self.clone())
    }

    /// Also recognizes a list of columns without the prefix.
    fn recognizes(notation: &str) -> bool {
        notation.starts_with(Self::ID.prefix()) || notation::is_column_list(notation)
    }

    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<ParseError<Self>>> {
        notation::parse(notation).map(StateOrView::State)
    }

    fn notation(&self) -> String {
        notation::write(self)
    }

    fn text(&self) -> String {
        text::draw(&self.position, &self.outcome())
    }
}
