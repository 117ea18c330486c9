//! Queen and rooks: examples of each clause, and properties that hold on every board and in every game.
//!
//! The first half reads as the rules do, clause by clause. The second looks at random boards and games of every
//! size, by the crate's own generator of chance, and compares them with a naive implementation. Every run makes the
//! same choices.

use std::{cmp::Ordering, collections::BTreeSet};

use crate::naive::queen_rooks::{self as plain, Turn, cell, cells, square};
use arbiter::games::{
    Chance, Game, Player, Square,
    queen_rooks::{
        Capture, Diagram, Ending, Event, IllegalMove, Move, Outcome, Piece, Position, QueenRooks, Rules,
        RulesError, Setup, SetupError,
    },
};

use Player::{One, Two};

const SIZES: [u32; 12] = [4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26];

/// A picture of a board: its rows from the top, with spaces between them.
fn rows(picture: &str) -> Vec<&str> {
    picture.split(' ').collect()
}

/// A picture as a set-up without a limit of quiet moves.
fn set_up(picture: &str, next_player: Player) -> Result<Position, Vec<SetupError>> {
    set_up_quiet(picture, next_player, 0, 0)
}

fn set_up_quiet(
    picture: &str,
    next_player: Player,
    quiet_moves: u32,
    limit: u32,
) -> Result<Position, Vec<SetupError>> {
    let board = rows(picture);
    let rules = Rules::new(board.len() as u32, limit).expect("the rules hold together");
    Position::try_from(Setup { rules, board: &board, next_player: Some(next_player), quiet_moves })
}

fn position(picture: &str, next_player: Player) -> Position {
    set_up(picture, next_player).expect("the set-up is accepted")
}

fn mv(text: &str) -> Move {
    text.parse().expect("it is a move")
}

/// Plays a legal move and tells what happened.
fn play(game: &mut Position, text: &str) -> Vec<Event> {
    game.play(&mv(text)).expect("the move is legal")
}

fn picture(game: &Position) -> String {
    Diagram::from(game).rows().join(" ")
}

