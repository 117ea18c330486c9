//! Decoding of `CompareCards` requests, and encoding of the comparison.

use std::cmp;

use super::card::{read_card, read_ordering, read_suit, write_card};
use crate::{
    games::royal_match::{Card, Comparison, Decision, Order, Ordering},
    wire::{Path, Refusal, Violations, proto},
};

/// Cards to compare: two, or more that are all different.
#[derive(Clone, Debug)]
pub struct Ranking {
    cards: Vec<Card>,
    order: Order,
}

/// Reads cards to compare.
///
/// # Errors
///
/// All violations.
pub fn read_ranking(request: &proto::CompareCardsRequest) -> Result<Ranking, Refusal> {
    let mut violations = Violations::default();
    let at = Path::root("cards");
    let count = request.cards.len();
    if !(2..=Card::DECK_SIZE).contains(&count) {
        let message = format!("2 to {} cards can be compared, not {count}", Card::DECK_SIZE);
        violations.add(&at, proto::ErrorReason::CountMismatch, message);
    }
    let mut cards = Vec::new();
    for (index, card) in request.cards.iter().enumerate().take(Card::DECK_SIZE) {
        let at = at.index(index);
        let Some(card) = read_card(card, &at, &mut violations) else { continue };
        // Two cards may be equal. The cards of a ranking must be different.
        if count > 2 && cards.contains(&card) {
            violations.add(&at, proto::ErrorReason::DuplicateCard, format!("{card} is given twice"));
        }
        cards.push(card);
    }
    let dominant = read_suit(request.dominant_suit, &Path::root("dominant_suit"), &mut violations);
    let ordering = match request.ordering {
        None => Some(Ordering::default()),
        Some(ordering) => read_ordering(ordering, &Path::root("ordering"), &mut violations),
    };
    let order = dominant.zip(ordering).map(|(dominant, ordering)| Order { dominant, ordering });
    violations.finish(order.map(|order| Ranking { cards, order }))
}

/// Compares the cards and writes the result.
pub fn write_ranking(ranking: &Ranking) -> proto::CompareCardsResponse {
    let Ranking { cards, order } = ranking;
    let mut ranked = cards.clone();
    order.rank(&mut ranked);
    let order_of_two = match cards[..] {
        [first, second] => Some(order.compare(first, second).0),
        _ => None,
    };
    let written = order_of_two.map(|order_of_two| match order_of_two {
        cmp::Ordering::Greater => proto::RoyalMatchOrder::FirstWins,
        cmp::Ordering::Less => proto::RoyalMatchOrder::SecondWins,
        cmp::Ordering::Equal => proto::RoyalMatchOrder::Equal,
    });
    let winner = ranked.first().filter(|_| order_of_two != Some(cmp::Ordering::Equal));
    proto::CompareCardsResponse {
        order: written.map(Into::into),
        winner: winner.copied().map(write_card),
        ranking: ranked.iter().copied().map(write_card).collect(),
        comparisons: order.explain(&ranked).into_iter().map(write_comparison).collect(),
    }
}

/// Writes a comparison of two cards.
pub(super) fn write_comparison(comparison: Comparison) -> proto::RoyalMatchComparison {
    let decision = match comparison.decision {
        Decision::HigherValue => proto::RoyalMatchDecision::HigherValue,
        Decision::StrongSuit => proto::RoyalMatchDecision::StrongSuit,
        Decision::WeakSuit => proto::RoyalMatchDecision::WeakSuit,
        Decision::NeutralColour => proto::RoyalMatchDecision::NeutralColour,
        Decision::Equal => proto::RoyalMatchDecision::Equal,
    };
    proto::RoyalMatchComparison {
        stronger: Some(write_card(comparison.stronger)),
        weaker: Some(write_card(comparison.weaker)),
        decision: decision.into(),
        explanation: comparison.to_string(),
    }
}
