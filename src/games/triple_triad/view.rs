use super::{Diagram, Rule, TripleTriad};
use crate::Player;

/// A game as one player sees it (TT-15).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What the viewer sees; a hidden hand is empty.
    pub diagram: Diagram,
    /// What the viewer does not see; none in an open game.
    pub hidden: Option<Hidden>,
}

/// What a viewer does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Who looks.
    pub viewer: Player,
    /// How many cards are in the hand of the other.
    pub cards: usize,
}

impl View {
    pub(super) fn new(game: &TripleTriad, viewer: Player) -> Self {
        let mut diagram = Diagram::from(game);
        let hidden = (!diagram.rules.has(Rule::Open)).then(|| {
            let hand = &mut diagram.hands[viewer.other() as usize];
            let cards = hand.len();
            *hand = Vec::new();
            Hidden { viewer, cards }
        });
        Self { diagram, hidden }
    }
}