fn listed(moves: &[Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn naive(game: &Position) -> plain::Game {
    (&Diagram::from(game)).into()
}

mod qr_1_the_size {
    use super::*;

    #[test]
    fn is_any_even_number_from_4_to_26() {
        for size in SIZES {
            assert_eq!(Rules::new(size, 0).map(|rules| u32::from(rules.size())), Ok(size));
        }
    }

    #[test]
    fn is_8_by_default() {
        assert_eq!(Rules::new(8, 0), Ok(Rules::default()));
    }

    #[test]
    fn is_refused_when_it_is_odd_or_out_of_range() {
        for size in [0, 1, 2, 3, 5, 7, 25, 27, 28, 256 + 8, u32::MAX] {
            assert_eq!(Rules::new(size, 0), Err(vec![RulesError::Size(size)]));
        }
    }

    #[test]
    fn is_refused_together_with_the_limit_of_quiet_moves() {
        let errors = vec![RulesError::Size(3), RulesError::QuietMoveLimit(1_000_001)];
        assert_eq!(Rules::new(3, 1_000_001), Err(errors));
    }
}

mod qr_2_the_start {
    use super::*;

    #[test]
    fn has_a_square_of_pieces_in_two_corners_and_the_queens_outermost() {
        let start = Position::start(Rules::new(6, 0).expect("6 is a size"));
        assert_eq!(picture(&start), "...rrq ...rrr ...rrr RRR... RRR... QRR...");
    }

    #[test]
    fn is_player_ones_move() {
        assert_eq!(Position::start(Rules::default()).next_player(), One);
    }

    #[test]
    fn is_the_naive_games_on_every_size() {
        for size in SIZES {
            let rules = Rules::new(size, 7).expect("it is a size");
            assert_eq!(naive(&Position::start(rules)), plain::Game::start(size as usize, 7));
        }
    }
}

mod qr_3_a_move {
    use super::*;

    /// The queen on a4 is shut in by her rooks; each of the rooks is shut in on two sides or three.
    #[test]
    fn is_not_there_for_a_piece_that_is_blocked() {
        let start = position("..rq ..rr RR.. QR..", One);
        assert_eq!(listed(&start.legal_moves()), "a3-a1 a3-a2 b3-b1 b3-b2 b3-c3 b3-d3 b4-c4 b4-d4");
    }

    #[test]
    fn goes_along_a_row_or_a_column_for_a_rook() {
        let game = position("R....q .R.... ...R.. ...... ..r... Qrrr..", One);
        let rook: Vec<_> = game.legal_moves().into_iter().filter(|to| to.from == mv("d3-d3").from).collect();
        assert_eq!(listed(&rook), "d3-d1 d3-d2 d3-a3 d3-b3 d3-c3 d3-e3 d3-f3 d3-d4 d3-d5");
    }

    #[test]
    fn goes_along_a_diagonal_too_for_a_queen() {
        let game = position("R....q ....R. ...Q.. ...... .r...r rr.r..", One);
        let queen: Vec<_> = game.legal_moves().into_iter().filter(|to| to.from == mv("d3-d3").from).collect();
        let wanted = "d3-b1 d3-d1 d3-c2 d3-d2 d3-a3 d3-b3 d3-c3 d3-e3 d3-f3 d3-c4 d3-d4 d3-e4 d3-d5";
        assert_eq!(listed(&queen), wanted);
    }

    #[test]
    fn is_refused_with_its_reasons() {
        let game = position("R....q ....R. ...Q.. ...... .r...r rr.r..", One);
        let at = |name: &str| mv(&format!("{name}-{name}")).from;
        let last = at("f6");
        let cases = [
            ("b2-b3", vec![IllegalMove::NothingThere(at("b2"))]),
            ("f1-f2", vec![IllegalMove::OthersPiece(at("f1"))]),
            ("a1-b2", vec![IllegalMove::NotARookMove { from: at("a1"), to: at("b2") }]),
            ("d3-b2", vec![IllegalMove::NotAQueenMove { from: at("d3"), to: at("b2") }]),
            // A move of zero squares is none.
            ("a1-a1", vec![IllegalMove::NotARookMove { from: at("a1"), to: at("a1") }]),
            ("d3-d3", vec![IllegalMove::NotAQueenMove { from: at("d3"), to: at("d3") }]),
            ("d3-f1", vec![IllegalMove::PathBlocked(at("e2")), IllegalMove::SquareOccupied(at("f1"))]),
            ("a1-f1", vec![IllegalMove::SquareOccupied(at("f1"))]),
            ("d3-e2", vec![IllegalMove::SquareOccupied(at("e2"))]),
            ("a1-a7", vec![IllegalMove::ToOutOfRange { square: at("a7"), last }]),
            ("g1-f2", vec![IllegalMove::FromOutOfRange { square: at("g1"), last }]),
        ];
        for (text, reasons) in cases {
            assert_eq!(game.why_illegal(&mv(text)), reasons, "{text}");
        }
    }

    #[test]
    fn is_refused_when_the_game_is_over() {
        let game = position("..rq .... RR.. QR..", Two);
        let won = Ending::Won { winner: One };
        assert_eq!(game.why_illegal(&mv("c1-b1")), [IllegalMove::GameOver(won)]);
    }

    #[test]
    fn is_two_squares_as_text_with_a1_at_the_top_left() {
        let wanted = Move { from: Square { row: 0, column: 0 }, to: Square { row: 25, column: 3 } };
        assert_eq!("a1-d26".parse(), Ok(wanted));
    }
}

mod qr_4_a_rook_that_has_moved {
    use super::*;

    /// What a move takes: squares with their letters and numbers.
    fn taken(picture: &str, player: Player, text: &str) -> Vec<String> {
        let events = play(&mut position(picture, player), text);
        let captured = |event: &Event| match event {
            Event::Captured(capture) => Some(Move { from: capture.square, to: capture.square }.to_string()),
            _ => None,
        };
        let names = events.iter().filter_map(captured);
        names.map(|name| name.split('-').take(1).collect()).collect()
    }

    /// The rook of player one goes from d1 to d3: with the queen on a6, a3 and d6 are the other corners.
    fn taken_from(a3: char, d6: char) -> Vec<String> {
        taken(&format!("...R.q ...... {a3}....r .....r R....r Q..{d6}.."), One, "d1-d3")
    }

    #[test]
    fn takes_nothing_from_empty_corners() {
        assert!(taken_from('.', '.').is_empty());
    }

    #[test]
    fn takes_a_rook_on_the_corner_in_its_row() {
        assert_eq!(taken_from('r', '.'), ["a3"]);
    }

    #[test]
    fn takes_a_rook_on_the_corner_in_its_column() {
        assert_eq!(taken_from('.', 'r'), ["d6"]);
    }

    #[test]
    fn takes_two_rooks_at_once_first_the_one_in_its_row() {
        assert_eq!(taken_from('r', 'r'), ["a3", "d6"]);
    }

    #[test]
    fn does_not_take_a_rook_of_its_own_colour() {
        assert_eq!(taken_from('R', 'r'), ["d6"]);
    }

    #[test]
    fn does_not_take_a_queen() {
        assert_eq!(taken("...R.. ...... q....r .....r R....r Q..r..", One, "d1-d3"), ["d6"]);
    }

    #[test]
    fn takes_for_player_two_as_well() {
        assert_eq!(taken("..R..q R..... ...... ...... RR.... Qrr...", Two, "c6-c5"), ["c1"]);
    }

    #[test]
    fn takes_nothing_in_the_row_of_its_queen() {
        assert!(taken("...R.q ...... r....r .....r R.r... Qr....", One, "d1-d6").is_empty());
    }

    #[test]
    fn takes_nothing_in_the_column_of_its_queen() {
        assert!(taken("...... .R...q r....r ....r. R..... Q..r..", One, "b2-a2").is_empty());
    }

    #[test]
    fn takes_whatever_stands_inside_the_rectangle_and_on_its_sides() {
        assert_eq!(taken("...R.q ...... rrR..r R.r..r R..R.r QRrr..", One, "d1-d3"), ["a3", "d6"]);
    }

    #[test]
    fn is_not_taken_when_it_goes_to_a_corner_itself() {
        assert!(taken("r..... .....q ...R.. .....r R....r Q.....", Two, "a1-a3").is_empty());
    }

    /// The rook on d3 would take both corners if it were the one that moves.
    #[test]
    fn takes_and_a_queen_that_has_moved_does_not() {
        assert!(taken("...... .....q r..R.r .....r R....r .Q.r..", One, "b6-a6").is_empty());
    }

    #[test]
    fn tells_its_queen_and_both_corners_with_each_rook_that_it_takes() {
        let mut game = position("...R.. ...... q....r .....r R....r Q..r..", One);
        let events = play(&mut game, "d1-d3");
        let at = |row, column| Square { row, column };
        let wanted = Capture {
            square: at(5, 3),
            rook: at(2, 3),
            queen: at(5, 0),
            corners: [(at(2, 0), Some(Piece::Queen(Two))), (at(5, 3), Some(Piece::Rook(Two)))],
        };
        assert_eq!(events[1..], [Event::Captured(wanted)]);
    }
}

mod qr_5_a_player {
    use super::*;

    fn outcome(game: &Position) -> (Option<Ending>, [u32; 2]) {
        let Outcome { ending, pieces } = game.outcome();
        (ending, pieces)
    }

    #[test]
    fn with_three_pieces_plays_on() {
        let mut game = position("...R.q ...... r..... .....r R....r Q.....", One);
        play(&mut game, "d1-d3");
        assert_eq!(outcome(&game), (None, [3, 3]));
    }

    #[test]
    fn with_two_pieces_has_lost_at_once() {
        let mut game = position("...R.q ...... r..... ...... R....r Q.....", One);
        play(&mut game, "d1-d3");
        assert_eq!(outcome(&game), (Some(Ending::Won { winner: One }), [3, 2]));
    }

    #[test]
    fn with_the_queen_alone_has_lost_at_once() {
        let mut game = position("...R.q ...... r..... ...... R..... Q..r..", One);
        play(&mut game, "d1-d3");
        assert_eq!(outcome(&game), (Some(Ending::Won { winner: One }), [3, 1]));
    }

    #[test]
    fn who_has_won_moves_no_more_and_nor_does_the_other() {
        let mut game = position("...R.q ...... r..... ...... R....r Q.....", One);
        play(&mut game, "d1-d3");
        assert_eq!(game.legal_moves(), []);
    }
}

mod qr_6_a_player_without_a_move {
    use super::*;

    /// The queen of player one shuts the last side of the corner in which player two stands.
    const ABOUT_TO_BLOCK: &str = ".Rrq ...r ...R QR..";

    #[test]
    fn passes_and_the_other_moves_again() {
        let mut game = position(ABOUT_TO_BLOCK, One);
        let events = play(&mut game, "a4-c2");
        assert_eq!(events[1..], [Event::Passed { player: Two }]);
        assert_eq!((game.next_player(), game.outcome().ending), (One, None));
    }

    #[test]
    fn moves_again_once_there_is_a_way_out() {
        let mut game = position(".Rrq R.Qr ...R ....", One);
        let events = play(&mut game, "c2-c3");
        assert_eq!((events.len(), game.next_player()), (1, Two));
    }

    /// The two pieces left to player two could not move either.
    #[test]
    fn has_lost_rather_than_passed_with_two_pieces() {
        let mut game = position("...RRq ....Rr r....R ...... ...... Q.....", One);
        let events = play(&mut game, "d1-d3");
        assert!(matches!(events[1..], [Event::Captured(_)]), "{events:?}");
        assert_eq!(game.outcome().ending, Some(Ending::Won { winner: One }));
    }

    #[test]
    fn does_not_pass_when_the_game_is_drawn_by_quiet_moves() {
        let mut game = set_up_quiet(ABOUT_TO_BLOCK, One, 1, 2).expect("the set-up is accepted");
        let events = play(&mut game, "a4-c2");
        assert_eq!((events.len(), game.outcome().ending), (1, Some(Ending::QuietMoveLimit)));
    }

    /// Both players without a move would be a draw. No game comes to it: half of the board or more is empty, so that an
    /// empty square lies beside some piece; and a piece that has just moved can go back. It takes a full board, and
    /// that is refused.
    #[test]
    fn is_never_both_players() {
        let errors = set_up("RRrq RRrr RRrr QRrr", One).expect_err("the board is full");
        let too_many = |player| SetupError::TooManyPieces { player, found: 8, most: 4 };
        assert_eq!(errors, [too_many(One), too_many(Two)]);
    }
}

mod qr_7_quiet_moves {
    use super::*;

    fn start(limit: u32) -> Position {
        Position::start(Rules::new(4, limit).expect("the rules hold together"))
    }

    #[test]
    fn of_both_players_make_a_draw_at_the_limit() {
        let mut game = start(2);
        play(&mut game, "b3-b1");
        assert_eq!(game.outcome().ending, None);
        play(&mut game, "d2-d4");
        assert_eq!(game.outcome().ending, Some(Ending::QuietMoveLimit));
        assert_eq!(game.legal_moves(), []);
    }

    #[test]
    fn are_counted_from_0_again_after_a_capture() {
        let mut game = start(3);
        for text in ["b3-b1", "d2-d4", "a3-d3"] {
            play(&mut game, text);
        }
        assert_eq!((game.quiet_moves(), game.outcome().ending), (0, None));
    }

    #[test]
    fn are_not_counted_when_a_player_passes() {
        let mut game = set_up_quiet(".Rrq ...r ...R QR..", One, 7, 0).expect("the set-up is accepted");
        let events = play(&mut game, "a4-c2");
        assert_eq!((events.len(), game.quiet_moves()), (2, 8));
    }

    #[test]
    fn make_no_draw_without_a_limit_and_are_counted_up_to_a_million() {
        let mut game = set_up_quiet("..rq ..rr RR.. QR..", One, 999_999, 0).expect("the set-up is accepted");
        play(&mut game, "b3-b1");
        play(&mut game, "d2-d4");
        assert_eq!((game.quiet_moves(), game.outcome().ending), (1_000_000, None));
    }
}

mod a_set_up_is_refused {
    use super::*;

    fn refusal(picture: &str, next_player: Player) -> Vec<SetupError> {
        set_up(picture, next_player).expect_err("the set-up is refused")
    }

    /// A set-up on a board of 4 × 4.
    fn on_four(board: &[&str], next_player: Option<Player>, quiet_moves: u32, limit: u32) -> Vec<SetupError> {
        let rules = Rules::new(4, limit).expect("the rules hold together");
        let set_up = Position::try_from(Setup { rules, board, next_player, quiet_moves });
        set_up.expect_err("the set-up is refused")
    }

    #[test]
    fn qr_1_with_too_few_or_too_many_rows() {
        for found in [0, 3, 5, 200] {
            let errors = on_four(&vec!["...."; found], Some(One), 0, 0);
            assert_eq!(errors, [SetupError::RowCount { wanted: 4, found }]);
        }
    }

    #[test]
    fn qr_1_without_a_word_on_rows_that_should_not_be_there() {
        let errors = on_four(&["..rq", "..rr", "RR..", "QR..", "?", "?"], Some(One), 0, 0);
        assert_eq!(errors, [SetupError::RowCount { wanted: 4, found: 6 }]);
    }

    #[test]
    fn qr_1_with_rows_too_short_or_too_long() {
        let error = |row, found| SetupError::RowLength { row, wanted: 4, found };
        assert_eq!(refusal("..rq. .rr RR.. QR..", One), [error(0, 5), error(1, 3)]);
    }

    #[test]
    fn qr_2_with_a_character_that_is_no_piece() {
        for found in ['K', 'x', '0', '_', '\0', 'é', '♕'] {
            let errors = refusal(&format!("..rq ..rr RR.. QR.{found}"), One);
            assert_eq!(errors, [SetupError::UnknownPiece { row: 3, column: 3, found }]);
        }
    }

    #[test]
    fn qr_2_with_a_queen_missing_or_doubled() {
        let count = |player, found| SetupError::QueenCount { player, found };
        assert_eq!(refusal("..rr ..r. RR.. QR..", One), [count(Two, 0)]);
        assert_eq!(refusal("..rq ..rq RR.. QR..", One), [count(Two, 2)]);
        assert_eq!(refusal("..rq ..rr RR.. RR..", One), [count(One, 0)]);
        assert_eq!(refusal("..rq ..rr QQ.. QR..", One), [count(One, 3)]);
        assert_eq!(refusal("..rr ..r. QR.. QR..", One), [count(One, 2), count(Two, 0)]);
    }

    #[test]
    fn qr_2_with_more_pieces_than_at_the_start() {
        let too_many = |player| SetupError::TooManyPieces { player, found: 5, most: 4 };
        assert_eq!(refusal("..rq ..rr RRR. QR..", One), [too_many(One)]);
        assert_eq!(refusal("..rq .rrr RR.. QR..", One), [too_many(Two)]);
        assert_eq!(refusal("..rq .rrr RRR. QR..", One), [too_many(One), too_many(Two)]);
    }

    #[test]
    fn qr_5_when_both_players_have_lost() {
        assert_eq!(refusal("..rq .... .... QR..", One), [SetupError::TwoLosers]);
    }

    #[test]
    fn qr_5_when_the_winner_is_to_move() {
        assert_eq!(refusal("..rq .... RR.. QR..", One), [SetupError::LoserNotToMove(Two)]);
        assert_eq!(refusal("..rq ..rr .... QR..", Two), [SetupError::LoserNotToMove(One)]);
    }

    #[test]
    fn qr_5_when_a_move_was_quiet_after_the_last_capture() {
        let errors = on_four(&rows("..rq .... RR.. QR.."), Some(Two), 3, 0);
        assert_eq!(errors, [SetupError::QuietAfterLoss(3)]);
    }

    #[test]
    fn qr_6_when_the_player_to_move_has_passed() {
        assert_eq!(refusal(".Rrq ..Qr ...R ....", Two), [SetupError::Blocked(Two)]);
        assert_eq!(refusal(".... r... Rq.. QRr.", One), [SetupError::Blocked(One)]);
    }

    #[test]
    fn qr_7_with_more_quiet_moves_than_the_limit() {
        let quiet = |quiet_moves, limit| on_four(&rows("..rq ..rr RR.. QR.."), Some(One), quiet_moves, limit);
        assert_eq!(quiet(6, 5), [SetupError::QuietMoves { found: 6, most: 5 }]);
        let beyond = SetupError::QuietMoves { found: 1_000_001, most: 1_000_000 };
        assert_eq!(quiet(1_000_001, 0), [beyond]);
    }

    #[test]
    fn without_the_player_to_move() {
        assert_eq!(on_four(&rows("..rq ..rr RR.. QR.."), None, 0, 0), [SetupError::NextPlayer]);
    }

    #[test]
    fn for_everything_that_is_wrong_with_it_at_once() {
        let errors = on_four(&rows("..rq .rrK RRR. QR.R"), None, 9, 5);
        let wanted = [
            SetupError::UnknownPiece { row: 1, column: 3, found: 'K' },
            SetupError::TooManyPieces { player: One, found: 6, most: 4 },
            SetupError::QuietMoves { found: 9, most: 5 },
            SetupError::NextPlayer,
        ];
        assert_eq!(errors, wanted);
    }

    #[test]
    fn for_a_queen_doubled_among_too_many_pieces() {
        let doubled = SetupError::QueenCount { player: One, found: 2 };
        let too_many = SetupError::TooManyPieces { player: One, found: 5, most: 4 };
        assert_eq!(refusal("..rq ..rr QRR. QR..", One), [doubled, too_many]);
    }

    #[test]
    fn for_everything_that_is_wrong_with_its_size_at_once() {
        let errors = on_four(&["..rq", "..r", "KR.."], None, 9, 5);
        let wanted = [
            SetupError::RowCount { wanted: 4, found: 3 },
            SetupError::RowLength { row: 1, wanted: 4, found: 3 },
            SetupError::UnknownPiece { row: 2, column: 0, found: 'K' },
            SetupError::QuietMoves { found: 9, most: 5 },
            SetupError::NextPlayer,
        ];
        assert_eq!(errors, wanted);
    }
}

mod a_set_up_is_accepted {
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
        let game = set_up_quiet(".Rrq ..Qr ...R ....", Two, 5, 5).expect("the set-up is accepted");
        assert_eq!(game.outcome().ending, Some(Ending::QuietMoveLimit));
    }

    #[test]
    fn qr_4_as_a_board_without_a_game_whoever_has_how_many_rooks() {
        for picture in ["RRrq RRrr RRrr QRrr", "...q .... .... Q...", "..rq .... RRRR QRRR"] {
            let (board, rules) = (rows(picture), Rules::new(4, 0).expect("4 is a size"));
            let diagram =
                Diagram::try_from(Setup { rules, board: &board, next_player: None, quiet_moves: 0 });
            assert_eq!(diagram.map(|diagram| diagram.rows().join(" ")), Ok(picture.to_owned()));
        }
    }
}

fn pick<T: Copy>(chance: &mut Chance, from: &[T]) -> T {
    from[chance.below(from.len() as u32) as usize]
}

fn one_in(chance: &mut Chance, count: u32) -> bool {
    chance.below(count) == 0
}

fn number_in(chance: &mut Chance, lowest: u32, highest: u32) -> u32 {
    lowest + chance.below(highest - lowest + 1)
}

/// A queen and so many rooks of each player, anywhere. On a crowded board they share a square of the board that is
/// hardly larger than they need.
fn random_board(chance: &mut Chance, size: u32, rooks: [u32; 2], crowded: bool) -> Vec<String> {
    let pieces = rooks[0] + rooks[1] + 2;
    let tight = (2..size).find(|width| width * width > pieces).unwrap_or(size);
    let width = if crowded { tight } else { size };
    let (top, left) = (pick(chance, &[0, size - width]), pick(chance, &[0, size - width]));
    let mut cells: Vec<(u32, u32)> =
        (0..width).flat_map(|row| (0..width).map(move |column| (top + row, left + column))).collect();
    let letters = [("Q", 1), ("q", 1), ("R", rooks[0]), ("r", rooks[1])];
    let letters: String = letters.map(|(letter, count)| letter.repeat(count as usize)).concat();
    let mut grid = vec![vec!['.'; size as usize]; size as usize];
    for (&(row, column), letter) in chance.draw(&mut cells, pieces as usize).iter().zip(letters.chars()) {
        grid[row as usize][column as usize] = letter;
    }
    grid.into_iter().map(String::from_iter).collect()
}

/// A board made by hand, with any number of rooks, and with or without what else there is to a game.
fn random_diagram(chance: &mut Chance, size: u32) -> Diagram {
    let one = chance.below(size * size - 1);
    let two = chance.below(size * size - 1 - one);
    let rooks = pick(chance, &[[one, two], [two, one], [one / 2, two / 2]]);
    let crowded = one_in(chance, 2);
    let setup = Setup {
        rules: Rules::new(size, pick(chance, &[0, 5])).expect("it is a size"),
        board: &random_board(chance, size, rooks, crowded),
        next_player: pick(chance, &[None, Some(One), Some(Two)]),
        quiet_moves: pick(chance, &[0, 5]),
    };
    Diagram::try_from(setup).expect("the board is one")
}

/// One player in a corner, the queen innermost, behind rooks of the other, whose queen and more rooks stand anywhere
/// else. Now and then a rook of the player who is shut in has been left outside.
fn random_board_with_a_player_shut_in(chance: &mut Chance, size: u32) -> Vec<String> {
    let depth = number_in(chance, 2, size / 2);
    let mut grid = vec![vec!['.'; size as usize]; size as usize];
    let mut outside = Vec::new();
    for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
        match (row + column).cmp(&depth) {
            Ordering::Less => grid[row as usize][column as usize] = 'r',
            Ordering::Equal => grid[row as usize][column as usize] = 'R',
            Ordering::Greater => outside.push((row as usize, column as usize)),
        }
    }
    grid[0][0] = 'q';
    let more = chance.below(size * size / 4 - depth - 1);
    let letters = ["Q", &"R".repeat(more as usize), pick(chance, &["", "", "r"])].concat();
    for (&(row, column), letter) in chance.draw(&mut outside, letters.len()).iter().zip(letters.chars()) {
        grid[row][column] = letter;
    }
    if one_in(chance, 2) {
        grid.reverse();
    }
    if one_in(chance, 2) {
        for row in &mut grid {
            row.reverse();
        }
    }
    if one_in(chance, 2) {
        for letter in grid.iter_mut().flatten() {
            *letter = exchange(*letter);
        }
    }
    grid.into_iter().map(String::from_iter).collect()
}

