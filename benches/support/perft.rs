//! Perft: counts all Connect Four games up to a depth.

use arbiter::games::connect_four::Position;

/// The number of move sequences of this length.
pub fn perft(position: &Position, depth: u32) -> u64 {
    (0..7)
        .map(|column| {
            let mut next = *position;
            match next.drop_token(column) {
                false => 0,
                true if depth == 1 => 1,
                true => perft(&next, depth - 1),
            }
        })
        .sum()
}
