//! TT-13: the next round after a draw with the rule `sudden_death`.

use proptest::prelude::*;

use super::support::{any_end, config, game, ids, ids_on_board, naive, sorted};
use arbiter_games::{
    Game,
    triple_triad::{Rule, TripleTriad},
};

/// A draw after which sudden death continues, a seed, and the next round.
fn any_next_round() -> impl Strategy<Value = (TripleTriad, u64, TripleTriad)> {
    (any_end(Just(4)), any::<u64>(), 2..=1000u32).prop_map(|((end, _), seed, limit)| {
        let mut end = end.diagram();
        end.rules =
            end.rules.with(Rule::SuddenDeath).with_sudden_death_limit(limit).expect("the limit is in range");
        end.drawn_rounds %= end.rules.sudden_death_limit() - 1;
        let end = game(&end);
        let next = end.next_round(|| seed).expect("the count is below the limit");
        (end, seed, next)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn tt_13_a_next_round_follows_exactly_when_the_naive_game_continues(case in any_end(3..=5usize)) {
        let (end, _) = case;
        let wanted = naive(&end).outcome().result == "SUDDEN_DEATH_CONTINUE";
        prop_assert_eq!(end.next_round(|| 0).is_some(), wanted, "{}", end.notation());
    }

    #[test]
    fn tt_13_the_next_round_has_an_empty_board_and_the_hands_of_the_naive_game(case in any_next_round()) {
        let (end, _, next) = case;
        prop_assert_eq!(naive(&next).hands, naive(&end).next_hands());
        prop_assert!(ids_on_board(&next.diagram()).is_empty());
    }

    #[test]
    fn tt_13_the_next_round_has_the_same_ten_cards_five_in_each_hand(case in any_next_round()) {
        let (end, _, next) = case;
        prop_assert_eq!(sorted(ids(next.cards())), sorted(ids(end.cards())));
        prop_assert_eq!(next.diagram().hands.map(|hand| hand.len()), [5, 5]);
    }

    #[test]
    fn tt_13_the_next_round_keeps_the_rules_and_counts_one_more(case in any_next_round()) {
        let (end, _, next) = case;
        prop_assert_eq!(next.position().rules(), end.position().rules());
        prop_assert_eq!(next.position().drawn_rounds(), end.position().drawn_rounds() + 1);
    }

    #[test]
    fn tt_13_the_next_round_has_elements_exactly_with_the_elemental_rule(case in any_next_round()) {
        let (_, _, next) = case;
        let elements = next.diagram().squares.iter().filter(|(element, _)| element.is_some()).count();
        let drawn = next.position().rules().has(Rule::Elemental);
        prop_assert!(if drawn { (1..=4).contains(&elements) } else { elements == 0 }, "{} elements", elements);
    }
}

// The result of a seed is part of the contract: a seed gives the same game in every release. The states below must never
// change.

#[test]
fn tt_13_the_next_round_drawn_by_a_seed_never_changes() {
    let end = crate::parse_state::<TripleTriad>("tt:ed:X1,O2,X3/O4,X5,O6/X7,O8,X9:-:10:O")
        .expect("the state is valid");
    let next = |seed| end.next_round(|| seed).expect("the scores are equal").notation();
    assert_eq!(next(0), "tt:ed:a,h,-/h,a,-/-,-,-:1,3,5,7,9:2,4,6,8,10:O1");
    assert_eq!(next(1), "tt:ed:-,-,-/t,-,i/e,-,t:1,3,5,7,9:2,4,6,8,10:O1");
    assert_eq!(next(42), "tt:ed:-,-,-/-,-,-/t,-,-:1,3,5,7,9:2,4,6,8,10:X1");
}
