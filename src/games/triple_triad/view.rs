use super::{
    Diagram, Event, Hidden, IllegalMove, Move, Outcome, Rule, TripleTriad,
    board::{SQUARE_COUNT, index_of, square_at},
    text,
};
use crate::{HiddenInformation, PlayError, Player, StateOrView};

/// The clause that hides hands.
const CLAUSE: &str = "TT-15";

/// A game as one player sees it: the hand of the other player is hidden (TT-15). The diagram always has a hidden hand
/// and a player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View(pub(super) Diagram);

impl View {
    /// What one player sees of a game: the whole state if the hands are open.
    pub(super) fn of(game: &TripleTriad, viewer: Player) -> StateOrView<TripleTriad> {
        if game.position().rules().has(Rule::Open) {
            return StateOrView::State(*game);
        }
        let mut diagram = game.diagram();
        let cards = diagram.hand_size(viewer.other());
        diagram.hands[viewer.other() as usize].clear();
        diagram.hidden = Some(Hidden { viewer, cards });
        StateOrView::View(Self(diagram))
    }

    /// The board and the hands as the viewer sees them: the hidden hand is empty.
    pub fn diagram(&self) -> &Diagram {
        &self.0
    }

    fn viewer(&self) -> Player {
        self.0.hidden.expect("a view has a hidden hand").viewer
    }

    fn next_player(&self) -> Player {
        self.0.next_player.expect("a view has a player to move")
    }

    fn is_over(&self) -> bool {
        self.0.squares.iter().all(|(_, card)| card.is_some())
    }

    /// The free squares, row by row.
    fn free_squares(&self) -> impl Iterator<Item = usize> {
        (0..SQUARE_COUNT).filter(|&square| self.0.squares[square].1.is_none())
    }

    /// Rejects a move of the other player, unless the game is over: no move is legal then.
    fn check_turn(&self) -> Result<(), HiddenInformation> {
        let (viewer, next) = (self.viewer(), self.next_player());
        if next == viewer || self.is_over() {
            return Ok(());
        }
        let message = format!(
            "{next} is to move, but this is a view of {viewer}, which hides the hand of {next}: \
             ask when it is the turn of {viewer}, or send the whole state"
        );
        Err(HiddenInformation::new(CLAUSE, message))
    }

    /// Every reason why a move is illegal. After the end, nothing is said about cards that are not on the board.
    fn illegal_moves(&self, mv: &Move) -> Vec<IllegalMove> {
        let Diagram { squares, hands, .. } = &self.0;
        let viewer = self.viewer();
        let is_on_board =
            || squares.iter().any(|(_, card)| card.is_some_and(|(card, _)| card.id() == mv.card));
        let card = if hands[viewer as usize].iter().any(|card| card.id() == mv.card) {
            None
        } else if is_on_board() {
            Some(IllegalMove::CardOnBoard(mv.card))
        } else if self.is_over() {
            None
        } else {
            Some(IllegalMove::CardNotInHand { card: mv.card, player: viewer })
        };
        IllegalMove::all(mv, self.is_over(), card, |square| squares[square].1.is_none())
    }
}

impl crate::View<TripleTriad> for View {
    fn viewer(&self) -> Player {
        self.viewer()
    }

    fn legal_moves(&self) -> Result<Vec<Move>, HiddenInformation> {
        self.check_turn()?;
        let hand = &self.0.hands[self.viewer() as usize];
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
        let viewer = self.viewer();
        let hand = &mut self.0.hands[viewer as usize];
        let index = hand.iter().position(|card| card.id() == mv.card);
        let square = index_of(mv.square).filter(|&square| self.0.squares[square].1.is_none());
        let (Some(index), Some(square)) = (index, square) else {
            return Err(self.illegal_moves(mv).into());
        };
        let card = hand.remove(index);
        self.0.squares[square].1 = Some((card, viewer));
        let captures = self.0.resolve(square);
        self.0.next_player = Some(viewer.other());
        let mut events = vec![Event::Placed { player: viewer, card, square: mv.square }];
        events.extend(captures.into_iter().map(Event::Captured));
        Ok(events)
    }

    fn outcome(&self) -> Outcome {
        let Diagram { rules, squares, drawn_rounds, .. } = &self.0;
        let scores = Player::ALL.map(|player| {
            let on_board = squares.iter().filter(|(_, card)| card.is_some_and(|(_, owner)| owner == player));
            on_board.count() as u32 + self.0.hand_size(player)
        });
        let next = (!self.is_over()).then(|| self.next_player());
        Outcome::new(*rules, scores, next, *drawn_rounds)
    }

    fn notation(&self) -> String {
        self.0.notation()
    }

    fn text(&self) -> String {
        text::draw(&self.0, &self.outcome())
    }

    fn hidden_information(&self) -> HiddenInformation {
        let (viewer, other) = (self.viewer(), self.viewer().other());
        let message = format!(
            "this is a view of {viewer}, which hides the hand of {other}: this call needs the whole state"
        );
        HiddenInformation::new(CLAUSE, message)
    }
}
