use arbiter_games::connect_four::Rules;

use super::{
    book::{Book, BookEntry},
    position::Position,
    word::Word,
};

/// The sizes of a board, and sets of its cells. As in `arbiter-games`, bit `column × (rows + 1) + height` is a cell, and the
/// bit above the highest cell of a column is always empty, so that no line crosses an edge.
pub(super) trait Geometry: Copy {
    type Word: Word;
    /// The cells of a move for each column, or more.
    type PerColumn<T: Copy>: AsRef<[T]> + AsMut<[T]>;

    fn columns(self) -> u32;
    fn rows(self) -> u32;
    fn line_length(self) -> u32;
    /// The lowest cell of each column.
    fn ground(self) -> Self::Word;
    /// All cells.
    fn cells(self) -> Self::Word;
    /// What a book knows of a position on this board.
    fn look_up(self, book: &Book, position: &Position<Self::Word>) -> Option<BookEntry>;
    /// The same item for each column.
    fn per_column<T: Copy>(item: T) -> Self::PerColumn<T>;

    /// The distance from a cell to the one on its right.
    #[inline(always)]
    fn stride(self) -> u32 {
        self.rows() + 1
    }

    /// The distances from a cell to the next one of a line, for the directions other than the vertical one in which a line
    /// fits on the board. The distance is 0 if none does.
    #[inline(always)]
    fn steps(self) -> [u32; 3] {
        let (stride, length) = (self.stride(), self.line_length());
        let horizontal = if length <= self.columns() { stride } else { 0 };
        let is_diagonal_possible = length <= self.columns().min(self.rows());
        let [down, up] = if is_diagonal_possible { [stride - 1, stride + 1] } else { [0; 2] };
        [horizontal, down, up]
    }

    /// The empty cells that would complete a line of these tokens.
    #[inline(always)]
    fn winning_cells(self, tokens: Self::Word, empty: Self::Word) -> Self::Word {
        let length = self.line_length();
        let mut cells = Self::Word::EMPTY;
        if length <= self.rows() {
            // Gravity: only a cell above the others can be empty.
            cells |= runs(tokens, 1, length - 1) << (length - 1);
        }
        for step in self.steps() {
            if step != 0 {
                cells |= cells_of_runs(nearly_full_runs(tokens, step, length), step, length);
            }
        }
        cells & empty
    }

    /// The number of lines that these cells contain.
    #[inline(always)]
    fn line_count(self, cells: Self::Word) -> u32 {
        let length = self.line_length();
        let vertical = if length <= self.rows() { runs(cells, 1, length).count() } else { 0 };
        let others = self.steps().map(|step| if step == 0 { 0 } else { runs(cells, step, length).count() });
        vertical + others.into_iter().sum::<u32>()
    }

    /// The cells as a mirror shows them.
    #[inline(always)]
    fn mirrored(self, cells: Self::Word) -> Self::Word {
        let (stride, last) = (self.stride(), self.columns() - 1);
        let column = !(Self::Word::ALL << self.rows());
        let mut mirrored = Self::Word::EMPTY;
        for index in 0..self.columns() {
            mirrored |= ((cells >> (index * stride)) & column) << ((last - index) * stride);
        }
        mirrored
    }
}

/// The first cells of all runs of this length. A run of at least this length must fit on the board.
#[inline(always)]
fn runs<W: Word>(cells: W, step: u32, length: u32) -> W {
    let (mut starts, mut known) = (cells, 1);
    while known < length {
        let more = known.min(length - known);
        starts = starts & (starts >> (more * step));
        known += more;
    }
    starts
}

/// The first cells of all runs of this length of which at most one cell is not in the set.
#[inline(always)]
fn nearly_full_runs<W: Word>(cells: W, step: u32, length: u32) -> W {
    // The runs of the whole length are composed of runs whose lengths are powers of two.
    let (mut full, mut nearly_full) = (cells, W::ALL);
    let (mut whole_full, mut whole_nearly_full) = (W::ALL, W::ALL);
    let (mut power, mut known) = (1, 0);
    loop {
        if length & power != 0 {
            (whole_full, whole_nearly_full) = if known == 0 {
                (full, nearly_full)
            } else {
                joined((whole_full, whole_nearly_full), (full, nearly_full), known * step)
            };
            known += power;
        }
        if known == length {
            return whole_nearly_full;
        }
        (full, nearly_full) = joined((full, nearly_full), (full, nearly_full), power * step);
        power *= 2;
    }
}

