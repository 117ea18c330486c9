//! C4-1 and C4-3: mirrored games, and games with the other first player.

use proptest::prelude::*;

use super::support::{any_record, config, squares};
use arbiter_games::{
    Direction, Game, Line, Player, Square,
    connect_four::{Ending, Outcome, Rules},
};

fn mirror(rules: Rules, column: u32) -> u32 {
    u32::from(rules.columns()) - 1 - column
}

/// The lines of the mirrored board, in the order in which they are reported.
fn mirror_lines(rules: Rules, lines: &[Line]) -> Vec<Line> {
    let mirror_line = |line: &Line| {
        let direction = match line.direction {
            Direction::DiagonalDown => Direction::DiagonalUp,
            Direction::DiagonalUp => Direction::DiagonalDown,
            straight => straight,
        };
        let mirror_square = |s: &Square| Square { column: mirror(rules, s.column), ..*s };
        let mut squares: Vec<_> = line.squares.iter().map(mirror_square).collect();
        if direction != Direction::Vertical {
            squares.reverse();
        }
        Line { direction, squares }
    };
    let mut lines: Vec<_> = lines.iter().map(mirror_line).collect();
    lines.sort_by_key(|line| Direction::ALL.iter().position(|&direction| direction == line.direction));
    lines
}

fn with_other_first_player(rules: Rules) -> Rules {
    let [columns, rows, length] = [rules.columns(), rules.rows(), rules.line_length()].map(u32::from);
    Rules::new(columns, rows, length, rules.first_player().other()).expect("only the first player differs")
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn c4_3_mirrored_columns_lead_to_the_mirrored_outcome(record in any_record()) {
        let rules = record.rules;
        let mirrored = record.with(rules, |column| mirror(rules, column)).last_state();
        let Outcome { ending, next_player } = record.last_state().outcome();
        let ending = match ending {
            Some(Ending::Won { winner, lines }) => {
                Some(Ending::Won { winner, lines: mirror_lines(rules, &lines) })
            }
            other => other,
        };
        prop_assert_eq!(mirrored.outcome(), Outcome { ending, next_player });
    }

    #[test]
    fn c4_1_the_other_first_player_only_swaps_the_tokens(record in any_record()) {
        let game = record.last_state();
        let swapped = record.with(with_other_first_player(record.rules), |column| column).last_state();
        for square in squares(record.rules) {
            let token = game.position().token(square);
            prop_assert_eq!(swapped.position().token(square), token.map(Player::other));
        }
        let Outcome { ending, next_player } = game.outcome();
        let ending = match ending {
            Some(Ending::Won { winner, lines }) => Some(Ending::Won { winner: winner.other(), lines }),
            other => other,
        };
        let wanted = Outcome { ending, next_player: next_player.map(Player::other) };
        prop_assert_eq!(swapped.outcome(), wanted);
    }
}
