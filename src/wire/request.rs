//! Whole requests: which game they are about, and what they say.

use super::{
    Form, Path, Refusal, Violations, WireGame,
    game::with_game,
    proto,
    state::{
        game_of_move, game_of_rules, game_of_state, note_unknown_game, read_move, read_state,
        read_whole_state,
    },
    vocabulary,
};
use crate::games::{GameId, HiddenInformation, PlayError, StateOrView};

const ARRIVED_AT: Path<'static> = Path::root("arrived_at");
const FORM: Path<'static> = Path::root("form");
const MOVE: Path<'static> = Path::root("move");
const MOVES: Path<'static> = Path::root("moves");
const RULES: Path<'static> = Path::root("rules");
const STATE: Path<'static> = Path::root("state");
const VIEWER: Path<'static> = Path::root("viewer");

/// A request, and the game that it is about.
pub trait GameRequest {
    /// The game, if it can be told, whether or not the rest of the request is right.
    fn game(&self) -> Option<GameId>;

    /// Notes everything that is wrong with a request whose game cannot be told.
    fn note_violations(&self, _: &mut Violations) {}

    /// The game to ask.
    ///
    /// # Errors
    ///
    /// If it cannot be told: everything that is wrong.
    fn named_game(&self) -> Result<GameId, Refusal> {
        self.game().ok_or(()).or_else(|()| {
            let mut violations = Violations::default();
            self.note_violations(&mut violations);
            violations.finish(None)
        })
    }
}

/// Requests whose game is that of their state, with what else they must have.
macro_rules! about_state {
    ($($request:ident $(, $rest:expr)?;)+) => {$(
        impl GameRequest for proto::$request {
            fn game(&self) -> Option<GameId> {
                game_of_state(self.state.as_ref())
            }

            fn note_violations(&self, violations: &mut Violations) {
                note_unknown_game(self.state.as_ref(), &STATE, violations);
                $(let note: fn(&Self, &mut Violations) = $rest;
                note(self, violations);)?
            }
        }
    )+};
}

about_state! {
    ValidateMoveRequest, |request, violations| note_move(request.r#move.as_ref(), &MOVE, violations);
    ApplyMoveRequest, |request, violations| note_move(request.r#move.as_ref(), &MOVE, violations);
    ResolveCapturesRequest, |request, violations| {
        if let Some(square) = request.arrived_at {
            vocabulary::read_square(square, &ARRIVED_AT, violations);
        }
    };
    DetermineWinnerRequest;
    ListLegalMovesRequest;
    ReplayGameRequest, |request, violations| {
        for (index, mv) in request.moves.iter().enumerate() {
            note_move(Some(mv), &MOVES.index(index), violations);
        }
    };
    SettleTradeRequest;
    ViewStateRequest, |request, violations| {
        vocabulary::read_enum::<proto::Player>(request.viewer, &VIEWER, violations);
    };
    RenderStateRequest;
}

/// Notes what is wrong with a move of an unknown game, as far as the move itself tells.
fn note_move(mv: Option<&proto::Move>, at: &Path<'_>, violations: &mut Violations) {
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
        use proto::new_game_request::Setup;
        match self.setup.as_ref() {
            Some(Setup::ConnectFour(_)) => Some(GameId::ConnectFour),
            Some(Setup::TripleTriad(_)) => Some(GameId::TripleTriad),
            Some(Setup::QueenRooks(_)) => Some(GameId::QueenRooks),
            Some(Setup::RoyalMatch(_)) => Some(GameId::RoyalMatch),
            None => self.rules.as_ref().and_then(game_of_rules),
        }
    }

    fn note_violations(&self, violations: &mut Violations) {
        violations.add(
            &Path::root("setup"),
            proto::ErrorReason::FieldRequired,
            "name the game: give one of its fields, such as connect_four, or the rules of a game",
        );
        read_form(self, violations);
    }
}

/// Requests whose game is known, or that are about none.
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

/// A state or a view, and a move in it.
pub struct Turn<G: WireGame> {
    /// The state or view.
    pub game: StateOrView<G>,
    /// How the state was written.
    pub form: Form,
    /// The move.
    pub mv: G::Move,
    /// How the move was written.
    move_form: Form,
}

impl<G: WireGame> Turn<G> {
    /// Reads a state and a move in it.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with either.
    pub fn read(state: Option<&proto::State>, mv: Option<&proto::Move>) -> Result<Self, Refusal> {
        let mut violations = Violations::default();
        let state = read_state::<G>(state, &STATE, &mut violations);
        let mv = read_move::<G>(mv, &MOVE, &mut violations);
        let turn = state.zip(mv).map(|((game, form), (mv, move_form))| Self { game, form, mv, move_form });
        violations.finish(turn)
    }

    /// Every reason why the move is illegal; none when it is legal.
    ///
    /// # Errors
    ///
    /// If the state is a view and the move is another player's.
    pub fn why_illegal(&self) -> Result<Vec<proto::Reason>, Refusal> {
        let reasons = self.game.why_illegal(&self.mv).map_err(|hidden| hidden_information(&hidden, &MOVE))?;
        Ok(write_reasons::<G>(&reasons, &MOVE, self.move_form))
    }

    /// Makes the move and returns what happened.
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

/// The refusal of a question about a view, at this field, that only the whole state answers.
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

/// Reads the state or view of a request that has nothing else to read.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn read_game<G: WireGame>(state: Option<&proto::State>) -> Result<(StateOrView<G>, Form), Refusal> {
    let mut violations = Violations::default();
    let game = read_state(state, &STATE, &mut violations);
    violations.finish(game)
}

/// Lists the legal moves of a state, or those of the viewer of a view.
///
/// # Errors
///
/// If it is a view and it is not the viewer's turn.
pub fn legal_moves<G: WireGame>(game: &StateOrView<G>) -> Result<Vec<G::Move>, Refusal> {
    game.legal_moves().map_err(|hidden| hidden_information(&hidden, &STATE))
}

/// Reads a board on which something has just arrived.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn read_board<G: WireGame>(
    request: &proto::ResolveCapturesRequest,
) -> Result<(G::Arrival, Form), Refusal> {
    let mut violations = Violations::default();
    let board = G::read_board(request, &mut violations);
    violations.finish(board)
}

