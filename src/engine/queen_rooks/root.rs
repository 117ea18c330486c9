//! The search of a position whose moves are all evaluated.

use std::cmp::Reverse;

use arbiter_games::queen_rooks::{Move, Position};

use super::{
    candidates::Candidate,
    evaluation::{evaluate, first_impression},
    orientation::Orientation,
    position::{SearchPosition, Step},
    score,
    search::{MAX_DEPTH, TreeSearch},
};
use crate::{Analysis, Cancelled, Certainty, Evaluation, GameEnd, Search, Value, search::Stop};

/// Up to this depth every move is searched for its value. Beyond it, a move that is not the best one only has a bound.
const FULL_WINDOW_DEPTH: u32 = 2;

/// A move of the root, and what is known of its value for the player.
struct RootMove {
    mv: Move,
    /// The value of the last search that was not cut off.
    value: i32,
    /// The move is not better than this, by the last search.
    bound: i32,
    /// Whether the value is proven.
    is_exact: bool,
    /// The depth of the last search.
    depth: u32,
    first_impression: i32,
    /// The move and the best line after it.
    line: Vec<Step>,
}

impl RootMove {
    fn value(&self) -> i32 {
        self.value.min(self.bound)
    }

    /// Sets the value, and the best line after the move.
    fn set_value(&mut self, value: i32, is_exact: bool, line: &[Step]) {
        (self.value, self.bound, self.is_exact) = (value, score::WIN, is_exact);
        self.line.truncate(1);
        self.line.extend_from_slice(line);
    }

    fn evaluation(&self) -> Evaluation<Move> {
        let value = self.value();
        let plies = score::plies(value);
        let (certainty, value) = if score::is_win(value) {
            (Certainty::Estimate, Value::ForcedEnd(GameEnd::Win { plies }))
        } else if score::is_loss(value) {
            // The opponent can win at least this fast.
            (Certainty::AtMost, Value::ForcedEnd(GameEnd::Loss { plies }))
        } else if self.is_exact {
            // The line of a proven draw leads to the end. It has at most 40 moves.
            (Certainty::Exact, Value::ForcedEnd(GameEnd::Draw { plies: self.line.len() as u32 }))
        } else {
            (Certainty::Estimate, Value::Heuristic(value))
        };
        let certainty = if self.is_exact { Certainty::Exact } else { certainty };
        Evaluation { mv: self.mv, certainty, value, first_impression: self.first_impression }
    }
}

/// Evaluates every legal move.
pub(super) fn analyse(position: &Position, search: &mut Search<'_>) -> Result<Analysis<Move>, Cancelled> {
    let orientation = Orientation::from(position);
    let mut tree = TreeSearch::new(SearchPosition::new(position, orientation), search);
    let mut moves = evaluate_at_once(position, orientation, &mut tree)?;
    match deepen(&mut moves, &mut tree) {
        Ok(()) | Err(Stop::OutOfNodes) => {}
        Err(Stop::Cancelled) => return Err(Cancelled),
    }
    let line = moves.first().map(|best| best.line.iter().copied().map(|step| orientation.mv(step)).collect());
    let evaluations = moves.iter().map(RootMove::evaluation).collect();
    Ok(Analysis::new(evaluations, line.unwrap_or_default(), search.nodes()))
}

/// Evaluates every legal move without a search, with any budget. Moves that end the game or let the opponent win at once are
/// exact.
fn evaluate_at_once(
    position: &Position,
    orientation: Orientation,
    tree: &mut TreeSearch<'_, '_>,
) -> Result<Vec<RootMove>, Cancelled> {
    let mut replies = Vec::new();
    let mut moves = Vec::new();
    for mv in orientation.legal_moves(position) {
        if tree.budget.visit() == Err(Stop::Cancelled) {
            return Err(Cancelled);
        }
        moves.push(evaluate_move_at_once(mv, orientation.step(mv), &mut tree.position, &mut replies));
    }
    Ok(moves)
}

