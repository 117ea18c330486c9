//! Setups, and everything that is wrong with them.
//!
//! The checks accept a board of any shape. Errors that would only follow from another error are not reported:
//!
//! - sizes that depend on an invalid value of the rules;
//! - a missing queen, and a lost game, while the size of the board is wrong or unknown, or a character is unknown;
//! - too many pieces, while there are too many squares, or the size is unknown;
//! - a blocked player, while anything else is wrong.

use super::{
    Diagram, PartialRules, Position, Rules,
    board::{Board, Cell, Piece},
    position::has_lost,
};
use crate::{Player, RuleBreach};

/// A position as a caller sent it. It may be invalid: [`Position::try_from`] checks it as a position,
/// [`Diagram::try_from`] as a board that need not be one.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a, S> {
    /// The rules, as far as they are valid.
    pub rules: PartialRules,
    /// The board, one string per row, the top row first: `Q`, `R`, `q`, `r`, or `.` for an empty square.
    pub board: &'a [S],
    /// The player to move; none if it is missing or could not be read.
    pub next_player: Option<Player>,
    /// The number of moves in a row without a capture.
    pub quiet_moves: u32,
}

/// What is wrong with a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A value of the rules is invalid.
    #[error("the rules are invalid")]
    Rules,
    /// The player to move is missing.
    #[error("the player to move is missing")]
    NextPlayer,
    /// The board has too many or too few rows.
    #[error("the board must have {wanted} rows, not {found}")]
    RowCount {
        /// The number of rows in the rules.
        wanted: u8,
        /// The number of rows.
        found: usize,
    },
    /// A row has too many or too few squares.
    #[error("row {row} must have {wanted} characters, one per column, not {found}")]
    RowLength {
        /// The row, from 0 at the top.
        row: usize,
        /// The number of columns in the rules.
        wanted: u8,
        /// The number of characters.
        found: usize,
    },
    /// A character is unknown.
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
        /// The player.
        player: Player,
        /// The number of queens.
        found: usize,
    },
    /// A player has more pieces than at the start (QR-2).
    #[error("{player} has {found} pieces: at the start each player has {max}")]
    TooManyPieces {
        /// The player.
        player: Player,
        /// The number of pieces.
        found: usize,
        /// The number of pieces at the start.
        max: u32,
    },
    /// Both players have lost (QR-5).
    #[error("both players have two pieces or fewer: the game ends as soon as one player has")]
    TwoLosers,
    /// The player who has lost is not to move (QR-5).
    #[error(
        "{0} has lost (two pieces or fewer), so next_player must be {0}: the other player made the last move"
    )]
    LoserNotToMove(Player),
    /// The game ended with a capture, so no quiet move followed (QR-5).
    #[error("quiet_moves must be 0, not {0}: the game ended with a capture")]
    QuietAfterLoss(u32),
    /// The player to move has no legal move and has passed (QR-6).
    #[error("{0} has no legal move and has passed: it is the other player's turn")]
    Blocked(Player),
    /// The count of quiet moves is out of range, or above the limit of the rules (QR-7).
    #[error("quiet_moves must be from 0 to {max}, not {found}")]
    QuietMoves {
        /// The count.
        found: u32,
        /// The maximum.
        max: u32,
    },
}

impl RuleBreach for SetupError {
    fn clause(&self) -> &'static str {
        match self {
            Self::Rules | Self::RowCount { .. } | Self::RowLength { .. } => "QR-1",
            Self::UnknownPiece { .. } | Self::QueenCount { .. } | Self::TooManyPieces { .. } => "QR-2",
            Self::NextPlayer => "QR-3",
            Self::TwoLosers | Self::LoserNotToMove(_) | Self::QuietAfterLoss(_) => "QR-5",
            Self::Blocked(_) => "QR-6",
            Self::QuietMoves { .. } => "QR-7",
        }
    }
}

impl<S: AsRef<str>> TryFrom<&Setup<'_, S>> for Diagram {
    /// Everything that is wrong with the setup.
    type Error = Vec<SetupError>;

    fn try_from(setup: &Setup<'_, S>) -> Result<Self, Vec<SetupError>> {
        let &Setup { rules, next_player, quiet_moves, .. } = setup;
        let mut errors = Vec::new();
        let board = Pieces::read(setup, &mut errors).board();
        errors.extend(check_quiet_moves(quiet_moves, rules));
        let Some(rules) = rules.complete() else {
            errors.push(SetupError::Rules);
            return Err(errors);
        };
        let diagram = board.map(|board| Self { rules, board, next_player, quiet_moves });
        diagram.filter(|_| errors.is_empty()).ok_or(errors)
    }
}

impl<S: AsRef<str>> TryFrom<&Setup<'_, S>> for Position {
    /// Everything that is wrong with the setup.
    type Error = Vec<SetupError>;

    fn try_from(setup: &Setup<'_, S>) -> Result<Self, Vec<SetupError>> {
        let &Setup { rules, next_player, quiet_moves, .. } = setup;
        let mut errors = Vec::new();
        let pieces = Pieces::read(setup, &mut errors);
        pieces.check_counts(&mut errors);
        let board = pieces.board();
        if let Some(board) = &board {
            check_loss(setup, board, &mut errors);
        }
        errors.extend(check_quiet_moves(quiet_moves, rules));
        if next_player.is_none() {
            errors.push(SetupError::NextPlayer);
        }
        if rules.complete().is_none() {
            errors.push(SetupError::Rules);
        }
        let (Some(board), Some(rules), Some(next_player), true) =
            (board, rules.complete(), next_player, errors.is_empty())
        else {
            return Err(errors);
        };
        let position = Self { rules, board, next_player, quiet_moves };
        if position.is_over() || board.can_move(next_player) {
            Ok(position)
        } else {
            Err(vec![SetupError::Blocked(next_player)])
        }
    }
}

