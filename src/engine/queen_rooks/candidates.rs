use arbiter_games::Player;

use super::position::{Cell, SearchPosition, Step};

/// A legal move that is to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub step: Step,
    /// The number of rooks that it takes.
    pub captures: u8,
    /// Moves with greater priority are searched first.
    pub priority: i32,
}

impl SearchPosition {
    /// Adds every legal move of the player to move.
    pub fn add_moves(&self, candidates: &mut Vec<Candidate>) {
        let queen = self.queens[self.player as usize];
        let targets = self.targets(self.player);
        self.add_queen_moves(queen, candidates);
        for rook in self.rooks() {
            let in_row = self.reach(self.rows[usize::from(rook.row)], rook.column);
            let in_column = self.reach(self.columns[usize::from(rook.column)], rook.row);
            self.add_rook_moves(rook, [in_row, in_column], targets, candidates);
        }
    }

    /// Adds every capture of the player to move.
    pub fn add_captures(&self, candidates: &mut Vec<Candidate>) {
        let queen = self.queens[self.player as usize];
        let targets @ [rows, columns] = self.targets(self.player);
        if rows | columns == 0 {
            return;
        }
        for rook in self.rooks() {
            // A move along the row or column of a target takes it, unless it ends in a line of the queen. Any other move takes
            // one only if it ends in the row or column of a target.
            let [mut in_row, mut in_column] = [0; 2];
            if rook.row != queen.row {
                let takes_always = rows >> rook.row & 1 != 0;
                let wanted = if takes_always { !(1 << queen.column) } else { columns };
                if wanted != 0 {
                    in_row = wanted & self.reach(self.rows[usize::from(rook.row)], rook.column);
                }
            }
            if rook.column != queen.column {
                let takes_always = columns >> rook.column & 1 != 0;
                let wanted = if takes_always { !(1 << queen.row) } else { rows };
                if wanted != 0 {
                    in_column = wanted & self.reach(self.columns[usize::from(rook.column)], rook.row);
                }
            }
            self.add_rook_moves(rook, [in_row, in_column], targets, candidates);
        }
    }

    /// The number of a player's queen moves along its row and column.
    pub fn straight_queen_moves(&self, player: Player) -> u32 {
        let Cell { row, column } = self.queens[player as usize];
        let in_row = self.reach(self.rows[usize::from(row)], column);
        let in_column = self.reach(self.columns[usize::from(column)], row);
        in_row.count_ones() + in_column.count_ones()
    }

    /// The rooks of the player to move, row by row.
    fn rooks(&self) -> impl Iterator<Item = Cell> {
        let rows = &self.rook_rows[self.player as usize][..usize::from(self.size)];
        rows.iter().zip(0..).flat_map(|(&columns, row)| bits(columns).map(move |column| Cell { row, column }))
    }

    /// Adds the moves of a rook to columns of its row, and to rows of its column.
    fn add_rook_moves(
        &self,
        from: Cell,
        [in_row, in_column]: [u32; 2],
        [target_rows, target_columns]: [u32; 2],
        candidates: &mut Vec<Candidate>,
    ) {
        let queen = self.queens[self.player as usize];
        let along_row = bits(in_row).map(|column| Cell { row: from.row, column });
        let along_column = bits(in_column).map(|row| Cell { row, column: from.column });
        candidates.extend(along_row.chain(along_column).map(|to| {
            let is_aligned = to.row == queen.row || to.column == queen.column;
            let taken = (target_rows >> to.row & 1) + (target_columns >> to.column & 1);
            // A rook takes at most two rooks.
            let captures = if is_aligned { 0 } else { taken as u8 };
            Candidate { step: Step { from, to }, captures, priority: 0 }
        }));
    }

    fn add_queen_moves(&self, from: Cell, candidates: &mut Vec<Candidate>) {
        for row_step in [-1, 0, 1] {
            for column_step in [-1, 0, 1] {
                let mut to = from;
                loop {
                    to = Cell {
                        row: to.row.wrapping_add_signed(row_step),
                        column: to.column.wrapping_add_signed(column_step),
                    };
                    let is_on_board = to.row < self.size && to.column < self.size;
                    // The queen's own cell is not empty: a step of zero rows and columns ends at once.
                    if !is_on_board || self.rows[usize::from(to.row)] >> to.column & 1 != 0 {
                        break;
                    }
                    candidates.push(Candidate { step: Step { from, to }, captures: 0, priority: 0 });
                }
            }
        }
    }

    /// The empty places of a line that can be reached from a place in it.
    fn reach(&self, line: u32, place: u8) -> u32 {
        let before = line & ((1 << place) - 1);
        let first = 32 - before.leading_zeros();
        let after = line >> place >> 1;
        let end = (u32::from(place) + 1 + after.trailing_zeros()).min(self.size.into());
        ((1 << end) - 1) & !((1 << first) - 1) & !(1 << place)
    }
}

/// The indexes of the bits that are set, in ascending order.
fn bits(mut word: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let first = (word != 0).then(|| word.trailing_zeros() as u8)?;
        word &= word - 1;
        Some(first)
    })
}
