use super::{geometry::Geometry, position::Position, word::Word};

/// A move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<W> {
    /// The index of the cell.
    pub(super) cell: u32,
    /// The greater, the earlier the move is searched.
    promise: u32,
    /// The cells that would complete a line of the player after the move.
    pub(super) winning_cells: W,
}

/// The moves of a position in the order in which they are searched.
pub(super) struct Candidates<G: Geometry> {
    candidates: G::PerColumn<Candidate<G::Word>>,
    len: usize,
}

impl<G: Geometry> Candidates<G> {
    /// Orders moves by the number of cells with which the player could complete a line afterwards, then from the centre
    /// outwards.
    #[inline(always)]
    pub(super) fn new(geometry: G, position: &Position<G::Word>, moves: G::Word) -> Self {
        let none = Candidate { cell: 0, promise: 0, winning_cells: G::Word::EMPTY };
        let mut list = Self { candidates: G::per_column(none), len: 0 };
        // A cell is not worth much above one that the opponent needs: playing there would let the player prevent that line.
        let useless = position.their_winning_cells << 1;
        let mut rest = moves;
        while !rest.is_empty() {
            let cell = rest.first();
            rest = rest.without_first();
            let winning_cells = position.winning_cells_after(geometry, G::Word::bit(cell));
            let column = cell / geometry.stride();
            let centrality = geometry.columns() - (2 * column + 1).abs_diff(geometry.columns());
            let useful = (winning_cells & !useless).count();
            let promise = useful * Self::PROMISE_OF_A_WINNING_CELL + centrality;
            list.insert(Candidate { cell, promise, winning_cells });
        }
        list
    }

    /// More than the centrality of any column.
    const PROMISE_OF_A_WINNING_CELL: u32 = 128;

    /// Moves with the same promise stay in their order.
    #[inline(always)]
    fn insert(&mut self, candidate: Candidate<G::Word>) {
        let candidates = self.candidates.as_mut();
        let mut index = self.len;
        while index > 0 && candidates[index - 1].promise < candidate.promise {
            candidates[index] = candidates[index - 1];
            index -= 1;
        }
        candidates[index] = candidate;
        self.len += 1;
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[Candidate<G::Word>] {
        &self.candidates.as_ref()[..self.len]
    }
}
