//! A match packed into bits.

use arbiter_games::royal_match::MAX_PLAYERS;

use super::cards::{CardSet, Rank};

/// The cards that are in play. The order of play is that of the seats: [`Position::next_seat`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) hands: [CardSet; MAX_PLAYERS],
    pub(super) players: usize,
    /// The seats that have not played in this trick: one bit per seat.
    pending: u32,
    /// The strongest card of this trick, and the seat that has played it.
    strongest: Option<(Rank, usize)>,
}

impl Position {
    /// The position with these hands and the cards that were played in the current trick.
    pub(super) fn new(hands: &[CardSet], played: &[Option<Rank>]) -> Self {
        let mut position =
            Self { hands: [CardSet::EMPTY; MAX_PLAYERS], players: hands.len(), pending: 0, strongest: None };
        position.hands[..hands.len()].copy_from_slice(hands);
        position.pending = position.all_seats();
        for (seat, card) in played.iter().enumerate() {
            if let Some(card) = *card {
                position.put(seat, card);
            }
        }
        position
    }

    fn all_seats(&self) -> u32 {
        (1 << self.players) - 1
    }

    /// Whether no card has been played in this trick.
    pub(super) fn is_new_trick(&self) -> bool {
        self.strongest.is_none()
    }

    /// The seats that have not played in this trick, in their order.
    pub(super) fn pending_seats(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.pending;
        std::iter::from_fn(move || {
            let seat = left.trailing_zeros();
            (left != 0).then(|| {
                left &= left - 1;
                seat as usize
            })
        })
    }

    /// The first of the seats that have not played in this trick.
    pub(super) fn next_seat(&self) -> usize {
        self.pending.trailing_zeros() as usize
    }

    /// Whether a card is stronger than all cards of this trick.
    pub(super) fn beats_trick(&self, card: Rank) -> bool {
        self.strongest.is_none_or(|(strongest, _)| card > strongest)
    }

    /// The strongest card of this trick.
    pub(super) fn strongest_card(&self) -> Option<Rank> {
        self.strongest.map(|(card, _)| card)
    }

    /// Whether every player has at most one card left: nobody has a choice.
    pub(super) fn is_forced(&self) -> bool {
        self.hands.iter().all(|hand| hand.len() <= 1)
    }

    /// Plays a card of a hand. If this completes the trick, returns the seat that takes it.
    #[inline(always)]
    pub(super) fn play(&mut self, seat: usize, card: Rank) -> Option<usize> {
        self.hands[seat].remove(card);
        self.put(seat, card);
        if self.pending != 0 {
            return None;
        }
        self.pending = self.all_seats();
        self.strongest.take().map(|(_, seat)| seat)
    }

    #[inline(always)]
    fn put(&mut self, seat: usize, card: Rank) {
        self.pending &= !(1 << seat);
        if self.beats_trick(card) {
            self.strongest = Some((card, seat));
        }
    }
}
