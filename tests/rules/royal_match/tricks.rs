//! RM-7: tricks.

use std::collections::BTreeSet;

use super::support::{cards_of, random_diagram, random_match, sorted};
use crate::{chance::pick, naive::royal_match as plain};
use arbiter_games::{
    Chance, Game,
    royal_match::{Card, Event, Move, Player, RoyalMatch},
};

#[test]
fn rm_7_no_card_is_lost_or_duplicated() {
    let mut chance = Chance::new(8, 0);
    for _ in 0..500 {
        let mut game = random_match(&mut chance);
        let dealt = sorted(cards_of(game.diagram()));
        let mut taken = Vec::new();
        loop {
            let everywhere = cards_of(game.diagram()).into_iter().chain(taken.iter().copied());
            assert_eq!(sorted(everywhere), dealt, "{}", game.notation());
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            for event in game.play(&pick(&mut chance, &legal)).expect("the move is legal") {
                if let Event::TrickTaken(trick) = event {
                    taken.push(trick.card);
                    taken.extend(trick.comparisons.iter().map(|comparison| comparison.weaker));
                }
            }
        }
    }
}

/// Every order of the players.
fn permutations(players: &[Player]) -> Vec<Vec<Player>> {
    if players.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |&first: &Player| {
        let rest: Vec<_> = players.iter().copied().filter(|&player| player != first).collect();
        permutations(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    players.iter().flat_map(with_first).collect()
}

#[test]
fn rm_7_the_order_of_the_players_does_not_change_the_trick() {
    let mut chance = Chance::new(9, 0);
    for _ in 0..500 {
        let start = random_match(&mut chance);
        let chosen: Vec<Card> =
            start.diagram().seats().iter().map(|seat| pick(&mut chance, &seat.hand)).collect();
        let players: Vec<Player> = start.diagram().players().collect();
        let ends = permutations(&players).into_iter().map(|players| {
            let mut game = start.clone();
            let play = |player: Player| game.play(&Move { player, card: chosen[player.index()] });
            let events = players.into_iter().map(play).collect::<Result<Vec<_>, _>>();
            let trick = events.expect("every player may play").concat().pop();
            assert!(matches!(trick, Some(Event::TrickTaken(_))), "{trick:?} in {}", start.notation());
            (trick, game)
        });
        let ends: Vec<_> = ends.collect();
        assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{ends:?}");
    }
}

#[test]
fn rm_7_a_trick_explains_why_it_is_taken() {
    let mut game =
        crate::parse_state::<RoyalMatch>("rm:vH:KH;0/-;0;AS/-;0;KD").expect("the state is a match");
    let events = game.play(&"1:KH".parse().expect("the text is a move")).expect("the move is legal");
    let [_, Event::TrickTaken(trick)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(trick.to_string(), "player two takes the trick with AS: AS beats KH: it has the higher value");
}

#[test]
fn rm_7_the_trick_of_a_random_diagram_is_taken_as_in_the_naive_match() {
    let mut chance = Chance::new(10, 0);
    let mut seen = BTreeSet::new();
    for _ in 0..2000 {
        let diagram = random_diagram(&mut chance);
        let mut wanted = plain::Match::from(&diagram);
        let notation = diagram.notation();
        let (tricks, after) = RoyalMatch::resolve_captures(diagram);
        let tricks: Vec<_> = tricks.iter().map(plain::Trick::from).collect();
        assert_eq!(tricks, wanted.take_trick().into_iter().collect::<Vec<_>>(), "{notation}");
        assert_eq!(plain::Match::from(&after), wanted, "{notation}");
        seen.insert(tricks.len());
    }
    assert_eq!(seen, BTreeSet::from([0, 1]));
}
