//! C4-6 and the notation of states and moves.

use proptest::prelude::*;

use super::support::{any_record, config, messages, naive_board};
use arbiter_games::{
    Game,
    connect_four::{ConnectFour, Move},
};

mod is_rejected {
    use super::*;

    /// The error messages of a notation, which must be rejected, one per line.
    fn errors_of(text: &str) -> String {
        messages(&crate::parse_state::<ConnectFour>(text).expect_err(text))
    }

    #[test]
    fn c4_1_with_rules_that_are_not_three_numbers() {
        for rules in
            ["", "7", "7x6", "7x6x4x4", "7x6x", "x6x4", "7x6x4z", "7x6x4oo", "7X6X4", "-7x6x4", "07x6x4"]
        {
            let wanted = format!("{rules:?} is not a rule set: expected columns, rows and line length");
            assert!(errors_of(&format!("c4:{rules}:4")).starts_with(&wanted), "{rules}");
        }
    }

    #[test]
    fn with_a_short_message_if_it_is_long() {
        let text = format!("c4:{}:4", "7".repeat(4000));
        assert!(errors_of(&text).len() < 200, "{}", errors_of(&text));
    }

    #[test]
    fn with_the_prefix_of_another_game() {
        assert!(errors_of("tt:4453").starts_with("\"tt\" is not a rule set"));
    }

    #[test]
    fn c4_1_with_rules_out_of_range() {
        assert_eq!(
            errors_of("c4:65x0x4:"),
            "columns must be from 1 to 64, not 65\nrows must be from 1 to 127, not 0"
        );
        assert!(errors_of("c4:16x8x4:").contains("columns × (rows + 1) must be at most 128"));
        assert!(errors_of("c4:7x6x8:").contains("line_length must be at most 7"));
    }

    #[test]
    fn c4_2_with_a_move_that_is_not_a_column() {
        let cases = [
            ("c4:7x6x4:4,4", "move 2: \",\" is not a column"),
            ("c4:7x6x4:4x", "move 2: \"x\" is not a column"),
            ("c4:7x6x4: 4", "move 1: \" \" is not a column"),
            ("c4:7x6x4:\u{ff14}", "move 1: \"\u{ff14}\" is not a column"),
            ("c4:12x8x5:4,,4", "move 2: \"\" is not a column"),
            ("c4:12x8x5:4,", "move 2: \"\" is not a column"),
            ("c4:12x8x5:4,+4", "move 2: \"+4\" is not a column"),
            ("c4:12x8x5:4,04", "move 2: \"04\" is not a column"),
        ];
        for (text, wanted) in cases {
            assert!(errors_of(text).starts_with(wanted), "{text}: {}", errors_of(text));
        }
    }

    #[test]
    fn c4_2_with_an_illegal_move() {
        let cases = [
            ("c4:440", "move 3 is illegal: column 0 is not on the board: the last one is 7"),
            ("c4:48", "move 2 is illegal: column 8 is not on the board"),
            ("c4:1111112221", "move 10 is illegal: column 1 is full"),
            ("c4:12121213", "move 8 is illegal: the game is over"),
            ("c4:12x8x5:13", "move 1 is illegal: column 13 is not on"),
            ("c4:12x8x5:4,-1", "move 2 is illegal: column -1 is not on"),
            ("c4:12x8x5:99999999999", "move 1 is illegal: column 99999999999 is not on"),
        ];
        for (text, wanted) in cases {
            assert!(errors_of(text).starts_with(wanted), "{text}: {}", errors_of(text));
        }
    }

    #[test]
    fn c4_2_with_an_error_for_every_entry_that_is_not_a_column() {
        let wanted = "move 2: \"z\" is not a column: expected its number, from 1, such as 4\n\
                      move 3 is illegal: column 8 is not on the board: the last one is 7\n\
                      move 5 is illegal: column 9 is not on the board: the last one is 7";
        assert_eq!(errors_of("c4:4z849"), wanted);
        // The same errors with invalid rules, after the errors of the rules.
        let errors = errors_of("c4:7x6x99:4z849");
        assert!(errors.starts_with("line_length must be at most 7"), "{errors}");
        assert!(errors.ends_with(wanted), "{errors}");
    }

