//! Properties of Connect Four that hold in every game, on boards of every size.
//!
//! The first half plays games that proptest makes up; the second plays many more, by a small generator of
//! its own, and compares millions of positions with a naive implementation. Every run makes the same choices.

use crate::naive::connect_four::{Board, Cell, Game as NaiveGame, switch_player};
use arbiter::games::{
    Direction, Game, Line, Player, Square,
    connect_four::{ConnectFour, IllegalMove, Move, Outcome, Position, Rules, Setup},
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, RngSeed},
};

/// Everyday boards, thin ones, and those that just fit into 64 or into 128 bits or just do not fit into 64.
const BOARDS: &str = "7x6x4 7x6x4o 7x6x3 7x6x5 4x4x3 5x4x4 6x5x4o 8x8x4 9x6x5 3x20x3 20x3x3 12x8x5 10x10x6 \
                      5x5x2 2x1x2 1x2x2 1x63x2 32x1x3 2x31x3 8x7x4 4x15x4 13x4x4 5x12x4o 1x64x2 33x1x2 64x1x2 \
                      1x127x127 42x2x2 16x7x4 4x31x4 2x63x3";

fn rules(text: &str) -> Rules {
    ConnectFour::parse(&format!("c4:{text}:")).expect("the rules hold together").position().rules()
}

/// A game that can be played: its rules and the columns from the empty board on.
#[derive(Clone, Debug)]
struct Record {
    rules: Rules,
    columns: Vec<u32>,
}

impl Record {
    /// Plays one of the legal columns for each choice, until the game is over.
    fn new(rules: Rules, choices: &[u16]) -> Self {
        let mut position = Position::start(rules);
        let columns = choices.iter().map_while(|&choice| {
            let legal: Vec<_> = position.legal_columns().map(u32::from).collect();
            let column = *legal.get(usize::from(choice) % legal.len().max(1))?;
            position.drop_token(column).then_some(column)
        });
        let columns = columns.collect();
        Self { rules, columns }
    }

    /// Every state of the game, from the empty board on.
    fn states(&self) -> Vec<ConnectFour> {
        let mut states = vec![ConnectFour::new(self.rules, (), 0)];
        for &column in &self.columns {
            let mut next = states[states.len() - 1].clone();
            next.play(&Move { column }).expect("the column is legal");
            states.push(next);
        }
        states
    }

    fn last_state(&self) -> ConnectFour {
        self.states().pop().expect("there is a first state")
    }

    /// The same game with other rules or other columns.
    fn with(&self, rules: Rules, column: impl Fn(u32) -> u32) -> Self {
        Self { rules, columns: self.columns.iter().map(|&c| column(c)).collect() }
    }
}

/// The rules of the list, and any others that hold together.
fn any_rules() -> impl Strategy<Value = Rules> {
    let others = (1..=64u32)
        .prop_flat_map(|columns| (Just(columns), if columns == 1 { 2 } else { 1 }..=128 / columns - 1))
        .prop_flat_map(|(columns, rows)| (Just(columns), Just(rows), 2..=columns.max(rows)))
        .prop_flat_map(|(columns, rows, length)| {
            select(Player::ALL.to_vec())
                .prop_map(move |first| Rules::new(columns, rows, length, first).unwrap())
        });
    prop_oneof![select(BOARDS.split(' ').map(rules).collect::<Vec<_>>()), others]
}

fn any_record() -> impl Strategy<Value = Record> {
    (any_rules(), vec(any::<u16>(), 0..=127)).prop_map(|(rules, choices)| Record::new(rules, &choices))
}

fn config() -> Config {
    Config { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(4), ..Config::default() }
}

/// The columns of a board, the first ones beyond it, and those that a narrower number would take for a column.
fn columns_to_try(rules: Rules) -> impl Iterator<Item = u32> {
    let columns = u32::from(rules.columns());
    (0..columns + 2).chain([64, 127, 128, 255, 256, 1 << 16, 1 << 31, u32::MAX])
}

