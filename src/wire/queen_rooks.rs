//! Decoding and encoding of Queen and rooks messages.

use super::{
    Form, Path, State, Violations, WireGame,
    common::{
        read_next_player, read_optional_player, read_player, read_required_square, write_ended,
        write_in_progress, write_player, write_scores,
    },
    fast_path::{ArrayVec, put_message, put_number, put_player, put_rows, scan_fields},
    proto,
    refusal::breach,
    state::read_state_with,
};
use crate::games::{
    GameId, NoView, Player, Square, StateOrView,
    queen_rooks::{
        Arrival, Capture, Diagram, Ending, Event, IllegalMove, Move, Outcome, PartialRules, Piece,
        QueenRooks, Rules, RulesError, Setup, SetupError,
    },
};

const GAME: GameId = GameId::QueenRooks;
const NAME: &str = GAME.name();

/// The field numbers of a state.
const RULES: u8 = 1;
const BOARD: u8 = 2;
const NEXT_PLAYER: u8 = 3;
const QUIET_MOVES: u8 = 4;

/// The field numbers of the rules.
const SIZE: u8 = 1;
const QUIET_MOVE_LIMIT: u8 = 2;

impl WireGame for QueenRooks {
    type State = proto::QueenRooksState;

    fn describe(_: proto::ListGamesRequest) -> proto::GameDescription {
        proto::GameDescription {
            name: NAME.to_owned(),
            title: "Queen and rooks".to_owned(),
            summary: "Two players move a queen and rooks. A rook that has moved captures the opponent's rooks on the \
                      corners of the rectangle between it and its queen. A player with two pieces or fewer loses."
                .to_owned(),
            default_rules: Some(write_rule_set(Rules::DEFAULT)),
            limits: limits(),
            presets: presets(),
            state_notation: Some(proto::NotationDescription {
                syntax: "qr:<board>:<player to move>. The board is its rows from the top, separated by slashes: Q and R for \
                         the queen and the rooks of player one, q and r for those of player two, a number for a run of \
                         empty squares. The player to move is 1 or 2, optionally followed by a colon and the number of \
                         consecutive moves without a capture, and by a slash and the limit of these moves. \
                         ResolveCaptures also accepts a board alone."
                    .to_owned(),
                examples: ["qr:2rq/2rr/RR2/QR2:1", "qr:2rq/2rr/RR2/QR2:2:7", "qr:2rq/2rr/RR2/QR2:1:0/50"]
                    .map(ToOwned::to_owned)
                    .to_vec(),
            }),
            move_notation: Some(proto::NotationDescription {
                syntax: "The square of the piece, a hyphen, and the target square. A square is a letter for the column and a \
                         number for the row, from a1 at the top left. The hyphen is optional, and capital letters are \
                         accepted."
                    .to_owned(),
                examples: vec!["a8-a5".to_owned()],
            }),
            ..Default::default()
        }
    }

    fn scan_state(wire: &[u8]) -> Option<StateOrView<Self>> {
        scan_as(wire).map(StateOrView::State)
    }

    fn read_state(
        state: &proto::QueenRooksState,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<StateOrView<Self>> {
        let rules = read_partial_rules(state.rules.unwrap_or_default(), &at.field("rules"), violations);
        let next_player = read_next_player(state.next_player, at, violations);
        let position = Self::try_from(&setup(state, rules, next_player));
        let position =
            violations.accept(position, |error, violations| report_setup_error(error, at, violations));
        position.map(StateOrView::State)
    }

    fn setup_error_code(error: &SetupError) -> proto::ErrorReason {
        setup_error_code(*error)
    }

    fn read_move(mv: &proto::r#move::Kind, at: &Path<'_>, violations: &mut Violations) -> Option<Move> {
        let proto::r#move::Kind::QueenRooks(mv) = mv else {
            violations.game_mismatch(at, "move", GAME);
            return None;
        };
        let at = at.field(NAME);
        let from = read_required_square(mv.from, &at.field("from"), violations);
        let to = read_required_square(mv.to, &at.field("to"), violations);
        Some(Move { from: from?, to: to? })
    }

