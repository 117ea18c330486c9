use super::{
    Position, Rules,
    bitboard::{Word, indexes},
    position::{Board, Words, build, has_line},
};
use crate::games::{Player, RuleBreach, Square};

/// A position as someone wrote it down. It may be nonsense: [`Position::try_from`] tells.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a, S> {
    /// The rules it is played under.
    pub rules: Rules,
    /// The board, one string a row, the top row first: `X`, `O`, or `.` for an empty cell.
    pub board: &'a [S],
    /// The player to move. None if that cannot be told: everything else is still looked at, but there is no position.
    pub next_player: Option<Player>,
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
    /// A row has too many or too few cells.
    #[error("row {row} must have {wanted} characters, one a column, not {found}")]
    RowLength {
        /// The row, from 0 at the top.
        row: usize,
        /// Columns that the rules want.
        wanted: u8,
        /// Characters that are there.
        found: usize,
    },
    /// A character stands for no token.
    #[error("row {row}, column {column} holds {found:?}: a cell is '.', 'X' or 'O'")]
    UnknownToken {
        /// The row, from 0 at the top.
        row: usize,
        /// The column, from 0 at the left.
        column: usize,
        /// The character.
        found: char,
    },
    /// A token lies over an empty cell (C4-2).
    #[error("the token at {0} lies over an empty cell")]
    Floating(Square),
    /// The numbers of tokens do not fit the player to move (C4-1).
    #[error(
        "{one} X and {two} O do not fit: {first} starts, so {turn}there must be {wanted}",
        turn = next.map(|next| format!("with {next} to move ")).unwrap_or_default(),
    )]
    TokenCount {
        /// Tokens of player one.
        one: u32,
        /// Tokens of player two.
        two: u32,
        /// Who starts.
        first: Player,
        /// Who is to move, if that is known.
        next: Option<Player>,
        /// What would fit.
        wanted: &'static str,
    },
    /// Both players have a line (C4-3).
    #[error("both players have a line: the game was over when the first was completed")]
    TwoWinners,
    /// A line is there that no last move can have completed (C4-3).
    #[error("{0} has a line that no last move of theirs can have completed")]
    ImpossibleWin(Player),
}

impl RuleBreach for SetupError {
    fn clause(&self) -> &'static str {
        match self {
            Self::NextPlayer
            | Self::RowCount { .. }
            | Self::RowLength { .. }
            | Self::UnknownToken { .. }
            | Self::TokenCount { .. } => "C4-1",
            Self::Floating(_) => "C4-2",
            Self::TwoWinners | Self::ImpossibleWin(_) => "C4-3",
        }
    }
}

impl<S: AsRef<str>> TryFrom<Setup<'_, S>> for Position {
    type Error = Vec<SetupError>;

    /// The one door from a set-up to a position. Reports everything that is wrong.
    fn try_from(setup: Setup<'_, S>) -> Result<Self, Vec<SetupError>> {
        let words = build!(setup.rules, W => check::<W, S>(&setup)?);
        Ok(Self(words))
    }
}

/// What lies on the board.
struct Tokens<W> {
    one: W,
    two: W,
    /// Cells with a character that is no token.
    unknown: W,
}

fn check<W: Word, S: AsRef<str>>(setup: &Setup<'_, S>) -> Result<Board<W>, Vec<SetupError>> {
    let mut errors = Vec::new();
    let Some(Tokens { one, two, unknown }) = read::<W, S>(setup, &mut errors) else {
        return Err(errors);
    };
    let stacked = note_floating(setup.rules, one | two, unknown, &mut errors);
    let known = unknown.is_empty();
    if known {
        errors.extend(token_count(setup, one.count(), two.count()));
    }
    let (one_won, two_won) = (has_line(one, setup.rules), has_line(two, setup.rules));
    if one_won && two_won {
        errors.push(SetupError::TwoWinners);
    }
    let Some(next_player) = setup.next_player else {
        errors.push(SetupError::NextPlayer);
        return Err(errors);
    };
    let (movers, movers_won, others, others_won) = match next_player {
        Player::One => (one, one_won, two, two_won),
        Player::Two => (two, two_won, one, one_won),
    };
    if movers_won && !others_won {
        errors.push(SetupError::ImpossibleWin(next_player));
    }
    if others_won && !movers_won && stacked && known && !last_move_won(setup.rules, one | two, others) {
        errors.push(SetupError::ImpossibleWin(next_player.other()));
    }
    if errors.is_empty() {
        Ok(Board::with_tokens(setup.rules, one | two, movers, others_won))
    } else {
        Err(errors)
    }
}

