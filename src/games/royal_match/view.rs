use super::{Event, IllegalMove, Move, Outcome, RoyalMatch, Seat, Table, text};
use crate::{HiddenInformation, PlayError};

/// The clause that hides hands.
const CLAUSE: &str = "RM-7";

/// A match as one player sees it: the hands of all others are hidden (RM-7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// A table with a viewer, which is repeated below: a view always has one.
    table: Table,
    viewer: Seat,
}

impl View {
    /// A view that has been found right.
    pub(super) fn new(table: Table, viewer: Seat) -> Self {
        Self { table, viewer }
    }

    /// What one player sees of a match.
    pub(super) fn of(game: &RoyalMatch, viewer: Seat) -> Self {
        let mut table = game.table().clone();
        table.viewer = Some(viewer);
        for (seat, player) in Seat::ALL.into_iter().zip(&mut table.players) {
            if seat != viewer {
                // A hand has at most 13 cards.
                player.hidden = Some(player.hand.len() as u8);
                player.hand.clear();
            }
        }
        Self { table, viewer }
    }

    /// The view as a table: hidden hands are empty.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Refuses a question about a move of another player at the table, unless the match is over and no hand holds a card.
    fn check_mover(&self, seat: Seat) -> Result<(), HiddenInformation> {
        if seat == self.viewer || seat.index() >= self.table.players.len() || self.table.is_over() {
            return Ok(());
        }
        let viewer = self.viewer;
        let message = format!(
            "this is a view of {viewer}, which hides the hand of {seat}: ask about a move of {viewer}, or send the whole state"
        );
        Err(HiddenInformation::new(CLAUSE, message))
    }
}

impl crate::View<RoyalMatch> for View {
    /// The viewer's cards as they are in the hand.
    fn legal_moves(&self) -> Result<Vec<Move>, HiddenInformation> {
        let (seat, table) = (self.viewer, &self.table);
        let player = &table.players[seat.index()];
        if player.played.is_some() && !table.is_over() {
            let message = format!(
                "{seat} has played in this trick, and this is a view of {seat}, which hides all other hands: \
                 ask in the next trick, or send the whole state"
            );
            return Err(HiddenInformation::new(CLAUSE, message));
        }
        Ok(player.hand.iter().map(|&card| Move { seat, card }).collect())
    }

    fn why_illegal(&self, mv: &Move) -> Result<Vec<IllegalMove>, HiddenInformation> {
        self.check_mover(mv.seat)?;
        Ok(self.table.why_illegal(*mv))
    }

    fn play(&mut self, mv: &Move) -> Result<Vec<Event>, PlayError<IllegalMove>> {
        let reasons = self.why_illegal(mv)?;
        if reasons.is_empty() { Ok(self.table.play(mv.seat, mv.card)) } else { Err(reasons.into()) }
    }

    fn outcome(&self) -> Outcome {
        self.table.outcome()
    }

    fn notation(&self) -> String {
        self.table.notation()
    }

    fn text(&self) -> String {
        text::draw(&self.table, &self.outcome())
    }

    fn hidden_information(&self) -> HiddenInformation {
        let viewer = self.viewer;
        let message = format!(
            "this is a view of {viewer}, which hides all other hands: this call needs the whole state"
        );
        HiddenInformation::new(CLAUSE, message)
    }
}
