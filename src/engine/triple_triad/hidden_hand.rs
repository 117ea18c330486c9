use arbiter_games::{
    Player,
    triple_triad::{SQUARE_COUNT, View},
};

use super::{
    MAX_FREE_FOR_ALL,
    hidden_pool::{HiddenPool, hidden_cards},
    ordering::Placement,
    position::Position,
    root::{self, RootMove},
    solver::{Solver, TOTAL_SCORE},
};
use crate::{Cancelled, Search, search::Stop};

/// The stream of a seed that decides what the hidden cards are in each sample.
const SAMPLES_STREAM: u64 = 0x4849_4444;

/// The number of samples by the number of free squares: fewer if each takes long.
const SAMPLES: [u32; SQUARE_COUNT + 1] = [1, 1, 32, 32, 32, 32, 32, 24, 8, 2];

/// A move of the viewer, and what it leads to if the hidden cards are drawn from the pool.
#[derive(Debug)]
pub(super) struct ExpectedMove {
    pub placement: Placement,
    /// The sum of the score differences of all samples.
    sum: i32,
    samples: i32,
    pub first_impression: i32,
}

impl ExpectedMove {
    /// The mean of the score differences, rounded to the nearest whole number.
    pub fn score_difference(&self) -> i32 {
        (2 * self.sum + self.samples).div_euclid(2 * self.samples)
    }
}

/// The expected score difference after each move of the viewer, the best one first.
pub(super) fn expected_moves(
    view: &View,
    pool: &HiddenPool,
    search: &mut Search<'_>,
) -> Result<Vec<ExpectedMove>, Cancelled> {
    let diagram = view.diagram();
    let free = diagram.squares.iter().filter(|(_, card)| card.is_none()).count();
    let samples = SAMPLES[free];
    let mut unseen = pool.unseen(diagram);
    let mut chance = search.chance(SAMPLES_STREAM);
    let mut expected: Vec<ExpectedMove> = Vec::new();
    for sample in 0..samples {
        let drawn = chance.draw(&mut unseen, hidden_cards(diagram));
        let hands = Player::ALL.map(|player| match diagram.hidden {
            Some(hidden) if hidden.viewer != player => drawn,
            _ => &diagram.hands[player as usize],
        });
        let (deal, position) =
            Position::new(diagram, hands).expect("a view has ten cards and a player to move");
        let nodes = search.nodes_left() / (samples - sample);
        let mut solver = Solver::new(&deal, &position, search, nodes, sample.into());
        let mut moves = RootMove::all(&deal, &position);
        let result = if free as u32 <= MAX_FREE_FOR_ALL {
            root::find_all(&mut moves, &mut solver)
        } else {
            root::find_best(&mut moves, &mut solver)
        };
        if result == Err(Stop::Cancelled) {
            return Err(Cancelled);
        }
        if expected.is_empty() {
            expected.extend(moves.iter().map(|mv| ExpectedMove {
                placement: mv.placement,
                sum: 0,
                samples: samples.cast_signed(),
                first_impression: mv.first_impression,
            }));
            expected.sort_by_key(|mv| (mv.placement.card, mv.placement.square));
        }
        moves.sort_by_key(|mv| (mv.placement.card, mv.placement.square));
        for (expected, mv) in expected.iter_mut().zip(&moves) {
            expected.sum += 2 * mv.score() - TOTAL_SCORE;
        }
    }
    expected.sort_by_key(|mv| -mv.sum);
    Ok(expected)
}
