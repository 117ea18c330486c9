use super::{
    Capture, Rules,
    board::{Board, Cell, Piece},
    capture::captures,
    position::{Position, has_lost},
};
use crate::{Player, RuleBreach, Square};

/// A position as someone wrote it down. It may be nonsense: [`Position::try_from`] tells, and [`Diagram::try_from`] for a
/// board without a game around it.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a, S> {
    /// The rules it is played under.
    pub rules: Rules,
    /// The board, one string a row, the top row first: `Q`, `R`, `q`, `r`, or `.` for an empty square.
    pub board: &'a [S],
    /// The player to move. None if that is not known.
    pub next_player: Option<Player>,
    /// How many moves in a row have captured nothing.
    pub quiet_moves: u32,
}

/// What is wrong with a set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// It is not said who is to move.
    #[error("the player to move is missing")]
    NextPlayer,
    /// The board has too many or too few rows.
    #[error("the board must have {wanted} rows, not {found}")]
    RowCount {
        /// Rows that the rules want.
        wanted: u8,
        /// Rows that are there.
        found: usize,
    },
    /// A row has too many or too few squares.
    #[error("row {row} must have {wanted} characters, one a column, not {found}")]
    RowLength {
        /// The row, from 0 at the top.
        row: usize,
        /// Columns that the rules want.
        wanted: u8,
        /// Characters that are there.
        found: usize,
    },
    /// A character stands for no piece.
    #[error("row {row}, column {column} holds {found:?}: a square is '.', 'Q', 'R', 'q' or 'r'")]
    UnknownPiece {
        /// The row, from 0 at the top.
        row: usize,
        /// The column, from 0 at the left.
        column: usize,
        /// The character.
        found: char,
    },
    /// A player has no queen, or several (QR-2).
    #[error("{player} has {found} queens: each player has one")]
    QueenCount {
        /// Who.
        player: Player,
        /// Queens that are there.
        found: usize,
    },
    /// A player has more pieces than at the start (QR-2).
    #[error("{player} has {found} pieces: at the start each player has {most}")]
    TooManyPieces {
        /// Who.
        player: Player,
        /// Pieces that are there.
        found: u32,
        /// Pieces at the start.
        most: u32,
    },
    /// Both players have lost (QR-5).
    #[error("both players have two pieces or fewer: the game was over when the first had")]
    TwoLosers,
    /// The player who has lost is not to move (QR-5).
    #[error("{0} has lost with two pieces or fewer, and so is to move: the game ended with the other's move")]
    LoserNotToMove(Player),
    /// The last move was a capture, so that no move was quiet since (QR-5).
    #[error("quiet_moves must be 0, not {0}: the game ended with a capture")]
    QuietAfterLoss(u32),
    /// The player to move has passed already (QR-6).
    #[error("{0} has no legal move and has passed: it is the other player's turn")]
    Blocked(Player),
    /// The count of quiet moves is out of range, or past the limit of the rules (QR-7).
    #[error("quiet_moves must be from 0 to {most}, not {found}")]
    QuietMoves {
        /// The count.
        found: u32,
        /// The most there can be.
        most: u32,
    },
}

impl RuleBreach for SetupError {
    fn clause(&self) -> &'static str {
        match self {
            Self::RowCount { .. } | Self::RowLength { .. } => "QR-1",
            Self::UnknownPiece { .. } | Self::QueenCount { .. } | Self::TooManyPieces { .. } => "QR-2",
            Self::NextPlayer => "QR-3",
            Self::TwoLosers | Self::LoserNotToMove(_) | Self::QuietAfterLoss(_) => "QR-5",
            Self::Blocked(_) => "QR-6",
            Self::QuietMoves { .. } => "QR-7",
        }
    }
}

/// A board made by hand, with or without a game around it: it has its size and a queen of each player, and that is all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagram {
    pub(super) rules: Rules,
    pub(super) board: Board,
    pub(super) next_player: Option<Player>,
    pub(super) quiet_moves: u32,
}

