use super::{
    deal::Deal,
    ordering::Placement,
    position::Position,
    solver::{Solver, TOTAL_SCORE},
    squares::sides_facing,
};
use crate::search::Stop;

/// A legal placement, and what is known of the final score of the player who makes it.
#[derive(Debug)]
pub(super) struct RootMove {
    pub placement: Placement,
    /// The position after it.
    pub after: Position,
    /// Bounds of the final score with best play.
    pub lower: i32,
    pub upper: i32,
    /// The score after the reply that takes most cards.
    guess: i32,
}

impl RootMove {
    /// Every legal placement, the best guess first.
    pub fn all(deal: &Deal, position: &Position) -> Vec<Self> {
        let mut moves: Vec<Self> = position
            .placements()
            .map(|(card, square)| {
                let after = position.place(deal, card, square, position.captures(deal, card, square));
                let losses = after.placements().map(|(card, square)| after.captures(deal, card, square));
                let lost = losses.map(u16::count_ones).max().unwrap_or(0);
                Self {
                    placement: Placement::new(card, square),
                    after,
                    lower: 0,
                    upper: TOTAL_SCORE,
                    guess: TOTAL_SCORE - after.score() - lost.cast_signed(),
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

/// Finds the best final score. The first move reaches it then, and it is an upper bound of all moves.
pub(super) fn find_best(moves: &mut [RootMove], solver: &mut Solver<'_, '_>) -> Result<(), Stop> {
    let (mut lower, mut upper) = (0, TOTAL_SCORE);
    // Most games are close with best play.
    let mut target = TOTAL_SCORE / 2;
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

/// How good a placement looks to a player who counts captures and the low ranks on open sides, from -1000 to 1000. It does
/// not depend on the opponent's hand.
pub(super) fn first_impression(
    deal: &Deal,
    position: &Position,
    Placement { card, square }: Placement,
) -> i32 {
    const CAPTURE: i32 = 250;
    /// For each rank below the maximum.
    const LOW_RANK: i32 = 10;
    let (card, square) = (card.into(), square.into());
    let captures = position.captures(deal, card, square).count_ones().cast_signed();
    let open = sides_facing(square, position.free());
    let ranks = deal.effective[card][square].each().into_iter().enumerate();
    let low_ranks: i32 =
        ranks.filter(|(side, _)| open >> side & 1 != 0).map(|(_, rank)| 10 - i32::from(rank)).sum();
    (CAPTURE * captures - LOW_RANK * low_ranks).clamp(-1000, 1000)
}
