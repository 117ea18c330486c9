//! C4-2 to C4-5: millions of positions of random games, compared with the naive implementation.

use super::support::{BOARDS, Random, number, rules};
use crate::naive::connect_four::{Board, Cell, Game as NaiveGame, switch_player};
use arbiter_games::{
    Direction, Line, Player, Square,
    connect_four::{Ending, Event, Move, Outcome, Position, Rules},
};

fn square((column, row): Cell) -> Square {
    Square { row: row as u32, column: column as u32 }
}

/// The outcome of the naive game.
fn naive_outcome(game: &NaiveGame) -> Outcome {
    let moved_last = switch_player(game.player);
    let Some(last) = game.last.filter(|_| game.win().is_some()) else {
        let ending = game.board.is_board_full().then_some(Ending::Draw);
        let next_player = ending.is_none().then(|| Player::ALL[usize::from(game.player) - 1]);
        return Outcome { ending, next_player };
    };
    let line = |(direction, run): (usize, Vec<Cell>)| Line {
        direction: Direction::ALL[direction],
        squares: run.into_iter().map(square).collect(),
    };
    let ending = Ending::Won {
        winner: Player::ALL[usize::from(moved_last) - 1],
        lines: game.board.lines_through(last, moved_last).into_iter().map(line).collect(),
    };
    Outcome { ending: Some(ending), next_player: None }
}

/// Plays random games with the crate and the naive implementation side by side and compares each position, until at least
/// `enough` are compared. Returns their number and how the games ended.
fn compare_with_naive(rules: Rules, enough: u64, random: &mut Random) -> (u64, Vec<Ending>) {
    let [columns, rows, length] = [rules.columns(), rules.rows(), rules.line_length()].map(usize::from);
    let (mut compared, mut ends) = (0, Vec::new());
    while compared < enough {
        let mut position = Position::start(rules);
        let mut game = NaiveGame::new(Board::new(columns, rows, length), number(rules.first_player()));
        let end = loop {
            compared += 1;
            let outcome = position.outcome();
            assert_eq!(outcome, naive_outcome(&game), "{rules:?}\n{position}");
            let moves = game.moves();
            assert!(position.legal_columns().map(usize::from).eq(moves.clone()), "{rules:?}\n{position}");
            if let Some(ending) = outcome.ending {
                assert!(moves.is_empty(), "{rules:?}\n{position}");
                break ending;
            }
            let column = random.pick(&moves);
            let dropped = position
                .play(&Move { column: i64::from(column as u32) })
                .map(|(_, Event::Dropped { square, .. })| square);
            assert_eq!(dropped, game.play(column).map(square), "{rules:?}\n{position}");
        };
        if let (Ending::Won { lines, .. }, Some(cells)) = (&end, game.win()) {
            let first_line: Vec<_> = cells.into_iter().map(square).collect();
            assert_eq!(lines[0].squares[..length], first_line, "{rules:?}\n{position}");
        }
        ends.push(end);
    }
    (compared, ends)
}

#[test]
fn c4_3_the_naive_game_agrees_on_three_million_positions_of_the_default_board() {
    let (compared, ends) = compare_with_naive(Rules::default(), 3_000_000, &mut Random(2));
    assert!(compared >= 3_000_000);
    // Every case must occur, or it is not compared.
    let won = |how: &dyn Fn(&[Line]) -> bool| {
        ends.iter().any(|end| matches!(end, Ending::Won { lines, .. } if how(lines)))
    };
    assert!(ends.contains(&Ending::Draw));
    assert!(Direction::ALL.iter().all(|&direction| won(&|lines| lines[0].direction == direction)));
    assert!((1..=3).all(|count| won(&|lines| lines.len() == count)));
    assert!((4..=6).all(|run| won(&|lines| lines[0].squares.len() == run)));
}

#[test]
fn c4_3_the_naive_game_agrees_on_two_million_positions_of_many_boards() {
    let mut random = Random(3);
    let compare = |rules| compare_with_naive(rules, 70_000, &mut random).0;
    let compared: u64 = BOARDS.split(' ').map(rules).map(compare).sum();
    assert!(compared >= 2_000_000);
}
