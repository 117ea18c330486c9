//! Decoding and encoding of Connect Four messages.

use prost::Message;

use super::{
    Form, Path, State, Violations, WireGame,
    common::{
        read_next_player, read_player, read_square, write_ended, write_in_progress, write_placed,
        write_player,
    },
    fast_path::{ArrayVec, put_bytes, put_player, put_rows, scan_fields},
    proto,
    refusal::breach,
    state::read_whole_state,
};
use crate::games::{
    GameId, NoView, Player, Square, StateOrView,
    connect_four::{
        Capture, ConnectFour, Ending, Event, IllegalMove, Move, Outcome, PartialRules, Position, Rules,
        RulesError, Setup, SetupError,
    },
};

const NAME: &str = GameId::ConnectFour.name();

/// The field numbers of a state.
const RULES: u8 = 1;
const BOARD: u8 = 2;
const NEXT_PLAYER: u8 = 3;

/// Maximum number of rows of a board that the fast path decodes.
const MAX_SCANNED_ROWS: usize = 16;

/// The encoded default rules. Most states have them, so they are compared and copied as a whole.
const ENCODED_DEFAULT_RULES: [u8; 8] = [0x08, 7, 0x10, 6, 0x18, 4, 0x20, 1];

/// The size of an encoded state with the default rules.
const DEFAULT_STATE_CAPACITY: usize = 66;

impl WireGame for ConnectFour {
    type State = proto::ConnectFourState;

    fn describe(_: proto::ListGamesRequest) -> proto::GameDescription {
        proto::GameDescription {
            name: NAME.to_owned(),
            title: "Connect Four".to_owned(),
            summary: "Two players drop tokens into the columns of an upright board. \
                      The first player with four tokens in a line wins."
                .to_owned(),
            default_rules: Some(write_rule_set(Rules::default())),
            limits: limits(),
            presets: presets(),
            state_notation: Some(proto::NotationDescription {
                syntax: "c4:<columns>x<rows>x<line length>:<position>, with an o after the line length if player two \
                         starts. The position is the list of columns played since the empty board, from 1, separated by \
                         commas if there are more than nine columns; or the board: its columns from the left, \
                         each from the bottom up as X and O, separated by dots. \
                         Without the rules, the default rules apply, and a list of columns needs no prefix."
                    .to_owned(),
                examples: ["4453", "c4:4453", "c4:7x6x4:4453", "c4:7x6x4o:", "c4:12x8x5:4,12,4", "c4:7x6x4:..O.XO.X.."]
                    .map(ToOwned::to_owned)
                    .to_vec(),
            }),
            move_notation: Some(proto::NotationDescription {
                syntax: "The number of the column, from 1 at the left.".to_owned(),
                examples: vec!["4".to_owned()],
            }),
            ..Default::default()
        }
    }

    fn scan_state(wire: &[u8]) -> Option<StateOrView<Self>> {
        let mut rules = None;
        let mut board = ArrayVec::<_, MAX_SCANNED_ROWS>::new(&[][..]);
        let mut next_player = None;
        scan_fields(wire, |field, value| {
            match field {
                RULES if rules.is_none() => rules = Some(scan_rules(value.bytes()?)?),
                BOARD => board.push(value.bytes()?)?,
                NEXT_PLAYER => next_player = Some(value.player()?),
                _ => return None,
            }
            Some(())
        })?;
        let rules = rules.unwrap_or_default().into();
        let position = Setup { rules, board: board.as_slice(), next_player }.position();
        position.map(|position| StateOrView::State(position.into()))
    }

    fn read_state(
        state: &proto::ConnectFourState,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<StateOrView<Self>> {
        let rules = match state.rules {
            None => Rules::default().into(),
            Some(rules) => read_partial_rules(rules, &at.field("rules"), violations),
        };
        let next_player = read_next_player(state.next_player, at, violations);
        let setup = Setup { rules, board: &state.board, next_player };
        let position = violations.accept(Position::try_from(&setup), |error, violations| {
            report_setup_error(error, at, violations);
        });
        position.map(|position| StateOrView::State(position.into()))
    }

    fn setup_error_code(error: &SetupError) -> proto::ErrorReason {
        setup_error_code(error)
    }

    fn read_move(mv: &proto::r#move::Kind, at: &Path<'_>, violations: &mut Violations) -> Option<Move> {
        let proto::r#move::Kind::ConnectFour(mv) = mv else {
            violations.game_mismatch(at, "move", GameId::ConnectFour);
            return None;
        };
        if mv.column.is_none() {
            violations.required(&at.field(NAME).field("column"));
        }
        mv.column.map(|column| Move { column: column.into() })
    }

