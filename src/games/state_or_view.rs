use super::{Game, RuleBreach};

/// A state of a game, or one player's view of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateOrView<G: Game> {
    /// The whole state.
    State(G),
    /// The state as one player sees it.
    View(G::View),
}

/// The state of a game as one player sees it. It answers what does not depend on hidden information.
pub trait View<G: Game>: Clone {
    /// The player who sees it.
    fn viewer(&self) -> G::Player;

    /// The viewer's legal moves, in a fixed order; none after the end.
    ///
    /// # Errors
    ///
    /// If it is not the viewer's turn.
    fn legal_moves(&self) -> Result<Vec<G::Move>, HiddenInformation>;

    /// Every reason why a move of the viewer is illegal; none if it is legal.
    ///
    /// # Errors
    ///
    /// If it is another player's move.
    fn why_illegal(&self, mv: &G::Move) -> Result<Vec<G::IllegalMove>, HiddenInformation>;

    /// Makes a move of the viewer and returns its effects, in order.
    ///
    /// # Errors
    ///
    /// If the move is illegal or another player's. It changes nothing then.
    fn play(&mut self, mv: &G::Move) -> Result<Vec<G::Event>, PlayError<G::IllegalMove>>;

    /// Whose turn it is, or how the game ended.
    fn outcome(&self) -> G::Outcome;

    /// The text notation of the view. [`Game::parse`] reads it back exactly.
    fn notation(&self) -> String;

    /// The view as a text board for people.
    fn text(&self) -> String;

    /// The error of a call that needs the whole state.
    fn hidden_information(&self) -> HiddenInformation;
}

/// The view of a game that hides nothing. It has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoView {}

impl<G: Game> View<G> for NoView {
    fn viewer(&self) -> G::Player {
        match *self {}
    }

    fn legal_moves(&self) -> Result<Vec<G::Move>, HiddenInformation> {
        match *self {}
    }

    fn why_illegal(&self, _: &G::Move) -> Result<Vec<G::IllegalMove>, HiddenInformation> {
        match *self {}
    }

    fn play(&mut self, _: &G::Move) -> Result<Vec<G::Event>, PlayError<G::IllegalMove>> {
        match *self {}
    }

    fn outcome(&self) -> G::Outcome {
        match *self {}
    }

    fn notation(&self) -> String {
        match *self {}
    }

    fn text(&self) -> String {
        match *self {}
    }

    fn hidden_information(&self) -> HiddenInformation {
        match *self {}
    }
}

/// The result depends on what the viewer does not see.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HiddenInformation {
    message: String,
    clause: &'static str,
}

impl HiddenInformation {
    /// An error with this message, and the clause that hides the information.
    pub(crate) fn new(clause: &'static str, message: String) -> Self {
        Self { message, clause }
    }
}

impl RuleBreach for HiddenInformation {
    fn clause(&self) -> &'static str {
        self.clause
    }
}

/// Why a move was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayError<I> {
    /// It is illegal, for these reasons.
    Illegal(Vec<I>),
    /// It belongs to a player whose cards are hidden.
    Hidden(HiddenInformation),
}

impl<I> From<Vec<I>> for PlayError<I> {
    fn from(reasons: Vec<I>) -> Self {
        Self::Illegal(reasons)
    }
}

impl<I> From<HiddenInformation> for PlayError<I> {
    fn from(hidden: HiddenInformation) -> Self {
        Self::Hidden(hidden)
    }
}

impl<G: Game> StateOrView<G> {
    /// The whole state.
    ///
    /// # Errors
    ///
    /// If it is a view.
    pub fn into_state(self) -> Result<G, HiddenInformation> {
        match self {
            Self::State(game) => Ok(game),
            Self::View(view) => Err(view.hidden_information()),
        }
    }

    /// Every legal move, in a fixed order; none after the end. In a view, only those of the viewer.
    ///
    /// # Errors
    ///
    /// If it is a view and not the viewer's turn.
    pub fn legal_moves(&self) -> Result<Vec<G::Move>, HiddenInformation> {
        match self {
            Self::State(game) => Ok(game.legal_moves()),
            Self::View(view) => view.legal_moves(),
        }
    }

    /// Every reason why a move is illegal; none if it is legal.
    ///
    /// # Errors
    ///
    /// If it is a view and the move is another player's.
    pub fn why_illegal(&self, mv: &G::Move) -> Result<Vec<G::IllegalMove>, HiddenInformation> {
        match self {
            Self::State(game) => Ok(game.why_illegal(mv)),
            Self::View(view) => view.why_illegal(mv),
        }
    }

    /// Makes a move and returns its effects, in order.
    ///
    /// # Errors
    ///
    /// If the move is illegal, or if it is a view and the move is another player's. It changes nothing then.
    #[inline]
    pub fn play(&mut self, mv: &G::Move) -> Result<Vec<G::Event>, PlayError<G::IllegalMove>> {
        match self {
            Self::State(game) => game.play(mv).map_err(PlayError::Illegal),
            Self::View(view) => view.play(mv),
        }
    }

    /// Whose turn it is, or how the game ended.
    #[inline]
    pub fn outcome(&self) -> G::Outcome {
        match self {
            Self::State(game) => game.outcome(),
            Self::View(view) => view.outcome(),
        }
    }

    /// The start of the next round, see [`Game::next_round`]. None for a view, which does not determine it.
    pub fn next_round(&self, seed: impl FnOnce() -> u64) -> Option<G> {
        match self {
            Self::State(game) => game.next_round(seed),
            Self::View(_) => None,
        }
    }

    /// The text notation of the state or view. [`Game::parse`] reads it back exactly.
    pub fn notation(&self) -> String {
        match self {
            Self::State(game) => game.notation(),
            Self::View(view) => view.notation(),
        }
    }

    /// The state or view as a text board for people. Its last line says whose turn it is or how the game ended.
    pub fn text(&self) -> String {
        match self {
            Self::State(game) => game.text(),
            Self::View(view) => view.text(),
        }
    }
}
