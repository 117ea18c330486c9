use super::{Game, RuleBreach};

/// What is known of a game: the whole state, or one player's view of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateOrView<G: Game> {
    /// The whole state.
    State(G),
    /// The state as one player sees it.
    View(G::View),
}

/// The state of a game as one player sees it. It answers as far as the viewer's knowledge goes.
pub trait View<G: Game>: Clone {
    /// The viewer's legal moves, in a fixed order; none when the game is over.
    ///
    /// # Errors
    ///
    /// If it is not the viewer's turn.
    fn legal_moves(&self) -> Result<Vec<G::Move>, HiddenInformation>;

    /// Every reason why a move of the viewer is illegal; none when it is legal.
    ///
    /// # Errors
    ///
    /// If it is another player's move.
    fn why_illegal(&self, mv: &G::Move) -> Result<Vec<G::IllegalMove>, HiddenInformation>;

    /// Makes a move of the viewer and returns what happened, in order.
    ///
    /// # Errors
    ///
    /// If the move is illegal or another player's. The view is unchanged then.
    fn play(&mut self, mv: &G::Move) -> Result<Vec<G::Event>, PlayError<G::IllegalMove>>;

    /// Whether the game is over, why, and who has won; or whose turn it is.
    fn outcome(&self) -> G::Outcome;

    /// The view as text that [`Game::parse`] reads back exactly.
    fn notation(&self) -> String;

    /// The view as a text board for people.
    fn text(&self) -> String;

    /// Why a question cannot be answered that needs the whole state.
    fn hidden_information(&self) -> HiddenInformation;
}

/// The view of a game that hides nothing: no value of this type exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoView {}

impl<G: Game> View<G> for NoView {
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

/// The answer depends on what the viewer of a view does not see.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HiddenInformation {
    message: String,
    clause: &'static str,
}

impl HiddenInformation {
    /// What is hidden, in words, and the clause that hides it.
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
    /// Every reason why it is illegal.
    Illegal(Vec<I>),
    /// It is the move of a player whose cards are hidden.
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

    /// Every legal move, of a view those of the viewer, in a fixed order; none when the game is over.
    ///
    /// # Errors
    ///
    /// If it is a view of a player whose turn it is not.
    pub fn legal_moves(&self) -> Result<Vec<G::Move>, HiddenInformation> {
        match self {
            Self::State(game) => Ok(game.legal_moves()),
            Self::View(view) => view.legal_moves(),
        }
    }

    /// Every reason why a move is illegal; none when it is legal.
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

    /// Makes a move and returns what happened, in order.
    ///
    /// # Errors
    ///
    /// If the move is illegal, or if it is a view and the move is another player's. Nothing is changed then.
    #[inline]
    pub fn play(&mut self, mv: &G::Move) -> Result<Vec<G::Event>, PlayError<G::IllegalMove>> {
        match self {
            Self::State(game) => game.play(mv).map_err(PlayError::Illegal),
            Self::View(view) => view.play(mv),
        }
    }

    /// Whether the game is over, why, and who has won; or whose turn it is.
    #[inline]
    pub fn outcome(&self) -> G::Outcome {
        match self {
            Self::State(game) => game.outcome(),
            Self::View(view) => view.outcome(),
        }
    }

    /// The first position of the round that follows a drawn one, see [`Game::next_round`]. A view does not determine it.
    pub fn next_round(&self, seed: impl FnOnce() -> u64) -> Option<G> {
        match self {
            Self::State(game) => game.next_round(seed),
            Self::View(_) => None,
        }
    }

    /// The state or view as text that [`Game::parse`] reads back exactly.
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
