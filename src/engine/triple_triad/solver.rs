use arbiter_games::triple_triad::SQUARE_COUNT;

use super::{
    deal::Deal,
    ordering::{Candidate, Candidates, Exposure, Placement},
    position::Position,
    squares::each,
};
use crate::{Search, search::Stop, table::Region};

/// The sum of the scores of both players: a score counts cards, and there are ten (TT-12).
pub(super) const TOTAL_SCORE: i32 = 10;

/// Positions with fewer free squares are not stored: it takes longer to look them up than to search them.
const MIN_FREE_TO_STORE: u32 = 4;

/// Positions with more free squares are stored in the whole table, others in the part that stays in the cache.
const MAX_CACHED_FREE: u32 = 5;

/// Finds what the final score of a player is with best play of both: an alpha-beta search that asks only whether the player
/// can reach a target. Scores are small numbers, so a few targets are enough.
pub(super) struct Solver<'a, 'b> {
    deal: &'a Deal,
    search: &'a mut Search<'b>,
    /// The number of nodes of the search after which this solver stops.
    max_nodes: u32,
    /// Distinguishes the positions of this deal from those of other deals in the table.
    salt: u64,
    exposure: Exposure,
    /// By the number of free squares.
    candidates: [Candidates; SQUARE_COUNT + 1],
}

/// Where the table holds positions with this many free squares.
fn region(free: u32) -> Region {
    if free > MAX_CACHED_FREE { Region::Whole } else { Region::Cached }
}

/// What the table holds for a position.
#[derive(Clone, Copy)]
struct Entry {
    /// Bounds of the final score of the player to move.
    lower: i32,
    upper: i32,
    /// The placement that reaches the lower bound, once there is one.
    best: Option<Placement>,
}

impl<'a, 'b> Solver<'a, 'b> {
    /// A solver of a deal from this position on. It uses at most this many nodes. Deals that share a search have different numbers.
    pub fn new(
        deal: &'a Deal,
        root: &Position,
        search: &'a mut Search<'b>,
        nodes: u32,
        deal_number: u32,
    ) -> Self {
        Self {
            deal,
            max_nodes: search.nodes() + nodes.min(search.nodes_left()),
            search,
            salt: u64::from(deal_number) << Position::KEY_BITS,
            exposure: Exposure::new(deal, root),
            candidates: Default::default(),
        }
    }

    /// Counts a node.
    #[inline(always)]
    pub fn visit(&mut self) -> Result<(), Stop> {
        if self.search.nodes() == self.max_nodes { Err(Stop::OutOfNodes) } else { self.search.visit() }
    }

    /// The final score of the player to move, which is at least this.
    pub fn score_from(&mut self, position: &Position, mut lower: i32) -> Result<i32, Stop> {
        loop {
            let score = self.bound(position, lower + 1)?;
            if score <= lower {
                return Ok(lower);
            }
            lower = score;
        }
    }

    /// Bounds the final score of the player to move: the result is a lower bound if it is at least the target, and an upper
    /// bound otherwise.
    pub fn bound(&mut self, position: &Position, target: i32) -> Result<i32, Stop> {
        let free = position.free().count_ones();
        if free <= 2 {
            return Ok(self.bound_end(position, target));
        }
        self.visit()?;
        let key = position.key() | self.salt;
        let is_stored = free >= MIN_FREE_TO_STORE;
        let mut entry = Entry { lower: 0, upper: TOTAL_SCORE, best: None };
        if is_stored && let Some(data) = self.search.table.get_in(region(free), key) {
            entry = Entry::unpack(data);
            if entry.lower >= target {
                return Ok(entry.lower);
            }
            if entry.upper < target {
                return Ok(entry.upper);
            }
        }

        let mut best = 0;
        self.candidates[free as usize].fill(self.deal, &self.exposure, position, entry.best);
        while let Some(Candidate { placement, taken, .. }) = self.candidates[free as usize].next() {
            let after = position.place(self.deal, placement.card.into(), placement.square.into(), taken);
            let score = TOTAL_SCORE - self.bound(&after, TOTAL_SCORE + 1 - target)?;
            best = best.max(score);
            if score >= target {
                entry.best = Some(placement);
                break;
            }
        }
        if is_stored {
            *(if best >= target { &mut entry.lower } else { &mut entry.upper }) = best;
            // A score with more free squares takes longer to find again.
            self.search.table.set_in(region(free), key, entry.pack(), free as u8);
        }
        Ok(best)
    }

    /// Appends best play from a position on, in which the player to move reaches this final score.
    pub fn extend_line(
        &mut self,
        line: &mut Vec<Placement>,
        position: &Position,
        score: i32,
    ) -> Result<(), Stop> {
        let (mut position, mut score) = (*position, score);
        while let Some((placement, after)) = self.best(&position, score)? {
            line.push(placement);
            position = after;
            score = TOTAL_SCORE - score;
        }
        Ok(())
    }

    /// A placement that reaches a final score, and the position after it. None after the end.
    fn best(&mut self, position: &Position, score: i32) -> Result<Option<(Placement, Position)>, Stop> {
        let free = position.free().count_ones() as usize;
        self.candidates[free].fill(self.deal, &self.exposure, position, None);
        while let Some(Candidate { placement, taken, .. }) = self.candidates[free].next() {
            let after = position.place(self.deal, placement.card.into(), placement.square.into(), taken);
            if TOTAL_SCORE - self.bound(&after, TOTAL_SCORE + 1 - score)? >= score {
                return Ok(Some((placement, after)));
            }
        }
        Ok(None)
    }

    /// [`Self::bound`] with at most two free squares. The last placement is forced, so it is not searched.
    #[inline(always)]
    fn bound_end(&self, position: &Position, target: i32) -> i32 {
        let free = position.free();
        let score = position.score();
        if free == 0 {
            return score;
        }
        let mut best = 0;
        for square in each(free) {
            let last_square = (free & !(1 << square)).trailing_zeros() as usize;
            for card in each(position.hand()) {
                let taken = position.captures(self.deal, card, square);
                let mut reached = score + taken.count_ones().cast_signed();
                // The reply can only take from the player.
                if last_square < SQUARE_COUNT && reached >= target {
                    let after = position.place(self.deal, card, square, taken);
                    let last_card = after.hand().trailing_zeros() as usize;
                    reached -= after.captures(self.deal, last_card, last_square).count_ones().cast_signed();
                }
                best = best.max(reached);
                if best >= target {
                    return best;
                }
            }
        }
        best
    }
}

impl Entry {
    const NO_PLACEMENT: u32 = 0xFF;

    #[inline(always)]
    fn pack(self) -> u32 {
        let best = self.best.map_or(Self::NO_PLACEMENT, |Placement { card, square }| {
            u32::from(card) << 4 | u32::from(square)
        });
        // Scores are from 0 to 10.
        self.lower.cast_unsigned() | self.upper.cast_unsigned() << 8 | best << 16
    }

    #[inline(always)]
    fn unpack(data: u32) -> Self {
        let byte = |index: u32| data >> (8 * index) & 0xFF;
        let best = byte(2);
        Self {
            lower: byte(0).cast_signed(),
            upper: byte(1).cast_signed(),
            best: (best != Self::NO_PLACEMENT)
                .then_some(Placement { card: (best >> 4) as u8, square: (best & 0xF) as u8 }),
        }
    }
}
