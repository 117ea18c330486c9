//! Queen and rooks as text.
//!
//! A state is `qr:`, the board, the player to move and the quiet moves, with colons between them:
//!
//! ```text
//! qr:2rq/2rr/RR2/QR2:1          the start on a 4 × 4 board, player one to move
//! qr:2rq/2rr/RR2/QR2:2:7        seven moves in a row without a capture
//! qr:2rq/2rr/RR2/QR2:2:7/50     the same, with a draw after fifty
//! qr:2rq/2rr/RR2/QR2            a board that need not be a position
//! qr:2rq/2rr/RR2/QR2:-:7/50     the same, with quiet moves
//! ```
//!
//! The board is its rows from the top, with slashes between them, each from the left: `Q` and `R` are the queen and the
//! rooks of player one, `q` and `r` those of player two, and a number is that many empty squares.
//!
//! A square is the letter of its column and the number of its row, from `a1` at the top left. A move is two squares with
//! a hyphen: `a8-a5`. Capital letters, an en dash, no hyphen, and spaces around the squares are accepted too.

use std::{
    fmt::{self, Write},
    str::FromStr,
};

use super::{Diagram, Move, PartialRules, Piece, Position, QueenRooks, Rules, Setup, SetupError};
use crate::{Game, NotationError, Player, Quoted, Square, parse_number, parse_ordinal};

type ParseError = crate::ParseError<QueenRooks>;

const PREFIX: &str = QueenRooks::ID.prefix();

/// A square as letter and number. Beyond the letters, it is written as row and column.
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

/// What could be read of a text.
struct Parsed {
    rules: PartialRules,
    rows: Vec<String>,
    /// The indexes of rows that could not be read.
    unreadable: Vec<usize>,
    next_player: Option<Player>,
    /// Whether the text has a player to move, valid or not.
    has_player: bool,
    quiet_moves: u32,
    errors: Vec<ParseError>,
}

impl Parsed {
    /// Checks the setup, and adds its errors to those of the text.
    fn check<T>(
        self,
        check: impl FnOnce(&Setup<'_, String>) -> Result<T, Vec<SetupError>>,
    ) -> Result<T, Vec<ParseError>> {
        let Self { rules, rows, unreadable, next_player, quiet_moves, mut errors, .. } = self;
        let checked = check(&Setup { rules, board: &rows, next_player, quiet_moves });
        let value = checked.map_err(|wrong| {
            // Errors of the text have been reported.
            let is_new = |error: &SetupError| match error {
                SetupError::Rules | SetupError::NextPlayer | SetupError::UnknownPiece { .. } => false,
                SetupError::RowLength { row, .. } => !unreadable.contains(row),
                _ => true,
            };
            errors.extend(wrong.into_iter().filter(is_new).map(ParseError::Setup));
        });
        value.ok().filter(|_| errors.is_empty()).ok_or(errors)
    }
}

/// Reads a position.
pub(super) fn parse(text: &str) -> Result<Position, Vec<ParseError>> {
    let mut parsed = parse_setup(text);
    if !parsed.has_player {
        let message = "the player to move is missing: 1 or 2, after the board and a colon";
        parsed.errors.push(ParseError::notation(message));
    }
    parsed.check(|setup| Position::try_from(setup))
}

impl Diagram {
    /// Reads a board that need not be a position.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text and with the board.
    pub fn parse(text: &str) -> Result<Self, Vec<ParseError>> {
        parse_setup(text).check(|setup| Self::try_from(setup))
    }