/// Reads a state and the player who sees the view of it.
///
/// # Errors
///
/// Everything that is wrong with either.
pub fn read_view<G: WireGame>(request: &proto::ViewStateRequest) -> Result<(G, Form, G::Player), Refusal> {
    let mut violations = Violations::default();
    let game: Option<(G, Form)> = read_whole_state(request.state.as_ref(), &STATE, &mut violations);
    let viewer = G::read_viewer(request.viewer, &VIEWER, &mut violations);
    if let Some(((game, _), viewer)) = game.as_ref().zip(viewer.as_ref()) {
        G::note_viewer(game, viewer, &VIEWER, &mut violations);
    }
    violations.finish(game.zip(viewer).map(|((game, form), viewer)| (game, form, viewer)))
}

/// A game and the moves to make in it.
pub struct Replay<G: WireGame> {
    /// Where the game starts.
    pub game: G,
    /// How the state was written.
    pub form: Form,
    /// The moves, and how each was written.
    pub moves: Vec<(G::Move, Form)>,
}

impl<G: WireGame> Replay<G> {
    /// Reads a state and the moves to make from it.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of them.
    pub fn read(request: &proto::ReplayGameRequest) -> Result<Self, Refusal> {
        let mut violations = Violations::default();
        let state = read_whole_state::<G>(request.state.as_ref(), &STATE, &mut violations);
        let mut moves = Vec::with_capacity(request.moves.len());
        for (index, mv) in request.moves.iter().enumerate() {
            moves.extend(read_move::<G>(Some(mv), &MOVES.index(index), &mut violations));
        }
        violations.finish(state.map(|(game, form)| Self { game, form, moves }))
    }

    /// The refusal of one of the moves.
    pub fn refusal(index: usize, form: Form, reasons: &[G::IllegalMove]) -> Refusal {
        Refusal::illegal_move(write_reasons::<G>(reasons, &MOVES.index(index), form), Some(index))
    }
}

/// What a new game is made from.
pub struct NewGame<G: WireGame> {
    /// Its rules.
    pub rules: G::Rules,
    /// What else it is started from.
    pub opening: G::Opening,
    /// The form to answer in.
    pub form: Form,
}

impl<G: WireGame> NewGame<G> {
    /// Reads the rules and the set-up of a new game.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with either.
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
        Some(form) => vocabulary::read_form(form, &FORM, violations),
    }
}
