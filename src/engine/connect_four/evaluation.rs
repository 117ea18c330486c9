//! How good a position looks.

use super::{geometry::Geometry, position::Position, word::Word};

/// The greatest value of a position.
pub(super) const MAX_VALUE: i32 = 900;

/// What each winning cell is worth, compared with a line that is still possible.
const WINNING_CELL: i32 = 40;
/// What a winning cell is worth more if the player gets the last cell below it when the columns around are full.
const WINNING_CELL_OF_OWN_PARITY: i32 = 40;
const POSSIBLE_LINE: i32 = 3;

/// The value of a position for the player to move, by the winning cells and the possible lines of both players.
pub(super) fn evaluate<G: Geometry>(geometry: G, position: &Position<G::Word>) -> i32 {
    let own_rows = own_rows(geometry, position.tokens);
    let theirs = position.tokens ^ position.mine;
    let value = of_player(geometry, position, position.mine, position.my_winning_cells, own_rows)
        - of_player(geometry, position, theirs, position.their_winning_cells, !own_rows);
    value.clamp(-MAX_VALUE, MAX_VALUE)
}

fn of_player<G: Geometry>(
    geometry: G,
    position: &Position<G::Word>,
    tokens: G::Word,
    winning_cells: G::Word,
    own_rows: G::Word,
) -> i32 {
    // A board has fewer than 128 cells, and each starts a line in at most four directions.
    let count = |number: u32| number.cast_signed();
    WINNING_CELL * count(winning_cells.count())
        + WINNING_CELL_OF_OWN_PARITY * count((winning_cells & own_rows).count())
        + POSSIBLE_LINE * count(geometry.line_count(tokens | position.empty(geometry)))
}

/// The rows that the player to move fills if the opponent always replies in the same column, for an even number of rows:
/// the lowest and every second one for the first player, the others for the second player.
fn own_rows<G: Geometry>(geometry: G, tokens: G::Word) -> G::Word {
    let mut rows = G::Word::EMPTY;
    let mut height = tokens.count() % 2;
    while height < geometry.rows() {
        rows |= geometry.ground() << height;
        height += 2;
    }
    rows
}
