//! Connect Four as in its source document: a two-dimensional array that is scanned around the last token. The names and
//! the order of the functions are those of the document. "Four" is any length here.

/// Column and row of a cell, the row from the top.
pub type Cell = (usize, usize);

const EMPTY: u8 = 0;

/// The four directions in the order of the checks, as steps in columns and rows:
/// horizontal, vertical, diagonal down, diagonal up.
const STEPS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// `cells[column][row]`: 0 is empty, 1 and 2 are the players' tokens.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    cells: Vec<Vec<u8>>,
    length: usize,
}

impl Board {
    /// The document's `init_board`.
    pub fn new(columns: usize, rows: usize, length: usize) -> Self {
        Self { cells: vec![vec![EMPTY; rows]; columns], length }
    }

    /// A board from its rows, the top one first, with `X` for player one and `O` for player two.
    pub fn from_rows(rows: &[String], length: usize) -> Self {
        let mut board = Self::new(rows[0].len(), rows.len(), length);
        for (row, line) in rows.iter().enumerate() {
            for (column, token) in line.chars().enumerate() {
                board.cells[column][row] = match token {
                    'X' => 1,
                    'O' => 2,
                    _ => EMPTY,
                };
            }
        }
        board
    }

    pub fn columns(&self) -> usize {
        self.cells.len()
    }

    pub fn rows(&self) -> usize {
        self.cells[0].len()
    }

    /// Every cell, column by column.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        let (columns, rows) = (self.columns(), self.rows());
        (0..columns).flat_map(move |column| (0..rows).map(move |row| (column, row)))
    }

    /// 0 for an empty cell, 1 or 2 for a player's token.
    pub fn token(&self, (column, row): Cell) -> u8 {
        self.cells[column][row]
    }

    pub fn is_valid_move(&self, column: usize) -> bool {
        column < self.columns() && self.cells[column][0] == EMPTY
    }

    pub fn place_token(&mut self, column: usize, player: u8) -> Option<Cell> {
        if !self.is_valid_move(column) {
            return None;
        }
        let row = (0..self.rows()).rev().find(|&row| self.cells[column][row] == EMPTY)?;
        self.cells[column][row] = player;
        Some((column, row))
    }

    pub fn get_valid_columns(&self) -> Vec<usize> {
        (0..self.columns()).filter(|&column| self.is_valid_move(column)).collect()
    }

    pub fn check_horizontal(&self, (column, row): Cell, player: u8) -> Option<Vec<Cell>> {
        let (start, end) =
            (column.saturating_sub(self.reach()), (column + self.reach()).min(self.columns() - 1));
        self.scan((start..=end).map(|column| (column, row)), player)
    }

    pub fn check_vertical(&self, (column, row): Cell, player: u8) -> Option<Vec<Cell>> {
        let (start, end) = (row.saturating_sub(self.reach()), (row + self.reach()).min(self.rows() - 1));
        self.scan((start..=end).map(|row| (column, row)), player)
    }

    pub fn check_diagonal_down(&self, (column, row): Cell, player: u8) -> Option<Vec<Cell>> {
        let back = column.min(row).min(self.reach());
        let ahead = (self.columns() - 1 - column).min(self.rows() - 1 - row).min(self.reach());
        self.scan((0..=back + ahead).map(|n| (column - back + n, row - back + n)), player)
    }

    pub fn check_diagonal_up(&self, (column, row): Cell, player: u8) -> Option<Vec<Cell>> {
        let back = column.min(self.rows() - 1 - row).min(self.reach());
        let ahead = (self.columns() - 1 - column).min(row).min(self.reach());
        self.scan((0..=back + ahead).map(|n| (column - back + n, row + back - n)), player)
    }

    /// The first line of exactly the length that goes through the last token, in the document's order.
    pub fn check_win(&self, last: Option<Cell>, player: u8) -> Option<Vec<Cell>> {
        let last = last?;
        self.check_horizontal(last, player)
            .or_else(|| self.check_vertical(last, player))
            .or_else(|| self.check_diagonal_down(last, player))
            .or_else(|| self.check_diagonal_up(last, player))
    }

    pub fn is_board_full(&self) -> bool {
        self.cells.iter().all(|column| column[0] != EMPTY)
    }

    /// What the document's `print_board` prints.
    pub fn print_board(&self) -> String {
        let mut text = String::new();
        for row in 0..self.rows() {
            text.push('|');
            for column in &self.cells {
                text.push_str(match column[row] {
                    0 => " |",
                    1 => "X|",
                    _ => "O|",
                });
            }
            text.push('\n');
        }
        text + &"-".repeat(self.columns() * 2 + 1) + "\n"
    }

    /// The whole run through a cell in each direction in which it is long enough to win (C4-3), with the index of the
    /// direction.
    pub fn lines_through(&self, cell: Cell, player: u8) -> Vec<(usize, Vec<Cell>)> {
        let run = |(right, down): (isize, isize)| {
            let beside = |&(column, row): &Cell, sign: isize| {
                let next = (column.checked_add_signed(sign * right)?, row.checked_add_signed(sign * down)?);
                (self.cells.get(next.0)?.get(next.1) == Some(&player)).then_some(next)
            };
            let first = std::iter::successors(Some(cell), |cell| beside(cell, -1)).last();
            std::iter::successors(first, |cell| beside(cell, 1)).collect::<Vec<_>>()
        };
        STEPS.into_iter().map(run).enumerate().filter(|(_, run)| run.len() >= self.length).collect()
    }

    /// Whether a player has a line anywhere.
    pub fn has_line(&self, player: u8) -> bool {
        self.cells().any(|cell| self.token(cell) == player && !self.lines_through(cell, player).is_empty())
    }

    /// Whether the board is a position of a game with this player to move: no token floats, the numbers fit, and there is
    /// a last token. It belongs to the other player, is on top of its column, and no player has a line without it.
    pub fn is_possible(&self, first_player: u8, player: u8) -> bool {
        let other = switch_player(player);
        let count = |player| self.cells().filter(|&cell| self.token(cell) == player).count();
        let no_token_floats = self
            .cells
            .iter()
            .all(|column| column.iter().skip_while(|&&token| token == EMPTY).all(|&t| t != EMPTY));
        let numbers_fit = count(other) == count(player) + usize::from(player != first_player);
        let can_be_taken_back = |column: usize| {
            let mut before = self.clone();
            let top = before.cells[column].iter_mut().find(|token| **token != EMPTY);
            let taken = top.map(|token| std::mem::replace(token, EMPTY));
            taken == Some(other) && !before.has_line(1) && !before.has_line(2)
        };
        let is_empty = self.cells().all(|cell| self.token(cell) == EMPTY);
        no_token_floats && numbers_fit && (is_empty || (0..self.columns()).any(can_be_taken_back))
    }

    /// The maximum distance from the last token in a line through it.
    fn reach(&self) -> usize {
        self.length - 1
    }

    /// The first run of the player's tokens in a window that is long enough to win.
    fn scan(&self, window: impl Iterator<Item = Cell>, player: u8) -> Option<Vec<Cell>> {
        let mut aligned = Vec::new();
        for (column, row) in window {
            if self.cells[column][row] == player {
                aligned.push((column, row));
                if aligned.len() >= self.length {
                    return Some(aligned);
                }
            } else {
                aligned.clear();
            }
        }
        None
    }
}

