use arbiter_games::connect_four::Move;

use super::{geometry::Geometry, position::Position, root::RootMove, solver::Solver, word::Word};

/// Best play after a move with a known score, as far as the table knows it.
pub(super) fn best_line<G: Geometry>(
    solver: &Solver<'_, '_, G>,
    first: &RootMove<G::Word>,
    free: u32,
) -> Vec<Move> {
    let mut line = vec![Move { column: first.column.into() }];
    let (Some(mut position), mut free, mut score) = (first.next, free - 1, -first.lower) else {
        return line;
    };
    while let Some((column, next)) = best_move(solver, &position, free, score) {
        line.push(Move { column: column.into() });
        match next {
            Some(next) => (position, free, score) = (next, free - 1, -score),
            None => break,
        }
    }
    line
}

/// A move with this score, which is the best one, and the position after it if the game goes on.
fn best_move<G: Geometry>(
    solver: &Solver<'_, '_, G>,
    position: &Position<G::Word>,
    free: u32,
    score: i32,
) -> Option<(u32, Option<Position<G::Word>>)> {
    let geometry = solver.geometry;
    let playable = position.playable(geometry);
    let column = |cell: u32| cell / geometry.stride();
    let wins = position.my_winning_cells & playable;
    if !wins.is_empty() {
        return Some((column(wins.first()), None));
    }
    let safe = position.safe_moves(geometry);
    if safe.is_empty() {
        // The opponent wins at once. One of several threats can be prevented.
        let threats = position.their_winning_cells & playable;
        let cell = if threats.is_empty() { playable } else { threats }.first();
        return (free > 0).then(|| (column(cell), Some(position.after(geometry, G::Word::bit(cell)))));
    }
    let mut rest = safe;
    while !rest.is_empty() {
        let cell = rest.first();
        rest = rest.without_first();
        let next = position.after(geometry, G::Word::bit(cell));
        if solver.known_bounds(&next, free - 1).upper <= -score {
            return Some((column(cell), Some(next)));
        }
    }
    None
}
