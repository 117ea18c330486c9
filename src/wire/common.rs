//! Decoding and encoding of the types that several games share: players, squares, outcomes.

use super::{Path, Violations, proto};
use crate::games::{Direction, Line, Player, Square};

/// Reads an enum value, which must be known and not UNSPECIFIED.
pub(super) fn read_enum<E: TryFrom<i32> + Default + PartialEq>(
    value: i32,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<E> {
    match E::try_from(value) {
        Ok(known) if known != E::default() => Some(known),
        Ok(_) => {
            let message = "this field is required and must not be UNSPECIFIED";
            violations.add(at, proto::ErrorReason::FieldRequired, message);
            None
        }
        Err(_) => {
            let message = format!("unknown enum value {value}");
            violations.add(at, proto::ErrorReason::UnknownEnumValue, message);
            None
        }
    }
}

/// Reads a player of a two-player game.
pub(super) fn read_player(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Player> {
    Some(match read_enum::<proto::Player>(value, at, violations)? {
        proto::Player::One => Player::One,
        proto::Player::Two => Player::Two,
        proto::Player::Three | proto::Player::Four => {
            let message = "this game has two players";
            violations.add(at, proto::ErrorReason::ValueOutOfRange, message);
            return None;
        }
        proto::Player::Unspecified => return None,
    })
}

/// Reads an optional player of a two-player game. An error means that the player is present but invalid.
pub(super) fn read_optional_player(
    value: Option<i32>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Result<Option<Player>, ()> {
    value.map(|value| read_player(value, at, violations).ok_or(())).transpose()
}

/// Reads the player to move of a two-player game.
pub(super) fn read_next_player(
    value: Option<i32>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Player> {
    read_player(value.unwrap_or_default(), &at.field("next_player"), violations)
}

pub(super) fn read_form(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<super::Form> {
    Some(match read_enum::<proto::StateForm>(value, at, violations)? {
        proto::StateForm::Typed => super::Form::Typed,
        proto::StateForm::Notation => super::Form::Notation,
        proto::StateForm::Unspecified => return None,
    })
}

/// Reads a square. The game checks whether it is on the board.
pub(super) fn read_square(
    square: proto::Square,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Square> {
    if square.row.is_none() {
        violations.required(&at.field("row"));
    }
    if square.column.is_none() {
        violations.required(&at.field("column"));
    }
    Some(Square { row: square.row?, column: square.column? })
}

/// Reads a required square.
pub(super) fn read_required_square(
    square: Option<proto::Square>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Square> {
    if square.is_none() {
        violations.required(at);
    }
    read_square(square?, at, violations)
}

/// Writes the placement of a token.
pub(super) fn write_placed(player: Player, square: Square) -> proto::Event {
    let placed = proto::Placed {
        player: proto::Player::from(player).into(),
        square: Some(square.into()),
        card_id: None,
    };
    proto::Event { kind: Some(proto::event::Kind::Placed(placed)) }
}

/// Writes the outcome of a game in progress, without details of the game.
pub(super) fn write_in_progress(next_players: Vec<i32>) -> proto::Outcome {
    proto::Outcome { result: proto::GameResult::InProgress.into(), next_players, ..Default::default() }
}

/// Writes the outcome of a game that is over, without details of the game.
pub(super) fn write_ended(
    result: proto::GameResult,
    end_reason: proto::EndReason,
    winner: Option<proto::Player>,
    explanation: String,
) -> proto::Outcome {
    proto::Outcome {
        result: result.into(),
        end_reason: Some(end_reason.into()),
        winner: winner.map(Into::into),
        explanation,
        ..Default::default()
    }
}

pub(super) fn write_player(player: impl Into<proto::Player>) -> i32 {
    player.into().into()
}

/// Writes the scores of a two-player game.
pub(super) fn write_scores(scores: [u32; 2]) -> Vec<proto::Score> {
    let score =
        |(player, points)| proto::Score { player: proto::Player::from(player).into(), points: Some(points) };
    Player::ALL.into_iter().zip(scores).map(score).collect()
}

impl From<Player> for proto::Player {
    fn from(player: Player) -> Self {
        match player {
            Player::One => Self::One,
            Player::Two => Self::Two,
        }
    }
}

impl From<Square> for proto::Square {
    fn from(square: Square) -> Self {
        Self { row: Some(square.row), column: Some(square.column) }
    }
}

impl From<Direction> for proto::LineDirection {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Horizontal => Self::Horizontal,
            Direction::Vertical => Self::Vertical,
            Direction::DiagonalDown => Self::DiagonalDown,
            Direction::DiagonalUp => Self::DiagonalUp,
        }
    }
}

impl From<Line> for proto::Line {
    fn from(line: Line) -> Self {
        Self {
            direction: proto::LineDirection::from(line.direction).into(),
            squares: line.squares.into_iter().map(Into::into).collect(),
        }
    }
}