    fn read_rules(
        rules: &proto::rule_set::Kind,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<Rules> {
        let proto::rule_set::Kind::ConnectFour(rules) = rules else {
            violations.game_mismatch(at, "rule set", GameId::ConnectFour);
            return None;
        };
        read_partial_rules(*rules, &at.field(NAME), violations).complete()
    }

    fn read_opening(
        _: Option<&proto::new_game_request::Setup>,
        _: Option<&Rules>,
        _: &mut Violations,
    ) -> Option<()> {
        Some(())
    }

    fn read_viewer(viewer: i32, at: &Path<'_>, violations: &mut Violations) -> Option<Player> {
        read_player(viewer, at, violations)
    }

    fn read_board(
        request: &proto::ResolveCapturesRequest,
        violations: &mut Violations,
    ) -> Option<(Self, Form)> {
        let board = read_whole_state::<Self>(request.state.as_ref(), &Path::root("state"), violations);
        if let Some(arrived_at) = request.arrived_at {
            let at = Path::root("arrived_at");
            let square = read_square(arrived_at, &at, violations)?;
            let (game, _) = board.as_ref()?;
            if game.position().token(square).is_none() {
                let message = format!("there is no token at {square}");
                violations.add(&at, proto::ErrorReason::NothingThere, message);
            }
        }
        board
    }

    fn name_of_move(mv: &Move) -> String {
        format!("column {mv}")
    }

    fn write_state(&self) -> Vec<u8> {
        let position = self.position();
        let rules = position.rules();
        let mut wire = Vec::with_capacity(DEFAULT_STATE_CAPACITY);
        if rules == Rules::DEFAULT {
            put_bytes(RULES, &ENCODED_DEFAULT_RULES, &mut wire);
        } else {
            put_bytes(RULES, &write_rules(rules).encode_to_vec(), &mut wire);
        }
        put_rows(BOARD, (rules.rows().into(), rules.columns().into()), &mut wire, |dots| {
            position.for_each_token(|Square { row, column }, player| {
                dots.put(row as usize, column as usize, player.letter());
            });
        });
        put_player(NEXT_PLAYER, position.next_player(), &mut wire);
        wire
    }

    fn write_move(mv: &Move) -> proto::r#move::Kind {
        // The column fits: only legal moves are written.
        let column = u32::try_from(mv.column).ok();
        proto::r#move::Kind::ConnectFour(proto::ConnectFourMove { column })
    }

    fn write_event(Event::Dropped { player, square }: Event) -> proto::Event {
        write_placed(player, square)
    }

    fn write_outcome(outcome: Outcome) -> proto::Outcome {
        use proto::{EndReason, GameResult, outcome::Detail};
        // Empty while the game is in progress, without an allocation.
        let explanation = outcome.to_string();
        match outcome.ending {
            None => write_in_progress(outcome.next_player.map(write_player).into_iter().collect()),
            Some(Ending::Won { winner, lines }) => {
                let winning_lines = lines.into_iter().map(Into::into).collect();
                let detail = Detail::ConnectFour(proto::ConnectFourOutcome { winning_lines });
                let result = GameResult::WinnerDetermined;
                let written = write_ended(result, EndReason::LineCompleted, Some(winner.into()), explanation);
                proto::Outcome { detail: Some(detail), ..written }
            }
            Some(Ending::Draw) => write_ended(GameResult::Draw, EndReason::BoardFull, None, explanation),
        }
    }

    fn write_capture(capture: Capture) -> proto::Capture {
        match capture {}
    }

    fn write_board(board: &Self, form: Form) -> State {
        form.write_state(board)
    }

    fn write_view(view: &NoView) -> Vec<u8> {
        match *view {}
    }

    fn write_illegal(reason: &IllegalMove, at: &Path<'_>, form: Form) -> proto::Reason {
        let (code, field) = match reason {
            IllegalMove::GameOver => return breach(proto::ErrorReason::GameOver, at, reason),
            IllegalMove::ColumnOutOfRange { .. } => (proto::ErrorReason::ColumnOutOfRange, "column"),
            IllegalMove::ColumnFull { .. } => (proto::ErrorReason::ColumnFull, "column"),
        };
        match form {
            Form::Typed => breach(code, at.field(NAME).field(field), reason),
            Form::Notation => {
                proto::Reason { message: reason.in_notation(), ..breach(code, at.field("notation"), reason) }
            }
        }
    }
}

/// Decodes valid rules (fast path).
fn scan_rules(wire: &[u8]) -> Option<Rules> {
    if wire == ENCODED_DEFAULT_RULES {
        return Some(Rules::DEFAULT);
    }
    let default = Rules::DEFAULT;
    let mut sizes = [default.columns(), default.rows(), default.line_length()].map(u32::from);
    let mut first_player = default.first_player();
    scan_fields(wire, |field, value| {
        match field {
            1..=3 => sizes[usize::from(field) - 1] = value.number()?,
            4 => first_player = value.player()?,
            _ => return None,
        }
        Some(())
    })?;
    let [columns, rows, line_length] = sizes;
    Rules::new(columns, rows, line_length, first_player).ok()
}

