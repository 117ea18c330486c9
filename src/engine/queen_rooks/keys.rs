//! The keys of positions: the key of a position combines those of its parts by exclusive or.

use arbiter_games::Player;

use super::position::{Cell, MAX_SIZE};

const CELLS: usize = MAX_SIZE * MAX_SIZE;

/// By player and cell.
static QUEENS: [[u64; CELLS]; 2] = [piece_keys(0), piece_keys(1)];
static ROOKS: [[u64; CELLS]; 2] = [piece_keys(2), piece_keys(3)];

const fn piece_keys(piece: u64) -> [u64; CELLS] {
    let mut keys = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        keys[cell] = mix(piece << 16 | cell as u64);
        cell += 1;
    }
    keys
}

pub(super) fn queen(player: Player, cell: Cell) -> u64 {
    QUEENS[player as usize][cell.index()]
}

pub(super) fn rook(player: Player, cell: Cell) -> u64 {
    ROOKS[player as usize][cell.index()]
}

/// The key of the player to move.
pub(super) fn player(player: Player) -> u64 {
    if player == Player::One { 0 } else { mix(1 << 32) }
}

pub(super) fn quiet_moves_left(number: u32) -> u64 {
    mix(1 << 33 | u64::from(number))
}

/// The key of what is assumed at the horizon of a search that proves a draw: this player wins.
pub(super) fn assumed_winner(player: Player) -> u64 {
    mix(1 << 34 | player as u64)
}

/// The output function of `SplitMix64`: a permutation of 64-bit numbers that look random.
const fn mix(number: u64) -> u64 {
    let mut word = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}
