//! TT-14: the trade after a win.

use std::collections::BTreeSet;

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};

use super::support::{
    TRADES, any_end, any_player, any_record, config, game, ids, ids_on_board, naive, sorted,
};
use crate::naive::triple_triad as plain;
use arbiter_games::{
    Game,
    triple_triad::{Card, Ending, Trade, TradeRule, TradeSetup, TripleTriad},
};

const TRADES_BY_PICKS: [TradeRule; 2] = [TradeRule::One, TradeRule::Diff];

/// A won game, the collections, and the ids of the loser's cards in an order of preference.
type TradeCase = (TripleTriad, [Vec<Card>; 2], Vec<u32>);

/// Cards of the game and other cards, each in the collection of player one, of player two, or of neither.
fn any_trade(rules: &[TradeRule]) -> impl Strategy<Value = TradeCase> {
    let end = any_end(prop_oneof![1..=3usize, 5..=8usize]);
    (end, select(rules.to_vec()), vec(0..3usize, 10), vec(0..3usize, 15), vec(any::<u32>(), 25)).prop_map(
        |((end, others), rule, owners, other_owners, preferences)| {
            let mut end = end.diagram();
            end.rules = end.rules.with_trade(rule);
            let game = game(&end);
            let cards = game.cards().iter().chain(&others).copied();
            let owned: Vec<_> = cards.zip(owners.into_iter().chain(other_owners)).collect();
            let collections = [0, 1].map(|player| {
                let owned_by = owned.iter().filter(|(_, owner)| *owner == player);
                owned_by.map(|(card, _)| *card).collect::<Vec<_>>()
            });
            let loser = 1 - naive(&game).outcome().winner.expect("the scores differ");
            let mut ids: Vec<_> = collections[loser].iter().map(Card::id).zip(preferences).collect();
            ids.sort_by_key(|&(_, preference)| preference);
            (game, collections, ids.into_iter().map(|(id, _)| id).collect())
        },
    )
}

/// How many cards the winner may pick (TT-14).
fn picks_wanted(game: &TripleTriad, owned: usize) -> usize {
    let [one, two] = naive(game).outcome().scores;
    match game.position().rules().trade() {
        TradeRule::One => owned.min(1),
        TradeRule::Diff => owned.min(one.abs_diff(two)),
        _ => 0,
    }
}

/// The settled trade in the types of the naive game; none if it is rejected.
fn settle(game: &TripleTriad, collections: &[Vec<Card>; 2], picks: &[u32]) -> Option<plain::Settlement> {
    let collections = collections.each_ref().map(|cards| cards.iter().copied().map(Some).collect());
    let setup = TradeSetup { game: Some(*game), collections, picks: picks.to_vec() };
    Some((&Trade::try_from(&setup).ok()?.settle()).into())
}

fn naive_settle(
    game: &TripleTriad,
    collections: &[Vec<Card>; 2],
    picks: &[u32],
) -> Option<plain::Settlement> {
    let collections = collections.each_ref().map(|cards| cards.iter().map(plain::Card::from).collect());
    naive(game).trade(collections, picks)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn tt_14_there_is_a_trade_exactly_when_a_player_has_won(record in any_record()) {
        for game in record.states() {
            let settled = settle(&game, &[Vec::new(), record.others.clone()], &[]);
            prop_assert_eq!(settled.is_some(), matches!(game.outcome().ending, Some(Ending::Won { .. })));
        }
    }

    #[test]
    fn tt_14_a_trade_without_picks_is_settled_as_in_the_naive_game(case in any_trade(&TRADES)) {
        let (game, collections, _) = case;
        prop_assert_eq!(settle(&game, &collections, &[]), naive_settle(&game, &collections, &[]));
    }

    #[test]
    fn tt_14_a_trade_with_valid_picks_is_settled_as_in_the_naive_game(case in any_trade(&TRADES_BY_PICKS)) {
        let (game, collections, mut picks) = case;
        picks.truncate(picks_wanted(&game, picks.len()));
        let settled = settle(&game, &collections, &picks);
        prop_assert!(settled.is_some());
        prop_assert_eq!(settled, naive_settle(&game, &collections, &picks));
    }

    #[test]
    fn tt_14_a_wrong_number_of_picks_is_rejected(case in any_trade(&TRADES), count in 1..=9usize) {
        let (game, collections, mut picks) = case;
        let wanted = picks_wanted(&game, picks.len());
        picks.truncate(count);
        prop_assume!(!picks.is_empty() && picks.len() != wanted);
        prop_assert_eq!(settle(&game, &collections, &picks), None);
    }

    #[test]
    fn tt_14_a_pick_of_a_card_that_is_not_the_losers_is_rejected(
        case in any_trade(&TRADES_BY_PICKS),
        at: Index,
        winners: Index,
    ) {
        let (game, collections, mut picks) = case;
        picks.truncate(picks_wanted(&game, picks.len()));
        let winner = naive(&game).outcome().winner.expect("the scores differ");
        prop_assume!(!picks.is_empty() && !collections[winner].is_empty());
        *at.get_mut(&mut picks) = winners.get(&collections[winner]).id();
        prop_assert_eq!(settle(&game, &collections, &picks), None);
    }

    #[test]
    fn tt_14_a_card_picked_twice_is_rejected(case in any_trade(&[TradeRule::Diff])) {
        let (game, collections, mut picks) = case;
        picks.truncate(picks_wanted(&game, picks.len()));
        prop_assume!(picks.len() > 1);
        picks[1] = picks[0];
        prop_assert_eq!(settle(&game, &collections, &picks), None);
    }

    #[test]
    fn tt_14_a_card_that_is_twice_in_the_collections_is_rejected(
        case in any_trade(&TRADES),
        card: Index,
        player in any_player(),
    ) {
        let (game, mut collections, _) = case;
        let cards = collections.concat();
        prop_assume!(!cards.is_empty());
        collections[player as usize].push(*card.get(&cards));
        prop_assert_eq!(settle(&game, &collections, &[]), None);
    }

    #[test]
    fn tt_14_no_card_is_lost_or_duplicated(case in any_trade(&TRADES)) {
        let (game, collections, _) = case;
        let on_board = ids_on_board(&game.diagram());
        let settled = settle(&game, &collections, &[]).expect("the trade is valid").collections;
        let all = sorted(settled.concat());
        prop_assert!(all.is_sorted_by(|one, next| one < next), "twice in {:?}", settled);
        let held = |collections: Vec<u32>| [collections, on_board.clone()].concat().into_iter().collect();
        let before: BTreeSet<_> = held(ids(collections.iter().flatten()));
        prop_assert_eq!(held(all), before);
    }
}
