//! Queen and rooks, written from its clauses: a grid of characters that is scanned square by square. Players are 0 and 1,
//! results are words. Only the conversions at the end use the crate.

use std::cmp::Ordering;

use arbiter_games::{
    Square,
    queen_rooks::{Capture as CrateCapture, Diagram, Ending, Event, Move, Outcome as CrateOutcome, Piece},
};

/// Row and column of a square.
pub type Cell = (usize, usize);

const EMPTY: char = '.';
const QUEENS: [char; 2] = ['Q', 'q'];
const ROOKS: [char; 2] = ['R', 'r'];

/// A captured rook, with its explanation (QR-4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capture {
    pub cell: Cell,
    pub rook: Cell,
    pub queen: Cell,
    /// The two other corners with their pieces, first the one in the row of the rook.
    pub corners: [(Cell, char); 2],
}

/// The effects of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    pub player: usize,
    pub from: Cell,
    pub to: Cell,
    pub piece: char,
    pub captures: Vec<Capture>,
    /// The player who passed after it (QR-6).
    pub passed: Option<usize>,
}

/// The outcome of a game so far (QR-5, QR-6, QR-7).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Outcome {
    pub result: &'static str,
    pub reason: Option<&'static str>,
    pub winner: Option<usize>,
    pub pieces: [usize; 2],
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Game {
    pub grid: Vec<Vec<char>>,
    /// The player to move, if known.
    pub player: Option<usize>,
    pub quiet_moves: u32,
    /// 0 if there is no limit (QR-7).
    pub quiet_move_limit: u32,
}

impl Game {
    /// QR-2: each player fills a square of half the side, player one at the bottom left and player two at the top right,
    /// with the queen on the corner of the board.
    pub fn start(size: usize, quiet_move_limit: u32) -> Self {
        let mut grid = vec![vec![EMPTY; size]; size];
        for row in 0..size / 2 {
            for column in 0..size / 2 {
                grid[size / 2 + row][column] = ROOKS[0];
                grid[row][size / 2 + column] = ROOKS[1];
            }
        }
        grid[size - 1][0] = QUEENS[0];
        grid[0][size - 1] = QUEENS[1];
        Self { grid, player: Some(0), quiet_moves: 0, quiet_move_limit }
    }

    pub fn size(&self) -> usize {
        self.grid.len()
    }