/// A set-up that owns its board.
struct Written {
    rules: Rules,
    board: Vec<String>,
    next_player: Player,
    quiet_moves: u32,
}

impl Written {
    fn set_up(&self) -> Setup<'_, String> {
        let &Self { rules, ref board, next_player, quiet_moves } = self;
        Setup { rules, board, next_player: Some(next_player), quiet_moves }
    }
}

/// A set-up with no more pieces than there are at the start.
fn random_set_up(chance: &mut Chance, size: u32) -> Written {
    let board = if one_in(chance, 4) {
        random_board_with_a_player_shut_in(chance, size)
    } else {
        let fewest = if one_in(chance, 8) { 0 } else { 2 };
        // Few pieces as often as many.
        let highest = number_in(chance, 2, size * size / 4 - 1);
        let rooks = [(); 2].map(|()| number_in(chance, fewest, highest));
        let crowded = one_in(chance, 2);
        random_board(chance, size, rooks, crowded)
    };
    let rules = Rules::new(size, pick(chance, &[0, 0, 5, 20])).expect("the rules hold together");
    Written { rules, board, next_player: chance.toss(), quiet_moves: chance.below(6) }
}

fn random_position(chance: &mut Chance, size: u32) -> Position {
    loop {
        if let Ok(position) = Position::try_from(random_set_up(chance, size).set_up()) {
            return position;
        }
    }
}

