//! QR-2 to QR-6: a transformed game with the colours exchanged is the same game.

use super::support::{exchange, naive, play_random_games};
use crate::naive::queen_rooks::{self as plain, Turn, cell, cells, square};
use arbiter_games::{
    Game, Player, Square,
    queen_rooks::{Ending, Move, Outcome, Position, Setup},
};

/// Maps a cell of a board of a size.
type Symmetry = fn(plain::Cell, usize) -> plain::Cell;

/// The same position with its squares moved and its colours exchanged.
fn transform(game: &Position, to: Symmetry) -> Position {
    let from = naive(game);
    let mut board = vec![vec!['.'; from.size()]; from.size()];
    for cell in from.cells() {
        let (row, column) = to(cell, from.size());
        board[row][column] = exchange(from.at(cell));
    }
    let setup = Setup {
        rules: game.rules().into(),
        board: &board.into_iter().map(String::from_iter).collect::<Vec<_>>(),
        next_player: Some(game.next_player().other()),
        quiet_moves: game.quiet_moves(),
    };
    Position::try_from(&setup).expect("the position is valid")
}

/// A turn with its cells moved and its colours exchanged. Captures and corners are sorted, as their order depends on
/// which lines are rows and which are columns.
fn transform_turn(
    mut turn: Turn,
    to: impl Fn(plain::Cell) -> plain::Cell,
    exchange: fn(char) -> char,
) -> Turn {
    for cell in [&mut turn.from, &mut turn.to] {
        *cell = to(*cell);
    }
    turn.piece = exchange(turn.piece);
    for capture in &mut turn.captures {
        for cell in [&mut capture.cell, &mut capture.rook, &mut capture.queen] {
            *cell = to(*cell);
        }
        capture.corners = capture.corners.map(|(cell, piece)| (to(cell), exchange(piece)));
        capture.corners.sort_unstable();
    }
    turn.captures.sort_unstable_by_key(|capture| capture.cell);
    turn
}

/// Plays the moves of random games on transformed boards too, and compares legal moves, turns, states and outcomes.
fn compare_transformed(seed: u64, to: Symmetry) {
    play_random_games(seed, |step| {
        let context = format!("{} in {}", step.mv, step.before.notation());
        let size = usize::from(step.before.rules().size());
        let to_square = |from: Square| square(to(cell(from), size));
        let transform_move = |mv: &Move| Move { from: to_square(mv.from), to: to_square(mv.to) };
        let mut other = transform(&step.before, to);
        let mut legal: Vec<_> =
            step.before.legal_moves().iter().map(|mv| cells(&transform_move(mv))).collect();
        let mut other_legal: Vec<_> = other.legal_moves().iter().map(cells).collect();
        legal.sort_unstable();
        other_legal.sort_unstable();
        assert_eq!(other_legal, legal, "{context}");
        let events = other.play(&transform_move(&step.mv)).expect("the move is legal");
        let mut wanted = transform_turn(step.turn(), |cell| to(cell, size), exchange);
        (wanted.player, wanted.passed) = (1 - wanted.player, wanted.passed.map(|player| 1 - player));
        assert_eq!(
            transform_turn(Turn::from(&events[..]), |cell| cell, |letter| letter),
            wanted,
            "{context}"
        );
        assert_eq!(other, transform(&step.after, to), "{context}");
        let Outcome { ending, next_player, pieces: [one, two] } = step.after.outcome();
        let ending = match ending {
            Some(Ending::Won { winner }) => Some(Ending::Won { winner: winner.other() }),
            other => other,
        };
        assert_eq!(
            other.outcome(),
            Outcome { ending, next_player: next_player.map(Player::other), pieces: [two, one] },
            "{context}"
        );
    });
}

#[test]
fn a_game_rotated_by_180_degrees_with_the_colours_exchanged_is_the_same_game() {
    compare_transformed(9, |(row, column), size| (size - 1 - row, size - 1 - column));
}

#[test]
fn a_game_mirrored_on_the_diagonal_with_the_colours_exchanged_is_the_same_game() {
    compare_transformed(10, |(row, column), _| (column, row));
}
