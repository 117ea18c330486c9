//! Playouts of matches of three and four players.

use arbiter_games::Chance;

use super::{
    cards::{CardSet, Rank},
    position::Position,
};
use crate::search::{Search, Stop};

/// Plays a match from a card of a player to its end. Returns the number of tricks that the player takes, including the current
/// one.
pub(super) fn tricks_after(
    position: &Position,
    seat: usize,
    card: Rank,
    chance: &mut Chance,
    search: &mut Search<'_>,
) -> Result<u32, Stop> {
    let mut position = *position;
    let mut tricks = u32::from(position.play(seat, card) == Some(seat));
    loop {
        let next = position.next_seat();
        let Some(card) = choose(&position, next, chance) else { return Ok(tricks) };
        search.visit()?;
        tricks += u32::from(position.play(next, card) == Some(seat));
    }
}

/// The card that a player plays who guesses one card of each hand that follows in the trick: the weakest that beats the trick
/// and these cards, or the weakest of all. The last player of a trick guesses nothing. None without cards.
fn choose(position: &Position, seat: usize, chance: &mut Chance) -> Option<Rank> {
    let hand = position.hands[seat];
    let weakest = hand.weakest()?;
    if hand.len() == 1 {
        return Some(weakest);
    }
    let following = position.pending_seats().filter(|&other| other != seat);
    let guessed = following.map(|other| position.hands[other]).filter(|hand| *hand != CardSet::EMPTY);
    let to_beat = guessed.map(|hand| hand.random(chance)).chain(position.strongest_card()).max();
    let winning = to_beat.and_then(|card| hand.weakest_above(card));
    Some(winning.unwrap_or(weakest))
}