/// As many moves of random games as are quickly compared with the naive game, on boards of each size.
fn moves_on(size: u32) -> u32 {
    1_500_000 / size.pow(3)
}

/// One move of a game.
struct Step {
    before: Position,
    mv: Move,
    events: Vec<Event>,
    after: Position,
}

impl Step {
    fn turn(&self) -> Turn {
        Turn::from(&self.events[..])
    }
}

/// A new game is worth more than the rest of an old one.
const LONGEST: u32 = 50;

/// Plays random games of every size, from the start and from random positions, and looks at each move.
fn play_random_games(seed: u64, mut look: impl FnMut(&Step)) {
    let mut chance = Chance::new(seed, 0);
    for size in SIZES {
        let mut moves = moves_on(size);
        while moves > 0 {
            let start = Position::start(Rules::new(size, 0).expect("it is a size"));
            let mut game = if one_in(&mut chance, 4) { start } else { random_position(&mut chance, size) };
            for _ in 0..moves.min(LONGEST) {
                let legal = game.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let (before, mv) = (game, pick(&mut chance, &legal));
                let events = game.play(&mv).expect("the move is legal");
                look(&Step { before, mv, events, after: game });
                moves -= 1;
            }
        }
    }
}

#[test]
fn qr_3_the_naive_game_lists_the_same_legal_moves_in_the_same_order_in_random_games() {
    play_random_games(1, |Step { after, .. }| {
        let legal: Vec<_> = after.legal_moves().iter().map(cells).collect();
        assert_eq!(legal, naive(after).moves(), "{}", after.notation());
    });
}

