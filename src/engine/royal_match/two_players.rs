//! The exact value of a match of two players whose hands are known. It needs no search, because seat one leads every new
//! trick:
//!
//! - A hand with a stronger card instead of a weaker one is never worse. So the last player of a trick either wins it with the
//!   weakest card that does, or gives up the weakest card.
//! - Seat two can pair its cards with weaker ones of seat one in advance, and answer each of these with its partner. So it takes
//!   as many tricks as there can be pairs, and cannot take more. The order in which seat one plays makes no difference.

use super::{
    cards::{CardSet, Rank},
    position::Position,
};

const LEADER: usize = 0;
const FOLLOWER: usize = 1;

/// The number of tricks that a player takes from here with best play of both, including the current one.
pub(super) fn tricks(position: &Position, seat: usize) -> u32 {
    let next = position.next_seat();
    let left = position.hands[next].len();
    let tricks_of_next = if position.is_new_trick() {
        left - pairs(position.hands[LEADER], position.hands[FOLLOWER])
    } else {
        best_reply(position).map_or(0, |(_, tricks)| tricks)
    };
    if seat == next { tricks_of_next } else { left - tricks_of_next }
}

/// The best card of the next player. None without cards.
pub(super) fn best_card(position: &Position) -> Option<Rank> {
    if position.is_new_trick() {
        // All cards are equally good.
        position.hands[LEADER].weakest()
    } else {
        best_reply(position).map(|(card, _)| card)
    }
}

/// The best card of the player who completes the trick, and the number of tricks that it leads to. None without cards.
fn best_reply(position: &Position) -> Option<(Rank, u32)> {
    let seat = position.next_seat();
    let hand = position.hands[seat];
    let winning = position.strongest_card().and_then(|card| hand.weakest_above(card));
    let replies = [hand.weakest(), winning].into_iter().flatten();
    replies.map(|card| (card, tricks_after(position, seat, card))).max_by_key(|&(_, tricks)| tricks)
}

/// The number of tricks that a player takes after playing a card, including the current one.
pub(super) fn tricks_after(position: &Position, seat: usize, card: Rank) -> u32 {
    let mut after = *position;
    let taken = after.play(seat, card) == Some(seat);
    u32::from(taken) + tricks(&after, seat)
}

/// The maximum number of pairs of a card and a stronger one.
fn pairs(weaker: CardSet, mut stronger: CardSet) -> u32 {
    let mut pairs = 0;
    for card in weaker.iter() {
        let Some(partner) = stronger.weakest_above(card) else { break };
        stronger.remove(partner);
        pairs += 1;
    }
    pairs
}
