//! The doors into Connect Four: rules, set-ups and notations, what each of them refuses and what it lets in.

use arbiter::games::{
    Direction, Game, Player, Square,
    connect_four::{ConnectFour, Move, Outcome, Position, Rules, RulesError, Setup, SetupError},
};

use Player::{One, Two};

fn rules(text: &str) -> Rules {
    ConnectFour::parse(&format!("c4:{text}:")).expect("the rules hold together").position().rules()
}

fn set_up(rules_text: &str, next_player: Player, board: &[&str]) -> Result<Position, Vec<SetupError>> {
    Position::try_from(Setup { rules: rules(rules_text), board, next_player: Some(next_player) })
}

/// What is wrong with a set-up, which must be refused.
fn refusal(rules: &str, next_player: Player, board: &[&str]) -> Vec<SetupError> {
    set_up(rules, next_player, board).expect_err("the set-up is refused")
}

/// The outcome of a set-up, which must be accepted.
fn outcome(rules: &str, next_player: Player, board: &[&str]) -> Outcome {
    set_up(rules, next_player, board).expect("the set-up is accepted").outcome()
}

/// Errors in words, one a line.
fn messages(errors: &[impl ToString]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The directions of the winner's lines.
fn directions(outcome: Outcome, wanted_winner: Player) -> Vec<Direction> {
    match outcome {
        Outcome::Won { winner, lines } if winner == wanted_winner => {
            lines.into_iter().map(|line| line.direction).collect()
        }
        other => panic!("{other:?} is no win of {wanted_winner}"),
    }
}

mod c4_1_rules {
    use super::*;

    #[test]
    fn hold_together_up_to_each_limit() {
        let limits = [(2, 1, 2), (1, 2, 2), (64, 1, 64), (1, 127, 127), (16, 7, 2), (2, 63, 63), (42, 2, 42)];
        for (columns, rows, length) in limits {
            assert!(Rules::new(columns, rows, length, One).is_ok(), "{columns}x{rows}x{length}");
        }
    }

    #[test]
    fn are_refused_beyond_each_limit() {
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
    fn are_refused_for_everything_that_is_wrong_at_once() {
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
}

mod a_set_up_is_refused {
    use super::*;

    #[test]
    fn with_too_few_or_too_many_rows() {
        for found in [0, 2, 4, 200] {
            let wanted = SetupError::RowCount { wanted: 3, found };
            assert_eq!(refusal("4x3x3", One, &vec!["...."; found]), [wanted], "{found} rows");
        }
    }

    #[test]
    fn with_a_row_too_short_or_too_long() {
        let errors = refusal("4x3x3", One, &["...", "....", "....."]);
        let error = |row, found| SetupError::RowLength { row, wanted: 4, found };
        assert_eq!(errors, [error(0, 3), error(2, 5)]);
    }

    #[test]
    fn with_a_character_that_is_no_token() {
        for found in ['x', 'o', '0', ' ', '\0', 'é', '●'] {
            let errors = refusal("4x3x3", One, &["....", "....", &format!("XO.{found}")]);
            assert_eq!(errors, [SetupError::UnknownToken { row: 2, column: 3, found }]);
        }
    }

    #[test]
    fn c4_2_with_a_token_over_an_empty_cell() {
        let errors = refusal("4x5x4", One, &["....", "...X", "....", "O..O", "X..."]);
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
                let answer = set_up(rules, next_player, &[&board]).map_err(|errors| messages(&errors));
                if x.cast_signed() - o.cast_signed() == lead {
                    assert!(answer.is_ok(), "{rules}, {next_player} to move: {board}");
                } else {
                    let message = answer.expect_err("the numbers do not fit");
                    assert!(message.starts_with(&format!("{x} X and {o} O do not fit")), "{message}");
                    assert!(message.ends_with(wanted), "{message}");
                }
            }
        }
    }

    #[test]
    fn c4_3_with_a_line_of_each_player() {
        let errors = refusal("4x3x3", Two, &["....", "OOO.", "XXXX"]);
        assert_eq!(errors, [SetupError::TwoWinners]);
    }

    #[test]
    fn c4_3_with_a_line_of_the_player_to_move() {
        let errors = refusal("4x3x3", One, &["....", "OO..", "XXXO"]);
        assert_eq!(errors, [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn c4_3_with_a_line_whose_tokens_are_all_covered() {
        let errors = refusal("5x3x3", Two, &[".....", "OXO..", "XXX.O"]);
        assert_eq!(errors, [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn c4_3_with_two_lines_apart() {
        let errors = refusal("6x3x3", Two, &["X....X", "XO.O.X", "XO.OOX"]);
        assert_eq!(errors, [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn c4_3_with_two_lines_that_meet_in_a_covered_token() {
        let board = [".......", ".......", "...X...", "..XO...", "OXOO...", "XXXX.OO"];
        assert_eq!(refusal("7x6x4", Two, &board), [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn c4_3_with_a_run_too_long_for_one_last_token() {
        let errors = refusal("14x1x3", Two, &["XXXXXX.OO.OO.O"]);
        assert_eq!(errors, [SetupError::ImpossibleWin(One)]);
    }

    #[test]
    fn without_the_player_to_move_but_not_for_that_alone() {
        let errors = |board| {
            let setup = Setup { rules: rules("4x3x3"), board, next_player: None };
            Position::try_from(setup).expect_err("nobody is to move")
        };
        assert_eq!(errors(&["....", "....", "...."]), [SetupError::NextPlayer]);
        assert_eq!(errors(&["....", "OOO.", "XXXX"]), [SetupError::TwoWinners, SetupError::NextPlayer]);
        let count = &errors(&["....", "....", "XX.."])[0];
        assert!(count.to_string().ends_with("there must be as many X as O, or one X more"), "{count}");
    }

    #[test]
    fn for_everything_that_is_wrong_with_its_size() {
        let errors = refusal("4x3x3", One, &["....", "X?.", ".?.!", "...."]);
        let unknown = |column, found| SetupError::UnknownToken { row: 2, column, found };
        let wanted = [
            SetupError::RowCount { wanted: 3, found: 4 },
            SetupError::RowLength { row: 1, wanted: 4, found: 3 },
            unknown(1, '?'),
            unknown(3, '!'),
        ];
        assert_eq!(errors, wanted);
    }

    #[test]
    fn for_everything_that_is_wrong_with_its_tokens() {
        let errors = refusal("4x3x3", One, &["O...", "....", "XXX."]);
        let [floating, SetupError::TokenCount { one: 3, two: 1, .. }, impossible] = errors[..] else {
            panic!("{errors:?}")
        };
        assert_eq!(floating, SetupError::Floating(Square { row: 0, column: 0 }));
        assert_eq!(impossible, SetupError::ImpossibleWin(One));
    }

    #[test]
    fn for_what_is_wrong_beside_a_character_that_is_no_token() {
        let errors = refusal("4x3x3", One, &["O..O", "?...", "XXX."]);
        let wanted = [
            SetupError::UnknownToken { row: 1, column: 0, found: '?' },
            SetupError::Floating(Square { row: 0, column: 3 }),
            SetupError::ImpossibleWin(One),
        ];
        assert_eq!(errors, wanted);
    }
}

mod a_set_up_is_accepted {
    use super::*;

    #[test]
    fn c4_3_with_lines_in_all_directions_through_the_last_token() {
        let board = [".......", ".......", ".XXXX..", "OOXXXOO", "OXOXOXO", "XOOXOOX"];
        assert_eq!(directions(outcome("7x6x4", Two, &board), One), Direction::ALL);
    }

    #[test]
    fn c4_3_with_the_longest_run_that_one_last_token_can_join() {
        let Outcome::Won { lines, .. } = outcome("12x1x3", Two, &["XXXXX.OO.OO."]) else {
            panic!("player one has a line")
        };
        assert_eq!(lines[0].squares.len(), 5);
    }

    #[test]
    fn c4_3_with_a_line_that_only_its_uncovered_token_can_have_completed() {
        let board = ["....", "O.O.", "XXX."];
        assert_eq!(directions(outcome("4x3x3", Two, &board), One), [Direction::Horizontal]);
    }

    #[test]
    fn c4_3_with_a_win_of_player_two_who_started() {
        let board = ["...", "XX.", "OOO"];
        assert_eq!(directions(outcome("3x3x3o", One, &board), Two), [Direction::Horizontal]);
    }

    #[test]
    fn c4_3_with_a_win_by_the_last_cell_of_the_board() {
        let board = ["XXX", "OOX", "XOO"];
        assert_eq!(directions(outcome("3x3x3", Two, &board), One), [Direction::Horizontal]);
    }

    #[test]
    fn c4_4_with_a_full_board_and_no_line() {
        assert_eq!(outcome("3x2x3", One, &["XOX", "OXO"]), Outcome::Draw);
    }

    #[test]
    fn c4_1_with_a_single_row() {
        assert_eq!(outcome("64x1x64", One, &[&"XO".repeat(32)]), Outcome::Draw);
        let board = ".".repeat(61) + "OXX";
        assert_eq!(directions(outcome("64x1x2", Two, &[&board]), One), [Direction::Horizontal]);
    }

    #[test]
    fn c4_1_with_a_single_column() {
        let full: Vec<_> = (0..127).map(|row| if row % 2 == 0 { "X" } else { "O" }).collect();
        assert_eq!(outcome("1x127x2", Two, &full), Outcome::Draw);
    }
}

mod a_notation_is_refused {
    use super::*;

    /// What is wrong with a notation, which must be refused: one message a line.
    fn refusal(text: &str) -> String {
        messages(&ConnectFour::parse(text).expect_err(text))
    }

    #[test]
    fn with_rules_that_are_no_three_numbers() {
        for rules in
            ["", "7", "7x6", "7x6x4x4", "7x6x", "x6x4", "7x6x4z", "7x6x4oo", "7X6X4", "-7x6x4", "07x6x4"]
        {
            let wanted = format!("{rules:?} is no rule set: expected columns, rows and line length");
            assert!(refusal(&format!("c4:{rules}:4")).starts_with(&wanted), "{rules}");
        }
    }

    #[test]
    fn in_few_words_however_long_it_is() {
        let text = format!("c4:{}:4", "7".repeat(4000));
        assert!(refusal(&text).len() < 200, "{}", refusal(&text));
    }

    #[test]
    fn with_the_prefix_of_another_game() {
        assert!(refusal("tt:4453").starts_with("\"tt\" is no rule set"));
    }

    #[test]
    fn c4_1_with_rules_out_of_range() {
        assert_eq!(
            refusal("c4:65x0x4:"),
            "columns must be from 1 to 64, not 65\nrows must be from 1 to 127, not 0"
        );
        assert!(refusal("c4:16x8x4:").contains("columns × (rows + 1) must be at most 128"));
        assert!(refusal("c4:7x6x8:").contains("line_length must be at most 7"));
    }

    #[test]
    fn with_a_move_that_is_no_column() {
        let cases = [
            ("c4:7x6x4:440", "move 3: \"0\" is not a column"),
            ("c4:7x6x4:4,4", "move 2: \",\" is not a column"),
            ("c4:7x6x4:4x", "move 2: \"x\" is not a column"),
            ("c4:7x6x4: 4", "move 1: \" \" is not a column"),
            ("c4:7x6x4:\u{ff14}", "move 1: \"\u{ff14}\" is not a column"),
            ("c4:12x8x5:4,,4", "move 2: \"\" is not a column"),
            ("c4:12x8x5:4,", "move 2: \"\" is not a column"),
            ("c4:12x8x5:4,+4", "move 2: \"+4\" is not a column"),
            ("c4:12x8x5:4,04", "move 2: \"04\" is not a column"),
            ("c4:12x8x5:4,99999999999", "move 2: \"99999999999\" is not a column"),
        ];
        for (text, wanted) in cases {
            assert!(refusal(text).starts_with(wanted), "{text}: {}", refusal(text));
        }
    }

    #[test]
    fn c4_2_with_an_illegal_move() {
        let cases = [
            ("c4:48", "move 2 is illegal: column 8 is not on the board"),
            ("c4:1111112221", "move 10 is illegal: column 1 is full"),
            ("c4:12121213", "move 8 is illegal: the game is over"),
            ("c4:12x8x5:13", "move 1 is illegal: column 13 is not on"),
        ];
        for (text, wanted) in cases {
            assert!(refusal(text).starts_with(wanted), "{text}: {}", refusal(text));
        }
    }

    #[test]
    fn with_the_wrong_number_of_columns() {
        assert!(refusal("c4:7x6x4:X.O").contains("must have 7 columns with a dot between each two, not 2"));
        assert!(refusal("c4:7x6x4:X.......").contains("not 8"));
    }

    #[test]
    fn for_every_wrong_column_of_its_board() {
        let wanted = "column 1 of the notation has 4 tokens: the board has 3 rows\n\
                      column 3 of the notation holds '4': a token is 'X' or 'O'\n\
                      column 4 of the notation holds '●': a token is 'X' or 'O'";
        assert_eq!(refusal("c4:4x3x3:XOXO.X.O4.●"), wanted);
    }

    #[test]
    fn with_a_board_that_no_game_can_have() {
        assert!(refusal("c4:7x6x4:XX......").contains("2 X and 0 O do not fit"));
        assert!(refusal("c4:4x3x3:XO.XO.XO.X").contains("both players have a line"));
        assert!(refusal("c4:4x3x3:XO.XO.X.O").contains("player one has a line that no last move"));
    }
}

#[test]
fn a_notation_may_leave_out_the_default_rules_and_then_the_prefix() {
    let wanted = ConnectFour::parse("c4:7x6x4:4453");
    assert_eq!(ConnectFour::parse("c4:4453"), wanted);
    assert_eq!(ConnectFour::parse("4453"), wanted);
}

#[test]
fn a_notation_is_recognized_by_its_prefix_or_as_a_list_of_columns() {
    for text in ["c4:", "c4:nonsense", "4453", "0"] {
        assert!(ConnectFour::recognizes(text), "{text}");
    }
    for text in ["", "c4", "tt:4453", "44a", "4,4", "C4:4"] {
        assert!(!ConnectFour::recognizes(text), "{text}");
    }
}

#[test]
fn c4_2_a_move_is_written_as_a_column_from_one() {
    assert_eq!("1".parse(), Ok(Move { column: 0 }));
    assert_eq!(Move { column: 63 }.to_string(), "64");
    for text in ["", "0", "-1", "+4", "4.0", " 4", "04", "four", "\u{ff14}", "99999999999"] {
        let error = text.parse::<Move>().expect_err(text);
        assert!(error.to_string().starts_with(&format!("{text:?} is not a column")), "{error}");
    }
}