/// Reads the characters of the board, if it has the size that the rules want.
fn read<W: Word, S: AsRef<str>>(setup: &Setup<'_, S>, errors: &mut Vec<SetupError>) -> Option<Tokens<W>> {
    let rules = setup.rules;
    let (columns, rows) = (usize::from(rules.columns()), usize::from(rules.rows()));
    let mut sized = setup.board.len() == rows;
    if !sized {
        errors.push(SetupError::RowCount { wanted: rules.rows(), found: setup.board.len() });
    }
    let mut tokens = Tokens { one: W::EMPTY, two: W::EMPTY, unknown: W::EMPTY };
    for (row, line) in setup.board.iter().take(rows).enumerate() {
        let line = line.as_ref();
        let ascii = line.is_ascii();
        let found = if ascii { line.len() } else { line.chars().count() };
        if found != columns {
            sized = false;
            errors.push(SetupError::RowLength { row, wanted: rules.columns(), found });
        } else if ascii {
            tokens.read_row(rules, row, line.bytes().map(char::from), errors);
        } else {
            tokens.read_row(rules, row, line.chars(), errors);
        }
    }
    sized.then_some(tokens)
}

impl<W: Word> Tokens<W> {
    /// Reads one row, which has as many characters as there are columns.
    #[inline(always)]
    fn read_row(
        &mut self,
        rules: Rules,
        row: usize,
        line: impl Iterator<Item = char>,
        errors: &mut Vec<SetupError>,
    ) {
        // Fewer than 128 rows.
        let mut cell = W::cell(u32::from(rules.rows()) - 1 - row as u32);
        for (column, found) in line.enumerate() {
            if column > 0 {
                cell = cell.moved_up(rules.stride());
            }
            match found {
                '.' => {}
                'X' => self.one = self.one | cell,
                'O' => self.two = self.two | cell,
                _ => {
                    self.unknown = self.unknown | cell;
                    errors.push(SetupError::UnknownToken { row, column, found });
                }
            }
        }
    }
}

/// Notes every token that lies over an empty cell, from the left and from the bottom. Tells whether there is none.
fn note_floating<W: Word>(rules: Rules, tokens: W, unknown: W, errors: &mut Vec<SetupError>) -> bool {
    let floor = (0..u32::from(rules.columns()))
        .fold(W::EMPTY, |floor, column| floor | W::cell(column * rules.stride()));
    let supported = (tokens | unknown).moved_up(1) | floor;
    let floating = tokens & !supported;
    errors.extend(indexes(floating).map(|index| SetupError::Floating(rules.square(index))));
    floating.is_empty()
}

/// Whether the numbers of tokens fit the player to move: equal when the first player is, one apart otherwise.
/// If it is not known who is to move, either will do.
fn token_count<S>(setup: &Setup<'_, S>, one: u32, two: u32) -> Option<SetupError> {
    let first = setup.rules.first_player();
    let one_more = match first {
        Player::One => one == two + 1,
        Player::Two => two == one + 1,
    };
    let (fits, wanted) = match (setup.next_player, first) {
        (None, Player::One) => (one == two || one_more, "as many X as O, or one X more"),
        (None, Player::Two) => (one == two || one_more, "as many X as O, or one O more"),
        (Some(next), _) if next == first => (one == two, "as many X as O"),
        (Some(_), Player::One) => (one_more, "one X more than O"),
        (Some(_), Player::Two) => (one_more, "one O more than X"),
    };
    (!fits).then_some(SetupError::TokenCount { one, two, first, next: setup.next_player, wanted })
}

/// Whether one token on top of its column explains every line of the winner: without it there was none.
fn last_move_won<W: Word>(rules: Rules, tokens: W, winners: W) -> bool {
    (0..u32::from(rules.columns())).any(|column| {
        let stride = rules.stride();
        let top = (0..u32::from(rules.rows()))
            .rev()
            .map(|height| W::cell(column * stride + height))
            .find(|&cell| !(tokens & cell).is_empty());
        top.is_some_and(|top| !has_line(winners & !top, rules))
    })
}
