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

use super::{ConnectFour, IllegalMove, Move, PartialRules, Position, Rules, RulesError, Setup, SetupError};
use crate::{Game, GameId, NotationError, Player, Quoted, parse_integer, parse_number};

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

/// Reads a column, from 1, and returns it from 0. It may be any integer: whether the board has it is for the rules to say.
pub(super) fn parse_column(text: &str) -> Result<i64, NotationError> {
    parse_integer(text).map(|column| column.saturating_sub(1)).ok_or_else(|| {
        let text = Quoted(text);
        NotationError::new(format!("{text} is not a column: expected its number, from 1, such as 4"))
    })
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

/// Reads rules, as far as they are valid.
fn parse_rules(text: &str, errors: &mut Vec<ParseError>) -> PartialRules {
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
        errors.push(NotationError::new(message).into());
        return PartialRules::default();
    };
    let (rules, wrong) = PartialRules::new(columns, rows, line_length, Some(first_player));
    errors.extend(wrong.into_iter().map(ParseError::from));
    rules
}

/// Plays the columns of a list. Reports every entry that is no column of the board, and the first other illegal move:
/// what follows it is not played. Nothing is played by rules that are not valid.
fn parse_history(rules: PartialRules, text: &str, errors: &mut Vec<ParseError>) -> Option<ConnectFour> {
    let mut game = rules.complete().map(|rules| ConnectFour::new(rules, (), 0));
    let has_commas = rules.columns.map_or(text.contains(','), |columns| columns > DIGIT_COLUMNS);
    let separator = if has_commas { "," } else { "" };
    let numbers = text.split(separator).filter(|number| has_commas || !number.is_empty());
    for (index, number) in numbers.enumerate().filter(|_| !text.is_empty()) {
        let nth = index + 1;
        let wrong = match (parse_column(number), &mut game) {
            (Err(error), _) => Some(format!("move {nth}: {error}")),
            (Ok(column), Some(game)) => game.play(&Move { column }).err().map(|reasons| {
                let reasons: Vec<_> = reasons.iter().map(IllegalMove::counted_from_one).collect();
                format!("move {nth} is illegal: {}", reasons.join("; "))
            }),
            (Ok(column), None) => {
                let last = rules.columns.map(|columns| columns - 1);
                let last = last.filter(|&last| !(0..=last.into()).contains(&column));
                let reason = last.map(|last| IllegalMove::ColumnOutOfRange { column, last });
                reason.map(|reason| format!("move {nth} is illegal: {}", reason.counted_from_one()))
            }
        };
        if let Some(message) = wrong {
            errors.push(NotationError::new(message).into());
            game = None;
        }
    }
    game
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

fn parse_board(rules: PartialRules, text: &str, errors: &mut Vec<ParseError>) -> Option<Position> {
    let mut columns: Vec<Vec<char>> = text.split('.').map(|column| column.chars().collect()).collect();
    let found = columns.len();
    if let Some(wanted) = rules.columns.filter(|&wanted| found != usize::from(wanted)) {
        let message =
            format!("the board must have {wanted} columns with a dot between each two, not {found}");
        errors.push(NotationError::new(message).into());
    }
    for (nth, column) in (1..).zip(&columns) {
        for unknown in column.iter().filter(|token| !matches!(token, 'X' | 'O')) {
            let message = format!("column {nth} of the notation holds {unknown:?}: a token is 'X' or 'O'");
            errors.push(NotationError::new(message).into());
        }
        let found = column.len();
        if let Some(rows) = rules.rows.filter(|&rows| found > usize::from(rows)) {
            let message =
                format!("column {nth} of the notation has {found} tokens: the board has {rows} rows");
            errors.push(NotationError::new(message).into());
        }
    }
    // No board is larger, and that this one is has been reported: the grid stays small.
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
            // What is wrong with the text, and thus with rules, rows and cells, has been reported.
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
            errors.extend(wrong.into_iter().filter(is_new).map(ParseError::from));
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
