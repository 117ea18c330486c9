//! Comparisons of random `RoyalMatch` cards, each with the deciding clause.

use std::hint::black_box;

use arbiter::games::royal_match::{Card, Order, Ordering, Suit};

use super::{Random, Table, rate, rounds};

const COMPARISONS_PER_ROUND: u64 = 20_000_000;
/// Distinct pairs, compared repeatedly.
const PAIRS: usize = 4096;

pub fn measure(table: &Table) {
    for (name, ordering) in
        [("value, then suit", Ordering::ValueThenSuit), ("suit, then value", Ordering::SuitThenValue)]
    {
        let comparisons = rounds(|round| {
            let pairs = random_pairs(round);
            rate(COMPARISONS_PER_ROUND, || compare(&pairs, ordering))
        });
        table.row(&format!("royal_match comparisons, {name}"), &comparisons, "M/s");
    }
}

fn random_pairs(seed: u64) -> Vec<(Card, Card)> {
    let deck: Vec<Card> = Card::deck().collect();
    let mut random = Random(seed);
    let mut card = || deck[random.below(Card::DECK_SIZE as u32) as usize];
    (0..PAIRS).map(|_| (card(), card())).collect()
}

fn compare(pairs: &[(Card, Card)], ordering: Ordering) {
    // Each suit is dominant in turn.
    let orders = Suit::ALL.map(|dominant| black_box(Order { dominant, ordering }));
    let mut compared = 0;
    for (&(first, second), order) in
        pairs.iter().cycle().zip(orders.into_iter().cycle()).take(COMPARISONS_PER_ROUND as usize)
    {
        let (result, decision) = order.compare(first, second);
        compared += result as i32 + decision as i32;
    }
    black_box(compared);
}
