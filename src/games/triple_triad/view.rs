use super::{
    Diagram, Event, Hidden, IllegalMove, Move, Outcome, Rule, TripleTriad,
    board::{SQUARES, index_of, square_at},
    notation, text,
};
use crate::{HiddenInformation, PlayError, Player, StateOrView};

/// The clause that hides hands.
const CLAUSE: &str = "TT-15";

/// A game as one player sees it: the hand of the other player is hidden (TT-15).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// A diagram with `hidden` and `next_player`, which are repeated below: a view always has them.
    diagram: Diagram,
    viewer: Player,
    next_player: Player,
}

impl View {
    /// A view that has been found right; none if nothing is hidden or nobody is to move.
    pub(super) fn new(diagram: Diagram) -> Option<Self> {
        Some(Self { viewer: diagram.hidden?.viewer, next_player: diagram.next_player?, diagram })
    }

    /// What one player sees of a game: all of it if its hands are open.
    pub(super) fn of(game: &TripleTriad, viewer: Player) -> StateOrView<TripleTriad> {
        let position = game.position();
        if position.rules().has(Rule::Open) {
            return StateOrView::State(*game);
        }
        let mut diagram = game.diagram();
        let cards = diagram.hand_size(viewer.other());
        diagram.hands[viewer.other() as usize].clear();
        diagram.hidden = Some(Hidden { viewer, cards });
        StateOrView::View(Self { diagram, viewer, next_player: position.next_player() })
    }

    /// The view as a board: the hidden hand is empty.
    pub fn diagram(&self) -> &Diagram {
        &self.diagram
    }

    fn is_over(&self) -> bool {
        self.diagram.squares.iter().all(|(_, card)| card.is_some())
    }

    /// The free squares, row by row.
    fn free_squares(&self) -> impl Iterator<Item = usize> {
        (0..SQUARES).filter(|&square| self.diagram.squares[square].1.is_none())
    }

    /// Refuses a question about a move of the other player, unless the game is over and no move is legal.
    fn check_turn(&self) -> Result<(), HiddenInformation> {
        if self.next_player == self.viewer || self.is_over() {
            return Ok(());
        }
        let Self { viewer, next_player, .. } = self;
        let message = format!(
            "{next_player} is to move, but this is a view of {viewer}, which hides the hand of {next_player}: \
             ask when it is the turn of {viewer}, or send the whole state"
        );
        Err(HiddenInformation::new(CLAUSE, message))
    }

    /// Every reason why a move is illegal. After the end it says nothing of cards that are not on the board.
    fn illegal_moves(&self, mv: &Move) -> Vec<IllegalMove> {
        let Diagram { squares, hands, .. } = &self.diagram;
        let is_on_board =
            || squares.iter().any(|(_, card)| card.is_some_and(|(card, _)| card.id() == mv.card));
        let card = if hands[self.viewer as usize].iter().any(|card| card.id() == mv.card) {
            None
        } else if is_on_board() {
            Some(IllegalMove::CardOnBoard(mv.card))
        } else if self.is_over() {
            None
        } else {
            Some(IllegalMove::NotInHand { card: mv.card, player: self.viewer })
        };
        IllegalMove::all(mv, self.is_over(), card, |square| squares[square].1.is_none())
    }
}

impl crate::View<TripleTriad> for View {
    fn legal_moves(&self) -> Result<Vec<Move>, HiddenInformation> {
        if self.is_over() {
            return Ok(Vec::new());
        }
        self.check_turn()?;
        let hand = &self.diagram.hands[self.viewer as usize];
        let moves = hand.iter().flat_map(|card| {
            self.free_squares().map(|square| Move { card: card.id(), square: square_at(square) })
        });
        Ok(moves.collect())
    }

    fn why_illegal(&self, mv: &Move) -> Result<Vec<IllegalMove>, HiddenInformation> {
        self.check_turn()?;
        Ok(self.illegal_moves(mv))
    }

    fn play(&mut self, mv: &Move) -> Result<Vec<Event>, PlayError<IllegalMove>> {
        self.check_turn()?;
        let viewer = self.viewer;
        let hand = &mut self.diagram.hands[viewer as usize];
        let index = hand.iter().position(|card| card.id() == mv.card);
        let square = index_of(mv.square).filter(|&square| self.diagram.squares[square].1.is_none());
        let (Some(index), Some(square)) = (index, square) else {
            return Err(self.illegal_moves(mv).into());
        };
        let card = hand.remove(index);
        self.diagram.squares[square].1 = Some((card, viewer));
        let captures = self.diagram.resolve(square);
        self.next_player = viewer.other();
        self.diagram.next_player = Some(self.next_player);
        let mut events = vec![Event::Placed { player: viewer, card, square: mv.square }];
        events.extend(captures.into_iter().map(Event::Captured));
        Ok(events)
    }

    fn outcome(&self) -> Outcome {
        let Diagram { rules, squares, drawn_rounds, .. } = &self.diagram;
        let scores = Player::ALL.map(|player| {
            let on_board = squares.iter().filter(|(_, card)| card.is_some_and(|(_, owner)| owner == player));
            on_board.count() as u32 + self.diagram.hand_size(player)
        });
        let next = (!self.is_over()).then_some(self.next_player);
        Outcome::new(*rules, scores, next, *drawn_rounds)
    }

    fn notation(&self) -> String {
        notation::write(&self.diagram)
    }

    fn text(&self) -> String {
        text::draw(&self.diagram, &self.outcome())
    }

    fn hidden_information(&self) -> HiddenInformation {
        let (viewer, other) = (self.viewer, self.viewer.other());
        let message = format!(
            "this is a view of {viewer}, which hides the hand of {other}: this call needs the whole state"
        );
        HiddenInformation::new(CLAUSE, message)
    }
}
