//! Setups that QR-1 to QR-7 reject, and setups that they accept.

use std::collections::BTreeSet;

use super::support::{
    SIZES, Step, moves_on, play_random_games, position, random_setup, rows, set_up, set_up_with_quiet_moves,
};
use crate::naive::queen_rooks as plain;
use arbiter_games::{
    Chance, Game,
    Player::{self, One, Two},
    queen_rooks::{Diagram, Ending, PartialRules, Position, Rules, Setup, SetupError},
};

mod is_rejected {
    use super::*;

    fn errors_of(picture: &str, next_player: Player) -> Vec<SetupError> {
        set_up(picture, next_player).expect_err("the setup is rejected")
    }

    /// The errors of a setup on a 4 × 4 board, which must be rejected.
    fn on_four(board: &[&str], next_player: Option<Player>, quiet_moves: u32, limit: u32) -> Vec<SetupError> {
        let rules = Rules::new(4, limit).expect("the rules are valid");
        let result = Position::try_from(&Setup { rules: rules.into(), board, next_player, quiet_moves });
        result.expect_err("the setup is rejected")
    }

    #[test]
    fn qr_1_with_too_few_or_too_many_rows() {
        for found in [0, 3, 5, 200] {
            let errors = on_four(&vec!["...."; found], Some(One), 0, 0);
            assert_eq!(errors, [SetupError::RowCount { wanted: 4, found }]);
        }
    }

    #[test]
    fn qr_1_with_the_errors_of_surplus_rows() {
        let errors = on_four(&["..rq", "..rr", "RR..", "QR..", "?", "RRRR"], Some(One), 0, 0);
        let wanted = [
            SetupError::RowCount { wanted: 4, found: 6 },
            SetupError::RowLength { row: 4, wanted: 4, found: 1 },
            SetupError::UnknownPiece { row: 4, column: 0, found: '?' },
        ];
        assert_eq!(errors, wanted);
    }

    #[test]
    fn qr_1_without_the_errors_beyond_the_largest_board() {
        let size = Rules::MAX_SIZE as usize;
        let errors = on_four(&vec!["...?"; size + 1], Some(One), 0, 0);
        assert_eq!(errors.len(), 1 + size, "a number of rows, and a piece in each row");
        let row = "?".repeat(1000);
        let errors = on_four(&["....", "....", "....", &row], Some(One), 0, 0);
        assert_eq!(errors.len(), 1 + size, "the length of a row, and its pieces");
    }

    #[test]
    fn qr_1_with_rows_too_short_or_too_long() {
        let error = |row, found| SetupError::RowLength { row, wanted: 4, found };
        assert_eq!(errors_of("..rq. .rr RR.. QR..", One), [error(0, 5), error(1, 3)]);
    }

    #[test]
    fn qr_2_with_an_unknown_piece() {
        for found in ['K', 'x', '0', '_', '\0', 'é', '♕'] {
            let errors = errors_of(&format!("..rq ..rr RR.. QR.{found}"), One);
            assert_eq!(errors, [SetupError::UnknownPiece { row: 3, column: 3, found }]);
        }
    }

    #[test]
    fn qr_2_with_a_queen_missing_or_doubled() {
        let count = |player, found| SetupError::QueenCount { player, found };
        assert_eq!(errors_of("..rr ..r. RR.. QR..", One), [count(Two, 0)]);
        assert_eq!(errors_of("..rq ..rq RR.. QR..", One), [count(Two, 2)]);
        assert_eq!(errors_of("..rq ..rr RR.. RR..", One), [count(One, 0)]);
        assert_eq!(errors_of("..rq ..rr QQ.. QR..", One), [count(One, 3)]);
        assert_eq!(errors_of("..rr ..r. QR.. QR..", One), [count(One, 2), count(Two, 0)]);
    }

    #[test]
    fn qr_2_with_more_pieces_than_at_the_start() {
        let too_many = |player| SetupError::TooManyPieces { player, found: 5, max: 4 };
        assert_eq!(errors_of("..rq ..rr RRR. QR..", One), [too_many(One)]);
        assert_eq!(errors_of("..rq .rrr RR.. QR..", One), [too_many(Two)]);
        assert_eq!(errors_of("..rq .rrr RRR. QR..", One), [too_many(One), too_many(Two)]);
    }

