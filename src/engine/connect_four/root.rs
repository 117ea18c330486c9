use arbiter_games::connect_four::Move;

use super::{
    evaluation::evaluate, geometry::Geometry, line::best_line, ordering::Candidates, position::Position,
    score, solver::Solver, word::Word,
};
use crate::{Analysis, Certainty, Evaluation, Value, search::Stop};

/// A legal move of the position that is analysed, and what is known of it. Scores are those of the player to move.
#[derive(Clone, Debug)]
pub(super) struct RootMove<W> {
    /// The column.
    pub(super) column: u32,
    /// The position after the move; none if the move ends the game, or lets the opponent win at once.
    pub(super) next: Option<Position<W>>,
    /// The score is at least this.
    pub(super) lower: i32,
    /// The score is at most this.
    pub(super) upper: i32,
    /// The value by a search of limited depth, or without a search.
    pub(super) estimate: i32,
    first_impression: i32,
}

/// All legal moves of a position that is not over, with what is known of them without a search. The most promising ones come
/// first.
pub(super) fn root_moves<G: Geometry>(geometry: G, position: &Position<G::Word>) -> Vec<RootMove<G::Word>> {
    let free = position.empty(geometry).count();
    let playable = position.playable(geometry);
    let mut moves: Vec<_> = Candidates::new(geometry, position, playable)
        .as_slice()
        .iter()
        .map(|candidate| {
            let is_win = !(position.my_winning_cells & G::Word::bit(candidate.cell)).is_empty();
            let next = position.after_candidate(candidate);
            let (lower, upper) = if is_win {
                (score::win_now(free), score::win_now(free))
            } else if next.can_win(geometry) {
                (score::loss_now(free), score::loss_now(free))
            } else if free == 1 {
                (0, 0)
            } else if next.safe_moves(geometry).is_empty() {
                (score::win_next(free), score::win_next(free))
            } else {
                (score::loss_next(free), score::win_next(free))
            };
            let first_impression = first_impression(geometry, position, &next, is_win);
            RootMove {
                column: candidate.cell / geometry.stride(),
                next: (lower < upper).then_some(next),
                lower,
                upper,
                estimate: -evaluate(geometry, &next),
                first_impression,
            }
        })
        .collect();
    moves.sort_by_key(|mv| std::cmp::Reverse((mv.upper, mv.lower)));
    moves
}

/// What a player sees at a glance: lines that become possible or impossible, winning cells, and wins.
fn first_impression<G: Geometry>(
    geometry: G,
    before: &Position<G::Word>,
    after: &Position<G::Word>,
    is_win: bool,
) -> i32 {
    if is_win {
        return 1000;
    }
    // The value of the position before the move is that of the player to move, too.
    (-evaluate(geometry, after) - evaluate(geometry, before)).clamp(-200, 200) * 4
}

impl<G: Geometry> Solver<'_, '_, G> {
    /// Adds what the book knows. Returns whether it has the position, so that the best score is the greatest upper bound.
    pub(super) fn look_up_root(
        &self,
        position: &Position<G::Word>,
        moves: &mut [RootMove<G::Word>],
        free: u32,
    ) -> bool {
        // The book need not have positions in which the player can win at once.
        let entry = self.book_entry(position, free).filter(|_| !position.can_win(self.geometry));
        if let Some(entry) = entry {
            for mv in moves.iter_mut() {
                mv.upper = mv.upper.min(entry.score);
                if entry.column == Some(mv.column) {
                    (mv.lower, mv.upper) = (entry.score, entry.score);
                }
            }
        }
        for mv in moves {
            if let Some(entry) = mv.next.and_then(|next| self.book_entry(&next, free - 1)) {
                (mv.lower, mv.upper) = (-entry.score, -entry.score);
            }
        }
        entry.is_some()
    }

