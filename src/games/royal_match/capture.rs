//! Tricks: what is captured in RoyalMatch (RM-7).

use std::fmt;

use super::{Card, Comparison, Diagram, Player};

/// A trick that a player takes, with its explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trick {
    /// The player who takes it.
    pub player: Player,
    /// The strongest card, which takes it.
    pub card: Card,
    /// Each card of the trick compared with the next weaker one, from the strongest.
    pub comparisons: Vec<Comparison>,
}

impl fmt::Display for Trick {
    /// For players, such as `player two takes the trick with AS: AS beats KH: it has the higher value`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} takes the trick with {}", self.player, self.card)?;
        self.comparisons.first().map_or(Ok(()), |first| write!(f, ": {first}"))
    }
}

impl Diagram {
    /// Gives the current trick to the player of the strongest card. Does nothing while it is incomplete.
    pub(super) fn take_trick(&mut self) -> Option<Trick> {
        let mut cards: Vec<Card> = self.seats.iter().map(|seat| seat.played).collect::<Option<_>>()?;
        let order = self.order();
        order.rank(&mut cards);
        let card = cards[0];
        let player = self.players().find(|player| self.seats[player.index()].played == Some(card))?;
        for seat in &mut self.seats {
            seat.played = None;
        }
        // A match has at most 13 tricks.
        self.seats[player.index()].tricks = self.seats[player.index()].tricks.saturating_add(1);
        Some(Trick { player, card, comparisons: order.explain(&cards) })
    }
}