    #[test]
    fn qr_5_when_both_players_have_lost() {
        assert_eq!(errors_of("..rq .... .... QR..", One), [SetupError::TwoLosers]);
    }

    #[test]
    fn qr_5_when_the_winner_is_to_move() {
        assert_eq!(errors_of("..rq .... RR.. QR..", One), [SetupError::LoserNotToMove(Two)]);
        assert_eq!(errors_of("..rq ..rr .... QR..", Two), [SetupError::LoserNotToMove(One)]);
    }

    #[test]
    fn qr_5_when_quiet_moves_follow_the_last_capture() {
        let errors = on_four(&rows("..rq .... RR.. QR.."), Some(Two), 3, 0);
        assert_eq!(errors, [SetupError::QuietAfterLoss(3)]);
    }

    #[test]
    fn qr_6_when_the_player_to_move_is_blocked() {
        assert_eq!(errors_of(".Rrq ..Qr ...R ....", Two), [SetupError::Blocked(Two)]);
        assert_eq!(errors_of(".... r... Rq.. QRr.", One), [SetupError::Blocked(One)]);
    }

    #[test]
    fn qr_7_with_more_quiet_moves_than_the_limit() {
        let quiet = |quiet_moves, limit| on_four(&rows("..rq ..rr RR.. QR.."), Some(One), quiet_moves, limit);
        assert_eq!(quiet(6, 5), [SetupError::QuietMoves { found: 6, max: 5 }]);
        let beyond = SetupError::QuietMoves { found: 1_000_001, max: 1_000_000 };
        assert_eq!(quiet(1_000_001, 0), [beyond]);
    }

    #[test]
    fn without_the_player_to_move() {
        assert_eq!(on_four(&rows("..rq ..rr RR.. QR.."), None, 0, 0), [SetupError::NextPlayer]);
    }

    #[test]
    fn with_every_error_at_once() {
        let errors = on_four(&rows("..rq .rrK RRR. QR.R"), None, 9, 5);
        let wanted = [
            SetupError::UnknownPiece { row: 1, column: 3, found: 'K' },
            SetupError::TooManyPieces { player: One, found: 6, max: 4 },
            SetupError::QuietMoves { found: 9, max: 5 },
            SetupError::NextPlayer,
        ];
        assert_eq!(errors, wanted);
    }

    #[test]
    fn qr_2_with_a_queen_doubled_among_too_many_pieces() {
        let doubled = SetupError::QueenCount { player: One, found: 2 };
        let too_many = SetupError::TooManyPieces { player: One, found: 5, max: 4 };
        assert_eq!(errors_of("..rq ..rr QRR. QR..", One), [doubled, too_many]);
    }

    #[test]
    fn with_every_error_at_once_when_the_board_has_another_size() {
        let errors = on_four(&["..rq", "QQr", "KRRR"], None, 9, 5);
        let wanted = [
            SetupError::RowCount { wanted: 4, found: 3 },
            SetupError::RowLength { row: 1, wanted: 4, found: 3 },
            SetupError::UnknownPiece { row: 2, column: 0, found: 'K' },
            SetupError::QueenCount { player: One, found: 2 },
            SetupError::TooManyPieces { player: One, found: 5, max: 4 },
            SetupError::QuietMoves { found: 9, max: 5 },
            SetupError::NextPlayer,
        ];
        assert_eq!(errors, wanted);
    }

    #[test]
    fn with_every_error_at_once_when_the_size_is_wrong() {
        let (rules, _) = PartialRules::new(5, 0);
        let board = ["..rq?", "..rr", "RRRRRR", "QQ"];
        let errors =
            Position::try_from(&Setup { rules, board: &board, next_player: None, quiet_moves: 2_000_000 });
        let wanted = vec![
            SetupError::UnknownPiece { row: 0, column: 4, found: '?' },
            SetupError::QueenCount { player: One, found: 2 },
            SetupError::QuietMoves { found: 2_000_000, max: 1_000_000 },
            SetupError::NextPlayer,
            SetupError::Rules,
        ];
        assert_eq!(errors, Err(wanted));
    }