#[test]
fn qr_4_the_naive_game_tells_of_the_same_move_captures_and_passes_in_random_games() {
    let mut met = BTreeSet::new();
    play_random_games(2, |step| {
        let turn = step.turn();
        let (from, to) = cells(&step.mv);
        let wanted = naive(&step.before).play(from, to);
        assert_eq!(Some(&turn), wanted.as_ref(), "{} in {}", step.mv, step.before.notation());
        met.insert((turn.captures.len(), turn.passed));
    });
    // A case that was never met was never compared.
    for case in [(0, None), (1, None), (2, None), (0, Some(0)), (0, Some(1))] {
        assert!(met.contains(&case), "{case:?}");
    }
}

#[test]
fn qr_6_the_naive_game_has_the_same_passes_of_a_player_shut_in() {
    let mut chance = Chance::new(16, 0);
    let mut met = BTreeSet::new();
    for size in SIZES {
        let mut moves = moves_on(size);
        while moves > 0 {
            let board = &random_board_with_a_player_shut_in(&mut chance, size);
            let (rules, next_player) = (Rules::new(size, 0).expect("it is a size"), Some(chance.toss()));
            let setup = Setup { rules, board, next_player, quiet_moves: 0 };
            // If the player who is shut in is to move, the set-up is refused.
            let Ok(game) = Position::try_from(setup) else { continue };
            let mv = pick(&mut chance, &game.legal_moves());
            let events = game.clone().play(&mv).expect("the move is legal");
            let turn = Turn::from(&events[..]);
            let (from, to) = cells(&mv);
            assert_eq!(Some(&turn), naive(&game).play(from, to).as_ref(), "{mv} in {}", game.notation());
            met.insert((turn.captures.len(), turn.passed));
            moves -= 1;
        }
    }
    // A case that was never met was never compared.
    for case in [(0, None), (0, Some(0)), (0, Some(1)), (1, Some(0)), (1, Some(1))] {
        assert!(met.contains(&case), "{case:?}");
    }
}

