//! RM-7: legal moves, and the reasons why a move is illegal.

use super::support::{at_every_state, cards_of};
use arbiter_games::{
    Game,
    royal_match::{Card, Diagram, IllegalMove, Move, Player},
};

/// Every card of the deck played by every player that a match can have.
fn moves_to_try() -> impl Iterator<Item = Move> {
    Player::ALL.into_iter().flat_map(|player| Card::deck().map(move |card| Move { player, card }))
}

/// Every reason why a move is illegal, derived from the diagram.
fn reasons(diagram: &Diagram, Move { player, card }: Move) -> Vec<IllegalMove> {
    let over = cards_of(diagram).is_empty().then_some(IllegalMove::GameOver);
    let players = diagram.seats().len();
    let Some(seat) = diagram.seats().get(player.index()) else {
        return over.into_iter().chain([IllegalMove::NoSuchPlayer { player, players }]).collect();
    };
    let second = seat.played.map(|_| IllegalMove::AlreadyPlayed(player));
    let missing = (!seat.hand.contains(&card)).then_some(IllegalMove::CardNotInHand { card, player });
    over.into_iter().chain(second).chain(missing).collect()
}

#[test]
fn rm_7_a_move_is_listed_exactly_when_it_is_legal_and_can_be_played() {
    at_every_state(2, |game| {
        let listed = game.legal_moves();
        for mv in moves_to_try() {
            let is_listed = listed.contains(&mv);
            assert_eq!(game.why_illegal(&mv).is_empty(), is_listed, "{mv} in {}", game.notation());
            assert_eq!(game.clone().play(&mv).is_ok(), is_listed, "{mv} in {}", game.notation());
        }
    });
}

#[test]
fn rm_7_an_illegal_move_lists_its_reasons_and_changes_nothing() {
    at_every_state(3, |game| {
        let mut after = game.clone();
        for mv in moves_to_try() {
            let reasons = reasons(game.diagram(), mv);
            if !reasons.is_empty() {
                assert_eq!(after.play(&mv), Err(reasons), "{mv} in {}", game.notation());
                assert_eq!(&after, game, "{mv}");
            }
        }
    });
}
