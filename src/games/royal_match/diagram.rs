use super::{Card, Ending, Event, IllegalMove, Move, Order, Outcome, Player, Rules, Suit};

/// The cards and tricks of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seat {
    /// The cards in the hand.
    pub hand: Vec<Card>,
    /// The card played in the current trick.
    pub played: Option<Card>,
    /// The number of tricks taken.
    pub tricks: u8,
    /// The number of cards in a hidden hand of a view. `hand` is empty then.
    pub hidden: Option<u8>,
}

impl Seat {
    /// The number of cards that the player had at the start of the current trick.
    pub(super) fn cards_left(&self) -> usize {
        self.hidden.map_or(self.hand.len(), usize::from) + usize::from(self.played.is_some())
    }
}

/// Two to four seats with distinct cards. They need not be a position of a match: hands may differ in size, and the
/// current trick may be complete.
///
/// It also holds what a viewer sees of a match, so the rules of play are here: [`Position`](super::Position) and
/// [`View`](super::View) share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    pub(super) rules: Rules,
    pub(super) dominant: Suit,
    pub(super) seats: Vec<Seat>,
    /// The player who sees it, if it is a view.
    pub(super) viewer: Option<Player>,
}

impl Diagram {
    /// The rules that apply.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The order of the cards.
    pub fn order(&self) -> Order {
        Order { dominant: self.dominant, ordering: self.rules.ordering }
    }

    /// The seats, in the order of their players.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// The player who sees it, if it is a view.
    pub fn viewer(&self) -> Option<Player> {
        self.viewer
    }

    /// The players of the match.
    pub fn players(&self) -> impl Iterator<Item = Player> + use<> {
        Player::first(self.seats.len())
    }

    /// Whether all cards have been played.
    pub(super) fn is_over(&self) -> bool {
        self.seats.iter().all(|seat| seat.cards_left() == 0)
    }

    /// Every reason why a move is illegal; none if it is legal. The hand of the player must be visible.
    pub(super) fn why_illegal(&self, Move { player, card }: Move) -> Vec<IllegalMove> {
        let mut reasons = Vec::new();
        if self.is_over() {
            reasons.push(IllegalMove::GameOver);
        }
        let Some(seat) = self.seats.get(player.index()) else {
            reasons.push(IllegalMove::NoSuchPlayer { player, players: self.seats.len() });
            return reasons;
        };
        if seat.played.is_some() {
            reasons.push(IllegalMove::AlreadyPlayed(player));
        }
        if !seat.hand.contains(&card) {
            reasons.push(IllegalMove::CardNotInHand { card, player });
        }
        reasons
    }

    /// Makes a move and returns its effects, in order.
    ///
    /// # Errors
    ///
    /// The reasons of [`Diagram::why_illegal`]. An illegal move changes nothing.
    pub(super) fn play(&mut self, mv: Move) -> Result<Vec<Event>, Vec<IllegalMove>> {
        let reasons = self.why_illegal(mv);
        if !reasons.is_empty() {
            return Err(reasons);
        }
        let Move { player, card } = mv;
        let seat = &mut self.seats[player.index()];
        seat.hand.retain(|&other| other != card);
        seat.played = Some(card);
        let mut events = vec![Event::Played { player, card }];
        events.extend(self.take_trick().map(Event::TrickTaken));
        Ok(events)
    }

    /// The outcome of the match so far.
    pub(super) fn outcome(&self) -> Outcome {
        let tricks: Vec<u32> = self.seats.iter().map(|seat| seat.tricks.into()).collect();
        if !self.is_over() {
            let waiting = self.players().filter(|player| self.seats[player.index()].played.is_none());
            return Outcome { ending: None, next_players: waiting.collect(), tricks };
        }
        let most = tricks.iter().max();
        let best: Vec<Player> = self.players().filter(|player| tricks.get(player.index()) == most).collect();
        let ending = match best[..] {
            [winner] => Ending::Won { winner },
            _ => Ending::Draw { between: best },
        };
        Outcome { ending: Some(ending), next_players: Vec::new(), tricks }
    }
}
