//! The values of positions as numbers. A position with a forced win has `WIN` minus the number of plies from the root to the
//! end, a forced loss is the negative of it, and a draw is 0. Estimates are odd, so that they differ from a draw.

/// Greater than all estimates.
pub(super) const WIN: i32 = 32_000;
/// Forced wins are from here up.
const MIN_WIN: i32 = 31_000;

/// The value of a win after this many plies from the root.
pub(super) fn win_in(plies: u32) -> i32 {
    WIN - plies.cast_signed()
}

pub(super) fn is_win(value: i32) -> bool {
    value >= MIN_WIN
}

pub(super) fn is_loss(value: i32) -> bool {
    value <= -MIN_WIN
}

/// The number of plies from the root to the end of a forced win or loss.
pub(super) fn plies(value: i32) -> u32 {
    (WIN - value.abs()).unsigned_abs()
}

/// A value that counts plies from the root, as one that counts them from a position this many plies away.
pub(super) fn relative_to_node(value: i32, ply: u32) -> i32 {
    shift(value, ply.cast_signed())
}

/// The inverse of [`relative_to_node`].
pub(super) fn relative_to_root(value: i32, ply: u32) -> i32 {
    shift(value, -ply.cast_signed())
}

/// Makes forced ends this many plies nearer.
fn shift(value: i32, plies: i32) -> i32 {
    if is_win(value) {
        value + plies
    } else if is_loss(value) {
        value - plies
    } else {
        value
    }
}
