//! Analysis of Triple Triad.
//!
//! | file | content |
//! |---|---|
//! | `squares.rs` | squares, their neighbours, and sets of them |
//! | `ranks.rs` | four ranks in one word, so that all sides of a card are compared at once |
//! | `deal.rs` | the rules and the ten cards of a game, in the form that captures need |
//! | `position.rs` | a position of a search, and what a placed card takes |
//! | `ordering.rs` | the order in which a search tries placements |
//! | `solver.rs` | the final score with best play: an alpha-beta search |
//! | `root.rs` | the final score after each legal move |
//! | `hidden_pool.rs` | what a hidden hand may hold |
//! | `hidden_hand.rs` | the expected final score after each legal move if the opponent's hand is hidden |

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

/// The maximum number of free squares with which the value of every move is exact. On the empty board only that of the best
/// one is: the others would take six times as long.
const MAX_FREE_FOR_ALL: u32 = 8;

impl Engine for TripleTriad {
    const DEFAULT_MAX_NODES: u32 = 2_000_000;

    type Assumption = HiddenPool;

    /// The player is the one to move: no other player has legal moves.
    fn analyse(&self, _: Player, search: &mut Search<'_>) -> Result<Analysis<Move>, Cancelled> {
        let diagram = self.diagram();
        let [one, two] = &diagram.hands;
        let (deal, position) = Position::new(&diagram, [one, two]).expect("a game has ten cards");
        let mut solver = Solver::new(&deal, &position, search, u32::MAX, 0);
        let mut moves = RootMove::all(&deal, &position);
        is_complete(solver.visit())?;
        let is_best_known = is_complete(root::find_best(&mut moves, &mut solver))?;
        if is_best_known && position.free().count_ones() <= MAX_FREE_FOR_ALL {
            is_complete(root::find_all(&mut moves, &mut solver))?;
        }
        let value = |mv: &RootMove| {
            if mv.is_exact() {
                (Certainty::Exact, mv.lower)
            } else if is_best_known {
                (Certainty::AtMost, mv.upper)
            } else {
                (Certainty::Estimate, mv.score())
            }
        };
        // Moves with the same value stay in the order of their guesses.
        moves.sort_by_key(|mv| {
            let (certainty, score) = value(mv);
            (-score, certainty != Certainty::Exact)
        });
        let mut line = vec![moves[0].placement];
        if moves[0].is_exact() {
            is_complete(solver.extend_line(&mut line, &moves[0].after, TOTAL_SCORE - moves[0].lower))?;
        }
        let evaluations = moves.iter().map(|mv| {
            let (certainty, score) = value(mv);
            Evaluation {
                mv: to_move(&diagram, mv.placement),
                certainty,
                value: Value::ScoreDifference(2 * score - TOTAL_SCORE),
                first_impression: root::first_impression(&deal, &position, mv.placement),
            }
        });
        let line = line.into_iter().map(|placement| to_move(&diagram, placement)).collect();
        Ok(Analysis::new(evaluations.collect(), line, search.nodes()))
    }

    /// Draws hidden hands from the pool, and averages what each move leads to. The last placement is exact.
    fn analyse_view(
        view: &View,
        pool: &HiddenPool,
        search: &mut Search<'_>,
    ) -> Result<Analysis<Move>, Cancelled> {
        let diagram = view.diagram();
        let is_last = diagram.squares.iter().filter(|(_, card)| card.is_none()).count() == 1;
        let expectations = hidden_hand::expectations(diagram, pool, search)?;
        let evaluations = expectations.iter().map(|expectation| Evaluation {
            mv: to_move(diagram, expectation.placement),
            certainty: if is_last { Certainty::Exact } else { Certainty::Estimate },
            value: Value::ScoreDifference(expectation.difference()),
            first_impression: expectation.first_impression,
        });
        let line = vec![to_move(diagram, expectations[0].placement)];
        Ok(Analysis::new(evaluations.collect(), line, search.nodes()))
    }
}

/// Whether a step of a search is complete: it is not if the search is out of nodes.
fn is_complete(step: Result<(), Stop>) -> Result<bool, Cancelled> {
    match step {
        Ok(()) => Ok(true),
        Err(Stop::OutOfNodes) => Ok(false),
        Err(Stop::Cancelled) => Err(Cancelled),
    }
}

/// The move of a placement. A deal has the cards of the hands first, that of player one before that of player two.
fn to_move(diagram: &Diagram, Placement { card, square }: Placement) -> Move {
    let hidden_first = match diagram.hidden {
        Some(hidden) if hidden.viewer == Player::Two => hidden.cards as usize,
        _ => 0,
    };
    let mut visible = diagram.hands.iter().flatten();
    let card = visible.nth(usize::from(card) - hidden_first).expect("the card is in a visible hand");
    let (row, column) = (u32::from(square) / 3, u32::from(square) % 3);
    Move { card: card.id(), square: Square { row, column } }
}
