//! C4-2 and C4-5: legal columns, the effect of a move, and the reasons why a move is illegal.

use proptest::prelude::*;

use super::support::{any_record, config, naive_board, squares};
use arbiter_games::{
    Game,
    connect_four::{Event, IllegalMove, Move, Rules},
};

/// The columns of a board, those next to it, and some that would wrap to the board in a narrower integer.
fn columns_to_try(rules: Rules) -> impl Iterator<Item = i64> {
    let columns = i64::from(rules.columns());
    let others = [64, 127, 128, 255, 256, 1 << 16, 1 << 31, i64::from(u32::MAX), 1 << 32, i64::MAX, i64::MIN];
    (-2..columns + 2).chain(others)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn c4_2_an_illegal_move_lists_its_reasons_and_changes_nothing(record in any_record()) {
        for game in record.states() {
            let board = naive_board(game.position());
            for mv @ Move { column } in columns_to_try(record.rules).map(|column| Move { column }) {
                let over = game.outcome().ending.map(|_| IllegalMove::GameOver);
                let last = record.rules.columns() - 1;
                let wrong = match u32::try_from(column).ok().filter(|&column| column <= last.into()) {
                    None => Some(IllegalMove::ColumnOutOfRange { column, last }),
                    Some(column) => {
                        (!board.is_valid_move(column as usize)).then_some(IllegalMove::ColumnFull { column })
                    }
                };
                let reasons: Vec<_> = over.into_iter().chain(wrong).collect();
                prop_assert_eq!(&game.why_illegal(&mv), &reasons);
                if !reasons.is_empty() {
                    let mut after = game.clone();
                    prop_assert_eq!(after.play(&mv), Err(reasons));
                    prop_assert_eq!(&after, &game);
                }
            }
        }
    }

    #[test]
    fn c4_2_a_move_changes_the_one_cell_it_reports_and_passes_the_turn(record in any_record()) {
        for (pair, &column) in record.states().windows(2).zip(&record.columns) {
            let (before, after) = (pair[0].position(), pair[1].position());
            let dropped = pair[0].clone().play(&Move { column: column.into() }).expect("the column is legal");
            let [Event::Dropped { player, square: landing }] = dropped[..] else {
                panic!("one token is dropped, not {dropped:?}")
            };
            prop_assert_eq!(player, before.next_player());
            prop_assert_eq!(player, after.next_player().other());
            prop_assert_eq!(landing.column, column);
            for square in squares(record.rules) {
                let was = before.token(square);
                let wanted = if square == landing { Some(player) } else { was };
                prop_assert_eq!(after.token(square), wanted);
            }
        }
    }

    #[test]
    fn c4_5_a_column_is_listed_exactly_when_it_is_legal_and_can_be_played(record in any_record()) {
        for game in record.states() {
            let listed = game.legal_moves();
            for mv in columns_to_try(record.rules).map(|column| Move { column }) {
                let is_listed = listed.contains(&mv);
                prop_assert_eq!(game.why_illegal(&mv).is_empty(), is_listed);
                prop_assert_eq!(game.clone().play(&mv).is_ok(), is_listed);
                if let Ok(column) = u32::try_from(mv.column) {
                    let mut position = *game.position();
                    prop_assert_eq!(position.is_legal(column), is_listed);
                    prop_assert_eq!(position.drop_token(column), is_listed);
                }
            }
        }
    }
}
