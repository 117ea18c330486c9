use std::fmt;

use super::{Card, Comparison, Order, Rules, Suit};

/// One of the players of a match, by place: from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seat(u8);

impl Seat {
    /// Every seat that a match can have.
    pub const ALL: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];

    /// The place of the seat, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seats of a match of so many players.
    pub(super) fn of(count: usize) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().take(count)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {}", ["one", "two", "three", "four"][self.index()])
    }
}

/// What one player has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The cards in the hand.
    pub hand: Vec<Card>,
    /// The card played in the trick under way.
    pub played: Option<Card>,
    /// Tricks taken.
    pub tricks: u8,
}

impl Player {
    /// Cards that the player had at the beginning of the trick under way.
    pub(super) fn cards_left(&self) -> usize {
        self.hand.len() + usize::from(self.played.is_some())
    }
}

/// Players around a table, with or without a match: 2 to 4 of them, with cards that are all different, and that is all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub(super) rules: Rules,
    pub(super) dominant: Suit,
    pub(super) players: Vec<Player>,
}

/// A trick that is taken, with its explanation (RM-7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trick {
    /// Who takes it.
    pub seat: Seat,
    /// The card that takes it.
    pub card: Card,
    /// All cards of the trick, the strongest first: each against the next.
    pub comparisons: Vec<Comparison>,
}

impl fmt::Display for Trick {
    /// For players, such as `player two takes the trick with AS: AS beats KH: it has the higher value`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} takes the trick with {}", self.seat, self.card)?;
        self.comparisons.first().map_or(Ok(()), |first| write!(f, ": {first}"))
    }
}

impl Table {
    /// How cards are compared, and what suit is strong.
    pub fn order(&self) -> Order {
        Order { dominant: self.dominant, ordering: self.rules.ordering }
    }

    /// The rules it is played under.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The players, the first seat first.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// The seats that are taken.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        Seat::of(self.players.len())
    }

    /// Gives the trick to whoever has played the strongest card, if everybody has played.
    pub(super) fn take_trick(&mut self) -> Option<Trick> {
        let mut cards: Vec<Card> = self.players.iter().map(|player| player.played).collect::<Option<_>>()?;
        let order = self.order();
        order.rank(&mut cards);
        let card = cards[0];
        let seat = self.seats().find(|seat| self.players[seat.index()].played == Some(card))?;
        for player in &mut self.players {
            player.played = None;
        }
        // A hand has at most 13 cards, and so has a match as many tricks.
        self.players[seat.index()].tricks = self.players[seat.index()].tricks.saturating_add(1);
        Some(Trick { seat, card, comparisons: order.explain(&cards) })
    }
}
