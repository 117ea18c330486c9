use super::{geometry::Geometry, ordering::Candidate, word::Word};

/// A position in a search, with the cells that would complete a line of each player. A move changes those of one player only,
/// so each position is found with one calculation of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position<W> {
    /// All tokens.
    pub(super) tokens: W,
    /// The tokens of the player to move.
    pub(super) mine: W,
    /// The empty cells that would complete a line of the player to move.
    pub(super) my_winning_cells: W,
    /// The same of the opponent.
    pub(super) their_winning_cells: W,
}

impl<W: Word> Position<W> {
    /// A position that is not over.
    pub(super) fn new<G: Geometry<Word = W>>(geometry: G, mine: W, theirs: W) -> Self {
        let tokens = mine | theirs;
        let empty = geometry.cells() & !tokens;
        Self {
            tokens,
            mine,
            my_winning_cells: geometry.winning_cells(mine, empty),
            their_winning_cells: geometry.winning_cells(theirs, empty),
        }
    }

    /// The empty cells.
    #[inline(always)]
    pub(super) fn empty<G: Geometry<Word = W>>(&self, geometry: G) -> W {
        geometry.cells() & !self.tokens
    }

    /// The lowest empty cell of each column.
    #[inline(always)]
    pub(super) fn playable<G: Geometry<Word = W>>(&self, geometry: G) -> W {
        // The sum carries through the tokens of each column.
        self.tokens.plus(geometry.ground()) & geometry.cells()
    }

    /// Whether the player to move can win at once.
    #[inline(always)]
    pub(super) fn can_win<G: Geometry<Word = W>>(&self, geometry: G) -> bool {
        !(self.my_winning_cells & self.playable(geometry)).is_empty()
    }

    /// The moves after which the opponent cannot win at once.
    #[inline(always)]
    pub(super) fn safe_moves<G: Geometry<Word = W>>(&self, geometry: G) -> W {
        let playable = self.playable(geometry);
        let forced = playable & self.their_winning_cells;
        // A token below a winning cell of the opponent makes that cell playable.
        let safe = playable & !(self.their_winning_cells >> 1);
        if forced.is_empty() {
            safe
        } else if forced.without_first().is_empty() {
            forced & safe
        } else {
            W::EMPTY
        }
    }

    /// The cells that would complete a line of the player to move after a token on a playable cell.
    #[inline(always)]
    pub(super) fn winning_cells_after<G: Geometry<Word = W>>(&self, geometry: G, cell: W) -> W {
        geometry.winning_cells(self.mine | cell, self.empty(geometry) & !cell)
    }

    /// The position after a token on a playable cell that does not win. The cells that would complete a line of the player
    /// afterwards are known.
    #[inline(always)]
    pub(super) fn after_known(&self, cell: W, winning_cells: W) -> Self {
        Self {
            tokens: self.tokens | cell,
            mine: self.tokens ^ self.mine,
            my_winning_cells: self.their_winning_cells & !cell,
            their_winning_cells: winning_cells,
        }
    }

    /// The position after a token on a playable cell that does not win.
    #[inline(always)]
    pub(super) fn after<G: Geometry<Word = W>>(&self, geometry: G, cell: W) -> Self {
        self.after_known(cell, self.winning_cells_after(geometry, cell))
    }

    /// The position after a move that does not win.
    #[inline(always)]
    pub(super) fn after_candidate(&self, candidate: &Candidate<W>) -> Self {
        self.after_known(W::bit(candidate.cell), candidate.winning_cells)
    }

    /// The number of the position in the transposition table: no two positions of a board share a sum of these words.
    #[inline(always)]
    pub(super) fn key(&self) -> u64 {
        self.mine.plus(self.tokens).key()
    }

    /// The same number for a position and its mirror image.
    #[inline(always)]
    pub(super) fn symmetric_key<G: Geometry<Word = W>>(&self, geometry: G) -> u64 {
        let mirrored = geometry.mirrored(self.mine).plus(geometry.mirrored(self.tokens));
        self.key().min(mirrored.key())
    }
}
