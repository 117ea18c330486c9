//! What a move looks like to a person who knows the rules and does not think ahead.

use super::{
    cards::{CardSet, Rank},
    position::Position,
};

/// The chance that a card takes this trick, less the chance that it would take a trick to come if its owner led it: what it
/// earns now, less what it costs. In thousandths.
///
/// The cards of others are taken to be random ones of those that the player does not see.
pub(super) fn first_impression(position: &Position, seat: usize, card: Rank, unseen: CardSet) -> i32 {
    let of_unseen = |opponents: u32| per_mille(unseen.count_below(card), unseen.len(), opponents);
    let pending = position.pending_seats().filter(|&other| other != seat).count() as u32;
    let earned = if position.beats_trick(card) { of_unseen(pending) } else { 0 };
    earned - of_unseen(position.players as u32 - 1)
}

/// A chance to the power of a number of events, in thousandths.
fn per_mille(favourable: u32, possible: u32, events: u32) -> i32 {
    // There are at most 51 unseen cards and three events.
    (1000 * favourable.pow(events) / possible.max(1).pow(events)) as i32
}