    /// The text notation of the board. [`Diagram::parse`] reads it back exactly.
    pub fn notation(&self) -> String {
        write(self)
    }
}

fn parse_setup(text: &str) -> Parsed {
    let mut errors = Vec::new();
    let mut parts = text.strip_prefix(PREFIX).unwrap_or(text).split(':');
    let board = parts.next().unwrap_or_default();
    let player = parts.next();
    let next_player = match player {
        None | Some("-") => None,
        Some("1") => Some(Player::One),
        Some("2") => Some(Player::Two),
        Some(other) => {
            let message = format!("{} is not a player to move: expected 1 or 2", Quoted(other));
            errors.push(ParseError::notation(message));
            None
        }
    };
    let quiet = parts.next().map_or(Some((0, 0)), parse_quiet);
    if quiet.is_none() {
        let message = "the quiet moves cannot be read: expected a number, or two with a slash between them, such as 7/50";
        errors.push(ParseError::notation(message));
    }
    if parts.next().is_some() {
        let message =
            "a state is its board, the player to move and the quiet moves, with colons between them";
        errors.push(ParseError::notation(message));
    }
    let (mut rows, mut unreadable) = (Vec::new(), Vec::new());
    for (index, text) in board.split('/').enumerate() {
        let (row, is_readable) = parse_row(text);
        if !is_readable {
            errors.push(ParseError::notation(format!(
                "row {} cannot be read from {}: expected Q, R, q, r, and numbers of empty squares",
                index + 1,
                Quoted(text),
            )));
            unreadable.push(index);
        }
        rows.push(row);
    }
    let size = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let (quiet_moves, limit) = quiet.unwrap_or_default();
    let (mut rules, wrong) = PartialRules::new(size, limit);
    rules.quiet_move_limit = rules.quiet_move_limit.filter(|_| quiet.is_some());
    errors.extend(wrong.into_iter().map(ParseError::Rules));
    let has_player = !matches!(player, None | Some("-"));
    Parsed { rules, rows, unreadable, next_player, has_player, quiet_moves, errors }
}

fn parse_quiet(text: &str) -> Option<(u32, u32)> {
    match text.split_once('/') {
        Some((count, limit)) => Some((parse_number(count)?, parse_number(limit)?)),
        None => Some((parse_number(text)?, 0)),
    }
}

/// Reads a row. Returns it with a dot for each empty square and a `?` for each unreadable character, and whether there
/// is none.
fn parse_row(text: &str) -> (String, bool) {
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

fn write(diagram: &Diagram) -> String {
    let mut text = PREFIX.to_owned();
    for (index, row) in diagram.rows().iter().enumerate() {
        if index > 0 {
            text.push('/');
        }
        write_row(&mut text, row);
    }
    let limit = diagram.rules.quiet_move_limit();
    let has_quiet_moves = diagram.quiet_moves > 0 || limit > 0;
    match diagram.next_player {
        Some(Player::One) => text.push_str(":1"),
        Some(Player::Two) => text.push_str(":2"),
        None if has_quiet_moves => text.push_str(":-"),
        None => {}
    }
    // Writing to a string cannot fail.
    if has_quiet_moves {
        let _ = write!(text, ":{}", diagram.quiet_moves);
    }
    if limit > 0 {
        let _ = write!(text, "/{limit}");
    }
    text
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

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", Named(self.from), Named(self.to))
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            let (from, rest) = take_square(text)?;
            let (to, rest) = take_square(rest.strip_prefix(['-', '–']).unwrap_or(rest))?;
            rest.is_empty().then_some(Self { from, to })
        };
        read().ok_or_else(|| {
            NotationError::new(format!(
                "{} is not a move: expected two squares with a hyphen between them, such as a8-a5",
                Quoted(text),
            ))
        })
    }
}

/// Reads the square at the start of a text. Returns it and the rest of the text, without the spaces around the square.
fn take_square(text: &str) -> Option<(Square, &str)> {
    let text = text.trim_start();
    let letter = text.bytes().next().filter(u8::is_ascii_alphabetic)?.to_ascii_lowercase();
    let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
    let (row, rest) = text[1..].split_at(digits);
    let square = Square { row: parse_ordinal(row)?, column: u32::from(letter - b'a') };
    Some((square, rest.trim_start()))
}
