use super::{Diagram, Event, IllegalMove, Move, Outcome, Player, Position, text};
use crate::{HiddenInformation, PlayError};

/// The clause that hides hands.
const CLAUSE: &str = "RM-7";

/// A match as one player sees it: all other hands are hidden (RM-7). The diagram always has a viewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View(pub(super) Diagram);

impl View {
    /// What one player sees of a match.
    pub(super) fn of(position: &Position, viewer: Player) -> Self {
        let mut diagram = position.diagram().clone();
        diagram.viewer = Some(viewer);
        for (player, seat) in Player::ALL.into_iter().zip(&mut diagram.seats) {
            if player != viewer {
                // A hand has at most 13 cards.
                seat.hidden = Some(seat.hand.len() as u8);
                seat.hand.clear();
            }
        }
        Self(diagram)
    }

    /// The seats as the viewer sees them: hidden hands are empty.
    pub fn diagram(&self) -> &Diagram {
        &self.0
    }

    fn viewer(&self) -> Player {
        self.0.viewer.expect("a view has a viewer")
    }

    /// Rejects a move of another player of the match, unless the match is over: no hand holds a card then.
    fn check_mover(&self, player: Player) -> Result<(), HiddenInformation> {
        let viewer = self.viewer();
        if player == viewer || player.index() >= self.0.seats.len() || self.0.is_over() {
            return Ok(());
        }
        let message = format!(
            "this is a view of {viewer}, which hides the hand of {player}: ask about a move of {viewer}, or send the whole state"
        );
        Err(HiddenInformation::new(CLAUSE, message))
    }
}

impl crate::View<Position> for View {
    fn viewer(&self) -> Player {
        self.viewer()
    }

    /// The cards of the viewer, in the order of the hand.
    fn legal_moves(&self) -> Result<Vec<Move>, HiddenInformation> {
        let player = self.viewer();
        let seat = &self.0.seats[player.index()];
        if seat.played.is_some() && !self.0.is_over() {
            let message = format!(
                "{player} has played in this trick, and this is a view of {player}, which hides all other hands: \
                 ask in the next trick, or send the whole state"
            );
            return Err(HiddenInformation::new(CLAUSE, message));
        }
        Ok(seat.hand.iter().map(|&card| Move { player, card }).collect())
    }

    fn why_illegal(&self, mv: &Move) -> Result<Vec<IllegalMove>, HiddenInformation> {
        self.check_mover(mv.player)?;
        Ok(self.0.why_illegal(*mv))
    }

    fn play(&mut self, mv: &Move) -> Result<Vec<Event>, PlayError<IllegalMove>> {
        self.check_mover(mv.player)?;
        self.0.play(*mv).map_err(PlayError::Illegal)
    }

    fn outcome(&self) -> Outcome {
        self.0.outcome()
    }

    fn notation(&self) -> String {
        self.0.notation()
    }

    fn text(&self) -> String {
        text::draw(&self.0, &self.outcome())
    }

    fn hidden_information(&self) -> HiddenInformation {
        let viewer = self.viewer();
        let message = format!(
            "this is a view of {viewer}, which hides all other hands: this call needs the whole state"
        );
        HiddenInformation::new(CLAUSE, message)
    }
}
