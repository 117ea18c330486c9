//! Scores: how a game ends and when, as one number. See [`Bounds`](super::bounds::Bounds).
//!
//! `free` is the number of empty cells of the position, and all scores are those of the player to move.

use crate::GameEnd;

/// The score of a win with the next move.
#[inline(always)]
pub(super) const fn win_now(free: u32) -> i32 {
    // A board has fewer than 128 cells.
    free.div_ceil(2).cast_signed()
}

/// The score of a win with the move after the next one, the best score if the player cannot win at once.
#[inline(always)]
pub(super) const fn win_next(free: u32) -> i32 {
    (free.cast_signed() - 1) / 2
}

/// The score if the opponent wins with the next move.
#[inline(always)]
pub(super) const fn loss_now(free: u32) -> i32 {
    -(free / 2).cast_signed()
}

/// The worst score if the opponent cannot win with the next move.
#[inline(always)]
pub(super) const fn loss_next(free: u32) -> i32 {
    -((free.cast_signed() - 2) / 2)
}

/// How a game with this score ends.
pub(super) fn game_end(score: i32, free: u32) -> GameEnd {
    match score {
        0 => GameEnd::Draw { plies: free },
        1.. => GameEnd::Win { plies: plies_to_win(score.unsigned_abs(), free) },
        // The opponent wins, and makes the next ply.
        _ => GameEnd::Loss { plies: plies_to_win(score.unsigned_abs(), free - 1) + 1 },
    }
}

/// The player makes all odd plies. The last of them has score 1, the one before has score 2, and so on.
fn plies_to_win(score: u32, free: u32) -> u32 {
    2 * (free.div_ceil(2) - score) + 1
}
