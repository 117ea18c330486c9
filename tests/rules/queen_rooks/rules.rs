//! QR-1: the sizes of the board that a rule set accepts.

use super::support::SIZES;
use arbiter_games::queen_rooks::{Rules, RulesError};

#[test]
fn qr_1_a_size_is_any_even_number_from_4_to_26() {
    for size in SIZES {
        assert_eq!(Rules::new(size, 0).map(|rules| u32::from(rules.size())), Ok(size));
    }
}

#[test]
fn qr_1_the_default_size_is_8() {
    assert_eq!(Rules::new(8, 0), Ok(Rules::default()));
}

#[test]
fn qr_1_a_size_that_is_odd_or_out_of_range_is_rejected() {
    for size in [0, 1, 2, 3, 5, 7, 25, 27, 28, 256 + 8, u32::MAX] {
        assert_eq!(Rules::new(size, 0), Err(vec![RulesError::Size(size)]));
    }
}

#[test]
fn qr_1_and_qr_7_errors_of_size_and_quiet_move_limit_are_reported_together() {
    let errors = vec![RulesError::Size(3), RulesError::QuietMoveLimit(1_000_001)];
    assert_eq!(Rules::new(3, 1_000_001), Err(errors));
}