fn mirror(rules: Rules, column: u32) -> u32 {
    u32::from(rules.columns()) - 1 - column
}

/// The lines of a mirrored board, from left to right again and in the order of their directions.
fn mirror_lines(rules: Rules, lines: &[Line]) -> Vec<Line> {
    let mirror_line = |line: &Line| {
        let direction = match line.direction {
            Direction::DiagonalDown => Direction::DiagonalUp,
            Direction::DiagonalUp => Direction::DiagonalDown,
            straight => straight,
        };
        let mirror_square = |s: &Square| Square { column: mirror(rules, s.column), ..*s };
        let mut squares: Vec<_> = line.squares.iter().map(mirror_square).collect();
        if direction != Direction::Vertical {
            squares.reverse();
        }
        Line { direction, squares }
    };
    let mut lines: Vec<_> = lines.iter().map(mirror_line).collect();
    lines.sort_by_key(|line| Direction::ALL.iter().position(|&direction| direction == line.direction));
    lines
}

fn with_other_first_player(rules: Rules) -> Rules {
    let [columns, rows, length] = [rules.columns(), rules.rows(), rules.line_length()].map(u32::from);
    Rules::new(columns, rows, length, rules.first_player().other()).expect("only the player has changed")
}

fn squares(rules: Rules) -> impl Iterator<Item = Square> {
    let (columns, rows) = (u32::from(rules.columns()), u32::from(rules.rows()));
    (0..columns).flat_map(move |column| (0..rows).map(move |row| Square { row, column }))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn c4_5_a_column_is_listed_exactly_when_it_is_valid_and_can_be_played(record in any_record()) {
        for game in record.states() {
            let listed = game.legal_moves();
            for mv in columns_to_try(record.rules).map(|column| Move { column }) {
                let is_listed = listed.contains(&mv);
                prop_assert_eq!(game.why_illegal(&mv).is_empty(), is_listed);
                prop_assert_eq!(game.position().is_legal(mv.column), is_listed);
                prop_assert_eq!(game.clone().play(&mv).is_ok(), is_listed);
                let mut position = *game.position();
                prop_assert_eq!(position.drop_token(mv.column), is_listed);
            }
        }
    }

    #[test]
    fn c4_2_each_refusal_tells_its_reasons_and_changes_nothing(record in any_record()) {
        for game in record.states() {
            let board = naive_board(game.position());
            for mv @ Move { column } in columns_to_try(record.rules).map(|column| Move { column }) {
                let over = (game.outcome() != Outcome::InProgress).then_some(IllegalMove::GameOver);
                let last = record.rules.columns() - 1;
                let wrong = if column > last.into() {
                    Some(IllegalMove::ColumnOutOfRange { column, last })
                } else {
                    (!board.is_valid_move(column as usize)).then_some(IllegalMove::ColumnFull { column })
                };
                let reasons: Vec<_> = over.into_iter().chain(wrong).collect();
                prop_assert_eq!(&game.why_illegal(&mv), &reasons);
                if !reasons.is_empty() {
                    let mut after = game.clone();
                    prop_assert_eq!(after.play(&mv), Err(reasons));
                    prop_assert_eq!(&after, &game);
                }
            }
        }
    }

    #[test]
    fn c4_2_a_move_changes_the_one_cell_it_tells_and_passes_the_turn(record in any_record()) {
        for (pair, &column) in record.states().windows(2).zip(&record.columns) {
            let (before, after) = (pair[0].position(), pair[1].position());
            let dropped = pair[0].clone().play(&Move { column }).expect("the column is legal");
            let [dropped] = dropped[..] else { panic!("one token is dropped, not {dropped:?}") };
            prop_assert_eq!(dropped.player, before.next_player());
            prop_assert_eq!(dropped.player, after.next_player().other());
            prop_assert_eq!(dropped.square.column, column);
            for square in squares(record.rules) {
                let was = before.token(square);
                let wanted = if square == dropped.square { Some(dropped.player) } else { was };
                prop_assert_eq!(after.token(square), wanted);
            }
        }
    }

    #[test]
    fn a_history_is_replayed_to_where_its_moves_lead_step_by_step(record in any_record()) {
        let moves: Vec<_> = record.columns.iter().map(|&column| Move { column }.to_string()).collect();
        let separator = if record.rules.columns() > 9 { "," } else { "" };
        let text = ConnectFour::new(record.rules, (), 0).notation() + &moves.join(separator);
        prop_assert_eq!(ConnectFour::parse(&text), Ok(record.last_state()));
    }

    #[test]
    fn every_state_reads_back_from_its_notation_by_history_and_by_board(record in any_record()) {
        for by_history in record.states() {
            let by_board = ConnectFour::from(*by_history.position());
            for game in [by_history, by_board] {
                let text = game.notation();
                let read = ConnectFour::parse(&text).expect("the notation is right");
                prop_assert_eq!(read.position(), game.position(), "{}", text);
                prop_assert_eq!(read.notation(), text);
            }
        }
    }

    #[test]
    fn every_position_is_accepted_again_as_a_set_up(record in any_record()) {
        for game in record.states() {
            let position = *game.position();
            let setup = Setup {
                rules: record.rules,
                board: &position.rows(),
                next_player: Some(position.next_player()),
            };
            prop_assert_eq!(Position::try_from(setup), Ok(position));
        }
    }

    #[test]
    fn c4_6_the_text_is_the_board_that_the_naive_game_prints(record in any_record()) {
        for game in record.states() {
            prop_assert_eq!(game.text(), naive_board(game.position()).print_board());
        }
    }

    #[test]
    fn mirrored_columns_lead_to_the_mirrored_outcome(record in any_record()) {
        let rules = record.rules;
        let mirrored = record.with(rules, |column| mirror(rules, column)).last_state();
        let wanted = match record.last_state().outcome() {
            Outcome::Won { winner, lines } => Outcome::Won { winner, lines: mirror_lines(rules, &lines) },
            other => other,
        };
        prop_assert_eq!(mirrored.outcome(), wanted);
    }

    #[test]
    fn c4_1_the_other_first_player_only_swaps_the_tokens(record in any_record()) {
        let game = record.last_state();
        let swapped = record.with(with_other_first_player(record.rules), |column| column).last_state();
        for square in squares(record.rules) {
            let token = game.position().token(square);
            prop_assert_eq!(swapped.position().token(square), token.map(Player::other));
        }
        let wanted = match game.outcome() {
            Outcome::Won { winner, lines } => Outcome::Won { winner: winner.other(), lines },
            other => other,
        };
        prop_assert_eq!(swapped.outcome(), wanted);
    }
}

