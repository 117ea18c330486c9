use super::{
    Element, Outcome, Rules,
    board::{ALL_SQUARES, Board, SQUARE_COUNT, Squares, each},
    capture::{Taken, resolve},
    card::{Card, Ranks},
};
use crate::Player;

/// The number of cards in a game.
pub const CARD_COUNT: usize = 10;
/// The number of cards in a hand at the start.
pub const HAND_SIZE: usize = 5;

/// A set of cards of a game: one bit each.
type Cards = u16;

/// A position of a game, packed into bits for search. It is always valid.
///
/// A card is its index among the ten cards of the game, and a square its index row by row. Moves do not allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    rules: Rules,
    next_player: Player,
    /// The number of drawn rounds in a row before this one.
    drawn_rounds: u16,
    hands: [Cards; 2],
    ranks: [Ranks; CARD_COUNT],
    elements: [Option<Element>; CARD_COUNT],
    board: Board,
    /// The card on each square that has one.
    placed: [u8; SQUARE_COUNT],
}

impl Position {
    /// The start of a round. The first five cards are those of player one.
    pub(super) fn start(
        rules: Rules,
        cards: &[Card; CARD_COUNT],
        elements: [Option<Element>; SQUARE_COUNT],
        first_player: Player,
        drawn_rounds: u16,
    ) -> Self {
        Self {
            rules,
            next_player: first_player,
            drawn_rounds,
            hands: [(1 << HAND_SIZE) - 1, ((1 << HAND_SIZE) - 1) << HAND_SIZE],
            ranks: cards.map(|card| card.ranks()),
            elements: cards.map(|card| card.element()),
            board: Board::new(elements),
            placed: [0; SQUARE_COUNT],
        }
    }

    /// Moves a card from a hand to a square, without captures.
    pub(super) fn set_card(&mut self, card: usize, square: usize, owner: Player) {
        for hand in &mut self.hands {
            *hand &= !(1 << card);
        }
        self.put(card, square, owner);
    }

    /// Moves a card into a hand.
    pub(super) fn set_hand(&mut self, card: usize, player: Player) {
        self.hands[player as usize] |= 1 << card;
        self.hands[player.other() as usize] &= !(1 << card);
    }

    #[inline(always)]
    fn put(&mut self, card: usize, square: usize, owner: Player) {
        self.board.put(self.rules, square, self.ranks[card], self.elements[card], owner);
        self.placed[square] = card as u8;
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The player to move; after the end, the player who would be next.
    #[inline(always)]
    pub fn next_player(&self) -> Player {
        self.next_player
    }

    /// The number of drawn rounds in a row before this one.
    pub fn drawn_rounds(&self) -> u16 {
        self.drawn_rounds
    }

    /// The squares without a card, as a bit set.
    #[inline(always)]
    pub fn free(&self) -> u16 {
        ALL_SQUARES & !self.board.cards()
    }

    /// The cards in the hand of a player, as a bit set.
    #[inline(always)]
    pub fn hand(&self, player: Player) -> u16 {
        self.hands[player as usize]
    }

    /// Whether the game is over (TT-3).
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.free() == 0
    }

    /// Places a card and returns the captured squares, as a bit set.
    ///
    /// The card must be in the hand of the player to move, and the square must be free. This is not checked.
    #[inline(always)]
    pub fn place(&mut self, card: usize, square: usize) -> u16 {
        self.place_and_report(card, square, |_| {})
    }

    /// Like [`Position::place`], and calls `report` with each capture.
    #[inline(always)]
    pub(super) fn place_and_report(
        &mut self,
        card: usize,
        square: usize,
        report: impl FnMut(Taken),
    ) -> Squares {
        let player = self.next_player;
        self.hands[player as usize] &= !(1 << card);
        self.put(card, square, player);
        let taken = resolve(&self.board, self.rules, square, report);
        self.board.give(taken, player);
        self.next_player = player.other();
        taken
    }

    /// The score of a player: their cards on the board and in the hand (TT-12).
    #[inline(always)]
    pub fn score(&self, player: Player) -> u32 {
        self.board.cards_of(player).count_ones() + self.hand(player).count_ones()
    }

    /// The outcome of the game so far (TT-12, TT-13).
    pub fn outcome(&self) -> Outcome {
        let scores = Player::ALL.map(|player| self.score(player));
        let next = (!self.is_over()).then_some(self.next_player);
        Outcome::new(self.rules, scores, next, self.drawn_rounds)
    }

    /// The elements of the squares.
    pub(super) fn elements(&self) -> [Option<Element>; SQUARE_COUNT] {
        self.board.elements()
    }

    /// The card on a square and its owner.
    pub(super) fn card_on(&self, square: usize) -> Option<(usize, Player)> {
        let there = self.board.cards() & 1 << square != 0;
        there.then(|| (self.placed[square].into(), self.board.owner(square)))
    }

    /// The cards of a hand, in ascending order.
    pub(super) fn hand_cards(&self, player: Player) -> impl Iterator<Item = usize> {
        each(self.hand(player))
    }

    /// The free squares, row by row.
    pub(super) fn free_squares(&self) -> impl Iterator<Item = usize> {
        each(self.free())
    }
}
