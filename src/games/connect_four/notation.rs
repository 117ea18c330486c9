//! Connect Four as text.
//!
//! A state is `c4:`, the rules, `:` and either the columns played since the empty board or the board itself:
//!
//! ```text
//! c4:7x6x4:4453          7 columns, 6 rows, four in a line; columns 4, 4, 5 and 3 were played, counted from 1
//! c4:12x8x5:4,12,4       more than nine columns: a comma between the numbers
//! c4:7x6x4o:44           an `o` after the rules: player two starts
//! c4:7x6x4:..O.XO.X..    the columns from the left, each from the bottom up, a dot between them
//! c4:4453, 4453          without the rules: the default ones
//! ```

use std::fmt::Write;

use super::{ConnectFour, IllegalMove, Move, Position, Rules, RulesError, Setup, SetupError};
use crate::{Game, GameId, NotationError, Player, Quoted, parse_number};

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

const PREFIX: &str = GameId::ConnectFour.prefix();

/// The most columns that can be told apart by one digit.
const DIGIT_COLUMNS: u8 = 9;

/// Whether a text is meant as a state of Connect Four: by its prefix, or as a plain list of columns.
pub(super) fn recognizes(text: &str) -> bool {
    text.starts_with(PREFIX) || is_column_list(text)
}

fn is_column_list(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a state.
pub(super) fn parse(text: &str) -> Result<ConnectFour, Vec<ParseError>> {
    let body = text.strip_prefix(PREFIX).unwrap_or(text);
    let (rules, body) = match body.split_once(':') {
        Some((rules, body)) => (parse_rules(rules)?, body),
        None => (Rules::default(), body),
    };
    if body.contains(['.', 'X', 'O']) {
        parse_board(rules, body).map(ConnectFour::from)
    } else {
        parse_history(rules, body).map_err(|error| vec![error.into()])
    }
}

/// Reads a column, from 1, and answers it from 0.
pub(super) fn parse_column(text: &str) -> Result<u32, NotationError> {
    match parse_number::<u64>(text).and_then(|column| u32::try_from(column.checked_sub(1)?).ok()) {
        Some(column) => Ok(column),
        None => Err(NotationError::new(format!(
            "{} is not a column: expected its number, from 1, such as 4",
            Quoted(text),
        ))),
    }
}

/// Writes a state: by its history if that is known, otherwise by its board.
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

fn parse_rules(text: &str) -> Result<Rules, Vec<ParseError>> {
    let (numbers, first_player) = match text.strip_suffix('o') {
        Some(numbers) => (numbers, Player::Two),
        None => (text, Player::One),
    };
    let numbers: Option<Vec<u32>> = numbers.split('x').map(parse_number).collect();
    let Some(&[columns, rows, line_length]) = numbers.as_deref() else {
        let message = format!(
            "{} is no rule set: expected columns, rows and line length, such as 7x6x4, \
             with an o after them if player two starts",
            Quoted(text),
        );
        return Err(vec![NotationError::new(message).into()]);
    };
    Rules::new(columns, rows, line_length, first_player).map_err(all)
}

fn all<E: Into<ParseError>>(errors: Vec<E>) -> Vec<ParseError> {
    errors.into_iter().map(Into::into).collect()
}

fn parse_history(rules: Rules, text: &str) -> Result<ConnectFour, NotationError> {
    let mut game = ConnectFour::new(rules, (), 0);
    let numbers: Vec<&str> = if text.is_empty() {
        Vec::new()
    } else if rules.columns() > DIGIT_COLUMNS {
        text.split(',').collect()
    } else {
        text.split("").filter(|digit| !digit.is_empty()).collect()
    };
    for (index, number) in numbers.into_iter().enumerate() {
        let nth = index + 1;
        let column =
            parse_column(number).map_err(|error| NotationError::new(format!("move {nth}: {error}")))?;
        if let Err(reasons) = game.play(&Move { column }) {
            let reasons: Vec<_> = reasons.iter().map(IllegalMove::counted_from_one).collect();
            let reasons = reasons.join("; ");
            return Err(NotationError::new(format!("move {nth} is illegal: {reasons}")));
        }
    }
    Ok(game)
}

fn write_history(text: &mut String, rules: Rules, history: &[u8]) {
    for (index, column) in history.iter().enumerate() {
        if index > 0 && rules.columns() > DIGIT_COLUMNS {
            text.push(',');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", column + 1);
    }
}

fn parse_board(rules: Rules, text: &str) -> Result<Position, Vec<ParseError>> {
    let (width, height) = (usize::from(rules.columns()), usize::from(rules.rows()));
    let columns: Vec<&str> = text.split('.').collect();
    if columns.len() != width {
        let found = columns.len();
        let message = format!("the board must have {width} columns with a dot between each two, not {found}");
        return Err(vec![NotationError::new(message).into()]);
    }
    let mut errors = Vec::new();
    let mut rows = vec![".".repeat(width); height];
    for (index, column) in columns.into_iter().enumerate() {
        let nth = index + 1;
        if let Some(unknown) = column.chars().find(|token| !matches!(token, 'X' | 'O')) {
            errors.push(NotationError::new(format!(
                "column {nth} of the notation holds {unknown:?}: a token is 'X' or 'O'"
            )));
        } else if column.len() > height {
            let found = column.len();
            errors.push(NotationError::new(format!(
                "column {nth} of the notation has {found} tokens: the board has {height} rows"
            )));
        } else {
            for (up, token) in column.char_indices() {
                rows[height - 1 - up].replace_range(index..=index, token.encode_utf8(&mut [0; 4]));
            }
        }
    }
    if !errors.is_empty() {
        return Err(all(errors));
    }
    let count = |token| rows.iter().flat_map(|row| row.chars()).filter(|&c| c == token).count();
    let next_player =
        if count('X') == count('O') { rules.first_player() } else { rules.first_player().other() };
    let setup = Setup { rules, board: &rows, next_player: Some(next_player) };
    Position::try_from(setup).map_err(all)
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