    fn read_rules(
        rules: &proto::rule_set::Kind,
        at: &Path<'_>,
        violations: &mut Violations,
    ) -> Option<Rules> {
        let proto::rule_set::Kind::QueenRooks(rules) = rules else {
            violations.game_mismatch(at, "rule set", GAME);
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
    ) -> Option<(Arrival, Form)> {
        let state = request.state.as_ref();
        let diagram = read_state_with::<Self, _>(
            state,
            &Path::root("state"),
            violations,
            scan_as,
            read_diagram,
            Diagram::parse,
        );
        let at = Path::root("arrived_at");
        let square = read_required_square(request.arrived_at, &at, violations)?;
        let (diagram, form) = diagram?;
        let arrival = Arrival::new(diagram, square);
        if arrival.is_none() {
            violations.add(&at, proto::ErrorReason::NothingThere, format!("there is no piece on {square}"));
        }
        arrival.map(|arrival| (arrival, form))
    }

    fn write_state(&self) -> Vec<u8> {
        write_diagram(&self.diagram())
    }

    fn write_move(mv: &Move) -> proto::r#move::Kind {
        proto::r#move::Kind::QueenRooks(proto::QueenRooksMove {
            from: Some(mv.from.into()),
            to: Some(mv.to.into()),
        })
    }

    fn write_event(event: Event) -> proto::Event {
        let kind = match event {
            Event::Moved { player, from, to, piece } => proto::event::Kind::Moved(proto::Moved {
                player: proto::Player::from(player).into(),
                from: Some(from.into()),
                to: Some(to.into()),
                piece: write_piece(Some(piece)).into(),
            }),
            Event::Captured(capture) => proto::event::Kind::Captured(Self::write_capture(capture)),
            Event::Passed { player } => {
                proto::event::Kind::Passed(proto::Passed { player: proto::Player::from(player).into() })
            }
        };
        proto::Event { kind: Some(kind) }
    }

    fn write_outcome(outcome: Outcome) -> proto::Outcome {
        use proto::{EndReason, GameResult};
        let ended = |result, end_reason, winner: Option<Player>| {
            write_ended(result, end_reason, winner.map(Into::into), outcome.to_string())
        };
        let written = match outcome.ending {
            None => write_in_progress(outcome.next_player.map(write_player).into_iter().collect()),
            Some(Ending::Won { winner }) => {
                ended(GameResult::WinnerDetermined, EndReason::TooFewPieces, Some(winner))
            }
            Some(Ending::Blocked) => ended(GameResult::Draw, EndReason::NoLegalMove, None),
            Some(Ending::QuietMoveLimit) => ended(GameResult::Draw, EndReason::QuietMoveLimit, None),
        };
        proto::Outcome { scores: write_scores(outcome.pieces), ..written }
    }

    fn write_capture(capture: Capture) -> proto::Capture {
        let corner = |(square, piece): (Square, Option<Piece>)| proto::QueenRooksCorner {
            square: Some(square.into()),
            piece: write_piece(piece).into(),
            owner: piece.map(|piece| write_player(piece.owner())),
        };
        proto::Capture {
            explanation: capture.to_string(),
            kind: Some(proto::capture::Kind::QueenRooks(proto::QueenRooksCapture {
                square: Some(capture.square.into()),
                rook: Some(capture.rook.into()),
                queen: Some(capture.queen.into()),
                corners: capture.corners.map(corner).to_vec(),
            })),
        }
    }

    fn write_board(board: &Arrival, form: Form) -> State {
        let diagram = board.diagram();
        form.write::<Self>(|| write_diagram(diagram), || diagram.notation())
    }

    fn write_view(view: &NoView) -> Vec<u8> {
        match *view {}
    }

    fn write_illegal(reason: &IllegalMove, at: &Path<'_>, form: Form) -> proto::Reason {
        use proto::ErrorReason;
        let (code, field) = match reason {
            IllegalMove::GameOver(_) => return breach(ErrorReason::GameOver, at, reason),
            IllegalMove::FromOutOfRange { .. } => (ErrorReason::SquareOutOfRange, "from"),
            IllegalMove::ToOutOfRange { .. } => (ErrorReason::SquareOutOfRange, "to"),
            IllegalMove::NothingThere(_) | IllegalMove::OthersPiece(_) => (ErrorReason::NotYourPiece, "from"),
            IllegalMove::NotARookMove { .. } | IllegalMove::NotAQueenMove { .. } => {
                (ErrorReason::NotALine, "to")
            }
            IllegalMove::PathBlocked(_) => (ErrorReason::PathBlocked, "to"),
            IllegalMove::SquareOccupied(_) => (ErrorReason::SquareOccupied, "to"),
        };
        match form {
            Form::Typed => breach(code, at.field(NAME).field(field), reason),
            Form::Notation => {
                proto::Reason { message: reason.in_notation(), ..breach(code, at.field("notation"), reason) }
            }
        }
    }
}

