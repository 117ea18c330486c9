//! Setups that C4-1 to C4-4 reject, and setups that they accept.

use std::collections::HashSet;

use proptest::{collection::vec, prelude::*, sample::Index};

use super::support::{any_record, config, messages, number, rules};
use crate::naive::connect_four::Board;
use arbiter_games::{
    Direction,
    Player::{self, One, Two},
    Square,
    connect_four::{Ending, PartialRules, Position, Rules, Setup, SetupError},
};

fn set_up(rules_text: &str, next_player: Player, board: &[&str]) -> Result<Position, Vec<SetupError>> {
    Position::try_from(&Setup { rules: rules(rules_text).into(), board, next_player: Some(next_player) })
}

/// The errors of a setup, which must be rejected.
fn errors_of(rules: &str, next_player: Player, board: &[&str]) -> Vec<SetupError> {
    set_up(rules, next_player, board).expect_err("the setup is rejected")
}

/// How the game of a setup ended. The setup must be accepted.
fn ending(rules: &str, next_player: Player, board: &[&str]) -> Option<Ending> {
    set_up(rules, next_player, board).expect("the setup is accepted").outcome().ending
}

/// The directions of the winner's lines.
fn directions(ending: Option<Ending>, wanted_winner: Player) -> Vec<Direction> {
    match ending {
        Some(Ending::Won { winner, lines }) if winner == wanted_winner => {
            lines.into_iter().map(|line| line.direction).collect()
        }
        other => panic!("{other:?} is not a win of {wanted_winner}"),
    }
}

mod is_rejected {
    use super::*;

    #[test]
    fn with_too_few_or_too_many_rows() {
        for found in [0, 2, 4, 200] {
            let wanted = SetupError::RowCount { wanted: 3, found };
            assert_eq!(errors_of("4x3x3", One, &vec!["...."; found]), [wanted], "{found} rows");
        }
    }

    #[test]
    fn with_a_row_too_short_or_too_long() {
        let errors = errors_of("4x3x3", One, &["...", "....", "....."]);
        let error = |row, found| SetupError::RowLength { row, wanted: 4, found };
        assert_eq!(errors, [error(0, 3), error(2, 5)]);
    }

    #[test]
    fn without_the_errors_beyond_the_largest_board() {
        let rows = Rules::MAX_ROWS as usize;
        let row = "....?";
        let errors = errors_of("4x3x3", One, &vec![row; rows + 1]);
        assert_eq!(errors.len(), 1 + 2 * rows, "a number of rows, and for each row its length and a token");
        let row = "?".repeat(1000);
        let errors = errors_of("4x1x2", One, &[&row]);
        assert_eq!(errors.len(), 1 + Rules::MAX_COLUMNS as usize, "the length of a row, and its tokens");
    }

    #[test]
    fn with_an_unknown_token() {
        for found in ['x', 'o', '0', ' ', '\0', 'é', '●'] {
            let errors = errors_of("4x3x3", One, &["....", "....", &format!("XO.{found}")]);
            assert_eq!(errors, [SetupError::UnknownToken { row: 2, column: 3, found }]);
        }
    }

    #[test]
    fn c4_2_with_a_token_above_an_empty_cell() {
        let errors = errors_of("4x5x4", One, &["....", "...X", "....", "O..O", "X..."]);
        let error = |row, column| SetupError::Floating(Square { row, column });
        assert_eq!(errors, [error(3, 3), error(1, 3)]);
    }

    #[test]
    fn c4_1_with_numbers_of_tokens_that_do_not_fit_the_turn() {
        let cases = [
            ("8x1x8", One, 0, "there must be as many X as O"),
            ("8x1x8", Two, 1, "there must be one X more than O"),
            ("8x1x8o", Two, 0, "there must be as many X as O"),
            ("8x1x8o", One, -1, "there must be one O more than X"),
        ];
        for (rules, next_player, lead, wanted) in cases {
            for (x, o) in (0..=4).flat_map(|x| (0..=4).map(move |o| (x, o))) {
                let board = format!("{:.<8}", "X".repeat(x) + &"O".repeat(o));
                let result = set_up(rules, next_player, &[&board]).map_err(|errors| messages(&errors));
                if x.cast_signed() - o.cast_signed() == lead {
                    assert!(result.is_ok(), "{rules}, {next_player} to move: {board}");
                } else {
                    let message = result.expect_err("the numbers do not fit");
                    assert!(message.starts_with(&format!("{x} X and {o} O do not fit")), "{message}");
                    assert!(message.ends_with(wanted), "{message}");
                }
            }
        }
    }

