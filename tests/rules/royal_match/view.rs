//! RM-7: the match as one player sees it.

use super::support::{at_every_state, card, naive, setup};
use crate::naive::royal_match as plain;
use arbiter_games::{
    Chance, Game, PlayError, StateOrView, View as _,
    royal_match::{Card, Diagram, Move, Player, RoyalMatch, View},
};

fn players(game: &RoyalMatch) -> impl Iterator<Item = Player> {
    game.diagram().players()
}

/// A match that looks the same to the viewer: the other hands are dealt again from the cards that the viewer does not
/// see.
fn with_other_hidden_hands(chance: &mut Chance, game: &RoyalMatch, viewer: Player) -> RoyalMatch {
    let mut setup = setup(game.diagram());
    let seats = game.diagram().seats();
    let seen: Vec<Card> =
        seats.iter().filter_map(|seat| seat.played).chain(seats[viewer.index()].hand.clone()).collect();
    let mut unseen: Vec<Card> = Card::deck().filter(|card| !seen.contains(card)).collect();
    let count = unseen.len();
    chance.draw(&mut unseen, count);
    for (_, seat) in Player::ALL.into_iter().zip(&mut setup.seats).filter(|(player, _)| *player != viewer) {
        let rest = unseen.split_off(seat.hand.len());
        seat.hand = std::mem::replace(&mut unseen, rest).into_iter().map(Some).collect();
    }
    StateOrView::try_from(&setup).map(crate::whole).expect("the hands have the same sizes")
}

/// The view of a player.
fn view(game: &RoyalMatch, viewer: Player) -> View {
    match game.view(viewer) {
        StateOrView::View(view) => view,
        StateOrView::State(_) => panic!("a match hides hands"),
    }
}

#[test]
fn a_view_hides_only_the_cards_in_the_other_hands() {
    at_every_state(8, |game| {
        for viewer in players(game) {
            let view = view(game, viewer);
            assert_eq!(view.diagram().viewer(), Some(viewer));
            assert_eq!(plain::hands_of(&view), naive(game).view(viewer.index()), "{}", game.notation());
            let without_hands = |diagram: &Diagram| {
                let mut naive = plain::Match::from(diagram);
                naive.players.iter_mut().for_each(|player| player.hand.clear());
                naive
            };
            assert_eq!(without_hands(view.diagram()), without_hands(game.diagram()), "{}", game.notation());
        }
    });
}

#[test]
fn a_view_does_not_depend_on_the_hidden_cards() {
    let mut chance = Chance::new(13, 0);
    at_every_state(9, |game| {
        for viewer in players(game) {
            let other = with_other_hidden_hands(&mut chance, game, viewer).view(viewer);
            assert_eq!(game.view(viewer), other);
        }
    });
}

#[test]
fn a_view_reads_back_from_its_notation() {
    at_every_state(10, |game| {
        for view in players(game).map(|viewer| game.view(viewer)) {
            let text = view.notation();
            assert_eq!(RoyalMatch::parse(&text), Ok(view), "{text}");
        }
    });
}

#[test]
fn a_view_treats_the_viewers_moves_like_the_whole_state() {
    at_every_state(16, |game| {
        for player in players(game) {
            let view = view(game, player);
            let text = view.notation();
            let mut own = game.legal_moves();
            own.retain(|mv| mv.player == player);
            let waits = own.is_empty() && !game.legal_moves().is_empty();
            assert_eq!(view.legal_moves().ok(), (!waits).then_some(own), "{text}");
            for card in Card::deck().step_by(3) {
                let mv = Move { player, card };
                assert_eq!(view.why_illegal(&mv), Ok(game.why_illegal(&mv)), "{mv} in {text}");
                let (mut whole, mut seen) = (game.clone(), view.clone());
                assert_eq!(seen.play(&mv), whole.play(&mv).map_err(PlayError::Illegal), "{mv} in {text}");
                assert_eq!(StateOrView::View(seen), whole.view(player), "{mv} in {text}");
            }
        }
    });
}

#[test]
fn a_view_rejects_moves_of_other_players_of_the_match() {
    at_every_state(17, |game| {
        for viewer in players(game) {
            let view = view(game, viewer);
            for player in Player::ALL.into_iter().filter(|player| *player != viewer) {
                let mv = Move { player, card: card("7H") };
                if players(game).any(|other| other == player) && !game.legal_moves().is_empty() {
                    assert!(view.why_illegal(&mv).is_err());
                    assert!(matches!(view.clone().play(&mv), Err(PlayError::Hidden(_))));
                } else {
                    assert_eq!(view.why_illegal(&mv), Ok(game.why_illegal(&mv)));
                }
            }
        }
    });
}

#[test]
fn a_view_has_the_outcome_of_the_whole_state() {
    at_every_state(18, |game| {
        for viewer in players(game) {
            assert_eq!(view(game, viewer).outcome(), game.outcome(), "{}", game.notation());
        }
    });
}

#[test]
fn a_view_has_a_question_mark_and_a_number_in_place_of_each_hidden_hand() {
    let game = crate::parse_state::<RoyalMatch>("rm:sC:7H;2/-;1;2H/3D;0").expect("the state is a match");
    let views: Vec<_> = players(&game).map(|viewer| game.view(viewer).notation()).collect();
    assert_eq!(views, ["rm:sC:7H;2/?0;1;2H/?1;0", "rm:sC:?1;2/-;1;2H/?1;0", "rm:sC:?1;2/?0;1;2H/3D;0"]);
}