/// Decodes a position, or a board without a game (fast path).
fn scan_as<T: for<'a, 'b> TryFrom<&'a Setup<'b, &'b str>>>(wire: &[u8]) -> Option<T> {
    let mut rules = None;
    let mut board = ArrayVec::<_, { Rules::MAX_SIZE as usize }>::new("");
    let (mut next_player, mut quiet_moves) = (None, 0);
    scan_fields(wire, |field, value| {
        match field {
            RULES if rules.is_none() => rules = Some(scan_rules(value.bytes()?)?),
            BOARD => board.push(str::from_utf8(value.bytes()?).ok()?)?,
            NEXT_PLAYER => next_player = Some(value.player()?),
            QUIET_MOVES => quiet_moves = value.number()?,
            _ => return None,
        }
        Some(())
    })?;
    let rules = rules.unwrap_or(Rules::DEFAULT).into();
    T::try_from(&Setup { rules, board: board.as_slice(), next_player, quiet_moves }).ok()
}

fn scan_rules(wire: &[u8]) -> Option<Rules> {
    let (mut size, mut limit) = (Rules::DEFAULT.size().into(), Rules::DEFAULT.quiet_move_limit());
    scan_fields(wire, |field, value| {
        match field {
            SIZE => size = value.number()?,
            QUIET_MOVE_LIMIT => limit = value.number()?,
            _ => return None,
        }
        Some(())
    })?;
    Rules::new(size, limit).ok()
}

fn setup(
    state: &proto::QueenRooksState,
    rules: PartialRules,
    next_player: Option<Player>,
) -> Setup<'_, String> {
    Setup { rules, board: &state.board, next_player, quiet_moves: state.quiet_moves.unwrap_or_default() }
}

