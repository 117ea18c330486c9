//! Analysis of Queen and rooks: iterative deepening alpha-beta with quiescence over captures.

mod candidates;
mod entry;
mod evaluation;
mod keys;
mod ordering;
mod orientation;
mod position;
mod quiescence;
mod root;
mod score;
mod search;

use arbiter_games::{
    NoView, Player,
    queen_rooks::{Move, QueenRooks},
};

use super::{Analysis, Cancelled, Engine, Search};

/// Forced ends are proven as far as they are found. Other moves have the heuristic value of the position after them: about 100 per
/// rook that the player is ahead.
impl Engine for QueenRooks {
    const DEFAULT_MAX_NODES: u32 = 1_000_000;

    type Assumption = ();

    fn analyse(&self, _player: Player, search: &mut Search<'_>) -> Result<Analysis<Move>, Cancelled> {
        root::analyse(self, search)
    }

    fn analyse_view(
        view: &NoView,
        _assumption: &(),
        _search: &mut Search<'_>,
    ) -> Result<Analysis<Move>, Cancelled> {
        match *view {}
    }
}