impl Diagram {
    /// The rules it is looked at under.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The player to move, if that is known.
    pub fn next_player(&self) -> Option<Player> {
        self.next_player
    }

    /// How many moves in a row have captured nothing.
    pub fn quiet_moves(&self) -> u32 {
        self.quiet_moves
    }

    /// The board, one string a row, the top row first.
    pub fn rows(&self) -> Vec<String> {
        let size = self.board.size();
        let letter = |row, column| self.board.piece(Cell { row, column }).map_or('.', Piece::letter);
        (0..size).map(|row| (0..size).map(|column| letter(row, column)).collect()).collect()
    }

    /// Tells of every piece, and where it stands.
    pub fn for_each_piece(&self, mut tell: impl FnMut(Square, Piece)) {
        for player in Player::ALL {
            let queen = self.board.queen(player);
            for cell in self.board.cells_of(player) {
                let piece = if cell == queen { Piece::Queen(player) } else { Piece::Rook(player) };
                tell(cell.into(), piece);
            }
        }
    }

    /// What stands on a square, if it is on the board.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.board.cell(square).and_then(|cell| self.board.piece(cell))
    }

    /// What the piece on a square takes, as if it had just moved there, and the diagram after it. A queen takes nothing.
    #[must_use]
    pub fn resolve(mut self, arrived_at: Square) -> (Vec<Capture>, Self) {
        let mut taken = Vec::new();
        if let Some(cell) = self.board.cell(arrived_at)
            && let Some(Piece::Rook(player)) = self.board.piece(cell)
        {
            for (cell, capture) in captures(&self.board, cell, player) {
                self.board.remove_rook(cell, player.other());
                self.quiet_moves = 0;
                taken.push(capture);
            }
        }
        (taken, self)
    }
}

impl From<&Position> for Diagram {
    fn from(position: &Position) -> Self {
        let &Position { rules, board, next_player, quiet_moves } = position;
        Self { rules, board, next_player: Some(next_player), quiet_moves }
    }
}

impl<S: AsRef<str>> TryFrom<Setup<'_, S>> for Diagram {
    type Error = Vec<SetupError>;

    fn try_from(setup: Setup<'_, S>) -> Result<Self, Vec<SetupError>> {
        let mut errors = Vec::new();
        let pieces = read(&setup, &mut errors);
        errors.extend(check_quiet_moves(setup.quiet_moves, setup.rules.quiet_move_limit()));
        let Setup { rules, next_player, quiet_moves, .. } = setup;
        let board = pieces.and_then(|pieces| pieces.board(rules.size()));
        let diagram = board.map(|board| Self { rules, board, next_player, quiet_moves });
        diagram.filter(|_| errors.is_empty()).ok_or(errors)
    }
}

impl<S: AsRef<str>> TryFrom<Setup<'_, S>> for Position {
    type Error = Vec<SetupError>;

    /// The one door from a set-up to a position. Reports everything that is wrong.
    fn try_from(setup: Setup<'_, S>) -> Result<Self, Vec<SetupError>> {
        let mut errors = Vec::new();
        let pieces = read(&setup, &mut errors);
        if let Some(pieces) = &pieces {
            check_counts(&setup, pieces, &mut errors);
        }
        let Setup { rules, quiet_moves, .. } = setup;
        let board = pieces.and_then(|pieces| pieces.board(rules.size()));
        if let Some(board) = &board {
            check_loss(&setup, board, &mut errors);
        }
        errors.extend(check_quiet_moves(quiet_moves, rules.quiet_move_limit()));
        if setup.next_player.is_none() {
            errors.push(SetupError::NextPlayer);
        }
        let position = board.zip(setup.next_player).map(|(board, next_player)| Self {
            rules,
            board,
            next_player,
            quiet_moves,
        });
        if let Some(position) = &position
            && !position.is_over()
            && !position.board.can_move(position.next_player)
        {
            errors.push(SetupError::Blocked(position.next_player));
        }
        position.filter(|_| errors.is_empty()).ok_or(errors)
    }
}

