use arbiter_games::triple_triad::HAND_SIZE;

use super::{
    deal::Deal,
    ordering::Placement,
    position::Position,
    solver::{Solver, TOTAL_SCORE},
    squares::{each, sides_facing},
};
use crate::search::Stop;

/// A legal placement, and what is known of its value.
#[derive(Debug)]
pub(super) struct RootMove {
    pub placement: Placement,
    /// The position after it.
    pub after: Position,
    /// Bounds of the final score of the player.
    pub lower: i32,
    pub upper: i32,
    /// The score of the player after the reply that takes most cards.
    guess: i32,
    /// How good it looks, from -1000 to 1000. It does not depend on the hand of the opponent.
    pub first_impression: i32,
}

impl RootMove {
    /// Every legal placement, the best guess first.
    pub fn all(deal: &Deal, position: &Position) -> Vec<Self> {
        let mut moves: Vec<Self> = placements(position)
            .map(|(card, square)| {
                let taken = position.captures(deal, card, square);
                let after = position.place(deal, card, square, taken);
                let replies = placements(&after).map(|(card, square)| after.captures(deal, card, square));
                let lost = replies.map(u16::count_ones).max().unwrap_or(0);
                Self {
                    // There are ten cards and nine squares.
                    placement: Placement { card: card as u8, square: square as u8 },
                    after,
                    lower: 0,
                    upper: TOTAL_SCORE,
                    guess: TOTAL_SCORE - after.score() - lost as i32,
                    first_impression: first_impression(deal, position, card, square),
                }
            })
            .collect();
        moves.sort_by_key(|mv| -mv.guess);
        moves
    }

    /// Whether the final score is known.
    pub fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    /// The final score if it is known, and an estimate otherwise.
    pub fn score(&self) -> i32 {
        self.guess.clamp(self.lower, self.upper)
    }

    /// Finds out whether the final score is at least a target.
    fn reaches(&mut self, target: i32, solver: &mut Solver<'_, '_>) -> Result<bool, Stop> {
        if self.lower < target && self.upper >= target {
            let score = TOTAL_SCORE - solver.bound(&self.after, TOTAL_SCORE + 1 - target)?;
            *(if score >= target { &mut self.lower } else { &mut self.upper }) = score;
        }
        Ok(self.lower >= target)
    }
}

/// Finds the best final score. No move has an upper bound above it then, and the first move reaches it.
pub(super) fn find_best(moves: &mut [RootMove], solver: &mut Solver<'_, '_>) -> Result<(), Stop> {
    let (mut lower, mut upper) = (0, TOTAL_SCORE);
    // Most games between equal hands are close.
    let mut target = HAND_SIZE as i32;
    while lower < upper {
        let mut reaching = None;
        for (index, mv) in moves.iter_mut().enumerate() {
            if mv.reaches(target, solver)? {
                reaching = Some(index);
                break;
            }
        }
        if let Some(index) = reaching {
            moves[..=index].rotate_right(1);
            lower = moves[0].lower;
            target = lower + 1;
        } else {
            upper = moves.iter().map(|mv| mv.upper).max().unwrap_or(lower);
            target = upper;
        }
    }
    Ok(())
}

/// Finds the final score of every move.
pub(super) fn find_all(moves: &mut [RootMove], solver: &mut Solver<'_, '_>) -> Result<(), Stop> {
    for mv in moves {
        while !mv.is_exact() {
            mv.reaches(mv.upper, solver)?;
        }
    }
    Ok(())
}

/// How good a placement looks to a player who counts the captures and the low ranks that face free squares.
fn first_impression(deal: &Deal, position: &Position, card: usize, square: usize) -> i32 {
    const CAPTURE: i32 = 250;
    /// For each rank below 10 on an open side.
    const LOW_RANK: i32 = 10;
    let captures = position.captures(deal, card, square).count_ones() as i32;
    let open = sides_facing(square, position.free());
    let ranks = deal.effective[card][square].each().into_iter().enumerate();
    let exposed: i32 =
        ranks.filter(|(side, _)| open >> side & 1 != 0).map(|(_, rank)| 10 - i32::from(rank)).sum();
    (CAPTURE * captures - LOW_RANK * exposed).clamp(-1000, 1000)
}

/// The cards and the squares of every legal placement.
fn placements(position: &Position) -> impl Iterator<Item = (usize, usize)> {
    let free = position.free();
    each(position.hand()).flat_map(move |card| each(free).map(move |square| (card, square)))
}
