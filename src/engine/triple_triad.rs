//! Analysis of Triple Triad.
//!
//! | file | content |
//! |---|---|
//! | `squares.rs` | squares and sets of them |
//! | `ranks.rs` | four ranks in a word, compared at once |
//! | `deal.rs` | the ten cards of a game, with what captures need of them |
//! | `position.rs` | a position of a search, and what a card takes |
//! | `ordering.rs` | the order in which placements are tried |
//! | `solver.rs` | the final score with best play: an alpha-beta search |
//! | `root.rs` | the final score after each legal move |
//! | `hidden_hand.rs`, `hidden_pool.rs` | the expected score if the opponent's hand is hidden, and what it may hold |

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "scores, cards, squares and placements are below 100"
)]

mod deal;
mod hidden_hand;
mod hidden_pool;
mod ordering;
mod position;
mod ranks;
mod root;
mod solver;
mod squares;

use arbiter_games::{
    Player, Square,
    triple_triad::{Diagram, Move, TripleTriad, View},
};

pub use self::hidden_pool::{HiddenPool, HiddenPoolError};
use self::{
    ordering::Placement,
    position::Position,
    root::RootMove,
    solver::{Solver, TOTAL_SCORE},
};
use crate::{Analysis, Cancelled, Certainty, Engine, Evaluation, Search, Value, search::Stop};

/// The number of squares in a row.
const WIDTH: u8 = 3;

/// The maximum number of free squares with which every move is searched until its value is known. With more, only the best
/// move is: the others would take seven times as long.
const MAX_FREE_FOR_ALL: u32 = 8;

impl Engine for TripleTriad {
    const DEFAULT_MAX_NODES: u32 = 1_000_000;

    type Assumption = HiddenPool;

    fn analyse(&self, _: Player, search: &mut Search<'_>) -> Result<Analysis<Move>, Cancelled> {
        let diagram = self.diagram();
        let [one, two] = &diagram.hands;
        let (deal, position) =
            Position::new(&diagram, [one, two]).expect("a game has ten cards and a player to move");
        let mut solver = Solver::new(&deal, &position, search, u32::MAX, 0);
        let mut moves = RootMove::all(&deal, &position);
        let is_solved = with_nodes(root::find_best(&mut moves, &mut solver))?;
        if is_solved && position.free().count_ones() <= MAX_FREE_FOR_ALL {
            with_nodes(root::find_all(&mut moves, &mut solver))?;
        }
        // The first move of the list is the best one, if it is known.
        let mut line = vec![moves[0].placement];
        if is_solved {
            let rest = solver.line(&moves[0].after, TOTAL_SCORE - moves[0].lower);
            if rest == Err(Stop::Cancelled) {
                return Err(Cancelled);
            }
            line.extend(rest.unwrap_or_default());
        }
        moves.sort_by_key(|mv| -mv.score());
        let evaluations: Vec<_> = moves.iter().map(|mv| mv.evaluation(&diagram, is_solved)).collect();
        let line = line.into_iter().map(|placement| to_move(&diagram, placement)).collect();
        let mut analysis = Analysis::new(evaluations, line, search.nodes());
        if !is_solved {
            analysis.line = vec![analysis.evaluations[0].mv];
        }
        Ok(analysis)
    }

    fn analyse_view(
        view: &View,
        pool: &HiddenPool,
        search: &mut Search<'_>,
    ) -> Result<Analysis<Move>, Cancelled> {
        let diagram = view.diagram();
        let is_last = diagram.squares.iter().filter(|(_, card)| card.is_none()).count() == 1;
        let certainty = if is_last { Certainty::Exact } else { Certainty::Estimate };
        let moves = hidden_hand::expected_moves(view, pool, search)?;
        let evaluations: Vec<_> = moves
            .iter()
            .map(|mv| Evaluation {
                mv: to_move(diagram, mv.placement),
                certainty,
                value: Value::ScoreDifference(mv.score_difference()),
                first_impression: mv.first_impression,
            })
            .collect();
        let line = vec![evaluations[0].mv];
        Ok(Analysis::new(evaluations, line, search.nodes()))
    }
}

/// Whether the nodes were enough.
fn with_nodes(result: Result<(), Stop>) -> Result<bool, Cancelled> {
    match result {
        Ok(()) => Ok(true),
        Err(Stop::OutOfNodes) => Ok(false),
        Err(Stop::Cancelled) => Err(Cancelled),
    }
}

impl RootMove {
    /// `is_solved` means that the best score is known.
    fn evaluation(&self, diagram: &Diagram, is_solved: bool) -> Evaluation<Move> {
        let (certainty, score) = if self.is_exact() {
            (Certainty::Exact, self.lower)
        } else if is_solved {
            (Certainty::AtMost, self.upper)
        } else {
            (Certainty::Estimate, self.score())
        };
        Evaluation {
            mv: to_move(diagram, self.placement),
            certainty,
            value: Value::ScoreDifference(2 * score - TOTAL_SCORE),
            first_impression: self.first_impression,
        }
    }
}

/// The move of a placement. The cards of the hands come first in a deal, those of player one before those of player two.
fn to_move(diagram: &Diagram, placement: Placement) -> Move {
    let first_visible = match diagram.hidden {
        Some(hidden) if hidden.viewer == Player::Two => hidden.cards as usize,
        _ => 0,
    };
    let index = usize::from(placement.card) - first_visible;
    let card = diagram.hands.iter().flatten().nth(index).expect("a placed card is in a visible hand");
    let (row, column) = (placement.square / WIDTH, placement.square % WIDTH);
    Move { card: card.id(), square: Square { row: row.into(), column: column.into() } }
}
