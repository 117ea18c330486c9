use arbiter_games::Player;

use super::{
    candidates::Candidate,
    entry::{Bound, Entry},
    keys,
    ordering::{MoveOrdering, select},
    position::{SearchPosition, Step},
    quiescence::MAX_CAPTURES,
    score,
};
use crate::{Search, search::Stop};

/// The maximum number of plies that are searched with all moves.
pub(super) const MAX_DEPTH: u32 = 40;

/// A search of all moves to a fixed depth, the horizon, and of captures below it. It finds every forced win and loss that ends at
/// most one ply below the horizon, with the exact number of plies, because it reduces or prunes no moves above it.
pub(super) struct TreeSearch<'a, 'b> {
    pub position: SearchPosition,
    pub budget: &'a mut Search<'b>,
    pub ordering: MoveOrdering,
    /// The candidates of all positions on the current path.
    pub candidates: Vec<Candidate>,
    /// The best line found at each ply.
    pub lines: Vec<Vec<Step>>,
    horizon: Horizon,
}

/// What a position is worth at which the search of all moves ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Horizon {
    /// What captures lead to, and an estimate.
    Quiescence,
    /// This player wins. What the opponent achieves all the same is certain.
    WonBy(Player),
}

impl<'a, 'b> TreeSearch<'a, 'b> {
    pub fn new(position: SearchPosition, budget: &'a mut Search<'b>) -> Self {
        let max_plies = (MAX_DEPTH + MAX_CAPTURES + 2) as usize;
        Self {
            position,
            budget,
            ordering: MoveOrdering::new(max_plies),
            candidates: Vec::new(),
            lines: vec![Vec::new(); max_plies],
            horizon: Horizon::Quiescence,
        }
    }

    /// The best line after a move from the root.
    pub fn line(&self) -> &[Step] {
        &self.lines[1]
    }

    /// Whether a move leads to a draw for all values of the positions at the horizon.
    pub fn proves_draw(&mut self, step: Step, depth: u32) -> Result<bool, Stop> {
        let player = self.position.player;
        let is_at_least = self.search_with_horizon(Horizon::WonBy(player.other()), step, depth, -1)? >= 0;
        Ok(is_at_least && self.search_with_horizon(Horizon::WonBy(player), step, depth, 0)? <= 0)
    }

    /// Compares the value of a move with a number if positions at the horizon have other values.
    fn search_with_horizon(
        &mut self,
        horizon: Horizon,
        step: Step,
        depth: u32,
        alpha: i32,
    ) -> Result<i32, Stop> {
        self.horizon = horizon;
        let result = self.search_move(step, 0, depth, alpha, alpha + 1);
        self.horizon = Horizon::Quiescence;
        result
    }

