use arbiter_games::Player;

use super::{
    candidates::Candidate,
    entry::hint,
    position::{MAX_SIZE, SearchPosition, Step},
};

/// How many candidates of a node are searched in the order of their priority. If none of them is good enough, the order of the
/// others hardly matters.
const SORTED: usize = 24;

const TABLE_MOVE: i32 = 1 << 24;
const CAPTURE: i32 = 1 << 20;
const KILLER: i32 = 1 << 18;
const MAX_HISTORY: i32 = 1 << 14;
/// A rook that leaves the lines of the opposing queen, or that moves to one of them.
const EXPOSURE: i32 = 1 << 10;

/// The order in which moves are searched: those that were best in similar positions first.
pub(super) struct MoveOrdering {
    /// Two quiet moves per ply that refuted another move.
    killers: Vec<[Option<Step>; 2]>,
    /// How often quiet moves of a player to a cell were good: first those of rooks, then those of the queen.
    history: [[Vec<i32>; 2]; 2],
}

impl MoveOrdering {
    pub fn new(max_plies: usize) -> Self {
        let history = || vec![0; MAX_SIZE * MAX_SIZE];
        Self {
            killers: vec![[None; 2]; max_plies],
            history: [[history(), history()], [history(), history()]],
        }
    }

    /// Sets the priorities of the moves of a position.
    pub fn prioritize(
        &self,
        position: &SearchPosition,
        ply: u32,
        table_move: Option<u8>,
        candidates: &mut [Candidate],
    ) {
        let killers = self.killers[ply as usize];
        let player = position.player;
        let own_queen = position.queens[player as usize];
        let queen = position.queens[player.other() as usize];
        for candidate in candidates {
            let Candidate { step: step @ Step { from, to }, captures, .. } = *candidate;
            let is_queen = from == own_queen;
            let mut priority = self.history[player as usize][usize::from(is_queen)][to.index()];
            priority += CAPTURE * i32::from(captures);
            if table_move == Some(hint(step)) {
                priority += TABLE_MOVE;
            }
            if killers.contains(&Some(step)) {
                priority += KILLER;
            }
            if !is_queen {
                priority += EXPOSURE * i32::from(from.row == queen.row || from.column == queen.column);
                priority -= EXPOSURE * i32::from(to.row == queen.row || to.column == queen.column);
            }
            candidate.priority = priority;
        }
    }

    /// Remembers a quiet move that was good enough.
    pub fn reward(&mut self, player: Player, is_queen: bool, step: Step, ply: u32, depth: u32) {
        let killers = &mut self.killers[ply as usize];
        if killers[0] != Some(step) {
            *killers = [Some(step), killers[0]];
        }
        let history = &mut self.history[player as usize][usize::from(is_queen)][step.to.index()];
        // Depths are at most 40. A value near the maximum grows slowly.
        let bonus = (depth * depth).cast_signed();
        *history += bonus - *history * bonus / MAX_HISTORY;
    }
}

/// Moves the candidate that is searched next to its place.
#[inline]
pub(super) fn select(candidates: &mut [Candidate], place: usize) -> Candidate {
    if place < SORTED {
        let rest = &candidates[place..];
        let mut best = 0;
        for (index, candidate) in rest.iter().enumerate() {
            if candidate.priority > rest[best].priority {
                best = index;
            }
        }
        candidates.swap(place, place + best);
    }
    candidates[place]
}