#[test]
fn qr_7_the_naive_game_reaches_the_same_state_in_random_games() {
    play_random_games(3, |step| {
        let mut wanted = naive(&step.before);
        let (from, to) = cells(&step.mv);
        wanted.play(from, to);
        assert_eq!(naive(&step.after), wanted, "{} in {}", step.mv, step.before.notation());
    });
}

#[test]
fn qr_5_the_naive_game_has_the_same_outcome_in_random_games() {
    let mut met = BTreeSet::new();
    play_random_games(4, |Step { after, .. }| {
        let outcome = plain::Outcome::from(after.outcome());
        assert_eq!(outcome, naive(after).outcome(), "{}", after.notation());
        met.insert((outcome.reason, outcome.winner));
    });
    // A case that was never met was never compared.
    let won = Some("TOO_FEW_PIECES");
    let wanted = [(None, None), (Some("QUIET_MOVE_LIMIT"), None), (won, Some(0)), (won, Some(1))];
    assert!(met.iter().eq(&wanted), "{met:?}");
}

#[test]
fn every_state_has_the_notation_of_the_naive_game_and_reads_back_from_it() {
    play_random_games(5, |Step { after, .. }| {
        let text = after.notation();
        assert_eq!(text, naive(after).notation());
        assert_eq!(QueenRooks::parse(&text), Ok(*after), "{text}");
    });
}

#[test]
fn every_move_reads_back_from_its_notation() {
    play_random_games(6, |Step { mv, .. }| assert_eq!(mv.to_string().parse(), Ok(*mv)));
}

#[test]
fn every_state_is_accepted_again_as_a_set_up() {
    play_random_games(7, |Step { after, .. }| {
        let setup = Setup {
            rules: after.rules(),
            board: &Diagram::from(after).rows(),
            next_player: Some(after.next_player()),
            quiet_moves: after.quiet_moves(),
        };
        assert_eq!(Position::try_from(setup), Ok(*after), "{}", after.notation());
    });
}

/// How many squares hold a letter.
fn count(game: &plain::Game, letter: char) -> usize {
    game.grid.iter().flatten().filter(|&&other| other == letter).count()
}

