//! Decoding of whole requests: their game, and their fields.

use super::{
    Form, Path, Refusal, Violations, WireGame, common,
    game::{game_of_move, game_of_rules, game_of_setup, with_game},
    proto,
    state::{game_of_state, read_move, read_state, read_whole_state, report_unknown_game},
    suggest_move::report_options,
};
use crate::games::{GameId, HiddenInformation, PlayError, StateOrView};

const ARRIVED_AT: Path<'static> = Path::root("arrived_at");
const FORM: Path<'static> = Path::root("form");
const MOVE: Path<'static> = Path::root("move");
const MOVES: Path<'static> = Path::root("moves");
const RULES: Path<'static> = Path::root("rules");
const STATE: Path<'static> = Path::root("state");
const VIEWER: Path<'static> = Path::root("viewer");

/// A request about a game.
pub trait GameRequest {
    /// The game, if it is known. The rest of the request may be invalid.
    fn game(&self) -> Option<GameId>;

    /// Reports all violations of a request whose game is unknown.
    fn report_violations(&self, _: &mut Violations) {}

    /// The game of the request.
    ///
    /// # Errors
    ///
    /// All violations, if the game is unknown.
    fn named_game(&self) -> Result<GameId, Refusal> {
        self.game().ok_or(()).or_else(|()| {
            let mut violations = Violations::default();
            self.report_violations(&mut violations);
            violations.finish(None)
        })
    }
}

/// Implements [`GameRequest`] for requests about a state, with the checks of their other fields if the game is unknown.
macro_rules! about_state {
    ($($request:ident $(, $rest:expr)?;)+) => {$(
        impl GameRequest for proto::$request {
            fn game(&self) -> Option<GameId> {
                game_of_state(self.state.as_ref())
            }

            fn report_violations(&self, violations: &mut Violations) {
                report_unknown_game(self.state.as_ref(), &STATE, violations);
                $(let report: fn(&Self, &mut Violations) = $rest;
                report(self, violations);)?
            }
        }
    )+};
}