    /// The squares, row by row.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for row in 0..self.size() {
            for column in 0..self.size() {
                cells.push((row, column));
            }
        }
        cells
    }

    pub fn at(&self, (row, column): Cell) -> char {
        self.grid[row][column]
    }

    fn put(&mut self, (row, column): Cell, piece: char) {
        self.grid[row][column] = piece;
    }

    /// The owner of the piece on a square.
    pub fn owner(&self, cell: Cell) -> Option<usize> {
        [0, 1].into_iter().find(|&player| [QUEENS[player], ROOKS[player]].contains(&self.at(cell)))
    }

    pub fn queen(&self, player: usize) -> Cell {
        self.cells().into_iter().find(|&cell| self.at(cell) == QUEENS[player]).expect("there is a queen")
    }

    /// The number of pieces of a player, including the queen.
    pub fn pieces(&self, player: usize) -> usize {
        self.cells().into_iter().filter(|&cell| self.owner(cell) == Some(player)).count()
    }

    /// QR-3: whether the piece on a square can move in this direction on an empty board.
    pub fn points_to(&self, from: Cell, to: Cell) -> bool {
        let (rows, columns) = (from.0.abs_diff(to.0), from.1.abs_diff(to.1));
        let straight = (rows == 0) != (columns == 0);
        let diagonal = rows == columns && rows > 0;
        straight || diagonal && QUEENS.contains(&self.at(from))
    }

    /// The squares that a piece passes, the nearest first.
    pub fn passed(from: Cell, to: Cell) -> Vec<Cell> {
        let mut passed = Vec::new();
        let mut cell = towards(from, to);
        while cell != to {
            passed.push(cell);
            cell = towards(cell, to);
        }
        passed
    }

    /// QR-3: all squares passed and the destination must be empty.
    fn can_go(&self, from: Cell, to: Cell) -> bool {
        let is_empty = |cell: &Cell| self.at(*cell) == EMPTY;
        is_empty(&to) && self.points_to(from, to) && Self::passed(from, to).iter().all(is_empty)
    }

    /// Every move that the pieces of a player can make.
    pub fn moves_of(&self, player: usize) -> Vec<(Cell, Cell)> {
        let mut moves = Vec::new();
        for from in self.cells() {
            if self.owner(from) == Some(player) {
                for to in self.cells() {
                    if self.can_go(from, to) {
                        moves.push((from, to));
                    }
                }
            }
        }
        moves
    }

    /// QR-6: whether a player has no move.
    pub fn is_blocked(&self, player: usize) -> bool {
        for from in self.cells() {
            if self.owner(from) == Some(player) && self.cells().into_iter().any(|to| self.can_go(from, to)) {
                return false;
            }
        }
        true
    }

    /// QR-5.
    pub fn has_lost(&self, player: usize) -> bool {
        self.pieces(player) <= 2
    }

    /// The legal moves; none after the end.
    pub fn moves(&self) -> Vec<(Cell, Cell)> {
        if self.is_over() {
            Vec::new()
        } else {
            self.moves_of(self.player.expect("the player to move is known"))
        }
    }

    /// QR-4: what the piece on a square takes, as if it had just moved there.
    pub fn captures(&self, rook: Cell) -> Vec<Capture> {
        let mut captures = Vec::new();
        let Some(player) = self.owner(rook).filter(|&player| self.at(rook) == ROOKS[player]) else {
            return captures;
        };
        let queen = self.queen(player);
        if rook.0 != queen.0 && rook.1 != queen.1 {
            let corners = [(rook.0, queen.1), (queen.0, rook.1)].map(|cell| (cell, self.at(cell)));
            for (cell, piece) in corners {
                if piece == ROOKS[1 - player] {
                    captures.push(Capture { cell, rook, queen, corners });
                }
            }
        }
        captures
    }

    /// Removes what the piece on a square takes.
    pub fn resolve(&mut self, rook: Cell) -> Vec<Capture> {
        let captures = self.captures(rook);
        for capture in &captures {
            self.put(capture.cell, EMPTY);
        }
        // A move that captures is not quiet.
        if !captures.is_empty() {
            self.quiet_moves = 0;
        }
        captures
    }

    /// Makes a move; returns none if it is illegal.
    pub fn play(&mut self, from: Cell, to: Cell) -> Option<Turn> {
        let player = self.player?;
        if self.is_over() || self.owner(from) != Some(player) || !self.can_go(from, to) {
            return None;
        }
        let piece = self.at(from);
        self.put(from, EMPTY);
        self.put(to, piece);
        let captures = self.resolve(to);
        self.quiet_moves = if captures.is_empty() { self.quiet_moves + 1 } else { 0 };
        self.player = Some(1 - player);
        let mut passed = None;
        if !self.is_over() && self.is_blocked(1 - player) {
            passed = Some(1 - player);
            self.player = Some(player);
        }
        Some(Turn { player, from, to, piece, captures, passed })
    }

    pub fn is_over(&self) -> bool {
        self.outcome().result != "IN_PROGRESS"
    }

    /// QR-5, then QR-6, then QR-7.
    pub fn outcome(&self) -> Outcome {
        let pieces = [self.pieces(0), self.pieces(1)];
        let outcome = |result, reason, winner| Outcome { result, reason, winner, pieces };
        for player in [0, 1] {
            if self.has_lost(player) {
                return outcome("WINNER_DETERMINED", Some("TOO_FEW_PIECES"), Some(1 - player));
            }
        }
        if self.is_blocked(0) && self.is_blocked(1) {
            return outcome("DRAW", Some("NO_LEGAL_MOVE"), None);
        }
        if self.quiet_move_limit > 0 && self.quiet_moves >= self.quiet_move_limit {
            return outcome("DRAW", Some("QUIET_MOVE_LIMIT"), None);
        }
        outcome("IN_PROGRESS", None, None)
    }

    /// The text notation: rows with numbers for empty squares, the player to move from 1, the quiet moves.
    pub fn notation(&self) -> String {
        let mut rows = Vec::new();
        for row in &self.grid {
            let mut text: String = row.iter().collect();
            // The longest runs first, so that a run is not replaced as two.
            for empty in (1..=self.size()).rev() {
                text = text.replace(&".".repeat(empty), &empty.to_string());
            }
            rows.push(text);
        }
        let player = self.player.map_or("-".to_owned(), |player| (player + 1).to_string());
        let quiet = match (self.quiet_moves, self.quiet_move_limit) {
            (0, 0) => String::new(),
            (quiet, 0) => format!(":{quiet}"),
            (quiet, limit) => format!(":{quiet}/{limit}"),
        };
        let text = format!("qr:{}:{player}{quiet}", rows.join("/"));
        text.strip_suffix(":-").map(str::to_owned).unwrap_or(text)
    }

    /// Reads a text such as `qr:2rq/2rr/RR2/QR2:1:7/50`.
    pub fn from_notation(text: &str) -> Self {
        let [_, board, player, ref quiet @ ..] = text.split(':').collect::<Vec<_>>()[..] else {
            panic!("{text} has a board and a player");
        };
        let quiet = quiet.first().unwrap_or(&"0");
        let (quiet_moves, limit) = quiet.split_once('/').unwrap_or((quiet, "0"));
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} is a number"));
        let mut grid = Vec::new();
        for row in board.split('/') {
            let mut row = row.to_owned();
            // Numbers of two digits first.
            for empty in (1..=26).rev() {
                row = row.replace(&empty.to_string(), &".".repeat(empty));
            }
            grid.push(row.chars().collect());
        }
        let player = ["1", "2"].iter().position(|&number| number == player);
        Self { grid, player, quiet_moves: number(quiet_moves), quiet_move_limit: number(limit) }
    }
}