fn evaluate_move_at_once(
    mv: Move,
    step: Step,
    position: &mut SearchPosition,
    replies: &mut Vec<Candidate>,
) -> RootMove {
    let (player, opponent) = (position.player, position.player.other());
    let (is_last_quiet_move, captures_to_win) = (position.is_last_quiet_move(), position.captures_to_win());
    let captures_to_lose = position.pieces[player as usize] - 2;
    let pieces = position.pieces[opponent as usize];
    let undo = position.make(step);
    let taken = pieces - position.pieces[opponent as usize];
    // The opponent may have to pass (QR-6).
    let is_opponents_turn = position.player == opponent;
    replies.clear();
    if is_opponents_turn {
        position.add_captures(replies);
    }
    let mut result = RootMove {
        mv,
        value: if is_opponents_turn { -evaluate(position) } else { evaluate(position) },
        bound: score::WIN,
        is_exact: false,
        depth: 0,
        first_impression: first_impression(position, player, taken, replies),
        line: vec![step],
    };
    position.unmake(&undo);
    if taken >= captures_to_win {
        result.set_value(score::win_in(1), true, &[]);
    } else if taken == 0 && is_last_quiet_move {
        result.set_value(0, true, &[]);
    } else if let Some(reply) = replies.iter().find(|reply| u32::from(reply.captures) >= captures_to_lose) {
        result.set_value(-score::win_in(2), true, &[reply.step]);
    }
    result
}

/// Searches deeper and deeper. The moves stay sorted, best first.
fn deepen(moves: &mut [RootMove], tree: &mut TreeSearch<'_, '_>) -> Result<(), Stop> {
    sort(moves, 0);
    for depth in 1..=MAX_DEPTH {
        // A faster win would have been found.
        let wins = moves[0].is_exact && score::is_win(moves[0].value);
        if wins || moves.iter().all(|mv| mv.is_exact) {
            break;
        }
        search_moves(moves, tree, depth)?;
    }
    Ok(())
}

/// Searches all moves to a depth, as far as there are nodes.
fn search_moves(moves: &mut [RootMove], tree: &mut TreeSearch<'_, '_>, depth: u32) -> Result<(), Stop> {
    // The best move so far, and its value.
    let (mut best, mut alpha) = (0, -score::WIN);
    for (index, mv) in moves.iter().enumerate().filter(|(_, mv)| mv.is_exact) {
        if mv.value > alpha {
            (best, alpha) = (index, mv.value);
        }
    }
    let mut result = Ok(());
    for (index, mv) in moves.iter_mut().enumerate().filter(|(_, mv)| !mv.is_exact) {
        result = search_move(mv, tree, depth, alpha);
        if mv.depth == depth && mv.value() > alpha {
            (best, alpha) = (index, mv.value());
        }
        if result.is_err() {
            break;
        }
    }
    // An estimate of an earlier depth does not make a move better than the best one of this depth, unless that one loses.
    if result.is_err() && !score::is_loss(alpha) {
        for mv in moves.iter_mut().filter(|mv| mv.depth < depth) {
            mv.bound = mv.bound.min(alpha);
        }
    }
    sort(moves, best);
    result
}

/// Searches a move to a depth. `alpha` is the value of the best move so far.
fn search_move(mv: &mut RootMove, tree: &mut TreeSearch<'_, '_>, depth: u32, alpha: i32) -> Result<(), Stop> {
    let step = mv.line[0];
    let mut min = -score::WIN;
    if depth > FULL_WINDOW_DEPTH && alpha > min {
        let value = tree.search_move(step, 0, depth, alpha, alpha + 1)?;
        mv.depth = depth;
        if value <= alpha {
            mv.bound = value;
            return Ok(());
        }
        mv.set_value(value, false, &[]);
        min = alpha;
    }
    let value = tree.search_move(step, 0, depth, min, score::WIN)?;
    mv.depth = depth;
    if value <= min {
        mv.bound = value;
        return Ok(());
    }
    // Nearer ends would have been found. The number of plies to an end that is further away may come from the table: then the
    // end is certain, but there may be a faster way.
    let is_end = score::is_win(value) || score::is_loss(value);
    mv.set_value(value, is_end && score::plies(value) <= depth + 1, tree.line());
    if value == 0 {
        mv.is_exact = tree.proves_draw(step, depth)?;
    }
    Ok(())
}

/// Sorts moves by their values. Of equal ones the one with this index is first, or the first one with an exact value.
fn sort(moves: &mut [RootMove], best: usize) {
    moves[..=best].rotate_right(1);
    moves.sort_by_key(|mv| (Reverse(mv.value()), !mv.is_exact));
}
