//! C4-1: the boards and line lengths that a rule set accepts.

use arbiter_games::{
    Player::One,
    connect_four::{Rules, RulesError},
};

#[test]
fn c4_1_rules_are_accepted_up_to_each_limit() {
    let limits = [(2, 1, 2), (1, 2, 2), (64, 1, 64), (1, 127, 127), (16, 7, 2), (2, 63, 63), (42, 2, 42)];
    for (columns, rows, length) in limits {
        assert!(Rules::new(columns, rows, length, One).is_ok(), "{columns}x{rows}x{length}");
    }
}

#[test]
fn c4_1_rules_are_rejected_beyond_each_limit() {
    let cases = [
        ((0, 6, 4), RulesError::Columns(0)),
        ((65, 1, 4), RulesError::Columns(65)),
        ((7, 0, 4), RulesError::Rows(0)),
        ((1, 128, 4), RulesError::Rows(128)),
        ((64, 2, 4), RulesError::TooLarge { columns: 64, rows: 2 }),
        ((16, 8, 4), RulesError::TooLarge { columns: 16, rows: 8 }),
        ((2, 64, 4), RulesError::TooLarge { columns: 2, rows: 64 }),
        ((1, 1, 2), RulesError::TooSmall),
        ((7, 6, 0), RulesError::LineTooShort(0)),
        ((7, 6, 1), RulesError::LineTooShort(1)),
        ((7, 6, 8), RulesError::LineTooLong { length: 8, longest: 7 }),
        ((6, 7, 8), RulesError::LineTooLong { length: 8, longest: 7 }),
    ];
    for ((columns, rows, length), error) in cases {
        assert_eq!(Rules::new(columns, rows, length, One), Err(vec![error]), "{columns}x{rows}x{length}");
    }
}

#[test]
fn c4_1_rules_are_rejected_with_every_error_at_once() {
    let cases = [
        ((0, 0, 0), vec![RulesError::Columns(0), RulesError::Rows(0), RulesError::LineTooShort(0)]),
        ((u32::MAX, u32::MAX, 4), vec![RulesError::Columns(u32::MAX), RulesError::Rows(u32::MAX)]),
        ((1, 1, 1), vec![RulesError::LineTooShort(1), RulesError::TooSmall]),
        (
            (16, 8, 17),
            vec![
                RulesError::TooLarge { columns: 16, rows: 8 },
                RulesError::LineTooLong { length: 17, longest: 16 },
            ],
        ),
    ];
    for ((columns, rows, length), errors) in cases {
        assert_eq!(Rules::new(columns, rows, length, One), Err(errors), "{columns}x{rows}x{length}");
    }
}