/// `SplitMix64`: the same numbers in every run.
struct Random(u64);

impl Random {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        from[(mixed % from.len() as u64) as usize]
    }
}

fn naive_board(position: &Position) -> Board {
    Board::from_rows(&position.rows(), position.rules().line_length().into())
}

fn number(player: Player) -> u8 {
    if player == Player::One { 1 } else { 2 }
}

/// What holds of every position: in words, and as a predicate of it and of the same board as an array.
type Invariant = (&'static str, fn(&Position, &Board) -> bool);

const INVARIANTS: [Invariant; 10] = [
    ("C4-1: the numbers of tokens fit the player to move", |position, board| {
        let count = |player| board.cells().filter(|&cell| board.token(cell) == number(player)).count();
        let first = position.rules().first_player();
        let lead = usize::from(position.next_player() != first);
        count(first) == count(first.other()) + lead
    }),
    ("the ply is the number of tokens", |position, board| {
        position.ply() as usize == board.cells().filter(|&cell| board.token(cell) != 0).count()
    }),
    ("a cell and the rows tell the same token", |position, board| {
        squares(position.rules()).all(|square| {
            let told = position.token(square).map_or(0, number);
            told == board.token((square.column as usize, square.row as usize))
        })
    }),
    ("no token lies beyond the board", |position, board| {
        let (columns, rows) = (board.columns() as u32, board.rows() as u32);
        let beyond = [(rows, 0), (0, columns), (rows, columns), (u32::MAX, 0), (0, u32::MAX)];
        beyond.into_iter().all(|(row, column)| position.token(Square { row, column }).is_none())
    }),
    ("C4-2: no token lies over an empty cell", |_, board| {
        let is_empty = |cell| board.token(cell) == 0;
        board.cells().all(|(column, row)| row == 0 || is_empty((column, row - 1)) || !is_empty((column, row)))
    }),
    ("C4-3: the player to move has no line", |position, board| {
        !board.has_line(number(position.next_player()))
    }),
    ("C4-3: the game is won exactly when the player who moved last has a line", |position, board| {
        let moved_last = position.next_player().other();
        let is_won = matches!(position.outcome(), Outcome::Won { winner, .. } if winner == moved_last);
        is_won == board.has_line(number(moved_last))
    }),
    ("C4-3: one token on top of its column is in every line", |position, board| {
        let Outcome::Won { lines, .. } = position.outcome() else { return true };
        let is_top = |s: &Square| s.row == 0 || board.token((s.column as usize, s.row as usize - 1)) == 0;
        lines[0].squares.iter().any(|s| is_top(s) && lines.iter().all(|line| line.squares.contains(s)))
    }),
    ("C4-4: a draw is a full board without a line", |position, board| {
        let no_line = !board.has_line(1) && !board.has_line(2);
        (position.outcome() == Outcome::Draw) == (board.is_board_full() && no_line)
    }),
    ("the game is over exactly when no column is legal", |position, _| {
        let is_over = position.outcome() != Outcome::InProgress;
        position.is_over() == is_over && position.legal_columns().next().is_none() == is_over
    }),
];

#[test]
fn every_invariant_holds_after_every_move_of_random_games() {
    let mut random = Random(1);
    for rules in BOARDS.split(' ').map(rules) {
        for _ in 0..60 {
            let mut position = Position::start(rules);
            loop {
                let board = naive_board(&position);
                for (invariant, holds) in INVARIANTS {
                    assert!(holds(&position, &board), "{invariant}: {rules:?}\n{position}");
                }
                let legal: Vec<_> = position.legal_columns().collect();
                if legal.is_empty() {
                    break;
                }
                position.drop_token(random.pick(&legal).into());
            }
        }
    }
}

fn square((column, row): Cell) -> Square {
    Square { row: row as u32, column: column as u32 }
}

/// The outcome as the naive implementation sees it.
fn naive_outcome(game: &NaiveGame) -> Outcome {
    let moved_last = switch_player(game.player);
    let Some(last) = game.last.filter(|_| game.win().is_some()) else {
        return if game.board.is_board_full() { Outcome::Draw } else { Outcome::InProgress };
    };
    let line = |(direction, run): (usize, Vec<Cell>)| Line {
        direction: Direction::ALL[direction],
        squares: run.into_iter().map(square).collect(),
    };
    Outcome::Won {
        winner: Player::ALL[usize::from(moved_last) - 1],
        lines: game.board.lines_through(last, moved_last).into_iter().map(line).collect(),
    }
}

/// Plays random games with the crate and with the naive implementation side by side and compares each position,
/// until there were enough of them. Tells how many, and how the games ended.
fn compare_with_naive(rules: Rules, enough: u64, random: &mut Random) -> (u64, Vec<Outcome>) {
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
            if moves.is_empty() {
                break outcome;
            }
            let column = random.pick(&moves);
            let dropped = position.play(Move { column: column as u32 }).map(|(_, dropped)| dropped.square);
            assert_eq!(dropped, game.play(column).map(square), "{rules:?}\n{position}");
        };
        if let (Outcome::Won { lines, .. }, Some(cells)) = (&end, game.win()) {
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
    // A case that was never met was never compared.
    let won = |how: &dyn Fn(&[Line]) -> bool| {
        ends.iter().any(|end| matches!(end, Outcome::Won { lines, .. } if how(lines)))
    };
    assert!(ends.contains(&Outcome::Draw));
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
