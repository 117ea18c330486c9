//! Queen and rooks as text.
//!
//! A state is `qr:`, the board, the player to move and what is known of quiet moves, with colons between them:
//!
//! ```text
//! qr:2rq/2rr/RR2/QR2:1          the start on a board of 4 × 4, player one to move
//! qr:2rq/2rr/RR2/QR2:2:7        seven moves without a capture
//! qr:2rq/2rr/RR2/QR2:2:7/50     and a draw after fifty
//! qr:2rq/2rr/RR2/QR2            a board without a game around it
//! qr:2rq/2rr/RR2/QR2:-:7/50     the same, with what is known of quiet moves
//! ```
//!
//! The board is its rows from the top with slashes between them, each from the left: `Q` and `R` for the queen and the rooks
//! of player one, `q` and `r` for those of player two, a number for so many empty squares. A square is a letter for its
//! column and a number for its row, from `a1` at the top left; a move is two of them with a hyphen between them: `a8-a5`.
//! A move may also be read from capital letters, with a dash or without a hyphen, and with spaces around the squares.

use std::fmt::{self, Write};

use super::{Diagram, Move, PartialRules, Position, Rules, RulesError, Setup, SetupError, board::Piece};
use crate::{GameId, NotationError, Player, Quoted, RuleBreach, Square, parse_number, parse_ordinal};

/// What is wrong with a text that should be a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// It cannot be read.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// Its rules do not hold together.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// Its board is none that a game can be in.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl RuleBreach for ParseError {
    fn clause(&self) -> &'static str {
        match self {
            Self::Notation(_) => "",
            Self::Rules(error) => error.clause(),
            Self::Setup(error) => error.clause(),
        }
    }
}

const PREFIX: &str = GameId::QueenRooks.prefix();

/// A square by letter and number. One beyond the letters is told by numbers.
#[derive(Clone, Copy)]
pub(super) struct Named(pub Square);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Square { row, column } = self.0;
        match u8::try_from(column) {
            Ok(column @ 0..26) => write!(f, "{}{}", char::from(b'a' + column), row.wrapping_add(1)),
            _ => write!(f, "{}", self.0),
        }
    }
}

