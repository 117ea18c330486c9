//! The start of a match (RM-7).

use super::{Card, Diagram, Opening, Position, Rules, Seat, Suit, opening::Hands};
use crate::Chance;

/// The random streams of a seed. The numbers must not change: matches dealt by a seed would.
mod stream {
    pub(super) const DOMINANT_SUIT: u64 = 1;
    pub(super) const DECK: u64 = 2;
}

/// Starts a match.
pub(super) fn deal(rules: Rules, opening: Opening, seed: u64) -> Position {
    let dominant = opening.dominant.unwrap_or_else(|| {
        Suit::ALL[Chance::new(seed, stream::DOMINANT_SUIT).below(Suit::ALL.len() as u32) as usize]
    });
    let hands = match opening.hands {
        Hands::Given(hands) => hands,
        Hands::Dealt { players, hand_size } => {
            let mut deck: Vec<Card> = Card::deck().collect();
            let dealt = Chance::new(seed, stream::DECK).draw(&mut deck, players * hand_size);
            dealt.chunks(hand_size).map(<[Card]>::to_vec).collect()
        }
    };
    let seats = hands.into_iter().map(|hand| Seat { hand, ..Seat::default() }).collect();
    Position(Diagram { rules, dominant, seats, viewer: None })
}
