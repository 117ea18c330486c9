use super::{
    Card, Element, Rules,
    board::{Board, SQUARE_COUNT, each, index_of},
    capture::{Capture, resolve},
};
use crate::{Player, Square};

/// A board and hands with distinct cards. They need not be a position of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The rules that apply.
    pub rules: Rules,
    /// The squares, row by row.
    pub squares: [DiagramSquare; SQUARE_COUNT],
    /// The cards in the hands.
    pub hands: [Vec<Card>; 2],
    /// The player to move, if known.
    pub next_player: Option<Player>,
    /// The number of drawn rounds in a row before this one.
    pub drawn_rounds: u16,
    /// The hidden hand, if it is a view. The hand is empty in `hands` then.
    pub hidden: Option<Hidden>,
}

/// The element of a square, and the card on it with its owner.
pub type DiagramSquare = (Option<Element>, Option<(Card, Player)>);

/// The hidden hand of a view: that of the viewer's opponent (TT-15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The player who sees the view.
    pub viewer: Player,
    /// The number of cards in the hidden hand.
    pub cards: u32,
}

/// The number of cards in a player's hand if it is hidden; none if it is visible.
pub(super) fn hidden_cards(hidden: Option<Hidden>, player: Player) -> Option<u32> {
    hidden.filter(|hidden| hidden.viewer != player).map(|hidden| hidden.cards)
}

impl Diagram {
    /// The number of cards in a hand, hidden or not.
    pub(super) fn hand_size(&self, player: Player) -> u32 {
        // A hand has at most five cards.
        hidden_cards(self.hidden, player).unwrap_or(self.hands[player as usize].len() as u32)
    }

    /// Captures what the card on a square takes, as if its owner had just placed it. The square is an index, row by row.
    pub fn resolve(&mut self, arrived_at: usize) -> Vec<Capture> {
        let Some((_, owner)) = self.squares[arrived_at].1 else { return Vec::new() };
        let mut board = Board::new(self.squares.map(|(element, _)| element));
        for (square, (_, card)) in self.squares.iter().enumerate() {
            if let &Some((card, owner)) = card {
                board.put(self.rules, square, card.ranks(), card.element(), owner);
            }
        }
        let card_on = |square: usize| self.squares[square].1.map(|(card, _)| card);
        let mut captures = Vec::new();
        let taken = resolve(&board, self.rules, arrived_at, |taken| captures.extend(taken.explain(card_on)));
        for square in each(taken) {
            self.squares[square].1 = self.squares[square].1.map(|(card, _)| (card, owner));
        }
        captures
    }
}

/// A board on which a card has just arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    diagram: Diagram,
    /// The index of the square, row by row.
    square: usize,
}

impl Arrival {
    /// The arrival of the card on a square; none if there is no card.
    pub fn new(diagram: Diagram, square: Square) -> Option<Self> {
        let square = index_of(square)?;
        diagram.squares[square].1.is_some().then_some(Self { diagram, square })
    }

    /// Whether a square is on the board.
    pub fn is_on_board(square: Square) -> bool {
        index_of(square).is_some()
    }

    /// The board.
    pub fn diagram(&self) -> &Diagram {
        &self.diagram
    }

    /// What the card captures, and the board after it.
    pub(super) fn resolve(mut self) -> (Vec<Capture>, Self) {
        (self.diagram.resolve(self.square), self)
    }
}