/// Reads a board, which need not be a valid position.
fn read_diagram(
    state: &proto::QueenRooksState,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Diagram> {
    let rules = read_partial_rules(state.rules.unwrap_or_default(), &at.field("rules"), violations);
    let next_player = read_optional_player(state.next_player, &at.field("next_player"), violations);
    let diagram = Diagram::try_from(&setup(state, rules, next_player.unwrap_or_default()));
    violations
        .accept(diagram, |error, violations| report_setup_error(error, at, violations))
        .filter(|_| next_player.is_ok())
}

/// Reads rules and reports their violations. The result has the valid part.
fn read_partial_rules(
    rules: proto::QueenRooksRules,
    at: &Path<'_>,
    violations: &mut Violations,
) -> PartialRules {
    let default = Rules::DEFAULT;
    let (rules, errors) = PartialRules::new(
        rules.size.unwrap_or(default.size().into()),
        rules.quiet_move_limit.unwrap_or(default.quiet_move_limit()),
    );
    for error in errors {
        let field = match error {
            RulesError::Size(_) => "size",
            RulesError::QuietMoveLimit(_) => "quiet_move_limit",
        };
        violations.add_breach(&at.field(field), proto::ErrorReason::ValueOutOfRange, &error);
    }
    rules
}

fn report_setup_error(error: SetupError, at: &Path<'_>, violations: &mut Violations) {
    let board = at.field("board");
    let code = setup_error_code(error);
    match error {
        // Already reported.
        SetupError::Rules | SetupError::NextPlayer => {}
        SetupError::RowLength { row, .. } | SetupError::UnknownPiece { row, .. } => {
            violations.add_breach(&board.index(row), code, &error);
        }
        SetupError::RowCount { .. }
        | SetupError::QueenCount { .. }
        | SetupError::TooManyPieces { .. }
        | SetupError::TwoLosers => violations.add_breach(&board, code, &error),
        SetupError::LoserNotToMove(_) | SetupError::Blocked(_) => {
            violations.add_breach(&at.field("next_player"), code, &error);
        }
        SetupError::QuietMoves { .. } | SetupError::QuietAfterLoss(_) => {
            violations.add_breach(&at.field("quiet_moves"), code, &error);
        }
    }
}

fn setup_error_code(error: SetupError) -> proto::ErrorReason {
    match error {
        SetupError::Rules | SetupError::NextPlayer => proto::ErrorReason::FieldRequired,
        SetupError::RowCount { .. } | SetupError::RowLength { .. } => proto::ErrorReason::BoardSizeMismatch,
        SetupError::UnknownPiece { .. } => proto::ErrorReason::UnknownPiece,
        SetupError::QueenCount { .. } => proto::ErrorReason::QueenCountMismatch,
        SetupError::TooManyPieces { .. } => proto::ErrorReason::TooManyPieces,
        SetupError::TwoLosers | SetupError::LoserNotToMove(_) => proto::ErrorReason::ImpossibleLoss,
        SetupError::Blocked(_) => proto::ErrorReason::PlayerBlocked,
        SetupError::QuietMoves { .. } | SetupError::QuietAfterLoss(_) => proto::ErrorReason::ValueOutOfRange,
    }
}

fn write_piece(piece: Option<Piece>) -> proto::QueenRooksPiece {
    match piece {
        None => proto::QueenRooksPiece::None,
        Some(Piece::Queen(_)) => proto::QueenRooksPiece::Queen,
        Some(Piece::Rook(_)) => proto::QueenRooksPiece::Rook,
    }
}

/// Encodes a board with its rules and counters.
fn write_diagram(diagram: &Diagram) -> Vec<u8> {
    let rules = diagram.rules();
    let size = usize::from(rules.size());
    let mut wire = Vec::with_capacity(20 + size * (size + 2));
    put_message(RULES, &mut wire, |wire| {
        put_number(SIZE, rules.size().into(), wire);
        put_number(QUIET_MOVE_LIMIT, rules.quiet_move_limit(), wire);
    });
    put_rows(BOARD, (size, size), &mut wire, |dots| {
        diagram.for_each_piece(|Square { row, column }, piece| {
            dots.put(row as usize, column as usize, piece.letter());
        });
    });
    put_player(NEXT_PLAYER, diagram.next_player(), &mut wire);
    put_number(QUIET_MOVES, diagram.quiet_moves(), &mut wire);
    wire
}

fn write_rules(rules: Rules) -> proto::QueenRooksRules {
    proto::QueenRooksRules {
        size: Some(rules.size().into()),
        quiet_move_limit: Some(rules.quiet_move_limit()),
    }
}

fn write_rule_set(rules: Rules) -> proto::RuleSet {
    proto::RuleSet { kind: Some(proto::rule_set::Kind::QueenRooks(write_rules(rules))) }
}

fn limits() -> Vec<proto::RuleLimit> {
    [
        ("size", Rules::MIN_SIZE.into(), Rules::MAX_SIZE.into(), "even"),
        ("quiet_move_limit", 0, Rules::MAX_QUIET_MOVES, "0 means no limit"),
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
    let preset = |name: &str, summary: &str, size, quiet_move_limit| proto::Preset {
        name: name.to_owned(),
        summary: summary.to_owned(),
        rules: Some(write_rule_set(
            Rules::new(size, quiet_move_limit).expect("the rules of a preset are valid"),
        )),
    };
    vec![
        preset("classic", "8 rows and columns, without a move limit.", 8, 0),
        preset("small", "6 rows and columns, nine pieces per player.", 6, 0),
        preset("large", "16 rows and columns, and a draw after 100 moves without a capture.", 16, 100),
    ]
}
