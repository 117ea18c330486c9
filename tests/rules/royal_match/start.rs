//! RM-7: the start of a match, dealt by seed or given.

use std::collections::BTreeSet;

use super::support::{cards, cards_of, deal, opening, orders, sorted};
use crate::naive::royal_match as plain;
use arbiter_games::{
    Game,
    royal_match::{OpeningSetup, RoyalMatch, Rules, Seat},
};

/// Deals of every size with twenty seeds: the number of players, the hand size, and the match.
fn deals() -> impl Iterator<Item = (u32, u32, RoyalMatch)> {
    let sizes = (2..=4).flat_map(|players| (1..=13).map(move |hand_size| (players, hand_size)));
    sizes.flat_map(|(players, hand_size)| {
        (0..20).map(move |seed| (players, hand_size, deal(players, hand_size, seed)))
    })
}

#[test]
fn rm_7_each_player_is_dealt_the_requested_number_of_cards() {
    for (players, hand_size, game) in deals() {
        let sizes: Vec<_> = game.diagram().seats().iter().map(|seat| seat.hand.len()).collect();
        assert_eq!(sizes, vec![hand_size as usize; players as usize]);
    }
}

#[test]
fn rm_7_no_card_is_dealt_twice() {
    for (_, _, game) in deals() {
        let dealt = sorted(cards_of(game.diagram()));
        assert!(dealt.is_sorted_by(|one, next| one < next), "{}", game.notation());
    }
}

#[test]
fn rm_7_nothing_is_played_or_taken_when_a_match_starts() {
    for (_, _, game) in deals() {
        let seats = game.diagram().seats();
        assert!(seats.iter().all(|seat| seat.played.is_none() && seat.tricks == 0));
    }
}

#[test]
fn rm_7_two_players_are_dealt_thirteen_cards_by_default() {
    let game = RoyalMatch::new(Rules::default(), opening(&OpeningSetup::default()), 5);
    assert_eq!(game, deal(2, 13, 5));
}

#[test]
fn rm_7_a_match_starts_with_the_given_hands_and_dominant_suit() {
    let hands = ["10H 2S AD", "KC QC JC", "3D 5H 4S"].map(cards);
    for order in orders() {
        let setup = OpeningSetup {
            hands: hands.iter().map(|hand| hand.iter().copied().map(Some).collect()).collect(),
            dominant: Some(order.dominant),
            ..OpeningSetup::default()
        };
        let game = RoyalMatch::new(Rules { ordering: order.ordering }, opening(&setup), 0);
        let given: Vec<_> = game.diagram().seats().iter().map(|seat| seat.hand.clone()).collect();
        assert_eq!((game.diagram().order(), &given[..]), (order, &hands[..]));
    }
}

#[test]
fn what_the_seed_decides_does_not_depend_on_what_is_given() {
    for (players, hand_size, seed) in [(2, 13, 0), (3, 4, 1), (4, 13, u64::MAX), (2, 1, 1 << 40)] {
        let drawn = deal(players, hand_size, seed);
        let dominant = Some(drawn.diagram().order().dominant);
        let hand = |seat: &Seat| seat.hand.iter().copied().map(Some).collect();
        let hands: Vec<Vec<_>> = drawn.diagram().seats().iter().map(hand).collect();
        let dealt =
            OpeningSetup { players: Some(players), hand_size: Some(hand_size), ..OpeningSetup::default() };
        for setup in [
            dealt.clone(),
            OpeningSetup { dominant, ..dealt.clone() },
            OpeningSetup { hands: hands.clone(), ..dealt },
            OpeningSetup { hands, ..OpeningSetup::default() },
        ] {
            assert_eq!(RoyalMatch::new(Rules::default(), opening(&setup), seed), drawn, "{setup:?}");
        }
    }
}

#[test]
fn every_choice_is_made_by_some_seed() {
    let (mut dominant, mut held) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..1000 {
        let game = deal(4, 1, seed);
        dominant.insert(plain::suit_name(game.diagram().order().dominant));
        held.extend(cards_of(game.diagram()).iter().map(ToString::to_string).enumerate());
    }
    // Every suit is strong, and every player holds every card.
    assert_eq!((dominant.len(), held.len()), (4, 4 * 52));
}

// The result of a seed is part of the contract: a seed gives the same match in every release. The states below must never
// change.

#[test]
fn the_match_dealt_by_a_seed_never_changes() {
    let new = |players, hand_size, seed| deal(players, hand_size, seed).notation();
    assert_eq!(
        new(2, 13, 0),
        "rm:vS:QC,5S,10S,QD,2D,9S,2C,4S,AH,2S,4H,JC,8H;0/7H,8C,9H,KC,2H,QS,5D,KS,KH,AS,6C,6H,3S;0"
    );
    assert_eq!(
        new(2, 13, 1),
        "rm:vH:AC,4S,8C,JH,5C,7C,4C,9C,9H,QH,2C,QS,8D;0/7D,10D,7S,KC,3C,3H,4D,4H,7H,6D,KD,3S,AS;0"
    );
    assert_eq!(
        new(2, 13, 42),
        "rm:vC:2D,KH,5H,AH,5D,AS,4S,JH,7C,2H,5S,8C,9H;0/2S,10C,9C,JC,4H,3S,9S,10H,9D,3H,7H,KC,8H;0"
    );
    assert_eq!(new(3, 5, 0), "rm:vS:QC,5S,10S,QD,2D;0/9S,2C,4S,AH,2S;0/4H,JC,8H,7H,8C;0");
    assert_eq!(new(3, 5, 1), "rm:vH:AC,4S,8C,JH,5C;0/7C,4C,9C,9H,QH;0/2C,QS,8D,7D,10D;0");
    assert_eq!(new(3, 5, 42), "rm:vC:2D,KH,5H,AH,5D;0/AS,4S,JH,7C,2H;0/5S,8C,9H,2S,10C;0");
    assert_eq!(new(4, 2, u64::MAX), "rm:vH:QS,4C;0/KS,3C;0/7S,4H;0/KD,6D;0");
}
