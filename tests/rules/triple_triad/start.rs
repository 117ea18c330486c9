//! TT-2, TT-3 and TT-4: the hands, the first player and the elemental squares at the start of a game.

use std::collections::BTreeSet;

use proptest::{array::uniform9, option, prelude::*};

use super::support::{
    all, any_cards, any_element, any_player, any_rules, config, elemental_squares, ids, rules, start,
    with_hands,
};
use arbiter_games::{
    Game,
    triple_triad::{CATALOGUE, Diagram, Opening, OpeningSetup, Rule, TripleTriad},
};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn tt_2_hands_are_dealt_from_the_catalogue_without_repeating_a_card(rules in any_rules(), seed: u64) {
        let game = TripleTriad::new(rules, Opening::default(), seed);
        prop_assert!(game.cards().iter().all(|card| CATALOGUE.contains(card)));
        prop_assert_eq!(ids(game.cards()).into_iter().collect::<BTreeSet<_>>().len(), 10);
    }

    #[test]
    fn tt_2_random_hands_are_five_different_cards_of_the_players_collection(
        cards in any_cards(40),
        sizes in [5..=20usize, 5..=20usize],
        seed: u64,
    ) {
        let collections = [cards[..sizes[0]].to_vec(), cards[20..20 + sizes[1]].to_vec()];
        let opening = OpeningSetup {
            collections: collections.each_ref().map(|cards| all(cards)),
            ..OpeningSetup::default()
        };
        let game = start(rules("r"), &opening, seed);
        for (hand, collection) in game.diagram().hands.iter().zip(&collections) {
            prop_assert!(hand.iter().all(|card| collection.contains(card)));
            prop_assert_eq!(ids(hand).into_iter().collect::<BTreeSet<_>>().len(), 5);
        }
    }

    #[test]
    fn tt_3_a_game_starts_with_an_empty_board_and_the_given_values(
        rules in any_rules(),
        cards in any_cards(10),
        first in any_player(),
        elements in uniform9(option::of(any_element())),
        seed: u64,
    ) {
        let opening = OpeningSetup {
            first_player: Some(first),
            elements: Some(elemental_squares(&elements)),
            ..with_hands(&cards)
        };
        let wanted = Diagram {
            rules,
            squares: elements.map(|element| (element, None)),
            hands: [cards[..5].to_vec(), cards[5..].to_vec()],
            next_player: Some(first),
            drawn_rounds: 0,
            hidden: None,
        };
        prop_assert_eq!(start(rules, &opening, seed).diagram(), wanted);
    }

    #[test]
    fn tt_4_with_the_rule_one_to_four_squares_have_an_element(rules in any_rules(), seed: u64) {
        let game = TripleTriad::new(rules, Opening::default(), seed).diagram();
        let drawn = game.squares.iter().filter(|(element, _)| element.is_some()).count();
        let wanted = if rules.has(Rule::Elemental) { 1..=4 } else { 0..=0 };
        prop_assert!(wanted.contains(&drawn), "{}", game.notation());
    }

    #[test]
    fn what_the_seed_decides_does_not_depend_on_what_is_given(rules in any_rules(), seed: u64) {
        let new = |setup: OpeningSetup| start(rules, &setup, seed).diagram();
        let nothing = OpeningSetup::default;
        let drawn = new(nothing());
        let elements = Some(elemental_squares(&drawn.squares.map(|(element, _)| element)));
        prop_assert_eq!(&new(nothing()), &drawn);
        prop_assert_eq!(&new(with_hands(&drawn.hands.concat())), &drawn);
        prop_assert_eq!(&new(OpeningSetup { first_player: drawn.next_player, ..nothing() }), &drawn);
        prop_assert_eq!(&new(OpeningSetup { elements, ..nothing() }), &drawn);
    }
}

#[test]
fn every_choice_is_made_by_some_seed() {
    let (mut first_players, mut counts) = (BTreeSet::new(), BTreeSet::new());
    let (mut squares, mut elements, mut cards) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for seed in 0..1000 {
        let game = TripleTriad::new(rules("e"), Opening::default(), seed).diagram();
        let drawn =
            game.squares.iter().enumerate().filter_map(|(square, (element, _))| Some((square, (*element)?)));
        counts.insert(drawn.clone().count());
        squares.extend(drawn.clone().map(|(square, _)| square));
        elements.extend(drawn.map(|(_, element)| element as usize));
        cards.extend(ids(game.hands.iter().flatten()));
        first_players.insert(game.next_player.map(|player| player as usize));
    }
    let seen = [first_players.len(), counts.len(), squares.len(), elements.len(), cards.len()];
    assert_eq!(seen, [2, 4, 9, 8, 110]);
}

// The result of a seed is part of the contract: a seed gives the same game in every release. The states below must never
// change.

#[test]
fn the_game_dealt_by_a_seed_never_changes() {
    let new = |seed| TripleTriad::new(rules("e"), Opening::default(), seed).notation();
    assert_eq!(new(0), "tt:e:-,-,-/-,-,w/-,-,-:37,3,36,95,24:47,83,9,27,80:O");
    assert_eq!(new(1), "tt:e:-,f,-/-,-,-/-,i,t:94,3,73,34,51:95,5,28,90,78:X");
    assert_eq!(new(42), "tt:e:-,w,-/-,p,-/-,-,-:43,3,73,60,14:100,96,20,87,48:X");
    assert_eq!(new(u64::MAX), "tt:e:i,-,-/-,-,-/-,f,-:99,102,96,88,25:78,84,64,94,71:X");
}

#[test]
fn the_random_hands_drawn_by_a_seed_never_change() {
    let new = |seed| {
        let collections = [all(&CATALOGUE[..10]), all(&CATALOGUE[100..])];
        start(rules("r"), &OpeningSetup { collections, ..OpeningSetup::default() }, seed).notation()
    };
    assert_eq!(new(0), "tt:r:-,-,-/-,-,-/-,-,-:10,7,1,4,5:107,105,110,108,102:O");
    assert_eq!(new(1), "tt:r:-,-,-/-,-,-/-,-,-:3,6,5,4,9:109,102,101,110,104:X");
    assert_eq!(new(42), "tt:r:-,-,-/-,-,-/-,-,-:2,4,8,1,5:109,107,108,104,105:X");
}