    #[test]
    fn without_errors_that_an_unknown_piece_may_explain() {
        // The unknown piece may be the queen, or the third piece.
        for picture in ["..rK ..rr RR.. QR..", "...q ..Kr RR.. QR.."] {
            let errors = errors_of(picture, One);
            assert!(matches!(errors[..], [SetupError::UnknownPiece { found: 'K', .. }]), "{errors:?}");
        }
    }

    #[test]
    fn qr_6_without_a_blocked_player_while_the_limit_is_invalid() {
        let (rules, _) = PartialRules::new(4, 1_000_001);
        let board = rows(".Rrq ..Qr ...R ....");
        let errors =
            Position::try_from(&Setup { rules, board: &board, next_player: Some(Two), quiet_moves: 5 });
        assert_eq!(errors, Err(vec![SetupError::Rules]));
    }
}

mod is_accepted {
    use super::*;

    #[test]
    fn qr_5_when_the_loser_is_to_move() {
        let game = position("..rq .... RR.. QR..", Two);
        assert_eq!(game.outcome().ending, Some(Ending::Won { winner: One }));
    }

    #[test]
    fn qr_6_when_the_other_player_is_blocked() {
        assert_eq!(position(".Rrq ..Qr ...R ....", One).outcome().ending, None);
    }

    #[test]
    fn qr_7_at_the_limit_of_quiet_moves_even_of_a_blocked_player() {
        let game = set_up_with_quiet_moves(".Rrq ..Qr ...R ....", Two, 5, 5).expect("the setup is accepted");
        assert_eq!(game.outcome().ending, Some(Ending::QuietMoveLimit));
    }

    #[test]
    fn qr_4_as_a_diagram_with_any_number_of_rooks() {
        for picture in ["RRrq RRrr RRrr QRrr", "...q .... .... Q...", "..rq .... RRRR QRRR"] {
            let (board, rules) = (rows(picture), Rules::new(4, 0).expect("the size is valid"));
            let diagram = Diagram::try_from(&Setup {
                rules: rules.into(),
                board: &board,
                next_player: None,
                quiet_moves: 0,
            });
            assert_eq!(diagram.map(|diagram| diagram.rows().join(" ")), Ok(picture.to_owned()));
        }
    }
}

#[test]
fn every_state_is_accepted_again_as_a_setup() {
    play_random_games(7, |Step { after, .. }| {
        let setup = Setup {
            rules: after.rules().into(),
            board: &after.diagram().rows(),
            next_player: Some(after.next_player()),
            quiet_moves: after.quiet_moves(),
        };
        assert_eq!(Position::try_from(&setup), Ok(*after), "{}", after.notation());
    });
}

/// These boards have the right size and not too many pieces. They can be wrong if both players have lost, in the player
/// to move, and in the count of quiet moves.
#[test]
fn qr_5_and_qr_6_a_random_board_is_rejected_with_exactly_the_errors_of_the_naive_game() {
    let mut chance = Chance::new(15, 0);
    let mut seen = BTreeSet::new();
    for size in SIZES {
        for _ in 0..moves_on(size) {
            let owned = random_setup(&mut chance, size);
            let (diagram, next) = (Diagram::try_from(&owned.setup()), owned.next_player);
            let diagram = diagram.expect("the board is valid");
            let game = plain::Game::from(&diagram);
            let wanted = match [game.has_lost(0), game.has_lost(1)] {
                [true, true] => vec![SetupError::TwoLosers],
                [false, false] if game.is_over() || !game.is_blocked(next as usize) => vec![],
                [false, false] => vec![SetupError::Blocked(next)],
                [one, _] => {
                    let loser = if one { One } else { Two };
                    let not_to_move = (loser != next).then_some(SetupError::LoserNotToMove(loser));
                    let quiet =
                        Some(game.quiet_moves).filter(|&quiet| quiet > 0).map(SetupError::QuietAfterLoss);
                    not_to_move.into_iter().chain(quiet).collect()
                }
            };
            let errors = Position::try_from(&owned.setup()).err().unwrap_or_default();
            assert_eq!(errors, wanted, "{}", diagram.notation());
            seen.extend(wanted.iter().map(ToString::to_string));
        }
    }
    // Two losers; each player as a loser who is not to move, and as a blocked player; one to five quiet moves after the
    // end.
    assert_eq!(seen.len(), 10, "{seen:?}");
}