    /// Narrows the bounds until the best move and its score are known. The others have upper bounds that are not greater.
    /// `is_known` means that the best score is the greatest upper bound.
    pub(super) fn solve_root(
        &mut self,
        moves: &mut [RootMove<G::Word>],
        free: u32,
        is_known: bool,
    ) -> Result<(), Stop> {
        loop {
            let (lower, upper) = bounds(moves);
            // The bounds of a book with wrong scores can be contradictory.
            if lower >= upper {
                return Ok(());
            }
            let alpha = if is_known { upper - 1 } else { next_alpha(lower, upper) };
            for index in 0..moves.len() {
                if moves[index].upper > alpha {
                    self.narrow(&mut moves[index], free, alpha)?;
                    if moves[index].lower > alpha {
                        // It probably is the best move of the next iteration too.
                        moves[..=index].rotate_right(1);
                        break;
                    }
                }
            }
        }
    }

    /// Narrows the bounds of the moves that are not the best one: first all of them to those that are as good and those that are
    /// worse, then each one until its score is known.
    pub(super) fn refine_root(&mut self, moves: &mut [RootMove<G::Word>], free: u32) -> Result<(), Stop> {
        let (best, _) = bounds(moves);
        for mv in &mut *moves {
            if mv.lower < best && mv.upper == best {
                self.narrow(mv, free, best - 1)?;
            }
        }
        for mv in moves {
            while mv.lower < mv.upper {
                self.narrow(mv, free, next_alpha(mv.lower, mv.upper))?;
            }
        }
        Ok(())
    }

    /// Finds out whether the score of a move is greater than `alpha`.
    fn narrow(&mut self, mv: &mut RootMove<G::Word>, free: u32, alpha: i32) -> Result<(), Stop> {
        if let Some(next) = &mv.next {
            let value = -self.solve(next, free - 1, -alpha - 1)?;
            if value > alpha {
                mv.lower = value;
            } else {
                mv.upper = value;
            }
        }
        Ok(())
    }
}

/// The bounds of the best score.
pub(super) fn bounds<W>(moves: &[RootMove<W>]) -> (i32, i32) {
    let lower = moves.iter().map(|mv| mv.lower).max();
    let upper = moves.iter().map(|mv| mv.upper).max();
    (lower.unwrap_or_default(), upper.unwrap_or_default())
}

/// Which score to test next: first whether the game is won or not, then nearer to 0 than to the other end of the bounds, where
/// scores are more frequent and searches faster.
fn next_alpha(lower: i32, upper: i32) -> i32 {
    let middle = lower + (upper - lower) / 2;
    if middle <= 0 && lower / 2 < middle {
        lower / 2
    } else if middle >= 0 && upper / 2 > middle {
        upper / 2
    } else {
        middle
    }
}

/// The analysis, from all that is known of the moves.
pub(super) fn analysis<G: Geometry>(
    solver: &Solver<'_, '_, G>,
    moves: &[RootMove<G::Word>],
    free: u32,
) -> Analysis<Move> {
    let (lower, upper) = bounds(moves);
    let evaluations = moves.iter().map(|mv| mv.evaluation(free, lower >= upper)).collect();
    let mut analysis = Analysis::new(evaluations, Vec::new(), solver.search.nodes());
    let best = &analysis.evaluations[0];
    let best_move = moves.iter().find(|mv| best.mv.column == i64::from(mv.column));
    analysis.line = match best_move {
        Some(mv) if best.certainty == Certainty::Exact => best_line(solver, mv, free),
        _ => vec![best.mv],
    };
    analysis
}

impl<W> RootMove<W> {
    /// `is_solved` means that the best score is known.
    pub(super) fn evaluation(&self, free: u32, is_solved: bool) -> Evaluation<Move> {
        let (certainty, value) = if self.lower == self.upper {
            (Certainty::Exact, Value::ForcedEnd(score::game_end(self.upper, free)))
        } else if is_solved {
            (Certainty::AtMost, Value::ForcedEnd(score::game_end(self.upper, free)))
        } else if self.lower > 0 {
            (Certainty::Estimate, Value::ForcedEnd(score::game_end(self.lower, free)))
        } else if self.upper < 0 {
            (Certainty::Estimate, Value::ForcedEnd(score::game_end(self.upper, free)))
        } else {
            let least = if self.lower == 0 { 0 } else { i32::MIN };
            let most = if self.upper == 0 { 0 } else { i32::MAX };
            (Certainty::Estimate, Value::Heuristic(self.estimate.clamp(least, most)))
        };
        Evaluation {
            mv: Move { column: self.column.into() },
            certainty,
            value,
            first_impression: self.first_impression,
        }
    }
}
