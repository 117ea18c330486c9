//! Analysis of RoyalMatch.
//!
//! The rules leave the order of play open. The analysis assumes that the asked player plays first, then the others who have
//! not played in this trick, in the order of their seats, and that all play in the order of their seats in later tricks. So
//! the analysis of a position agrees with those of the positions after it, if the match is played in this order.
//!
//! | file | content |
//! |---|---|
//! | `cards.rs` | cards as numbers and bits |
//! | `position.rs` | a match packed into bits |
//! | `two_players.rs` | the exact value of a match of two players |
//! | `playout.rs` | playouts of matches of three and four players |
//! | `hidden.rs` | what the hidden hands of a view may be |
//! | `impression.rs` | what a move looks like at first |
//! | `root.rs` | the evaluation of every move of a player |

mod cards;
mod hidden;
mod impression;
mod playout;
mod position;
mod root;
mod two_players;

use arbiter_games::royal_match::{Move, Player, RoyalMatch, View};

use self::root::Root;
use super::{Analysis, Cancelled, Engine, Search};

impl Engine for RoyalMatch {
    const DEFAULT_MAX_NODES: u32 = 1_000_000;

    type Assumption = ();

    /// Exact for two players, and if nobody has a choice after the move. Otherwise an estimate by random playouts.
    fn analyse(&self, player: Player, search: &mut Search<'_>) -> Result<Analysis<Move>, Cancelled> {
        Root::new(self.diagram(), player).analyse(search)
    }

    /// The hidden cards may be any that the viewer does not see now: a view does not have the cards of past tricks.
    fn analyse_view(view: &View, (): &(), search: &mut Search<'_>) -> Result<Analysis<Move>, Cancelled> {
        let viewer = view.diagram().viewer().expect("a view has a viewer");
        Root::new(view.diagram(), viewer).analyse(search)
    }
}
