//! Triple Triad (clauses TT-1 to TT-15): cards with four ranks on nine squares take the cards that they touch.

mod board;
mod capture;
mod card;
mod catalogue;
mod clauses;
mod dealing;
mod diagram;
mod illegal_move;
mod notation;
mod opening;
mod outcome;
mod position;
mod rules;
mod setup;
mod text;
mod trade;
mod view;

use self::board::{index_of, square_at};
pub use self::{
    board::SQUARE_COUNT,
    capture::{Capture, CaptureRule, CaptureRules},
    card::{Card, CardError, Element, Ranks, Side},
    catalogue::CATALOGUE,
    diagram::{Arrival, Diagram, DiagramSquare, Hidden},
    illegal_move::IllegalMove,
    opening::{CardList, Opening, OpeningError, OpeningSetup},
    outcome::{Ending, Outcome},
    position::{CARD_COUNT, HAND_SIZE, Position},
    rules::{BasicCapture, Rule, Rules, RulesError, TradeRule},
    setup::{Place, Setup, SetupCard, SetupError, SetupSquare},
    trade::{Settlement, Trade, TradeError, TradeSetup, Transfer},
    view::View,
};
use crate::{Clause, Game, GameId, ParseError, Player, Square, StateOrView};

/// A game of Triple Triad: ten cards, and a position that refers to them by index.
#[derive(Clone, Copy, Debug)]
pub struct TripleTriad {
    cards: [Card; CARD_COUNT],
    position: Position,
}

impl PartialEq for TripleTriad {
    /// Whether the same cards are in the same places. The order of `cards` does not matter.
    fn eq(&self, other: &Self) -> bool {
        self.diagram() == other.diagram()
    }
}

impl Eq for TripleTriad {}

/// A card placed on a square (TT-3). The player may not have the card, and the square may be off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The id of the card.
    pub card: u32,
    /// The square.
    pub square: Square,
}

/// One effect of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A card was placed on a square (TT-3).
    Placed {
        /// The player.
        player: Player,
        /// The card.
        card: Card,
        /// The square.
        square: Square,
    },
    /// A card was captured (TT-11).
    Captured(Capture),
}

impl TripleTriad {
    /// The position, in which cards have an index and no name.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The ten cards of the game.
    pub fn cards(&self) -> &[Card; CARD_COUNT] {
        &self.cards
    }

    /// The board and the hands.
    pub fn diagram(&self) -> Diagram {
        let Self { cards, position } = self;
        let mut squares = position.elements().map(|element| (element, None));
        for (square, (_, there)) in squares.iter_mut().enumerate() {
            *there = position.card_on(square).map(|(card, owner)| (cards[card], owner));
        }
        Diagram {
            rules: position.rules(),
            squares,
            hands: Player::ALL.map(|player| position.hand_cards(player).map(|card| cards[card]).collect()),
            next_player: Some(position.next_player()),
            drawn_rounds: position.drawn_rounds(),
            hidden: None,
        }
    }

    /// The indexes of the card and the square of a move; none if it is illegal.
    fn find(&self, mv: Move) -> Option<(usize, usize)> {
        let square = index_of(mv.square).filter(|square| self.position.free() & 1 << square != 0)?;
        let mut hand = self.position.hand_cards(self.position.next_player());
        let card = hand.find(|&card| self.cards[card].id() == mv.card)?;
        Some((card, square))
    }
}

impl Game for TripleTriad {
    const ID: GameId = GameId::TripleTriad;
    const CLAUSES: &[Clause] = clauses::CLAUSES;
    type Rules = Rules;
    type RulesError = RulesError;
    type SetupError = SetupError;
    type Opening = Opening;
    type Move = Move;
    type Event = Event;
    type IllegalMove = IllegalMove;
    type Outcome = Outcome;
    type Arrival = Arrival;
    type Capture = Capture;
    type Player = Player;
    type View = View;

    fn new(rules: Rules, opening: Opening, seed: u64) -> Self {
        dealing::deal(rules, opening, seed)
    }

    /// The cards in the order of the hand, each with the free squares row by row.
    fn legal_moves(&self) -> Vec<Move> {
        if self.position.is_over() {
            return Vec::new();
        }
        let hand = self.position.hand_cards(self.position.next_player());
        hand.flat_map(|card| {
            let card = self.cards[card].id();
            self.position.free_squares().map(move |square| Move { card, square: square_at(square) })
        })
        .collect()
    }

    fn why_illegal(&self, mv: &Move) -> Vec<IllegalMove> {
        let position = &self.position;
        let player = position.next_player();
        // If hands are hidden, a reason must not reveal whether the other player has the card (TT-15).
        let is_open = position.rules().has(Rule::Open);
        let card = match self.cards.iter().position(|card| card.id() == mv.card) {
            Some(card) if position.hand(player) & 1 << card != 0 => None,
            Some(card) if position.hand(player.other()) & 1 << card == 0 => {
                Some(IllegalMove::CardOnBoard(mv.card))
            }
            // After the end one player has a card left, which stays hidden.
            _ if !is_open && position.is_over() => None,
            _ if !is_open => Some(IllegalMove::CardNotInHand { card: mv.card, player }),
            Some(_) => Some(IllegalMove::OthersCard(mv.card)),
            None => Some(IllegalMove::UnknownCard(mv.card)),
        };
        IllegalMove::all(mv, position.is_over(), card, |square| position.free() & 1 << square != 0)
    }

    fn play(&mut self, mv: &Move) -> Result<Vec<Event>, Vec<IllegalMove>> {
        let Some((card, square)) = self.find(*mv) else {
            return Err(self.why_illegal(mv));
        };
        let Self { cards, position } = self;
        let player = position.next_player();
        let mut events = vec![Event::Placed { player, card: cards[card], square: mv.square }];
        let mut placed = *position;
        placed.place_and_report(card, square, |taken| {
            let card_on = |at: usize| {
                if at == square {
                    Some(cards[card])
                } else {
                    position.card_on(at).map(|(card, _)| cards[card])
                }
            };
            events.extend(taken.explain(card_on).map(Event::Captured));
        });
        *position = placed;
        Ok(events)
    }

    fn next_players(&self) -> Vec<Player> {
        self.outcome().next_player.into_iter().collect()
    }

    fn outcome(&self) -> Outcome {
        self.position.outcome()
    }

    /// The next round of sudden death (TT-13).
    fn next_round(&self, seed: impl FnOnce() -> u64) -> Option<Self> {
        dealing::next_round(self, seed)
    }

    fn resolve_captures(arrival: Arrival) -> (Vec<Capture>, Arrival) {
        arrival.resolve()
    }

    fn view(&self, viewer: Player) -> StateOrView<Self> {
        View::of(self, viewer)
    }

    fn parse(notation: &str) -> Result<StateOrView<Self>, Vec<ParseError<Self>>> {
        notation::parse(notation)
    }

    fn notation(&self) -> String {
        self.diagram().notation()
    }

    fn text(&self) -> String {
        text::draw(&self.diagram(), &self.outcome())
    }
}
