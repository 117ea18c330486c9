//! TT-3: legal moves, and the reasons why a move is illegal.

use proptest::prelude::*;

use super::support::{any_record, config, ids, ids_on_board};
use crate::naive::triple_triad::{CELLS, cell, square};
use arbiter_games::{
    Game, Player, Square,
    triple_triad::{Card, Diagram, IllegalMove, Move, Rule, TripleTriad},
};

/// The squares of the board, those next to it, and some that would wrap to the board in a narrower integer.
fn squares_to_try() -> impl Iterator<Item = Square> {
    let beyond = [(0, 3), (3, 0), (2, 3), (3, 2), (3, 3), (0, 256), (1 << 31, 1), (u32::MAX, u32::MAX)];
    CELLS.map(square).into_iter().chain(beyond.map(|(row, column)| Square { row, column }))
}

/// Every move of a card of the game, or with another id, to a square on or off the board.
fn moves_to_try(game: &TripleTriad, others: &[Card]) -> Vec<Move> {
    let ids = ids(game.cards().iter().chain(&others[..1])).into_iter().chain([0]);
    ids.flat_map(|card| squares_to_try().map(move |square| Move { card, square })).collect()
}

/// Every reason why a move is illegal, derived from the diagram.
fn reasons(diagram: &Diagram, &Move { card, square }: &Move) -> Vec<IllegalMove> {
    let next = diagram.next_player.expect("a game has a next player");
    let has = |player: Player| ids(&diagram.hands[player as usize]).contains(&card);
    let over = (ids_on_board(diagram).len() == 9).then_some(IllegalMove::GameOver);
    let card = if has(next) {
        None
    } else if ids_on_board(diagram).contains(&card) {
        Some(IllegalMove::CardOnBoard(card))
    } else if !diagram.rules.has(Rule::Open) {
        // After the end, a reason must not reveal the card that is left.
        over.is_none().then_some(IllegalMove::CardNotInHand { card, player: next })
    } else if has(next.other()) {
        Some(IllegalMove::OthersCard(card))
    } else {
        Some(IllegalMove::UnknownCard(card))
    };
    let square = match CELLS.iter().position(|&other| other == cell(square)) {
        None => Some(IllegalMove::SquareOutOfRange(square)),
        Some(index) => diagram.squares[index].1.map(|_| IllegalMove::SquareOccupied(square)),
    };
    over.into_iter().chain(card).chain(square).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn tt_3_a_move_is_listed_exactly_when_it_is_legal_and_can_be_played(record in any_record()) {
        for game in record.states() {
            let listed = game.legal_moves();
            for mv in moves_to_try(&game, &record.others) {
                let is_listed = listed.contains(&mv);
                prop_assert_eq!(game.why_illegal(&mv).is_empty(), is_listed, "{} in {}", mv, game.notation());
                prop_assert_eq!(game.clone().play(&mv).is_ok(), is_listed, "{} in {}", mv, game.notation());
            }
        }
    }

    #[test]
    fn tt_3_an_illegal_move_lists_its_reasons_and_changes_nothing(record in any_record()) {
        for game in record.states() {
            let diagram = game.diagram();
            for mv in moves_to_try(&game, &record.others) {
                let reasons = reasons(&diagram, &mv);
                prop_assert_eq!(&game.why_illegal(&mv), &reasons);
                if !reasons.is_empty() {
                    let mut after = game;
                    prop_assert_eq!(after.play(&mv), Err(reasons));
                    prop_assert_eq!(&after, &game);
                }
            }
        }
    }
}