/// Whether a text is meant as a state of Queen and rooks.
pub(super) fn recognizes(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// A text taken apart, as far as it could be read.
struct Parts {
    rules: PartialRules,
    rows: Vec<String>,
    /// The rows that could not be read: what they hold is not known.
    unreadable: Vec<usize>,
    next_player: Option<Player>,
    /// Whether there is something that stands for the player to move, right or wrong.
    has_player: bool,
    quiet_moves: u32,
    errors: Vec<ParseError>,
}

impl Parts {
    /// Converts the parts, or reports everything that is wrong with the text and with what it says.
    fn check<T>(
        self,
        convert: impl FnOnce(&Setup<'_, String>) -> Result<T, Vec<SetupError>>,
    ) -> Result<T, Vec<ParseError>> {
        let Self { rules, rows, unreadable, next_player, quiet_moves, mut errors, .. } = self;
        let converted = convert(&Setup { rules, board: &rows, next_player, quiet_moves });
        let value = converted.map_err(|wrong| {
            // What is wrong with the text has been reported.
            let is_new = |error: &SetupError| match error {
                SetupError::Rules | SetupError::NextPlayer | SetupError::UnknownPiece { .. } => false,
                SetupError::RowLength { row, .. } => !unreadable.contains(row),
                _ => true,
            };
            errors.extend(wrong.into_iter().filter(is_new).map(ParseError::from));
        });
        value.ok().filter(|_| errors.is_empty()).ok_or(errors)
    }
}

/// Reads a position.
pub(super) fn parse(text: &str) -> Result<Position, Vec<ParseError>> {
    let mut parts = take_apart(text);
    if !parts.has_player {
        let message = "the player to move is missing: 1 or 2, after the board and a colon";
        parts.errors.push(NotationError::new(message).into());
    }
    parts.check(|setup| Position::try_from(setup))
}

impl Diagram {
    /// Reads a board, with or without a game around it.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text, or with what it says.
    pub fn parse(text: &str) -> Result<Self, Vec<ParseError>> {
        take_apart(text).check(|setup| Self::try_from(setup))
    }

    /// The board as text that [`Diagram::parse`] reads back exactly.
    pub fn notation(&self) -> String {
        let mut text = PREFIX.to_owned();
        for (index, row) in self.rows().iter().enumerate() {
            if index > 0 {
                text.push('/');
            }
            write_row(&mut text, row);
        }
        let limit = self.rules.quiet_move_limit();
        let quiet = self.quiet_moves > 0 || limit > 0;
        match self.next_player {
            Some(Player::One) => text.push_str(":1"),
            Some(Player::Two) => text.push_str(":2"),
            None if quiet => text.push_str(":-"),
            None => {}
        }
        // Writing to a string cannot fail.
        if quiet {
            let _ = write!(text, ":{}", self.quiet_moves);
        }
        if limit > 0 {
            let _ = write!(text, "/{limit}");
        }
        text
    }
}

fn take_apart(text: &str) -> Parts {
    let mut errors = Vec::new();
    let mut parts = text.strip_prefix(PREFIX).unwrap_or(text).split(':');
    let board = parts.next().unwrap_or_default();
    let player = parts.next();
    let next_player = match player {
        None | Some("-") => None,
        Some("1") => Some(Player::One),
        Some("2") => Some(Player::Two),
        Some(other) => {
            let message = format!("{} is no player to move: expected 1 or 2", Quoted(other));
            errors.push(NotationError::new(message).into());
            None
        }
    };
    let quiet = parts.next().map_or(Some((0, 0)), parse_quiet);
    if quiet.is_none() {
        let message = "the quiet moves cannot be read: expected a number, or two with a slash between them, such as 7/50";
        errors.push(NotationError::new(message).into());
    }
    if parts.next().is_some() {
        let message =
            "a state is its board, the player to move and the quiet moves, with colons between them";
        errors.push(NotationError::new(message).into());
    }
    let (mut rows, mut unreadable) = (Vec::new(), Vec::new());
    for (index, text) in board.split('/').enumerate() {
        let (row, is_readable) = expand(text);
        if !is_readable {
            let message = format!(
                "row {} cannot be read from {}: expected Q, R, q, r, and numbers of empty squares",
                index + 1,
                Quoted(text),
            );
            errors.push(NotationError::new(message).into());
            unreadable.push(index);
        }
        rows.push(row);
    }
    let size = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let (quiet_moves, limit) = quiet.unwrap_or_default();
    let (mut rules, wrong) = PartialRules::new(size, limit);
    rules.quiet_move_limit = rules.quiet_move_limit.filter(|_| quiet.is_some());
    errors.extend(wrong.into_iter().map(ParseError::from));
    let has_player = !matches!(player, None | Some("-"));
    Parts { rules, rows, unreadable, next_player, has_player, quiet_moves, errors }
}

fn parse_quiet(text: &str) -> Option<(u32, u32)> {
    match text.split_once('/') {
        Some((count, limit)) => Some((parse_number(count)?, parse_number(limit)?)),
        None => Some((parse_number(text)?, 0)),
    }
}

/// A row with a dot for each empty square and a `?` for each character that cannot be read, and whether all of it could be.
fn expand(text: &str) -> (String, bool) {
    let mut row = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let empty = parse_number::<usize>(&rest[..digits])
            .filter(|empty| (1..=Rules::MAX_SIZE.into()).contains(empty));
        match empty {
            Some(empty) => row.extend(std::iter::repeat_n('.', empty)),
            None if Piece::from_letter(letter).is_some() => row.push(letter),
            None => row.push('?'),
        }
        rest = &rest[digits.max(letter.len_utf8())..];
    }
    let is_readable = !row.contains('?');
    (row, is_readable)
}

fn write_row(text: &mut String, row: &str) {
    let mut empty = 0;
    for letter in row.chars() {
        if letter == '.' {
            empty += 1;
            continue;
        }
        write_empty(text, empty);
        empty = 0;
        text.push(letter);
    }
    write_empty(text, empty);
}

fn write_empty(text: &mut String, count: usize) {
    if count > 0 {
        let _ = write!(text, "{count}");
    }
}

/// Reads a move: two squares, with or without a hyphen between them.
pub(super) fn parse_move(text: &str) -> Result<Move, NotationError> {
    let read = || {
        let (from, rest) = take_square(text)?;
        let (to, rest) = take_square(rest.strip_prefix(['-', '–']).unwrap_or(rest))?;
        rest.is_empty().then_some(Move { from, to })
    };
    read().ok_or_else(|| {
        NotationError::new(format!(
            "{} is no move: expected two squares with a hyphen between them, such as a8-a5",
            Quoted(text),
        ))
    })
}

/// Reads the square that a text starts with. Returns it and the rest of the text, without the spaces around the square.
fn take_square(text: &str) -> Option<(Square, &str)> {
    let text = text.trim_start();
    let letter = text.bytes().next().filter(u8::is_ascii_alphabetic)?.to_ascii_lowercase();
    let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
    let (row, rest) = text[1..].split_at(digits);
    let square = Square { row: parse_ordinal(row)?, column: u32::from(letter - b'a') };
    Some((square, rest.trim_start()))
}
