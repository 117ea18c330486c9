use arbiter_games::{
    Player,
    triple_triad::{BasicCapture, CARD_COUNT, Card, Diagram, Rule, SQUARE_COUNT},
};

use super::{
    deal::{Cards, Deal},
    ranks::Ranks,
    squares::{ALL_SQUARES, NEIGHBOURS, Squares, each},
};

/// A position of a search, seen by the player to move.
///
/// It differs from that of the rules in one way: it holds the ranks that touch each square, so that what a card takes on a
/// square is a comparison of two words. Most placements of a search are only looked at, and never made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// The squares of the player to move.
    own: Squares,
    /// The squares of the opponent.
    foes: Squares,
    /// The hand of the player to move, and that of the opponent.
    hands: [Cards; 2],
    /// The card on each square, in four bits, or [`Self::NO_CARD`].
    placed: u64,
    /// The ranks that touch each square as printed, and as elements change them. The last entry is that of the wall.
    printed: [Ranks; SQUARE_COUNT + 1],
    effective: [Ranks; SQUARE_COUNT + 1],
}

impl Position {
    const NO_CARD: u64 = 0xF;

    /// The deal and the position of a diagram with these hands, that of player one first. None unless there are ten cards and
    /// a player to move.
    pub fn new(diagram: &Diagram, hands: [&[Card]; 2]) -> Option<(Deal, Self)> {
        let on_board = diagram.squares.iter().filter_map(|(_, card)| card.map(|(card, _)| card));
        let mut every = hands.into_iter().flatten().copied().chain(on_board);
        let mut cards = [every.next()?; CARD_COUNT];
        for card in &mut cards[1..] {
            *card = every.next()?;
        }
        let deal = Deal::new(diagram, &cards);

        let player = diagram.next_player?;
        let [one, two] = hands.map(<[Card]>::len);
        let mut hands = [(1 << one) - 1, ((1 << two) - 1) << one];
        if player == Player::Two {
            hands.swap(0, 1);
        }
        let nothing = [Ranks::NOTHING; SQUARE_COUNT + 1];
        let mut position = Self {
            own: 0,
            foes: 0,
            hands,
            placed: (1 << (4 * SQUARE_COUNT)) - 1,
            printed: nothing,
            effective: nothing,
        };
        let mut next = one + two..;
        for (square, (_, card)) in diagram.squares.iter().enumerate() {
            if let &Some((_, owner)) = card {
                position.put(&deal, next.next()?, square);
                *(if owner == player { &mut position.own } else { &mut position.foes }) |= 1 << square;
            }
        }
        Some((deal, position))
    }

    #[inline(always)]
    fn put(&mut self, deal: &Deal, card: usize, square: usize) {
        self.placed ^= (Self::NO_CARD ^ card as u64) << (4 * square);
        for (side, neighbour) in NEIGHBOURS[square].into_iter().enumerate() {
            self.printed[neighbour].apply(deal.printed_touch[card][side]);
            self.effective[neighbour].apply(deal.effective_touch[card][square][side]);
        }
    }

    /// The squares without a card.
    #[inline(always)]
    pub fn free(&self) -> Squares {
        ALL_SQUARES & !(self.own | self.foes)
    }

    /// The hand of the player to move.
    #[inline(always)]
    pub fn hand(&self) -> Cards {
        self.hands[0]
    }

    /// The cards and the squares of every legal placement.
    pub fn placements(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let free = self.free();
        each(self.hand()).flat_map(move |card| each(free).map(move |square| (card, square)))
    }

    /// The hand of the opponent.
    #[inline(always)]
    pub fn other_hand(&self) -> Cards {
        self.hands[1]
    }

    /// The score of the player to move (TT-12).
    #[inline(always)]
    pub fn score(&self) -> i32 {
        (self.own.count_ones() + self.hands[0].count_ones()).cast_signed()
    }

    /// A number that no other position of the same game has, in [`Self::KEY_BITS`] bits: the cards on the squares and their
    /// owners. The hands and the player to move follow from them.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.placed | u64::from(self.own) << (4 * SQUARE_COUNT)
    }

    /// The number of bits of a key.
    pub const KEY_BITS: u32 = 5 * SQUARE_COUNT as u32;

    /// The position after the player to move has placed a card, which takes these squares.
    #[inline(always)]
    pub fn place(&self, deal: &Deal, card: usize, square: usize, taken: Squares) -> Self {
        let mut next = *self;
        next.put(deal, card, square);
        next.own = self.foes & !taken;
        next.foes = self.own | taken | 1 << square;
        next.hands = [self.hands[1], self.hands[0] & !(1 << card)];
        next
    }

    /// The squares that the player to move takes with a card on a free square (TT-5 to TT-10).
    #[inline(always)]
    pub fn captures(&self, deal: &Deal, card: usize, square: usize) -> Squares {
        let beaten = self.beaten(deal, card, square);
        let special = self.special(deal, card, square);
        if special == 0 {
            return beaten;
        }
        let always_basic = deal.rules.basic_capture() == BasicCapture::Always;
        let mut taken = if always_basic { special | beaten } else { special };
        let mut pending = if deal.rules.has(Rule::Combo) { special } else { 0 };
        while pending != 0 {
            let by = pending.trailing_zeros() as usize;
            let card = (self.placed >> (4 * by) & 0xF) as usize;
            // The placed card does not touch these squares yet. It is no foe, so it does not matter.
            let more = self.beaten(deal, card, by) & !taken;
            taken |= more;
            pending = pending & (pending - 1) | more;
        }
        taken
    }

    /// The foes that a card on a square takes by Same (TT-6, TT-7) and Plus (TT-8).
    #[inline(always)]
    fn special(&self, deal: &Deal, card: usize, square: usize) -> Squares {
        let (ranks, touching) = (deal.printed[card], self.printed[square]);
        let mut special = 0;
        if deal.rules.has(Rule::Same) {
            let equal = ranks.equal(touching);
            if equal.or(deal.same_walls[card][square]).count() >= 2 {
                special |= equal.neighbours_of(square);
            }
        }
        if deal.rules.has(Rule::Plus) {
            special |= ranks.equal_sums(touching).neighbours_of(square);
        }
        special & self.foes
    }

    /// The foes that a card on a square beats by the basic rule (TT-5).
    #[inline(always)]
    fn beaten(&self, deal: &Deal, card: usize, square: usize) -> Squares {
        deal.effective[card][square].greater(self.effective[square]).neighbours_of(square) & self.foes
    }
}
