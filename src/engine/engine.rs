use arbiter_games::Game;

use super::{Analysis, Cancelled, Search};

/// A game that can be analysed.
pub trait Engine: Game {
    /// The maximum number of nodes of a search for which the caller sets none.
    const DEFAULT_MAX_NODES: u32;

    /// What a caller assumes about hidden information.
    type Assumption: Default;

    /// Evaluates every legal move of a player, who must have one.
    ///
    /// # Errors
    ///
    /// If the search is cancelled. A search that runs out of nodes is not an error: it returns estimates.
    fn analyse(
        &self,
        player: Self::Player,
        search: &mut Search<'_>,
    ) -> Result<Analysis<Self::Move>, Cancelled>;

    /// Evaluates every legal move of the viewer, who must have one. The result depends only on the view and the assumption.
    ///
    /// # Errors
    ///
    /// As for [`Engine::analyse`].
    fn analyse_view(
        view: &Self::View,
        assumption: &Self::Assumption,
        search: &mut Search<'_>,
    ) -> Result<Analysis<Self::Move>, Cancelled>;
}