/// Reads rules and reports their violations. The result has the valid part.
fn read_partial_rules(
    rules: proto::ConnectFourRules,
    at: &Path<'_>,
    violations: &mut Violations,
) -> PartialRules {
    let default = Rules::default();
    let first_player = match rules.first_player {
        None => Some(default.first_player()),
        Some(player) => read_player(player, &at.field("first_player"), violations),
    };
    let (rules, errors) = PartialRules::new(
        rules.columns.unwrap_or(default.columns().into()),
        rules.rows.unwrap_or(default.rows().into()),
        rules.line_length.unwrap_or(default.line_length().into()),
        first_player,
    );
    for error in errors {
        report_rules_error(error, at, violations);
    }
    rules
}

fn report_rules_error(error: RulesError, at: &Path<'_>, violations: &mut Violations) {
    let code = proto::ErrorReason::ValueOutOfRange;
    match error {
        RulesError::Columns(_) => violations.add_breach(&at.field("columns"), code, &error),
        RulesError::Rows(_) => violations.add_breach(&at.field("rows"), code, &error),
        RulesError::TooLarge { .. } | RulesError::TooSmall => violations.add_breach(at, code, &error),
        RulesError::LineTooShort(_) | RulesError::LineTooLong { .. } => {
            violations.add_breach(&at.field("line_length"), code, &error);
        }
    }
}

fn report_setup_error(error: SetupError, at: &Path<'_>, violations: &mut Violations) {
    let board = at.field("board");
    let code = setup_error_code(&error);
    match error {
        // Already reported.
        SetupError::Rules | SetupError::NextPlayer => {}
        SetupError::RowLength { row, .. } | SetupError::UnknownToken { row, .. } => {
            violations.add_breach(&board.index(row), code, &error);
        }
        SetupError::Floating(square) => {
            violations.add_breach(&board.index(square.row as usize), code, &error);
        }
        _ => violations.add_breach(&board, code, &error),
    }
}

fn setup_error_code(error: &SetupError) -> proto::ErrorReason {
    match error {
        SetupError::Rules | SetupError::NextPlayer => proto::ErrorReason::FieldRequired,
        SetupError::RowCount { .. } | SetupError::RowLength { .. } => proto::ErrorReason::BoardSizeMismatch,
        SetupError::UnknownToken { .. } => proto::ErrorReason::UnknownToken,
        SetupError::Floating(_) => proto::ErrorReason::FloatingToken,
        SetupError::TokenCount { .. } => proto::ErrorReason::TokenCountMismatch,
        SetupError::TwoWinners => proto::ErrorReason::TwoWinners,
        SetupError::ImpossibleWin(_) => proto::ErrorReason::ImpossibleWin,
        SetupError::LastTokenMissing(_) => proto::ErrorReason::LastTokenMissing,
    }
}

fn write_rules(rules: Rules) -> proto::ConnectFourRules {
    proto::ConnectFourRules {
        columns: Some(rules.columns().into()),
        rows: Some(rules.rows().into()),
        line_length: Some(rules.line_length().into()),
        first_player: Some(proto::Player::from(rules.first_player()).into()),
    }
}

fn write_rule_set(rules: Rules) -> proto::RuleSet {
    proto::RuleSet { kind: Some(proto::rule_set::Kind::ConnectFour(write_rules(rules))) }
}

fn limits() -> Vec<proto::RuleLimit> {
    let area = "columns × (rows + 1) is at most 128";
    [
        ("columns", 1, Rules::MAX_COLUMNS, area),
        ("rows", 1, Rules::MAX_ROWS, area),
        ("line_length", Rules::MIN_LINE_LENGTH, Rules::MAX_ROWS, "at most the longer side of the board"),
    ]
    .map(|(field, minimum, maximum, condition)| proto::RuleLimit {
        field: field.to_owned(),
        minimum: Some(minimum),
        maximum: Some(maximum),
        condition: condition.to_owned(),
    })
    .to_vec()
}

fn presets() -> Vec<proto::Preset> {
    let preset = |name: &str, summary: &str, columns, rows, line_length| proto::Preset {
        name: name.to_owned(),
        summary: summary.to_owned(),
        rules: Some(write_rule_set(
            Rules::new(columns, rows, line_length, Player::One).expect("the rules of a preset are valid"),
        )),
    };
    vec![
        preset("classic", "The standard board: 7 columns by 6 rows, four in a line.", 7, 6, 4),
        preset("large", "A larger board: 8 columns by 7 rows, four in a line.", 8, 7, 4),
        preset("wide", "A wide board: 10 columns by 7 rows, four in a line.", 10, 7, 4),
        preset("five_in_a_row", "9 columns by 6 rows, five in a line.", 9, 6, 5),
    ]
}