about_state! {
    ValidateMoveRequest, |request, violations| report_move(request.r#move.as_ref(), &MOVE, violations);
    ApplyMoveRequest, |request, violations| report_move(request.r#move.as_ref(), &MOVE, violations);
    ResolveCapturesRequest, |request, violations| {
        if let Some(square) = request.arrived_at {
            common::read_square(square, &ARRIVED_AT, violations);
        }
    };
    DetermineWinnerRequest;
    ListLegalMovesRequest;
    ReplayGameRequest, |request, violations| {
        for (index, mv) in request.moves.iter().enumerate() {
            report_move(Some(mv), &MOVES.index(index), violations);
        }
    };
    SettleTradeRequest;
    ViewStateRequest, |request, violations| {
        common::read_enum::<proto::Player>(request.viewer, &VIEWER, violations);
    };
    RenderStateRequest;
    SuggestMoveRequest, report_options;
}

/// Reports the violations of a move if the game of the state is unknown.
fn report_move(mv: Option<&proto::Move>, at: &Path<'_>, violations: &mut Violations) {
    let Some(game) = mv.and_then(game_of_move) else {
        if mv.is_none_or(|mv| mv.kind.is_none()) {
            violations.required(at);
        }
        return;
    };
    with_game!(game, G => {
        read_move::<G>(mv, at, violations);
    });
}

impl GameRequest for proto::NewGameRequest {
    fn game(&self) -> Option<GameId> {
        match &self.setup {
            Some(setup) => Some(game_of_setup(setup)),
            None => self.rules.as_ref().and_then(game_of_rules),
        }
    }

    fn report_violations(&self, violations: &mut Violations) {
        violations.add(
            &Path::root("setup"),
            proto::ErrorReason::FieldRequired,
            "the game is missing: set its setup field, such as connect_four, or its rules",
        );
        read_form(self, violations);
    }
}

/// Implements [`GameRequest`] for requests about a fixed game, or about none.
macro_rules! about {
    ($($request:ident: $game:expr;)+) => {$(
        impl GameRequest for proto::$request {
            fn game(&self) -> Option<GameId> {
                $game
            }
        }
    )+};
}

about! {
    CompareCardsRequest: Some(GameId::RoyalMatch);
    ListGamesRequest: None;
}

/// A state or a view, and a move in it that may be illegal.
pub struct ProposedMove<G: WireGame> {
    /// The state or view.
    pub game: StateOrView<G>,
    /// The form of the state.
    pub form: Form,
    /// The move.
    pub mv: G::Move,
    /// The form of the move.
    move_form: Form,
}

impl<G: WireGame> ProposedMove<G> {
    /// Reads a state and a move in it.
    ///
    /// # Errors
    ///
    /// All violations of both.
    pub fn read(state: Option<&proto::State>, mv: Option<&proto::Move>) -> Result<Self, Refusal> {
        let mut violations = Violations::default();
        let state = read_state::<G>(state, &STATE, &mut violations);
        let mv = read_move::<G>(mv, &MOVE, &mut violations);
        let proposed =
            state.zip(mv).map(|((game, form), (mv, move_form))| Self { game, form, mv, move_form });
        violations.finish(proposed)
    }

    /// All reasons why the move is illegal. Empty if it is legal.
    ///
    /// # Errors
    ///
    /// If the state is a view and the move is another player's.
    pub fn why_illegal(&self) -> Result<Vec<proto::Reason>, Refusal> {
        let reasons = self.game.why_illegal(&self.mv).map_err(|hidden| hidden_information(&hidden, &MOVE))?;
        Ok(write_reasons::<G>(&reasons, &MOVE, self.move_form))
    }

    /// Plays the move and returns its events.
    ///
    /// # Errors
    ///
    /// If it is illegal, or if the state is a view and the move is another player's.
    pub fn play(&mut self) -> Result<Vec<G::Event>, Refusal> {
        self.game.play(&self.mv).map_err(|error| match error {
            PlayError::Illegal(reasons) => {
                Refusal::illegal_move(write_reasons::<G>(&reasons, &MOVE, self.move_form), None)
            }
            PlayError::Hidden(hidden) => hidden_information(&hidden, &MOVE),
        })
    }
}

/// The refusal of a call that needs information that the view hides.
#[cold]
fn hidden_information(hidden: &HiddenInformation, at: &Path<'_>) -> Refusal {
    let mut violations = Violations::default();
    violations.add_breach(at, proto::ErrorReason::HiddenInformation, hidden);
    violations.into_refusal()
}

fn write_reasons<G: WireGame>(reasons: &[G::IllegalMove], at: &Path<'_>, form: Form) -> Vec<proto::Reason> {
    let write = |reason| G::write_illegal(reason, at, form);
    reasons.iter().map(write).collect()
}

/// Reads the state or view of a request without other fields to read.
///
/// # Errors
///
/// All its violations.
pub fn read_game<G: WireGame>(state: Option<&proto::State>) -> Result<(StateOrView<G>, Form), Refusal> {
    let mut violations = Violations::default();
    let game = read_state(state, &STATE, &mut violations);
    violations.finish(game)
}

/// Lists the legal moves of a state, or of the viewer of a view.
///
/// # Errors
///
/// If it is a view and it is not the viewer's turn.
pub fn legal_moves<G: WireGame>(game: &StateOrView<G>) -> Result<Vec<G::Move>, Refusal> {
    game.legal_moves().map_err(|hidden| hidden_information(&hidden, &STATE))
}

/// Reads a board on which a piece or card has just arrived.
///
/// # Errors
///
/// All its violations.
pub fn read_board<G: WireGame>(
    request: &proto::ResolveCapturesRequest,
) -> Result<(G::Arrival, Form), Refusal> {
    let mut violations = Violations::default();
    let board = G::read_board(request, &mut violations);
    violations.finish(board)
}

/// Reads a state and the player whose view is requested.
///
/// # Errors
///
/// All violations of both.
pub fn read_view<G: WireGame>(request: &proto::ViewStateRequest) -> Result<(G, Form, G::Player), Refusal> {
    let mut violations = Violations::default();
    let game: Option<(G, Form)> = read_whole_state(request.state.as_ref(), &STATE, &mut violations);
    let viewer = G::read_viewer(request.viewer, &VIEWER, &mut violations);
    if let Some(((game, _), viewer)) = game.as_ref().zip(viewer.as_ref()) {
        G::report_viewer(game, viewer, &VIEWER, &mut violations);
    }
    violations.finish(game.zip(viewer).map(|((game, form), viewer)| (game, form, viewer)))
}

/// A game and the moves to play.
pub struct Replay<G: WireGame> {
    /// The first state.
    pub game: G,
    /// The form of the state.
    pub form: Form,
    /// The moves, each with its form.
    pub moves: Vec<(G::Move, Form)>,
}

impl<G: WireGame> Replay<G> {
    /// Reads a state and the moves to play from it.
    ///
    /// # Errors
    ///
    /// All violations of the state and of the moves.
    pub fn read(request: &proto::ReplayGameRequest) -> Result<Self, Refusal> {
        let mut violations = Violations::default();
        let state = read_whole_state::<G>(request.state.as_ref(), &STATE, &mut violations);
        let mut moves = Vec::with_capacity(request.moves.len());
        for (index, mv) in request.moves.iter().enumerate() {
            moves.extend(read_move::<G>(Some(mv), &MOVES.index(index), &mut violations));
        }
        violations.finish(state.map(|(game, form)| Self { game, form, moves }))
    }

    /// The refusal of an illegal move.
    pub fn refusal(index: usize, form: Form, reasons: &[G::IllegalMove]) -> Refusal {
        Refusal::illegal_move(write_reasons::<G>(reasons, &MOVES.index(index), form), Some(index))
    }
}

/// The rules and the opening of a new game.
pub struct NewGame<G: WireGame> {
    /// The rules.
    pub rules: G::Rules,
    /// The opening.
    pub opening: G::Opening,
    /// The form of the response.
    pub form: Form,
}

impl<G: WireGame> NewGame<G> {
    /// Reads the rules and the setup of a new game.
    ///
    /// # Errors
    ///
    /// All violations of both.
    pub fn read(request: &proto::NewGameRequest) -> Result<Self, Refusal> {
        let mut violations = Violations::default();
        let form = read_form(request, &mut violations);
        let rules = match request.rules.as_ref().map(|rules| rules.kind.as_ref()) {
            None => Some(G::Rules::default()),
            Some(Some(kind)) => G::read_rules(kind, &RULES, &mut violations),
            Some(None) => {
                violations.required(&RULES);
                None
            }
        };
        let opening = G::read_opening(request.setup.as_ref(), rules.as_ref(), &mut violations);
        let new_game =
            rules.zip(opening).zip(form).map(|((rules, opening), form)| Self { rules, opening, form });
        violations.finish(new_game)
    }
}

fn read_form(request: &proto::NewGameRequest, violations: &mut Violations) -> Option<Form> {
    match request.form {
        None => Some(Form::Typed),
        Some(form) => common::read_form(form, &FORM, violations),
    }
}
