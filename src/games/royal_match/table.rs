use std::fmt;

use super::{Card, Comparison, Ending, Event, IllegalMove, Move, Order, Outcome, Rules, Suit};

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
    /// The card played in the current trick.
    pub played: Option<Card>,
    /// Tricks taken.
    pub tricks: u8,
    /// In a view: how many cards are in the hand, if they are hidden. The hand is empty then.
    pub hidden: Option<u8>,
}

impl Player {
    /// Cards that the player had at the beginning of the current trick.
    pub(super) fn cards_left(&self) -> usize {
        self.hidden.map_or(self.hand.len(), usize::from) + usize::from(self.played.is_some())
    }
}

/// Players at a table, with or without a match: 2 to 4 of them, with cards that are all different, and that is all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub(super) rules: Rules,
    pub(super) dominant: Suit,
    pub(super) players: Vec<Player>,
    /// The player who sees the table, if this is a view.
    pub(super) viewer: Option<Seat>,
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

    /// The player who sees the table, if this is a view.
    pub fn viewer(&self) -> Option<Seat> {
        self.viewer
    }

    /// The seats that are taken.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        Seat::of(self.players.len())
    }

    /// Moves a card from the hand of a player into the trick, and returns what happened.
    pub(super) fn play(&mut self, seat: Seat, card: Card) -> Vec<Event> {
        let player = &mut self.players[seat.index()];
        player.hand.retain(|&other| other != card);
        player.played = Some(card);
        let mut events = vec![Event::Played { seat, card }];
        events.extend(self.take_trick().map(Event::TrickTaken));
        events
    }

    /// Every reason why a player cannot play a card. The hand of the player must be visible.
    pub(super) fn why_illegal(&self, Move { seat, card }: Move) -> Vec<IllegalMove> {
        let mut reasons = Vec::new();
        if self.is_over() {
            reasons.push(IllegalMove::GameOver);
        }
        let Some(player) = self.players.get(seat.index()) else {
            reasons.push(IllegalMove::NoSuchPlayer { seat, players: self.players.len() });
            return reasons;
        };
        if player.played.is_some() {
            reasons.push(IllegalMove::AlreadyPlayed(seat));
        }
        if !player.hand.contains(&card) {
            reasons.push(IllegalMove::CardNotInHand { seat, card });
        }
        reasons
    }

    /// Whether all cards have been played.
    pub(super) fn is_over(&self) -> bool {
        self.players.iter().all(|player| player.cards_left() == 0)
    }

    /// Whether the match is over and who has won, or whose turn it is.
    pub(super) fn outcome(&self) -> Outcome {
        let tricks: Vec<u32> = self.players.iter().map(|player| player.tricks.into()).collect();
        if !self.is_over() {
            let waiting = self.seats().filter(|seat| self.players[seat.index()].played.is_none());
            return Outcome { ending: None, next: waiting.collect(), tricks };
        }
        let most = tricks.iter().max();
        let best: Vec<Seat> = self.seats().filter(|seat| tricks.get(seat.index()) == most).collect();
        let ending = match best[..] {
            [winner] => Ending::Won { winner },
            _ => Ending::Draw { between: best },
        };
        Outcome { ending: Some(ending), next: Vec::new(), tricks }
    }

    /// Gives the trick to the player of the strongest card, if everybody has played.
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
