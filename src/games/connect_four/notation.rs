//! Connect Four as text.
//!
//! A state is `c4:`, the rules, `:` and either the columns played since the empty board or the board itself:
//!
//! ```text
//! c4:7x6x4:4453          7 columns, 6 rows, four in a line; columns 4, 4, 5 and 3 were played, counted from 1
//! c4:12x8x5:4,12,4       more than nine columns: commas between the numbers
//! c4:7x6x4o:44           an `o` after the rules: player two starts
//! c4:7x6x4:..O.XO.X..    the columns from the left, each from the bottom up, with dots between them
//! c4:4453, 4453          without rules: the default ones
//! ```
//!
//! A move is a column, counted from 1.

use std::{
    fmt::{self, Write},
    str::FromStr,
};

use super::{ConnectFour, IllegalMove, Move, PartialRules, Position, Rules, Setup, SetupError};
use crate::{Count, Game, NotationError, Player, Quoted, parse_integer, parse_number};

type ParseError = crate::ParseError<ConnectFour>;

const PREFIX: &str = ConnectFour::ID.prefix();

/// The maximum number of columns for which a column is one digit.
const MAX_DIGIT_COLUMNS: u8 = 9;

/// Whether a text is a list of columns without a prefix.
pub(super) fn is_column_list(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a state.
pub(super) fn parse(text: &str) -> Result<ConnectFour, Vec<ParseError>> {
    let mut errors = Vec::new();
    let body = text.strip_prefix(PREFIX).unwrap_or(text);
    let (rules, body) = match body.split_once(':') {
        Some((rules, body)) => (parse_rules(rules, &mut errors), body),
        None => (Rules::default().into(), body),
    };
    let game = if body.contains(['.', 'X', 'O']) {
        parse_board(rules, body, &mut errors).map(ConnectFour::from)
    } else {
        parse_history(rules, body, &mut errors)
    };
    game.filter(|_| errors.is_empty()).ok_or(errors)
}

/// Writes a state: its history if known, otherwise its board.
pub(super) fn write(game: &ConnectFour) -> String {
    let rules = game.position.rules();
    let mut text = format!("{PREFIX}{}x{}x{}", rules.columns(), rules.rows(), rules.line_length());
    if rules.first_player() == Player::Two {
        text.push('o');
    }
    text.push(':');
    match &game.history {
        Some(history) => write_history(&mut text, rules, history),
        None => write_board(&mut text, &game.position),
    }
    text
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.column.saturating_add(1))
    }
}

impl FromStr for Move {
    type Err = NotationError;

    /// Reads a column, with optional spaces around it.
    fn from_str(text: &str) -> Result<Self, NotationError> {
        parse_column(text.trim()).map(|column| Self { column })
    }
}

/// Reads a column, from 1, and returns it from 0. It may be off the board.
fn parse_column(text: &str) -> Result<i64, NotationError> {
    parse_integer(text).map(|column| column.saturating_sub(1)).ok_or_else(|| {
        let text = Quoted(text);
        NotationError::new(format!("{text} is not a column: expected its number, from 1, such as 4"))
    })
}

/// Reads rules, as far as they are valid.
fn parse_rules(text: &str, errors: &mut Vec<ParseError>) -> PartialRules {
    let (numbers, first_player) = match text.strip_suffix('o') {
        Some(numbers) => (numbers, Player::Two),
        None => (text, Player::One),
    };
    let numbers: Option<Vec<u32>> = numbers.split('x').map(parse_number).collect();
    let Some(&[columns, rows, line_length]) = numbers.as_deref() else {
        errors.push(ParseError::notation(format!(
            "{} is not a rule set: expected columns, rows and line length, such as 7x6x4, \
             with an o after them if player two starts",
            Quoted(text),
        )));
        return PartialRules::default();
    };
    let (rules, wrong) = PartialRules::new(columns, rows, line_length, Some(first_player));
    errors.extend(wrong.into_iter().map(ParseError::Rules));
    rules
}

