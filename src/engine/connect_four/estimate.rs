//! Estimates by a search of limited depth, for a search that cannot reach the end of the game with its budget.

use super::{
    evaluation::{MAX_VALUE, evaluate},
    geometry::Geometry,
    ordering::Candidates,
    position::Position,
    root::RootMove,
    score,
    solver::Solver,
    word::Word,
};
use crate::search::Stop;

/// A forced end has its score plus this, or minus this. A draw at the end of the game has 0.
const FORCED: i32 = 10 * MAX_VALUE;
const INFINITE: i32 = 2 * FORCED;

/// Estimates all moves with unknown scores: one ply deeper with each iteration, until the nodes run out. A forced end that is
/// found gives an exact score, since all shorter ones have been searched.
pub(super) fn deepen<G: Geometry>(
    solver: &mut Solver<'_, '_, G>,
    moves: &mut [RootMove<G::Word>],
    free: u32,
) -> Result<(), Stop> {
    for depth in 0..free {
        let mut values = Vec::with_capacity(moves.len());
        for mv in &*moves {
            values.push(match mv.next.filter(|_| mv.lower < mv.upper) {
                Some(next) => Some(-estimate(solver, &next, free - 1, depth, -INFINITE, INFINITE)?),
                None => None,
            });
        }
        // Only complete iterations count: moves are compared at the same depth.
        for (mv, value) in moves.iter_mut().zip(values) {
            match value {
                Some(value) if value.abs() > MAX_VALUE => {
                    let score = value - FORCED * value.signum();
                    (mv.lower, mv.upper) = (score, score);
                }
                Some(value) => mv.estimate = value,
                None => {}
            }
        }
    }
    Ok(())
}

/// The value of a position for the player to move. This player cannot win at once.
fn estimate<G: Geometry>(
    solver: &mut Solver<'_, '_, G>,
    position: &Position<G::Word>,
    free: u32,
    depth: u32,
    mut alpha: i32,
    beta: i32,
) -> Result<i32, Stop> {
    solver.search.visit()?;
    let geometry = solver.geometry;
    let moves = position.safe_moves(geometry);
    if moves.is_empty() {
        return Ok(score::loss_now(free) - FORCED);
    }
    if free <= 2 {
        return Ok(0);
    }
    if depth == 0 {
        return Ok(evaluate(geometry, position));
    }
    let candidates = Candidates::new(geometry, position, moves);
    let mut best = -INFINITE;
    for candidate in candidates.as_slice() {
        let next = position.after_candidate(candidate);
        let value = -estimate(solver, &next, free - 1, depth - 1, -beta, -alpha)?;
        best = best.max(value);
        alpha = alpha.max(value);
        if alpha >= beta {
            break;
        }
    }
    Ok(best)
}