/// What holds of every move: in words, and as a predicate of it and of the boards before and after it.
type Invariant = (&'static str, fn(&Step, &plain::Game, &plain::Game) -> bool);

const INVARIANTS: [Invariant; 9] = [
    (
        "QR-3: the piece has left its square and stands on the other, which was empty",
        |step, before, after| {
            let (from, to) = cells(&step.mv);
            before.at(to) == '.' && after.at(from) == '.' && after.at(to) == before.at(from)
        },
    ),
    ("QR-4: nothing else changes but the rooks taken, which are gone", |step, before, after| {
        let (from, to) = cells(&step.mv);
        let taken: Vec<_> = step.turn().captures.iter().map(|capture| capture.cell).collect();
        let changed = |cell: &plain::Cell| before.at(*cell) != after.at(*cell);
        let expected = |cell: &plain::Cell| *cell == from || *cell == to || taken.contains(cell);
        before.cells().iter().all(|cell| changed(cell) == expected(cell))
            && taken.iter().all(|&cell| after.at(cell) == '.')
    }),
    ("QR-4: both queens stay", |_, _, after| count(after, 'Q') == 1 && count(after, 'q') == 1),
    ("QR-4: the player who moves loses no rook", |step, before, after| {
        let rook = ['R', 'r'][step.before.next_player() as usize];
        count(before, rook) == count(after, rook)
    }),
    ("QR-4: the other player loses none, one or two, as many as are told", |step, before, after| {
        let rook = ['r', 'R'][step.before.next_player() as usize];
        let lost = count(before, rook) - count(after, rook);
        lost <= 2 && lost == step.turn().captures.len()
    }),
    ("QR-4: a queen takes nothing", |step, _, _| {
        let turn = step.turn();
        turn.captures.is_empty() || ['R', 'r'].contains(&turn.piece)
    }),
    ("QR-5: the numbers of pieces are those on the board", |step, _, after| {
        Player::ALL
            .into_iter()
            .all(|player| step.after.pieces(player) as usize == after.pieces(player as usize))
    }),
    ("QR-6: the turn goes to the other player, or comes back if that one passes", |step, _, _| {
        let mover = step.before.next_player();
        let turn = step.turn();
        let wanted = if turn.passed.is_some() { mover } else { mover.other() };
        step.after.next_player() == wanted
            && turn.passed.is_none_or(|player| player == mover.other() as usize)
    }),
    ("the game is over exactly when no move is legal", |step, _, _| {
        step.after.legal_moves().is_empty() == step.after.is_over()
            && step.after.is_over() == step.after.outcome().ending.is_some()
    }),
];

#[test]
fn every_invariant_holds_after_every_move_of_random_games() {
    play_random_games(8, |step| {
        let (before, after) = (naive(&step.before), naive(&step.after));
        for (invariant, holds) in INVARIANTS {
            let context = || format!("{} in {}", step.mv, step.before.notation());
            assert!(holds(step, &before, &after), "{invariant}: {}", context());
        }
    });
}

/// Where a square goes on a board of a size.
type Symmetry = fn(plain::Cell, usize) -> plain::Cell;

/// The same position with its squares moved and its colours exchanged.
fn transform(game: &Position, to: Symmetry) -> Position {
    let from = naive(game);
    let mut board = vec![vec!['.'; from.size()]; from.size()];
    for cell in from.cells() {
        let (row, column) = to(cell, from.size());
        board[row][column] = exchange(from.at(cell));
    }
    let setup = Setup {
        rules: game.rules(),
        board: &board.into_iter().map(String::from_iter).collect::<Vec<_>>(),
        next_player: Some(game.next_player().other()),
        quiet_moves: game.quiet_moves(),
    };
    Position::try_from(setup).expect("the position is one")
}

/// The same letter in the other player's colour.
fn exchange(letter: char) -> char {
    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
}

/// What happened with its squares moved and its colours exchanged. The order of captures and of corners, which tells
/// rows from columns, is left out.
fn transform_turn(
    mut turn: Turn,
    to: impl Fn(plain::Cell) -> plain::Cell,
    exchange: fn(char) -> char,
) -> Turn {
    for cell in [&mut turn.from, &mut turn.to] {
        *cell = to(*cell);
    }
    turn.piece = exchange(turn.piece);
    for capture in &mut turn.captures {
        for cell in [&mut capture.cell, &mut capture.rook, &mut capture.queen] {
            *cell = to(*cell);
        }
        capture.corners = capture.corners.map(|(cell, piece)| (to(cell), exchange(piece)));
        capture.corners.sort_unstable();
    }
    turn.captures.sort_unstable_by_key(|capture| capture.cell);
    turn
}

/// Plays the moves of random games on transformed boards too, and holds the moves that are legal there, what happens
/// and where it leads against the transformed ones.
fn compare_transformed(seed: u64, to: Symmetry) {
    play_random_games(seed, |step| {
        let context = format!("{} in {}", step.mv, step.before.notation());
        let size = usize::from(step.before.rules().size());
        let to_square = |from: Square| square(to(cell(from), size));
        let transform_move = |mv: &Move| Move { from: to_square(mv.from), to: to_square(mv.to) };
        let mut other = transform(&step.before, to);
        let mut legal: Vec<_> =
            step.before.legal_moves().iter().map(|mv| cells(&transform_move(mv))).collect();
        let mut other_legal: Vec<_> = other.legal_moves().iter().map(cells).collect();
        legal.sort_unstable();
        other_legal.sort_unstable();
        assert_eq!(other_legal, legal, "{context}");
        let events = other.play(&transform_move(&step.mv)).expect("the move is legal");
        let mut wanted = transform_turn(step.turn(), |cell| to(cell, size), exchange);
        (wanted.player, wanted.passed) = (1 - wanted.player, wanted.passed.map(|player| 1 - player));
        assert_eq!(
            transform_turn(Turn::from(&events[..]), |cell| cell, |letter| letter),
            wanted,
            "{context}"
        );
        assert_eq!(other, transform(&step.after, to), "{context}");
        let Outcome { ending, pieces: [one, two] } = step.after.outcome();
        let ending = match ending {
            Some(Ending::Won { winner }) => Some(Ending::Won { winner: winner.other() }),
            other => other,
        };
        assert_eq!(other.outcome(), Outcome { ending, pieces: [two, one] }, "{context}");
    });
}

#[test]
fn a_game_turned_around_with_the_colours_exchanged_is_the_same_game() {
    compare_transformed(9, |(row, column), size| (size - 1 - row, size - 1 - column));
}

#[test]
fn a_game_mirrored_on_the_diagonal_with_the_colours_exchanged_is_the_same_game() {
    compare_transformed(10, |(row, column), _| (column, row));
}

/// Every move between two of these: the squares of a small board, the first ones beyond it, and those that a narrower
/// number would take for one.
fn moves_to_try(size: u32) -> Vec<Move> {
    let on_board = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
    let beyond = [(size, 0), (0, size), (size, size), (0, 256), (256, 0), (1 << 31, 1), (u32::MAX, u32::MAX)];
    let squares: Vec<_> = on_board.chain(beyond).map(|(row, column)| Square { row, column }).collect();
    squares.iter().flat_map(|&from| squares.iter().map(move |&to| Move { from, to })).collect()
}

/// Positions on small boards, some of them after the end of a game.
fn small_positions(seed: u64) -> Vec<Position> {
    let mut chance = Chance::new(seed, 0);
    let counts = [(4, 400), (6, 100), (8, 30)];
    let sizes = counts.into_iter().flat_map(|(size, count)| std::iter::repeat_n(size, count));
    sizes.map(|size| random_position(&mut chance, size)).collect()
}

#[test]
fn qr_3_a_move_is_listed_exactly_when_it_is_valid_and_can_be_played() {
    for game in small_positions(11) {
        let listed = game.legal_moves();
        for mv in moves_to_try(game.rules().size().into()) {
            let is_listed = listed.contains(&mv);
            assert_eq!(game.why_illegal(&mv).is_empty(), is_listed, "{mv} in {}", game.notation());
            assert_eq!(game.clone().play(&mv).is_ok(), is_listed, "{mv} in {}", game.notation());
        }
    }
}

/// Every reason why a move is illegal, from what the naive game shows.
fn reasons(game: &plain::Game, ending: Option<Ending>, mv: &Move) -> Vec<IllegalMove> {
    let last = game.size() as u32 - 1;
    let is_on_board = |square: Square| square.row <= last && square.column <= last;
    let last = Square { row: last, column: last };
    let mut reasons: Vec<_> = ending.map(IllegalMove::GameOver).into_iter().collect();
    let (from, to) = cells(mv);
    let owner = if is_on_board(mv.from) { game.owner(from) } else { None };
    if !is_on_board(mv.from) {
        reasons.push(IllegalMove::FromOutOfRange { square: mv.from, last });
    } else if owner.is_none() {
        reasons.push(IllegalMove::NothingThere(mv.from));
    } else if owner != game.player {
        reasons.push(IllegalMove::OthersPiece(mv.from));
    }
    if !is_on_board(mv.to) {
        reasons.push(IllegalMove::ToOutOfRange { square: mv.to, last });
        return reasons;
    }
    if owner.is_some() && !game.points_to(from, to) {
        let (from, to) = (mv.from, mv.to);
        reasons.push(match game.at(cell(from)) {
            'Q' | 'q' => IllegalMove::NotAQueenMove { from, to },
            _ => IllegalMove::NotARookMove { from, to },
        });
    } else if owner.is_some() {
        let in_the_way = plain::Game::passed(from, to).into_iter().find(|&cell| game.at(cell) != '.');
        reasons.extend(in_the_way.map(|cell| IllegalMove::PathBlocked(square(cell))));
    }
    if game.at(to) != '.' && from != to {
        reasons.push(IllegalMove::SquareOccupied(mv.to));
    }
    reasons
}

#[test]
fn qr_3_each_refusal_tells_its_reasons_and_changes_nothing() {
    for game in small_positions(12) {
        let naive = naive(&game);
        for mv in moves_to_try(game.rules().size().into()) {
            let reasons = reasons(&naive, game.outcome().ending, &mv);
            assert_eq!(game.why_illegal(&mv), reasons, "{mv} in {}", game.notation());
            if !reasons.is_empty() {
                let mut after = game;
                assert_eq!(after.play(&mv), Err(reasons));
                assert_eq!(after, game);
            }
        }
    }
}

#[test]
fn qr_4_the_naive_game_explains_the_same_captures_on_random_boards_of_every_size() {
    let mut chance = Chance::new(13, 0);
    let (mut taken, mut corners) = (BTreeSet::new(), BTreeSet::new());
    for size in SIZES {
        for _ in 0..moves_on(size) / 20 + 2 {
            let diagram = random_diagram(&mut chance, size);
            let game = plain::Game::from(&diagram);
            for arrived_at in game.cells() {
                let (captures, after) = diagram.resolve(square(arrived_at));
                let captures: Vec<_> = captures.iter().map(plain::Capture::from).collect();
                let mut wanted = game.clone();
                assert_eq!(captures, wanted.resolve(arrived_at), "{} {arrived_at:?}", diagram.notation());
                assert_eq!(plain::Game::from(&after), wanted, "{} {arrived_at:?}", diagram.notation());
                taken.insert((size, captures.len()));
                corners.extend(captures.iter().flat_map(|capture| capture.corners).map(|(_, piece)| piece));
            }
        }
    }
    // A case that was never met was never compared.
    assert_eq!(taken.len(), 3 * SIZES.len(), "{taken:?}");
    assert!(corners.iter().copied().eq(".QRqr".chars()), "{corners:?}");
}

#[test]
fn every_diagram_reads_back_from_its_notation() {
    let mut chance = Chance::new(14, 0);
    for size in SIZES {
        for _ in 0..20 {
            let diagram = random_diagram(&mut chance, size);
            assert_eq!(diagram.notation(), plain::Game::from(&diagram).notation());
            assert_eq!(Diagram::parse(&diagram.notation()), Ok(diagram), "{}", diagram.notation());
        }
    }
}

/// These boards have the right size and not too many pieces: what can be wrong is who is to move, and the count.
#[test]
fn qr_5_and_qr_6_a_random_board_is_refused_exactly_for_what_the_naive_game_says() {
    let mut chance = Chance::new(15, 0);
    let mut met = BTreeSet::new();
    for size in SIZES {
        for _ in 0..moves_on(size) {
            let written = random_set_up(&mut chance, size);
            let (diagram, next) = (Diagram::try_from(written.set_up()), written.next_player);
            let diagram = diagram.expect("the board is one");
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
            let errors = Position::try_from(written.set_up()).err().unwrap_or_default();
            assert_eq!(errors, wanted, "{}", diagram.notation());
            met.extend(wanted.iter().map(ToString::to_string));
        }
    }
    // Two losers, each player as the loser who is not to move and as the one who is blocked, and one to five quiet
    // moves after the end.
    assert_eq!(met.len(), 10, "{met:?}");
}
