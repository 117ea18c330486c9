use super::{Diagram, Event, IllegalMove, Move, Outcome};

/// A position of a match. It is always valid: the current trick is incomplete, all players had equally many cards at its
/// start, and no hand is hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position(pub(super) Diagram);

impl Position {
    /// The seats with their cards.
    pub fn diagram(&self) -> &Diagram {
        &self.0
    }

    /// Whether all cards have been played.
    pub fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// Every legal move: player by player, each card in the order of the hand.
    pub fn legal_moves(&self) -> Vec<Move> {
        let seats = self.0.players().zip(&self.0.seats);
        let waiting = seats.filter(|(_, seat)| seat.played.is_none());
        waiting.flat_map(|(player, seat)| seat.hand.iter().map(move |&card| Move { player, card })).collect()
    }

    /// Every reason why a move is illegal; none if it is legal.
    pub fn why_illegal(&self, mv: &Move) -> Vec<IllegalMove> {
        self.0.why_illegal(*mv)
    }

    /// Makes a move and returns its effects, in order.
    ///
    /// # Errors
    ///
    /// The reasons of [`Position::why_illegal`]. An illegal move changes nothing.
    pub fn play(&mut self, mv: &Move) -> Result<Vec<Event>, Vec<IllegalMove>> {
        self.0.play(*mv)
    }

    /// The outcome of the match so far.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome()
    }
}
