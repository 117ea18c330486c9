//! The state as one player sees it: RM-7 without the other hands.

use super::support::{at_every_state, naive, setup};
use crate::naive::royal_match as plain;
use arbiter_games::{
    Chance, Game,
    royal_match::{Card, ParseError, RoyalMatch, Seat, Table},
};

fn seats(game: &RoyalMatch) -> impl Iterator<Item = Seat> {
    game.table().seats()
}

/// A match that is the same for the viewer: the other hands are dealt again from the cards that the viewer does not
/// see.
fn with_other_hidden_hands(chance: &mut Chance, game: &RoyalMatch, viewer: Seat) -> RoyalMatch {
    let mut setup = setup(game.table());
    let players = game.table().players();
    let seen: Vec<Card> = players
        .iter()
        .filter_map(|player| player.played)
        .chain(players[viewer.index()].hand.clone())
        .collect();
    let mut unseen: Vec<Card> = Card::deck().filter(|card| !seen.contains(card)).collect();
    let count = unseen.len();
    chance.draw(&mut unseen, count);
    for (_, player) in Seat::ALL.into_iter().zip(&mut setup.players).filter(|(seat, _)| *seat != viewer) {
        let rest = unseen.split_off(player.hand.len());
        player.hand = std::mem::replace(&mut unseen, rest).into_iter().map(Some).collect();
    }
    RoyalMatch::try_from(&setup).expect("the hands have the same sizes")
}

#[test]
fn a_view_hides_only_the_cards_in_the_other_hands() {
    at_every_state(8, |game| {
        for viewer in seats(game) {
            let view = game.view(viewer);
            assert_eq!(view.viewer, viewer);
            assert_eq!(plain::hands_of(&view), naive(game).view(viewer.index()), "{}", game.notation());
            let without_hands = |table: &Table| {
                let mut table = plain::Match::from(table);
                table.players.iter_mut().for_each(|player| player.hand.clear());
                table
            };
            assert_eq!(without_hands(&view.table), without_hands(game.table()), "{}", game.notation());
        }
    });
}

#[test]
fn a_view_does_not_depend_on_the_hidden_cards() {
    let mut chance = Chance::new(13, 0);
    at_every_state(9, |game| {
        for viewer in seats(game) {
            let other = with_other_hidden_hands(&mut chance, game, viewer).view(viewer);
            let view = game.view(viewer);
            assert_eq!(view.notation(), other.notation());
            assert_eq!(view, other);
        }
    });
}

#[test]
fn a_view_is_not_accepted_as_a_state() {
    at_every_state(10, |game| {
        for text in seats(game).map(|viewer| game.view(viewer).notation()) {
            assert_eq!(RoyalMatch::parse(&text), Err(vec![ParseError::View]), "{text}");
            assert_eq!(Table::parse(&text), Err(vec![ParseError::View]), "{text}");
        }
    });
}

#[test]
fn a_view_has_a_question_mark_and_a_number_in_place_of_each_hidden_hand() {
    let game = RoyalMatch::parse("rm:sC:7H;2/-;1;2H/3D;0").expect("the state is a match");
    let views: Vec<_> = seats(&game).map(|viewer| game.view(viewer).notation()).collect();
    assert_eq!(views, ["rm:sC:7H;2/?0;1;2H/?1;0", "rm:sC:?1;2/-;1;2H/?1;0", "rm:sC:?1;2/?0;1;2H/3D;0"]);
}