    #[test]
    fn with_the_errors_of_its_rules_and_of_its_board() {
        let errors = errors_of("c4:7x6x99:XX.Z....");
        let wanted = [
            "line_length must be at most 7",
            "the board must have 7 columns with a dot between each two, not 6",
            "column 2 of the notation holds 'Z'",
        ];
        for (error, wanted) in errors.lines().zip(wanted) {
            assert!(error.starts_with(wanted), "{errors}");
        }
        assert_eq!(errors.lines().count(), wanted.len());
        assert!(errors_of("c4:7x6x99:XX......").contains("2 X and 0 O do not fit"));
        assert!(errors_of("c4:99x6x4:XO.XO.XO.XO").contains("both players have a line"));
    }

    #[test]
    fn with_the_wrong_number_of_columns() {
        assert!(errors_of("c4:7x6x4:X.O").contains("must have 7 columns with a dot between each two, not 2"));
        assert!(errors_of("c4:7x6x4:X.......").contains("not 8"));
    }

    #[test]
    fn with_an_error_for_every_wrong_column_of_its_board() {
        let wanted = "column 1 of the notation has 4 tokens: the board has 3 rows\n\
                      column 3 of the notation holds '4': a token is 'X' or 'O'\n\
                      column 4 of the notation holds '●': a token is 'X' or 'O'";
        assert_eq!(errors_of("c4:4x3x3:XOXO.X.O4.●"), wanted);
    }

    #[test]
    fn with_an_impossible_board() {
        assert!(errors_of("c4:7x6x4:XX......").contains("2 X and 0 O do not fit"));
        assert!(errors_of("c4:4x3x3:XO.XO.XO.X").contains("both players have a line"));
        assert!(errors_of("c4:4x3x3:XO.XO.X.O").contains("player one has a line that no single last move"));
    }
}

#[test]
fn a_notation_may_omit_the_default_rules_and_then_the_prefix() {
    let wanted = crate::parse_state::<ConnectFour>("c4:7x6x4:4453");
    assert_eq!(crate::parse_state::<ConnectFour>("c4:4453"), wanted);
    assert_eq!(crate::parse_state::<ConnectFour>("4453"), wanted);
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
    assert_eq!(" 4\t".parse(), Ok(Move { column: 3 }));
    assert_eq!(Move { column: 63 }.to_string(), "64");
    for text in ["", "+4", "4.0", "4 4", "04", "- 1", "--1", "four", "\u{ff14}"] {
        let error = text.parse::<Move>().expect_err(text);
        assert!(error.to_string().starts_with(&format!("{text:?} is not a column")), "{error}");
    }
}

#[test]
fn c4_2_a_move_may_be_a_column_off_the_board() {
    for (text, column) in [("0", -1), ("-1", -2), ("99999999999", 99_999_999_998)] {
        assert_eq!(text.parse(), Ok(Move { column }));
        assert_eq!(Move { column }.to_string(), text);
    }
    assert_eq!("9".repeat(60).parse(), Ok(Move { column: i64::MAX - 1 }));
    assert_eq!(format!("-{}", "9".repeat(60)).parse(), Ok(Move { column: i64::MIN }));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_history_leads_to_the_same_state_as_its_moves(record in any_record()) {
        let moves: Vec<_> = record.columns.iter().map(|&column| (column + 1).to_string()).collect();
        let separator = if record.rules.columns() > 9 { "," } else { "" };
        let text = ConnectFour::new(record.rules, (), 0).notation() + &moves.join(separator);
        prop_assert_eq!(crate::parse_state::<ConnectFour>(&text), Ok(record.last_state()));
    }

    #[test]
    fn every_state_reads_back_from_its_notation_by_history_and_by_board(record in any_record()) {
        for by_history in record.states() {
            let by_board = ConnectFour::from(*by_history.position());
            for game in [by_history, by_board] {
                let text = game.notation();
                let read = crate::parse_state::<ConnectFour>(&text).expect("the notation is valid");
                prop_assert_eq!(read.position(), game.position(), "{}", text);
                prop_assert_eq!(read.notation(), text);
            }
        }
    }

    #[test]
    fn c4_6_the_text_starts_with_the_board_that_the_naive_game_prints(record in any_record()) {
        for game in record.states() {
            let (text, board) = (game.text(), naive_board(game.position()).print_board());
            prop_assert!(text.starts_with(&board), "{}", text);
        }
    }
}