/// The next square on the straight path to another.
fn towards(from: Cell, to: Cell) -> Cell {
    let step = |from: usize, to: usize| match from.cmp(&to) {
        Ordering::Less => from + 1,
        Ordering::Equal => from,
        Ordering::Greater => from - 1,
    };
    (step(from.0, to.0), step(from.1, to.1))
}

// Conversions of the types of the crate.

impl From<&Diagram> for Game {
    fn from(diagram: &Diagram) -> Self {
        Self {
            grid: diagram.rows().iter().map(|row| row.chars().collect()).collect(),
            player: diagram.next_player().map(|player| player as usize),
            quiet_moves: diagram.quiet_moves(),
            quiet_move_limit: diagram.rules().quiet_move_limit(),
        }
    }
}

impl From<&CrateCapture> for Capture {
    fn from(capture: &CrateCapture) -> Self {
        Self {
            cell: cell(capture.square),
            rook: cell(capture.rook),
            queen: cell(capture.queen),
            corners: capture
                .corners
                .map(|(square, piece)| (cell(square), piece.map_or(EMPTY, Piece::letter))),
        }
    }
}

impl From<&[Event]> for Turn {
    /// The events must be one move, then captures, then at most one pass.
    fn from(events: &[Event]) -> Self {
        let [Event::Moved { player, from, to, piece }, rest @ ..] = events else {
            panic!("{events:?} does not start with a move");
        };
        let (passed, rest) = match rest {
            [rest @ .., Event::Passed { player }] => (Some(*player as usize), rest),
            rest => (None, rest),
        };
        let captured = |event: &Event| match event {
            Event::Captured(capture) => Capture::from(capture),
            _ => panic!("{events:?} is not a move, captures and a pass"),
        };
        Self {
            player: *player as usize,
            from: cell(*from),
            to: cell(*to),
            piece: piece.letter(),
            captures: rest.iter().map(captured).collect(),
            passed,
        }
    }
}

impl From<CrateOutcome> for Outcome {
    fn from(CrateOutcome { ending, pieces, .. }: CrateOutcome) -> Self {
        let (result, reason, winner) = match ending {
            None => ("IN_PROGRESS", None, None),
            Some(Ending::Won { winner }) => {
                ("WINNER_DETERMINED", Some("TOO_FEW_PIECES"), Some(winner as usize))
            }
            Some(Ending::Blocked) => ("DRAW", Some("NO_LEGAL_MOVE"), None),
            Some(Ending::QuietMoveLimit) => ("DRAW", Some("QUIET_MOVE_LIMIT"), None),
        };
        Self { result, reason, winner, pieces: pieces.map(|count| count as usize) }
    }
}

pub fn cell(square: Square) -> Cell {
    (square.row as usize, square.column as usize)
}

pub fn square((row, column): Cell) -> Square {
    Square { row: row as u32, column: column as u32 }
}

/// A move as its two cells.
pub fn cells(mv: &Move) -> (Cell, Cell) {
    (cell(mv.from), cell(mv.to))
}