/// Plays a list of columns. Reports every entry that is not a column of the board, and the first other illegal move,
/// after which it stops playing. With invalid rules it plays nothing.
fn parse_history(rules: PartialRules, text: &str, errors: &mut Vec<ParseError>) -> Option<ConnectFour> {
    let mut game = rules.complete().map(|rules| ConnectFour::new(rules, (), 0));
    let has_commas = rules.columns.map_or(text.contains(','), |columns| columns > MAX_DIGIT_COLUMNS);
    let separator = if has_commas { "," } else { "" };
    let numbers = text.split(separator).filter(|number| has_commas || !number.is_empty());
    for (index, number) in numbers.enumerate().filter(|_| !text.is_empty()) {
        let nth = index + 1;
        let wrong = match (parse_column(number), &mut game) {
            (Err(error), _) => Some(format!("move {nth}: {error}")),
            (Ok(column), Some(game)) => game.play(&Move { column }).err().map(|reasons| {
                let reasons: Vec<_> = reasons.iter().map(IllegalMove::in_notation).collect();
                format!("move {nth} is illegal: {}", reasons.join("; "))
            }),
            (Ok(column), None) => {
                let last = rules.columns.map(|columns| columns - 1);
                let last = last.filter(|&last| !(0..=last.into()).contains(&column));
                let reason = last.map(|last| IllegalMove::ColumnOutOfRange { column, last });
                reason.map(|reason| format!("move {nth} is illegal: {}", reason.in_notation()))
            }
        };
        if let Some(message) = wrong {
            errors.push(ParseError::notation(message));
            game = None;
        }
    }
    game
}

fn write_history(text: &mut String, rules: Rules, history: &[u8]) {
    for (index, column) in history.iter().enumerate() {
        if index > 0 && rules.columns() > MAX_DIGIT_COLUMNS {
            text.push(',');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", column + 1);
    }
}

fn parse_board(rules: PartialRules, text: &str, errors: &mut Vec<ParseError>) -> Option<Position> {
    let mut columns: Vec<Vec<char>> = text.split('.').map(|column| column.chars().collect()).collect();
    let found = columns.len();
    if let Some(wanted) = rules.columns.filter(|&wanted| found != usize::from(wanted)) {
        errors.push(ParseError::notation(format!(
            "the board must have {} with a dot between each two, not {found}",
            Count(wanted, "column"),
        )));
    }
    for (nth, column) in (1..).zip(&columns) {
        for unknown in column.iter().filter(|token| !matches!(token, 'X' | 'O')) {
            errors.push(ParseError::notation(format!(
                "column {nth} of the notation holds {unknown:?}: a token is 'X' or 'O'"
            )));
        }
        let found = column.len();
        if let Some(rows) = rules.rows.filter(|&rows| found > usize::from(rows)) {
            errors.push(ParseError::notation(format!(
                "column {nth} of the notation has {}: the board has {}",
                Count(found, "token"),
                Count(rows, "row"),
            )));
        }
    }
    // A board that is too large has been reported. Limit the size of the grid.
    columns.truncate(Rules::MAX_COLUMNS as usize);
    for column in &mut columns {
        column.truncate(Rules::MAX_ROWS as usize);
    }
    let highest = columns.iter().map(Vec::len).max().unwrap_or_default();
    let height = highest.max(rules.rows.map_or(0, usize::from));
    let token = |column: &Vec<char>, up| column.get(up).copied().unwrap_or('.');
    let row = |up| columns.iter().map(|column| token(column, up)).collect::<String>();
    let board: Vec<_> = (0..height).rev().map(row).collect();
    let count = |player: Player| text.chars().filter(|&token| token == player.letter()).count();
    let has_equal_counts = count(Player::One) == count(Player::Two);
    let next_player = rules.first_player.map(|first| if has_equal_counts { first } else { first.other() });
    Position::try_from(&Setup { rules, board: &board, next_player })
        .map_err(|wrong| {
            // Errors of the text, and thus of rules, rows and cells, have been reported.
            let is_new = |error: &SetupError| {
                !matches!(
                    error,
                    SetupError::Rules
                        | SetupError::NextPlayer
                        | SetupError::RowCount { .. }
                        | SetupError::RowLength { .. }
                        | SetupError::UnknownToken { .. }
                )
            };
            errors.extend(wrong.into_iter().filter(is_new).map(ParseError::Setup));
        })
        .ok()
}

fn write_board(text: &mut String, position: &Position) {
    let rows = position.rows();
    for column in 0..usize::from(position.rules().columns()) {
        if column > 0 {
            text.push('.');
        }
        let tokens = rows.iter().rev().map(|row| &row[column..=column]);
        text.extend(tokens.take_while(|&token| token != "."));
    }
}
