use super::{
    candidates::Candidate,
    evaluation::{ROOK, evaluate},
    ordering::select,
    position::Step,
    score,
    search::TreeSearch,
};
use crate::search::Stop;

/// The maximum number of captures in a row.
pub(super) const MAX_CAPTURES: u32 = 10;
/// How many captures of a position are searched.
const MAX_MOVES: usize = 6;
/// What a capture may gain in addition to the rooks that it takes.
const MARGIN: i32 = 2 * ROOK;

impl TreeSearch<'_, '_> {
    /// The value of the position for the player to move, if the players only take rooks. The player to move need not.
    pub fn quiescence(
        &mut self,
        ply: u32,
        captures_left: u32,
        mut alpha: i32,
        beta: i32,
    ) -> Result<i32, Stop> {
        self.budget.visit()?;
        self.lines[ply as usize].clear();
        let mut best = evaluate(&self.position);
        // A move takes at most two rooks.
        let may_win = self.position.captures_to_win() <= 2;
        if !may_win && (best >= beta || captures_left == 0) {
            return Ok(best);
        }
        let first = self.candidates.len();
        self.position.add_captures(&mut self.candidates);
        if self.winning_capture(first, ply).is_some() {
            self.candidates.truncate(first);
            return Ok(score::win_in(ply + 1));
        }
        alpha = alpha.max(best);
        let count = self.candidates.len() - first;
        if captures_left > 0 && best < beta && count > 0 {
            self.ordering.prioritize(&self.position, ply, None, &mut self.candidates[first..]);
            let estimate = best;
            for place in 0..count.min(MAX_MOVES) {
                let Candidate { step, captures, .. } = select(&mut self.candidates[first..], place);
                if estimate + ROOK * i32::from(captures) + MARGIN <= alpha {
                    break;
                }
                let value = self.search_capture(step, ply, captures_left - 1, alpha, beta)?;
                best = best.max(value);
                if value > alpha {
                    alpha = value;
                    self.extend_line(ply, step);
                }
                if value >= beta {
                    break;
                }
            }
        }
        self.candidates.truncate(first);
        Ok(best)
    }

    fn search_capture(
        &mut self,
        step: Step,
        ply: u32,
        captures_left: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<i32, Stop> {
        let undo = self.position.make(step);
        let result = if self.position.player == undo.player {
            // The opponent passes (QR-6).
            self.quiescence(ply + 1, captures_left, alpha, beta)
        } else {
            self.quiescence(ply + 1, captures_left, -beta, -alpha).map(|value| -value)
        };
        self.position.unmake(&undo);
        result
    }
}
