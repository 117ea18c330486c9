//! What a move looks like to a person who knows the rules and does not think ahead.

use super::{
    cards::{CardSet, Rank},
    position::Position,
};

/// The weight of the price of a card is one in this many: people play strong cards too freely.
const PRICE_DIVISOR: i32 = 4;

/// The chance that a card takes this trick, less a part of its price: the chance that it would take a trick to come, if its owner
/// led it. In thousandths.
///
/// The cards of others are taken to be random ones of those that the player does not see.
pub(super) fn first_impression(position: &Position, seat: usize, card: Rank, unseen: CardSet) -> i32 {
    let chance = |opponents| per_mille(unseen.count_below(card), unseen.len(), opponents);
    let pending = position.pending_seats().filter(|&other| other != seat).count() as u32;
    let earned = if position.beats_trick(card) { chance(pending) } else { 0 };
    earned - chance(position.players as u32 - 1) / PRICE_DIVISOR
}

/// A chance to the power of a number of events, in thousandths.
fn per_mille(favourable: u32, possible: u32, events: u32) -> i32 {
    // There are at most 51 unseen cards and three events.
    (1000 * favourable.pow(events) / possible.max(1).pow(events)).cast_signed()
}
