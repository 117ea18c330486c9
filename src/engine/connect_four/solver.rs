use super::{
    book::BookEntry, bounds::Bounds, geometry::Geometry, ordering::Candidates, position::Position, score,
    word::Word,
};
use crate::{Search, search::Stop, table::Region};

/// In the first plies of a game, a position and its mirror image share an entry of the table. Later, symmetric positions are
/// too rare to pay for it.
const SYMMETRIC_PLIES: u32 = 14;

/// Positions with fewer empty cells are not stored: a search of them is faster than the table.
const MIN_STORED_FREE: u32 = 6;

/// Positions with more empty cells can be in all slots of the table. The others are far more numerous, and most of the time of
/// a search is that of the memory of the table: it takes half the time if they stay in the cache.
const MAX_CACHED_FREE: u32 = 21;

/// Alpha-beta search to the end of the game, with null windows.
pub(super) struct Solver<'a, 'b, G> {
    pub(super) geometry: G,
    pub(super) search: &'a mut Search<'b>,
    /// Positions with this many empty cells may be in the book.
    book_free: u32,
    /// Positions with at least this many empty cells share entries with their mirror images.
    min_symmetric_free: u32,
}

impl<'a, 'b, G: Geometry> Solver<'a, 'b, G> {
    pub(super) fn new(geometry: G, search: &'a mut Search<'b>) -> Self {
        let cells = geometry.cells().count();
        Self {
            geometry,
            book_free: cells.saturating_sub(search.book.plies()),
            min_symmetric_free: cells.saturating_sub(SYMMETRIC_PLIES),
            search,
        }
    }

    /// Decides whether the score of a position is greater than `alpha`. If it is, the result is a lower bound that is greater,
    /// otherwise an upper bound that is not. The player to move cannot win at once.
    pub(super) fn solve(&mut self, position: &Position<G::Word>, free: u32, alpha: i32) -> Result<i32, Stop> {
        self.search.visit()?;
        let moves = position.safe_moves(self.geometry);
        if moves.is_empty() {
            return Ok(score::loss_now(free));
        }
        let (lower, mut upper) = (score::loss_next(free), score::win_next(free));
        if lower > alpha {
            return Ok(lower);
        }
        if upper <= alpha {
            return Ok(upper);
        }

        if let Some(entry) = self.book_entry(position, free) {
            return Ok(entry.score);
        }
        let key = self.key(position, free);
        let mut bounds = Bounds { lower, upper };
        if free >= MIN_STORED_FREE
            && let Some(data) = self.search.table.get_in(region(free), key)
        {
            bounds = Bounds::unpack(data);
            if bounds.lower > alpha {
                return Ok(bounds.lower);
            }
            if bounds.upper <= alpha {
                return Ok(bounds.upper);
            }
        }

        let candidates = Candidates::new(self.geometry, position, moves);
        let is_won = |candidate| position.after_candidate(candidate).safe_moves(self.geometry).is_empty();
        if candidates.as_slice().iter().any(is_won) {
            return Ok(upper);
        }
        // No move leads to a win with the next one, so a win takes one more.
        upper = bounds.upper.min(upper - 1);
        if upper <= alpha {
            return Ok(upper);
        }

        let mut best = i32::MIN;
        for candidate in candidates.as_slice() {
            let next = position.after_candidate(candidate);
            best = best.max(-self.solve(&next, free - 1, -alpha - 1)?);
            if best > alpha {
                break;
            }
        }
        (bounds.lower, bounds.upper) =
            if best > alpha { (best, upper) } else { (bounds.lower, best.min(upper)) };
        if free >= MIN_STORED_FREE {
            // Positions nearer to the root took longer to search: they have priority.
            self.search.table.set_in(region(free), key, bounds.pack(), free as u8);
        }
        Ok(best)
    }

    /// What is known of a position without a search of it. The player to move cannot win at once.
    pub(super) fn known_bounds(&self, position: &Position<G::Word>, free: u32) -> Bounds {
        if position.safe_moves(self.geometry).is_empty() {
            let score = score::loss_now(free);
            return Bounds { lower: score, upper: score };
        }
        if let Some(BookEntry { score, .. }) = self.book_entry(position, free) {
            return Bounds { lower: score, upper: score };
        }
        match self.search.table.get_in(region(free), self.key(position, free)) {
            Some(data) => Bounds::unpack(data),
            None => Bounds { lower: score::loss_next(free), upper: score::win_next(free) },
        }
    }

    /// What the book knows of a position in which the player to move cannot win at once.
    #[inline(always)]
    pub(super) fn book_entry(&self, position: &Position<G::Word>, free: u32) -> Option<BookEntry> {
        if free == self.book_free { self.geometry.look_up(self.search.book, position) } else { None }
    }

    #[inline(always)]
    fn key(&self, position: &Position<G::Word>, free: u32) -> u64 {
        if free >= self.min_symmetric_free { position.symmetric_key(self.geometry) } else { position.key() }
    }
}

/// Where a position with this many empty cells is stored.
#[inline(always)]
fn region(free: u32) -> Region {
    if free > MAX_CACHED_FREE { Region::Whole } else { Region::Cached }
}