/// The full and the nearly full runs that consist of a run and, at a distance, another one.
#[inline(always)]
fn joined<W: Word>(
    (full, nearly_full): (W, W),
    (next_full, next_nearly_full): (W, W),
    distance: u32,
) -> (W, W) {
    let (next_full, next_nearly_full) = (next_full >> distance, next_nearly_full >> distance);
    (full & next_full, (full & next_nearly_full) | (nearly_full & next_full))
}

/// All cells of runs, of which the first cells are given.
#[inline(always)]
fn cells_of_runs<W: Word>(starts: W, step: u32, length: u32) -> W {
    let (mut cells, mut known) = (starts, 1);
    while known < length {
        let more = known.min(length - known);
        cells |= cells << (more * step);
        known += more;
    }
    cells
}

/// The default board. Its sizes are constants, which makes the search twice as fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct DefaultBoard;

/// A board of other sizes.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyBoard<W> {
    columns: u32,
    rows: u32,
    line_length: u32,
    ground: W,
    cells: W,
}

impl Geometry for DefaultBoard {
    type Word = u64;
    type PerColumn<T: Copy> = [T; Rules::DEFAULT.columns() as usize];

    #[inline(always)]
    fn columns(self) -> u32 {
        Rules::DEFAULT.columns().into()
    }

    #[inline(always)]
    fn rows(self) -> u32 {
        Rules::DEFAULT.rows().into()
    }

    #[inline(always)]
    fn line_length(self) -> u32 {
        Rules::DEFAULT.line_length().into()
    }

    #[inline(always)]
    fn ground(self) -> u64 {
        const { ground(Rules::DEFAULT) as u64 }
    }

    #[inline(always)]
    fn cells(self) -> u64 {
        const { cells(Rules::DEFAULT) as u64 }
    }

    #[inline(always)]
    fn look_up(self, book: &Book, position: &Position<u64>) -> Option<BookEntry> {
        book.get(position)
    }

    #[inline(always)]
    fn per_column<T: Copy>(item: T) -> Self::PerColumn<T> {
        [item; _]
    }
}

impl<W: Word> AnyBoard<W> {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            columns: rules.columns().into(),
            rows: rules.rows().into(),
            line_length: rules.line_length().into(),
            ground: W::from_bits(ground(rules)),
            cells: W::from_bits(cells(rules)),
        }
    }
}

impl<W: Word> Geometry for AnyBoard<W> {
    type Word = W;
    type PerColumn<T: Copy> = [T; Rules::MAX_COLUMNS as usize];

    #[inline(always)]
    fn columns(self) -> u32 {
        self.columns
    }

    #[inline(always)]
    fn rows(self) -> u32 {
        self.rows
    }

    #[inline(always)]
    fn line_length(self) -> u32 {
        self.line_length
    }

    #[inline(always)]
    fn ground(self) -> W {
        self.ground
    }

    #[inline(always)]
    fn cells(self) -> W {
        self.cells
    }

    #[inline(always)]
    fn look_up(self, _: &Book, _: &Position<W>) -> Option<BookEntry> {
        None
    }

    #[inline(always)]
    fn per_column<T: Copy>(item: T) -> Self::PerColumn<T> {
        [item; _]
    }
}

/// The lowest cell of each column.
const fn ground(rules: Rules) -> u128 {
    let (mut ground, mut column) = (0, 0);
    while column < rules.columns() {
        ground |= 1 << (column as u32 * (rules.rows() as u32 + 1));
        column += 1;
    }
    ground
}

/// All cells.
const fn cells(rules: Rules) -> u128 {
    // The sum of the rows: their bits do not overlap.
    ground(rules) * ((1 << rules.rows()) - 1)
}