pub fn switch_player(player: u8) -> u8 {
    3 - player
}

/// A board, the player to move and the last token.
#[derive(Clone, Debug)]
pub struct Game {
    pub board: Board,
    pub player: u8,
    pub last: Option<Cell>,
}

impl Game {
    pub fn new(board: Board, player: u8) -> Self {
        Self { board, player, last: None }
    }

    /// Plays the columns of a notation such as `c4:7x6x4o:4453`, or `c4:12x8x5:4,12` with more than nine columns.
    pub fn from_notation(text: &str) -> Self {
        let [_, rules, columns] = text.split(':').collect::<Vec<_>>()[..] else {
            panic!("{text} has three parts");
        };
        let player = if rules.ends_with('o') { 2 } else { 1 };
        let sizes = rules.trim_end_matches('o').split('x').map(|size| size.parse().expect("a number"));
        let [width, height, length] = sizes.collect::<Vec<usize>>()[..] else {
            panic!("{rules} has three numbers");
        };
        let mut game = Self::new(Board::new(width, height, length), player);
        let separator = if width > 9 { "," } else { "" };
        for column in columns.split(separator).filter(|column| !column.is_empty()) {
            game.play(column.parse::<usize>().expect("a number") - 1).expect("a legal move");
        }
        game
    }

    /// The line that the last token completed.
    pub fn win(&self) -> Option<Vec<Cell>> {
        self.board.check_win(self.last, switch_player(self.player))
    }

    /// The legal columns; none after the end.
    pub fn moves(&self) -> Vec<usize> {
        if self.win().is_some() { Vec::new() } else { self.board.get_valid_columns() }
    }

    pub fn play(&mut self, column: usize) -> Option<Cell> {
        let cell = self.board.place_token(column, self.player)?;
        self.last = Some(cell);
        self.player = switch_player(self.player);
        Some(cell)
    }
}
