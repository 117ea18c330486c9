//! Analysis of Connect Four.
//!
//! The search reaches the end of the game: alpha-beta with null windows on bitboards, with a transposition table. It visits
//! no position in which the player to move can win at once, and makes no move that lets the opponent win at once if there
//! is another. If the nodes run out, the moves are estimated by a search of limited depth.
//!
//! | file | content |
//! |---|---|
//! | `word.rs` | `Word`: a set of cells |
//! | `geometry.rs` | `Geometry`: the sizes of a board, and lines on it |
//! | `position.rs` | `Position`: the tokens, and the cells that complete a line |
//! | `ordering.rs` | `Candidates`: moves in the order in which they are searched |
//! | `score.rs`, `bounds.rs` | scores, and what the table stores of them |
//! | `solver.rs` | `Solver`: the search |
//! | `root.rs` | the moves of the position that is analysed |
//! | `book.rs` | `Book`: scores of openings. `make_book.py` makes `openings.book` |
//! | `line.rs` | best play |
//! | `evaluation.rs`, `estimate.rs` | the value of a position without a search, and by a search of limited depth |

mod book;
mod bounds;
mod estimate;
mod evaluation;
mod geometry;
mod line;
mod ordering;
mod position;
mod root;
mod score;
mod solver;
mod word;

use arbiter_games::{
    NoView, Player,
    connect_four::{ConnectFour, Move},
};

pub use self::book::{Book, BookError};
use self::{
    geometry::{AnyBoard, DefaultBoard, Geometry},
    position::Position,
    solver::Solver,
    word::Word,
};
use crate::{Analysis, Cancelled, Engine, Search, search::Stop};

/// With the book, no measured position of Pons' test sets needs more than 11 million nodes, except for some of the set Begin-Hard.
const DEFAULT_MAX_NODES: u32 = 20_000_000;

/// The part of the nodes that is kept for estimates: this fraction, and not more than the maximum.
const ESTIMATE_FRACTION: u32 = 8;
const MAX_ESTIMATE_NODES: u32 = 100_000;

/// When the best move is known, the nodes for the others are this fraction of those so far, and the minimum.
const REFINEMENT_FRACTION: u32 = 4;
const MIN_REFINEMENT_NODES: u32 = 200;

impl Engine for ConnectFour {
    const DEFAULT_MAX_NODES: u32 = DEFAULT_MAX_NODES;

    type Assumption = ();

    fn analyse(&self, player: Player, search: &mut Search<'_>) -> Result<Analysis<Move>, Cancelled> {
        let position = self.position();
        let rules = position.rules();
        let [mine, theirs] = [player, player.other()].map(|player| position.tokens_of(player));
        let bits = u32::from(rules.columns()) * (u32::from(rules.rows()) + 1);
        if rules.has_default_sizes() {
            analyse(DefaultBoard, mine, theirs, search)
        } else if bits <= u64::BITS {
            analyse(AnyBoard::<u64>::new(rules), mine, theirs, search)
        } else {
            analyse(AnyBoard::<u128>::new(rules), mine, theirs, search)
        }
    }

    fn analyse_view(view: &NoView, (): &(), _search: &mut Search<'_>) -> Result<Analysis<Move>, Cancelled> {
        match *view {}
    }
}

fn analyse<G: Geometry>(
    geometry: G,
    mine: u128,
    theirs: u128,
    search: &mut Search<'_>,
) -> Result<Analysis<Move>, Cancelled> {
    let position = Position::new(geometry, G::Word::from_bits(mine), G::Word::from_bits(theirs));
    let free = position.empty(geometry).count();
    let mut moves = root::root_moves(geometry, &position);
    search.keep_back((search.max_nodes() / ESTIMATE_FRACTION).min(MAX_ESTIMATE_NODES));
    let mut solver = Solver::new(geometry, search);
    let is_known = solver.look_up_root(&position, &mut moves, free);
    if with_nodes(solver.solve_root(&mut moves, free, is_known))? {
        let nodes = solver.search.nodes() / REFINEMENT_FRACTION + MIN_REFINEMENT_NODES;
        solver.search.keep_back(solver.search.nodes_left().saturating_sub(nodes));
        with_nodes(solver.refine_root(&mut moves, free))?;
    } else {
        solver.search.keep_back(0);
        with_nodes(estimate::deepen(&mut solver, &mut moves, free))?;
    }
    Ok(root::analysis(&solver, &moves, free))
}

/// Whether the nodes were enough.
fn with_nodes(result: Result<(), Stop>) -> Result<bool, Cancelled> {
    match result {
        Ok(()) => Ok(true),
        Err(Stop::OutOfNodes) => Ok(false),
        Err(Stop::Cancelled) => Err(Cancelled),
    }
}
