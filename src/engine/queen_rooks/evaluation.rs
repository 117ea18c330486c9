use arbiter_games::Player;

use super::{candidates::Candidate, position::SearchPosition};

/// The value of a rook.
pub(super) const ROOK: i32 = 100;
/// The value of the difference in rooks, relative to all pieces, so that the stronger player exchanges rooks.
const MAJORITY: i32 = 600;
/// The value of an opposing rook in the row or column of a queen.
const TARGET: i32 = 20;
/// The value of a rook that can move. Without it the players stay in their corners.
const MOBILE_ROOK: i32 = 10;
/// The value of a cell that a queen can reach along its row and column.
const QUEEN_MOVE: i32 = 5;

/// An estimate for the player to move. It is odd.
pub(super) fn evaluate(position: &SearchPosition) -> i32 {
    let (player, opponent) = (position.player, position.player.other());
    let pieces = |player: Player| position.pieces[player as usize].cast_signed();
    let (ahead, all) = (pieces(player) - pieces(opponent), pieces(player) + pieces(opponent));
    let activity = activity(position, player) - activity(position, opponent);
    (ROOK * ahead + MAJORITY * ahead / all + activity) | 1
}

/// How much a player threatens, and how freely the pieces move.
fn activity(position: &SearchPosition, player: Player) -> i32 {
    TARGET * target_count(position, player)
        + MOBILE_ROOK * position.mobile_rooks(player).cast_signed()
        + QUEEN_MOVE * position.straight_queen_moves(player).cast_signed()
}

/// The number of opposing rooks in the row and column of a player's queen.
fn target_count(position: &SearchPosition, player: Player) -> i32 {
    let [rows, columns] = position.targets(player);
    (rows.count_ones() + columns.count_ones()).cast_signed()
}

/// How good a move looks without a search, from -1000 to 1000: what it takes, what the opponent can take then, and how many
/// rooks are in the rows and columns of the queens. `position` is the one after the move, and `replies` are the captures in it, if the
/// opponent is to move.
pub(super) fn first_impression(
    position: &SearchPosition,
    player: Player,
    taken: u32,
    replies: &[Candidate],
) -> i32 {
    let lost = replies.iter().map(|reply| reply.captures).max().map_or(0, i32::from);
    let targets = target_count(position, player) - target_count(position, player.other());
    (300 * (taken.cast_signed() - lost) + 30 * targets).clamp(-1000, 1000)
}