    #[test]
    fn c4_3_with_a_line_of_each_player() {
        let errors = errors_of("4x3x3", Two, &["....", "OOO.", "XXXX"]);
        assert_eq!(errors, [SetupError::TwoWinners]);
    }

    #[test]
    fn c4_3_with_a_line_of_the_player_to_move() {
        let errors = errors_of("4x3x3", One, &["....", "OO..", "XXXO"]);
        assert_eq!(errors, [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn c4_3_with_a_line_whose_tokens_are_all_covered() {
        let errors = errors_of("5x3x3", Two, &[".....", "OXO..", "XXX.O"]);
        assert_eq!(errors, [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn c4_3_with_two_lines_apart() {
        let errors = errors_of("6x3x3", Two, &["X....X", "XO.O.X", "XO.OOX"]);
        assert_eq!(errors, [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn c4_3_with_two_lines_that_meet_in_a_covered_token() {
        let board = [".......", ".......", "...X...", "..XO...", "OXOO...", "XXXX.OO"];
        assert_eq!(errors_of("7x6x4", Two, &board), [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn c4_3_with_a_run_too_long_for_one_last_token() {
        let errors = errors_of("14x1x3", Two, &["XXXXXX.OO.OO.O"]);
        assert_eq!(errors, [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn c4_2_when_no_token_on_top_is_of_the_player_who_moved_last() {
        let errors = errors_of("4x4x4", One, &["....", "X...", "O...", "O..X"]);
        assert_eq!(errors, [SetupError::LastTokenMissing(Two)]);
        let errors = errors_of("4x4x4", Two, &["....", "O...", "X...", "X..."]);
        assert_eq!(errors, [SetupError::LastTokenMissing(One)]);
    }

    #[test]
    fn without_the_player_to_move_with_all_other_errors() {
        let errors = |board| {
            let setup = Setup { rules: rules("4x3x3").into(), board, next_player: None };
            Position::try_from(&setup).expect_err("the player to move is missing")
        };
        assert_eq!(errors(&["....", "....", "...."]), [SetupError::NextPlayer]);
        assert_eq!(errors(&["....", "OOO.", "XXXX"]), [SetupError::TwoWinners, SetupError::NextPlayer]);
        let count = &errors(&["....", "....", "XX.."])[0];
        assert!(count.to_string().ends_with("there must be as many X as O, or one X more"), "{count}");
    }

    #[test]
    fn with_rows_of_the_wrong_size_and_all_other_errors() {
        let errors = errors_of("4x3x3", One, &["O..", "X?.", ".?.!", "XXX.", "OOOO."]);
        let length = |row, found| SetupError::RowLength { row, wanted: 4, found };
        let unknown = |row, column, found| SetupError::UnknownToken { row, column, found };
        let wanted = [
            SetupError::RowCount { wanted: 3, found: 5 },
            length(0, 3),
            length(1, 3),
            unknown(1, 1, '?'),
            unknown(2, 1, '?'),
            unknown(2, 3, '!'),
            length(4, 5),
            SetupError::Floating(Square { row: 1, column: 0 }),
            SetupError::TwoWinners,
        ];
        assert_eq!(errors, wanted);
    }

    #[test]
    fn without_errors_about_tokens_above_missing_cells() {
        let errors = errors_of("4x3x4", One, &["....", "..XO", "XO"]);
        assert_eq!(errors, [SetupError::RowLength { row: 2, wanted: 4, found: 2 }]);
    }

    #[test]
    fn with_every_error_at_once() {
        let errors = errors_of("4x3x3", One, &["O...", "....", "XXX."]);
        let [floating, SetupError::TokenCount { one: 3, two: 1, .. }] = errors[..] else {
            panic!("{errors:?}")
        };
        assert_eq!(floating, SetupError::Floating(Square { row: 0, column: 0 }));
    }

    #[test]
    fn with_an_unknown_token_and_all_other_errors() {
        let errors = errors_of("4x3x3", One, &["O..O", "?OOO", "XXX."]);
        let wanted = [
            SetupError::UnknownToken { row: 1, column: 0, found: '?' },
            SetupError::Floating(Square { row: 1, column: 3 }),
            SetupError::TwoWinners,
        ];
        assert_eq!(errors, wanted);
    }

    /// The errors of a board with rules that are partly invalid.
    fn errors_with_invalid_rules(
        columns: u32,
        rows: u32,
        line_length: u32,
        first_player: Option<Player>,
        board: &[&str],
    ) -> Vec<SetupError> {
        let (rules, _) = PartialRules::new(columns, rows, line_length, first_player);
        Setup { rules, board, next_player: Some(One) }.violations()
    }

    #[test]
    fn c4_1_with_the_errors_that_do_not_depend_on_an_invalid_rule() {
        let board = ["X..", "OOO.", "XXX."];
        let row_length = SetupError::RowLength { row: 0, wanted: 4, found: 3 };
        let row_count = SetupError::RowCount { wanted: 4, found: 3 };
        let (lines, rules) = (SetupError::TwoWinners, SetupError::Rules);
        assert_eq!(errors_with_invalid_rules(4, 3, 9, Some(One), &board), [row_length, rules]);
        assert_eq!(errors_with_invalid_rules(0, 4, 3, Some(One), &board), [row_count, lines, rules]);
        assert_eq!(errors_with_invalid_rules(4, 0, 3, Some(One), &board), [row_length, lines, rules]);
        // The board is too large: either side may be the wrong one.
        assert_eq!(errors_with_invalid_rules(64, 64, 3, Some(One), &board), [lines, rules]);
        let count = errors_with_invalid_rules(4, 3, 9, Some(One), &["....", "....", "XX.."])[0];
        assert!(matches!(count, SetupError::TokenCount { one: 2, two: 0, .. }), "{count}");
    }

    #[test]
    fn c4_1_with_numbers_of_tokens_that_fit_neither_first_player() {
        let messages = |board| messages(&errors_with_invalid_rules(4, 1, 4, None, &[board]));
        for board in ["....", "XO..", "O...", "XOO."] {
            assert_eq!(messages(board), SetupError::Rules.to_string(), "{board}");
        }
        for board in ["X...", "OO..", "XXO."] {
            assert!(messages(board).contains("there must be as many X as O, or one O more"), "{board}");
        }
    }
}

mod is_accepted {
    use super::*;

    #[test]
    fn c4_3_with_lines_in_all_directions_through_the_last_token() {
        let board = [".......", ".......", ".XXXX..", "OOXXXOO", "OXOXOXO", "XOOXOOX"];
        assert_eq!(directions(ending("7x6x4", Two, &board), One), Direction::ALL);
    }

    #[test]
    fn c4_3_with_the_longest_run_that_one_last_token_can_join() {
        let Some(Ending::Won { lines, .. }) = ending("12x1x3", Two, &["XXXXX.OO.OO."]) else {
            panic!("player one has a line")
        };
        assert_eq!(lines[0].squares.len(), 5);
    }

    #[test]
    fn c4_3_with_a_line_that_only_its_uncovered_token_can_complete() {
        let board = ["....", "O.O.", "XXX."];
        assert_eq!(directions(ending("4x3x3", Two, &board), One), [Direction::Horizontal]);
    }

    #[test]
    fn c4_3_with_a_win_of_player_two_who_started() {
        let board = ["...", "XX.", "OOO"];
        assert_eq!(directions(ending("3x3x3o", One, &board), Two), [Direction::Horizontal]);
    }

    #[test]
    fn c4_3_with_a_win_by_the_last_cell_of_the_board() {
        let board = ["XXX", "OOX", "XOO"];
        assert_eq!(directions(ending("3x3x3", Two, &board), One), [Direction::Horizontal]);
    }

    #[test]
    fn c4_4_with_a_full_board_and_no_line() {
        assert_eq!(ending("3x2x3", One, &["XOX", "OXO"]), Some(Ending::Draw));
    }

    #[test]
    fn c4_1_with_a_single_row() {
        assert_eq!(ending("64x1x64", One, &[&"XO".repeat(32)]), Some(Ending::Draw));
        let board = ".".repeat(61) + "OXX";
        assert_eq!(directions(ending("64x1x2", Two, &[&board]), One), [Direction::Horizontal]);
    }

    #[test]
    fn c4_1_with_a_single_column() {
        let full: Vec<_> = (0..127).map(|row| if row % 2 == 0 { "X" } else { "O" }).collect();
        assert_eq!(ending("1x127x2", Two, &full), Some(Ending::Draw));
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_position_is_accepted_again_as_a_setup(record in any_record()) {
        for game in record.states() {
            let position = *game.position();
            let setup = Setup {
                rules: record.rules.into(),
                board: &position.rows(),
                next_player: Some(position.next_player()),
            };
            prop_assert_eq!(Position::try_from(&setup), Ok(position));
        }
    }

    #[test]
    fn a_setup_is_rejected_exactly_when_it_has_violations(spoilt in spoilt_setup()) {
        let (rules, board, next_player) = spoilt;
        let setup = Setup { rules: rules.into(), board: &board, next_player };
        prop_assert_eq!(setup.position().is_none(), !setup.violations().is_empty());
    }
}

/// Every board of some small sizes, with either player to move.
#[test]
fn a_small_board_is_rejected_exactly_when_it_is_impossible_in_the_naive_game() {
    let mut seen = HashSet::new();
    for text in ["3x3x3", "3x3x2o", "2x4x3", "5x2x3o", "9x1x3"] {
        let rules = rules(text);
        let (columns, cells) = (usize::from(rules.columns()), u32::from(rules.columns() * rules.rows()));
        for code in 0..3_usize.pow(cells) {
            let tokens: Vec<_> =
                (0..cells).map(|place| ['.', 'X', 'O'][code / 3_usize.pow(place) % 3]).collect();
            let board: Vec<_> = tokens.chunks(columns).map(String::from_iter).collect();
            let naive = Board::from_rows(&board, rules.line_length().into());
            for next in Player::ALL {
                let setup = Setup { rules: rules.into(), board: &board, next_player: Some(next) };
                let is_possible = naive.is_possible(number(rules.first_player()), number(next));
                assert_eq!(setup.position().is_some(), is_possible, "{text}, {next} to move: {board:?}");
                let errors = setup.violations();
                assert_eq!(errors.is_empty(), is_possible, "{text}, {next} to move: {board:?}, {errors:?}");
                seen.extend(errors.iter().map(std::mem::discriminant));
            }
        }
    }
    // Floating tokens, token counts, two winners, impossible wins, and a missing last token.
    assert_eq!(seen.len(), 5, "{seen:?}");
}

/// The rows of a game, with up to three changes.
fn spoilt_setup() -> impl Strategy<Value = (Rules, Vec<String>, Option<Player>)> {
    let changes = vec((0..8u8, any::<Index>(), any::<Index>()), 0..=3);
    (any_record(), changes).prop_map(|(record, changes)| {
        let position = *record.last_state().position();
        let (mut rows, mut next_player) = (position.rows(), Some(position.next_player()));
        for (change, row, column) in changes {
            if change == 7 {
                next_player = next_player.map(Player::other).filter(|_| row.index(2) == 0);
                continue;
            }
            let row = row.index(rows.len().max(1));
            let Some(mut cells) = rows.get(row).map(|row| row.chars().collect::<Vec<_>>()) else { continue };
            match (change, cells.is_empty()) {
                (0..4, false) => {
                    let column = column.index(cells.len());
                    cells[column] = ['.', 'X', 'O', '?'][usize::from(change)];
                }
                (4, _) => cells.push('.'),
                (5, _) => drop(cells.pop()),
                _ => drop(rows.remove(row)),
            }
            if let Some(line) = rows.get_mut(row).filter(|_| change < 6) {
                *line = cells.into_iter().collect();
            }
        }
        (record.rules, rows, next_player)
    })
}
