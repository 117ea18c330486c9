//! Playouts of matches of three and four players. In each of them, every opponent is either careless and plays random cards, or
//! careful and plays like the player: each with the same chance.

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
    // One bit per seat.
    let careless = chance.below(1 << position.players) & !(1 << seat);
    loop {
        let next = position.next_seat();
        let hand = position.hands[next];
        let card = match hand.len() {
            0 => return Ok(tricks),
            _ if careless >> next & 1 != 0 => hand.random(chance),
            _ => careful_card(&position, next, hand, chance),
        };
        search.visit()?;
        tricks += u32::from(position.play(next, card) == Some(seat));
    }
}

/// The card of a player who guesses one card of each hand that follows in the trick: the weakest that beats the trick and these
/// cards, or the weakest of all. So the last player of a trick wins it as cheaply as possible.
fn careful_card(position: &Position, seat: usize, hand: CardSet, chance: &mut Chance) -> Rank {
    let following = position.pending_seats().filter(|&other| other != seat);
    let guessed = following.map(|other| position.hands[other].random(chance));
    let to_beat = guessed.chain(position.strongest_card()).max();
    let winning = to_beat.and_then(|card| hand.weakest_above(card));
    winning.or(hand.weakest()).expect("the hand has a card")
}