/// Checks a count of quiet moves (QR-7).
fn check_quiet_moves(found: u32, rules: PartialRules) -> Option<SetupError> {
    let max = rules.quiet_move_limit.filter(|&limit| limit > 0).unwrap_or(Rules::MAX_QUIET_MOVES);
    (found > max).then_some(SetupError::QuietMoves { found, max })
}

fn check_loss<S>(setup: &Setup<'_, S>, board: &Board, errors: &mut Vec<SetupError>) {
    match Player::ALL.map(|player| has_lost(board, player)) {
        [true, true] => errors.push(SetupError::TwoLosers),
        [one, two] if one || two => {
            let loser = if one { Player::One } else { Player::Two };
            if setup.next_player.is_some_and(|next| next != loser) {
                errors.push(SetupError::LoserNotToMove(loser));
            }
            // A count that is out of range is reported as such.
            let allowed = check_quiet_moves(setup.quiet_moves, setup.rules).is_none();
            if setup.quiet_moves > 0 && allowed {
                errors.push(SetupError::QuietAfterLoss(setup.quiet_moves));
            }
        }
        _ => {}
    }
}

/// The pieces of a board of any shape.
struct Pieces {
    /// The pieces with their rows and columns.
    found: Vec<(Piece, usize, usize)>,
    /// The size of the board, if it is valid.
    size: Option<u8>,
    /// Whether all squares are known, and none is missing or surplus.
    is_complete: bool,
    /// Whether there are too many rows or squares.
    has_surplus: bool,
}

impl Pieces {
    /// Reads the board. Reports errors of its size, its characters and its queens.
    fn read<S: AsRef<str>>(setup: &Setup<'_, S>, errors: &mut Vec<SetupError>) -> Self {
        let size = setup.rules.size;
        let mut read = Self { found: Vec::new(), size, is_complete: size.is_some(), has_surplus: false };
        if let Some(wanted) = read.check_length(setup.board.len()) {
            errors.push(SetupError::RowCount { wanted, found: setup.board.len() });
        }
        // The part of a board that is larger than any valid one is not read.
        let max_size = Rules::MAX_SIZE.into();
        for (row, line) in setup.board.iter().enumerate().take(max_size) {
            let line = line.as_ref();
            let found = line.chars().count();
            if let Some(wanted) = read.check_length(found) {
                errors.push(SetupError::RowLength { row, wanted, found });
            }
            let squares = line.chars().enumerate().take(max_size);
            for (column, found) in squares.filter(|&(_, found)| found != '.') {
                if let Some(piece) = Piece::from_letter(found) {
                    read.found.push((piece, row, column));
                } else {
                    read.is_complete = false;
                    errors.push(SetupError::UnknownPiece { row, column, found });
                }
            }
        }
        for player in Player::ALL {
            let found = read.queens(player).count();
            if found > 1 || (found == 0 && read.is_complete) {
                errors.push(SetupError::QueenCount { player, found });
            }
        }
        read
    }

    /// Compares a number of rows, or of squares in a row, with the size. Returns the size if they differ.
    fn check_length(&mut self, found: usize) -> Option<u8> {
        let wanted = self.size.filter(|&size| found != usize::from(size))?;
        self.is_complete = false;
        self.has_surplus |= found > usize::from(wanted);
        Some(wanted)
    }

    /// The rows and columns of a player's queens.
    fn queens(&self, player: Player) -> impl Iterator<Item = (usize, usize)> {
        let queens = self.found.iter().filter(move |(piece, ..)| *piece == Piece::Queen(player));
        queens.map(|&(_, row, column)| (row, column))
    }

    /// Reports players with too many pieces.
    fn check_counts(&self, errors: &mut Vec<SetupError>) {
        let Some(size) = self.size.filter(|_| !self.has_surplus) else { return };
        let max = Rules::pieces_on(size);
        for player in Player::ALL {
            let found = self.found.iter().filter(|(piece, ..)| piece.owner() == player).count();
            if found > max as usize {
                errors.push(SetupError::TooManyPieces { player, found, max });
            }
        }
    }

    /// The board, if it is complete and each player has one queen.
    fn board(&self) -> Option<Board> {
        let size = self.size.filter(|_| self.is_complete)?;
        // Rows and columns of a complete board are at most 26.
        let cell = |(row, column)| Cell { row: row as u8, column: column as u8 };
        let mut queens = Player::ALL.map(|player| self.queens(player));
        let [Some(one), Some(two)] = queens.each_mut().map(Iterator::next) else { return None };
        if queens.each_mut().map(Iterator::next) != [None, None] {
            return None;
        }
        let mut board = Board::new(size, [one, two].map(cell));
        for &(piece, row, column) in &self.found {
            if let Piece::Rook(player) = piece {
                board.add_rook(cell((row, column)), player);
            }
        }
        Some(board)
    }
}