    /// The value of a legal move for the player who makes it. The depth includes the move. `alpha` and `beta` are the bounds between
    /// which the value must be exact.
    pub fn search_move(
        &mut self,
        step: Step,
        ply: u32,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<i32, Stop> {
        let undo = self.position.make(step);
        let result = if self.position.player == undo.player {
            // The opponent passes (QR-6).
            self.search(ply + 1, depth - 1, alpha, beta)
        } else {
            self.search(ply + 1, depth - 1, -beta, -alpha).map(|value| -value)
        };
        self.position.unmake(&undo);
        result
    }

    /// The value of the position for the player to move.
    fn search(&mut self, ply: u32, depth: u32, mut alpha: i32, beta: i32) -> Result<i32, Stop> {
        if depth == 0 {
            return match self.horizon {
                Horizon::Quiescence => self.quiescence(ply, MAX_CAPTURES, alpha, beta),
                Horizon::WonBy(player) => {
                    self.budget.visit()?;
                    Ok(if player == self.position.player { 1 } else { -1 })
                }
            };
        }
        self.budget.visit()?;
        self.lines[ply as usize].clear();
        let key = self.key();
        let entry = self.budget.table.get(key).map(Entry::unpack);
        // The best line is searched to its end.
        let needs_line = beta - alpha > 1;
        if let Some(entry) = entry.filter(|entry| entry.depth >= depth && !needs_line)
            && let Some(value) = entry.cutoff(ply, alpha, beta)
        {
            return Ok(value);
        }
        let first = self.candidates.len();
        self.position.add_moves(&mut self.candidates);
        let result = if let Some(step) = self.winning_capture(first, ply) {
            Ok((score::win_in(ply + 1), Bound::Exact, step))
        } else {
            let hint = entry.map(|entry| entry.hint);
            self.ordering.prioritize(&self.position, ply, hint, &mut self.candidates[first..]);
            self.search_candidates(first, ply, depth, &mut alpha, beta)
        };
        self.candidates.truncate(first);
        let (value, bound, best) = result?;
        self.budget.table.set(key, Entry::new(value, ply, depth, bound, best).pack());
        Ok(value)
    }

    /// Searches the candidates from an index on. Returns the value, what it says about the true one, and the best move.
    fn search_candidates(
        &mut self,
        first: usize,
        ply: u32,
        depth: u32,
        alpha: &mut i32,
        beta: i32,
    ) -> Result<(i32, Bound, Step), Stop> {
        let player = self.position.player;
        let (mut best, mut bound) = (None, Bound::AtMost);
        for place in 0..self.candidates.len() - first {
            let candidate = select(&mut self.candidates[first..], place);
            let value = self.search_candidate(candidate, ply, depth, *alpha, beta, place == 0)?;
            if best.is_none_or(|(best, _)| value > best) {
                best = Some((value, candidate.step));
            }
            if value > *alpha {
                *alpha = value;
                bound = Bound::Exact;
                self.extend_line(ply, candidate.step);
            }
            if value >= beta {
                bound = Bound::AtLeast;
                if candidate.captures == 0 {
                    let is_queen = candidate.step.from == self.position.queens[player as usize];
                    self.ordering.reward(player, is_queen, candidate.step, ply, depth);
                }
                break;
            }
        }
        let (value, step) = best.expect("the player to move has a move, because half of the board is empty");
        Ok((value, bound, step))
    }

    /// The value of a candidate for the player to move. All but the first one are only searched to the end if they are better.
    fn search_candidate(
        &mut self,
        candidate: Candidate,
        ply: u32,
        depth: u32,
        alpha: i32,
        beta: i32,
        is_first: bool,
    ) -> Result<i32, Stop> {
        let Candidate { step, captures, .. } = candidate;
        if captures == 0 && self.position.is_last_quiet_move() {
            self.lines[ply as usize + 1].clear();
            return Ok(0);
        }
        if !is_first {
            let value = self.search_move(step, ply, depth, alpha, alpha + 1)?;
            if value <= alpha || value >= beta {
                return Ok(value);
            }
        }
        self.search_move(step, ply, depth, alpha, beta)
    }

    /// A capture among the candidates from an index on that wins. The best line becomes this move.
    pub fn winning_capture(&mut self, first: usize, ply: u32) -> Option<Step> {
        let wanted = self.position.captures_to_win();
        let mut candidates = self.candidates[first..].iter();
        let winner = candidates.find(|candidate| u32::from(candidate.captures) >= wanted)?.step;
        let line = &mut self.lines[ply as usize];
        line.clear();
        line.push(winner);
        Some(winner)
    }

    /// The best line at a ply becomes a move and the best line after it.
    pub fn extend_line(&mut self, ply: u32, step: Step) {
        let (before, after) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut before[ply as usize];
        line.clear();
        line.push(step);
        line.extend_from_slice(&after[0]);
    }

    /// The key of the position and the horizon. The limit of quiet moves is part of it if a search may reach it.
    fn key(&self) -> u64 {
        let key = self.position.key(MAX_DEPTH);
        match self.horizon {
            Horizon::Quiescence => key,
            Horizon::WonBy(player) => key ^ keys::assumed_winner(player),
        }
    }
}
