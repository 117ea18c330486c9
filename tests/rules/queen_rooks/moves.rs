//! QR-3: legal moves, and the reasons why a move is illegal.

use super::support::{listed, mv, naive, position, random_position};
use crate::naive::queen_rooks::{self as plain, cell, cells, square};
use arbiter_games::{
    Chance, Game,
    Player::{One, Two},
    Square,
    queen_rooks::{Ending, IllegalMove, Move, Position},
};

/// The queen on a4 is blocked by its own rooks, and each rook is blocked on two or three sides.
#[test]
fn qr_3_a_blocked_piece_has_no_move() {
    let start = position("..rq ..rr RR.. QR..", One);
    assert_eq!(listed(&start.legal_moves()), "a3-a1 a3-a2 b3-b1 b3-b2 b3-c3 b3-d3 b4-c4 b4-d4");
}

#[test]
fn qr_3_a_rook_moves_along_a_row_or_a_column() {
    let game = position("R....q .R.... ...R.. ...... ..r... Qrrr..", One);
    let rook: Vec<_> = game.legal_moves().into_iter().filter(|to| to.from == mv("d3-d3").from).collect();
    assert_eq!(listed(&rook), "d3-d1 d3-d2 d3-a3 d3-b3 d3-c3 d3-e3 d3-f3 d3-d4 d3-d5");
}

#[test]
fn qr_3_a_queen_also_moves_along_a_diagonal() {
    let game = position("R....q ....R. ...Q.. ...... .r...r rr.r..", One);
    let queen: Vec<_> = game.legal_moves().into_iter().filter(|to| to.from == mv("d3-d3").from).collect();
    let wanted = "d3-b1 d3-d1 d3-c2 d3-d2 d3-a3 d3-b3 d3-c3 d3-e3 d3-f3 d3-c4 d3-d4 d3-e4 d3-d5";
    assert_eq!(listed(&queen), wanted);
}

#[test]
fn qr_3_an_illegal_move_has_all_its_reasons() {
    let game = position("R....q ....R. ...Q.. ...... .r...r rr.r..", One);
    let at = |name: &str| mv(&format!("{name}-{name}")).from;
    let last = at("f6");
    let cases = [
        ("b2-b3", vec![IllegalMove::NothingThere(at("b2"))]),
        ("f1-f2", vec![IllegalMove::OthersPiece(at("f1"))]),
        ("a1-b2", vec![IllegalMove::NotARookMove { from: at("a1"), to: at("b2") }]),
        ("d3-b2", vec![IllegalMove::NotAQueenMove { from: at("d3"), to: at("b2") }]),
        // A move is at least one square.
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
fn qr_3_a_move_is_rejected_when_the_game_is_over() {
    let game = position("..rq .... RR.. QR..", Two);
    let won = Ending::Won { winner: One };
    assert_eq!(game.why_illegal(&mv("c1-b1")), [IllegalMove::GameOver(won)]);
}

/// Every move between two squares of this list: those of a small board, those next to it, and some that would wrap to
/// the board in a narrower integer.
fn moves_to_try(size: u32) -> Vec<Move> {
    let on_board = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
    let beyond = [(size, 0), (0, size), (size, size), (0, 256), (256, 0), (1 << 31, 1), (u32::MAX, u32::MAX)];
    let squares: Vec<_> = on_board.chain(beyond).map(|(row, column)| Square { row, column }).collect();
    squares.iter().flat_map(|&from| squares.iter().map(move |&to| Move { from, to })).collect()
}

/// Positions on small boards, some of them after the end.
fn small_positions(seed: u64) -> Vec<Position> {
    let mut chance = Chance::new(seed, 0);
    let counts = [(4, 400), (6, 100), (8, 30)];
    let sizes = counts.into_iter().flat_map(|(size, count)| std::iter::repeat_n(size, count));
    sizes.map(|size| random_position(&mut chance, size)).collect()
}

#[test]
fn qr_3_a_move_is_listed_exactly_when_it_is_legal_and_can_be_played() {
    for game in small_positions(11) {
        let listed = game.legal_moves();
        for mv in moves_to_try(game.rules().size().into()) {
            let is_listed = listed.contains(&mv);
            assert_eq!(game.why_illegal(&mv).is_empty(), is_listed, "{mv} in {}", game.notation());
            assert_eq!(game.clone().play(&mv).is_ok(), is_listed, "{mv} in {}", game.notation());
        }
    }
}

/// Every reason why a move is illegal, derived from the naive game.
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
fn qr_3_an_illegal_move_lists_its_reasons_and_changes_nothing() {
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