/// What is wrong with a count of quiet moves under a limit, which may be none or out of range (QR-7).
pub fn check_quiet_moves(found: u32, limit: u32) -> Option<SetupError> {
    let most = match limit {
        1..=Rules::MAX_QUIET_MOVES => limit,
        _ => Rules::MAX_QUIET_MOVES,
    };
    (found > most).then_some(SetupError::QuietMoves { found, most })
}

fn check_counts<S>(setup: &Setup<'_, S>, pieces: &Pieces, errors: &mut Vec<SetupError>) {
    let most = setup.rules.pieces();
    for player in Player::ALL {
        let found = pieces.count(player);
        if found > most {
            errors.push(SetupError::TooManyPieces { player, found, most });
        }
    }
}

fn check_loss<S>(setup: &Setup<'_, S>, board: &Board, errors: &mut Vec<SetupError>) {
    match Player::ALL.map(|player| has_lost(board, player)) {
        [true, true] => errors.push(SetupError::TwoLosers),
        [one, two] if one || two => {
            let loser = if one { Player::One } else { Player::Two };
            if setup.next_player.is_some_and(|next| next != loser) {
                errors.push(SetupError::LoserNotToMove(loser));
            }
            // A count that no limit allows is noted as such.
            let allowed = check_quiet_moves(setup.quiet_moves, setup.rules.quiet_move_limit()).is_none();
            if setup.quiet_moves > 0 && allowed {
                errors.push(SetupError::QuietAfterLoss(setup.quiet_moves));
            }
        }
        _ => {}
    }
}

/// The pieces of a board of the right size, however many there are.
struct Pieces {
    queens: [Vec<Cell>; 2],
    rooks: Vec<(Cell, Player)>,
}

impl Pieces {
    fn count(&self, player: Player) -> u32 {
        let rooks = self.rooks.iter().filter(|(_, owner)| *owner == player).count();
        // A board has at most 676 squares.
        (self.queens[player as usize].len() + rooks) as u32
    }

    /// The board, if each player has one queen.
    fn board(&self, size: u8) -> Option<Board> {
        let [[one], [two]] = self.queens.each_ref().map(Vec::as_slice) else {
            return None;
        };
        let mut board = Board::new(size, [*one, *two]);
        for &(cell, player) in &self.rooks {
            board.add_rook(cell, player);
        }
        Some(board)
    }
}

/// Reads the characters of the board, if it has the right size.
fn read<S: AsRef<str>>(setup: &Setup<'_, S>, errors: &mut Vec<SetupError>) -> Option<Pieces> {
    let size = setup.rules.size();
    let mut sized = setup.board.len() == usize::from(size);
    if !sized {
        errors.push(SetupError::RowCount { wanted: size, found: setup.board.len() });
    }
    let mut queens = [Vec::new(), Vec::new()];
    let mut rooks = Vec::new();
    for (row, line) in setup.board.iter().take(size.into()).enumerate() {
        let line = line.as_ref();
        let found = line.chars().count();
        if found != usize::from(size) {
            sized = false;
            errors.push(SetupError::RowLength { row, wanted: size, found });
            continue;
        }
        for (column, found) in line.chars().enumerate() {
            // Rows and columns are at most 26.
            let cell = Cell { row: row as u8, column: column as u8 };
            match Piece::from_letter(found) {
                Some(Piece::Queen(player)) => queens[player as usize].push(cell),
                Some(Piece::Rook(player)) => rooks.push((cell, player)),
                None if found == '.' => {}
                None => errors.push(SetupError::UnknownPiece { row, column, found }),
            }
        }
    }
    if !sized {
        return None;
    }
    for player in Player::ALL {
        let found = queens[player as usize].len();
        if found != 1 {
            errors.push(SetupError::QueenCount { player, found });
        }
    }
    Some(Pieces { queens, rooks })
}
