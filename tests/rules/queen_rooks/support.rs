//! Helpers for the tests of Queen and rooks: boards as pictures, and random boards and games of every size. The generator
//! of the crate has fixed seeds, so every run makes the same choices.

use std::cmp::Ordering;

use crate::{
    chance::{one_in, pick},
    naive::queen_rooks::{self as plain, Turn},
};
use arbiter_games::{
    Chance,
    Player::{self, One, Two},
    queen_rooks::{Diagram, Event, Move, Position, Rules, Setup, SetupError},
};

pub const SIZES: [u32; 12] = [4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26];

/// The rows of a picture: rows from the top, with spaces between them.
pub fn rows(picture: &str) -> Vec<&str> {
    picture.split(' ').collect()
}

/// Sets up a picture without quiet moves and without a limit of them.
pub fn set_up(picture: &str, next_player: Player) -> Result<Position, Vec<SetupError>> {
    set_up_with_quiet_moves(picture, next_player, 0, 0)
}

pub fn set_up_with_quiet_moves(
    picture: &str,
    next_player: Player,
    quiet_moves: u32,
    limit: u32,
) -> Result<Position, Vec<SetupError>> {
    let board = rows(picture);
    let rules = Rules::new(board.len() as u32, limit).expect("the rules are valid");
    Position::try_from(&Setup {
        rules: rules.into(),
        board: &board,
        next_player: Some(next_player),
        quiet_moves,
    })
}

pub fn position(picture: &str, next_player: Player) -> Position {
    set_up(picture, next_player).expect("the setup is accepted")
}

pub fn mv(text: &str) -> Move {
    text.parse().expect("the text is a move")
}

/// Plays a legal move and returns its events.
pub fn play(game: &mut Position, text: &str) -> Vec<Event> {
    game.play(&mv(text)).expect("the move is legal")
}

pub fn picture(game: &Position) -> String {
    game.diagram().rows().join(" ")
}

pub fn listed(moves: &[Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

pub fn naive(game: &Position) -> plain::Game {
    (&game.diagram()).into()
}

fn number_in(chance: &mut Chance, min: u32, max: u32) -> u32 {
    min + chance.below(max - min + 1)
}

/// A board with a queen and this many rooks of each player on random squares. On a crowded board the pieces are in a
/// square area of about the minimum size.
fn random_board(chance: &mut Chance, size: u32, rooks: [u32; 2], crowded: bool) -> Vec<String> {
    let pieces = rooks[0] + rooks[1] + 2;
    let tight = (2..size).find(|width| width * width > pieces).unwrap_or(size);
    let width = if crowded { tight } else { size };
    let (top, left) = (pick(chance, &[0, size - width]), pick(chance, &[0, size - width]));
    let mut cells: Vec<(u32, u32)> =
        (0..width).flat_map(|row| (0..width).map(move |column| (top + row, left + column))).collect();
    let letters = [("Q", 1), ("q", 1), ("R", rooks[0]), ("r", rooks[1])];
    let letters: String = letters.map(|(letter, count)| letter.repeat(count as usize)).concat();
    let mut grid = vec![vec!['.'; size as usize]; size as usize];
    for (&(row, column), letter) in chance.draw(&mut cells, pieces as usize).iter().zip(letters.chars()) {
        grid[row as usize][column as usize] = letter;
    }
    grid.into_iter().map(String::from_iter).collect()
}

/// A board without a game: any number of rooks, with or without a player to move, quiet moves and a limit.
pub fn random_diagram(chance: &mut Chance, size: u32) -> Diagram {
    let one = chance.below(size * size - 1);
    let two = chance.below(size * size - 1 - one);
    let rooks = pick(chance, &[[one, two], [two, one], [one / 2, two / 2]]);
    let crowded = one_in(chance, 2);
    let setup = Setup {
        rules: Rules::new(size, pick(chance, &[0, 5])).expect("the size is valid").into(),
        board: &random_board(chance, size, rooks, crowded),
        next_player: pick(chance, &[None, Some(One), Some(Two)]),
        quiet_moves: pick(chance, &[0, 5]),
    };
    Diagram::try_from(&setup).expect("the board is valid")
}

/// A board on which one player is in a corner, enclosed by rooks of the other player, whose other pieces are anywhere
/// outside. Sometimes a rook of the enclosed player is outside.
pub fn random_board_with_an_enclosed_player(chance: &mut Chance, size: u32) -> Vec<String> {
    let depth = number_in(chance, 2, size / 2);
    let mut grid = vec![vec!['.'; size as usize]; size as usize];
    let mut outside = Vec::new();
    for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
        match (row + column).cmp(&depth) {
            Ordering::Less => grid[row as usize][column as usize] = 'r',
            Ordering::Equal => grid[row as usize][column as usize] = 'R',
            Ordering::Greater => outside.push((row as usize, column as usize)),
        }
    }
    grid[0][0] = 'q';
    let more = chance.below(size * size / 4 - depth - 1);
    let letters = ["Q", &"R".repeat(more as usize), pick(chance, &["", "", "r"])].concat();
    for (&(row, column), letter) in chance.draw(&mut outside, letters.len()).iter().zip(letters.chars()) {
        grid[row][column] = letter;
    }
    if one_in(chance, 2) {
        grid.reverse();
    }
    if one_in(chance, 2) {
        for row in &mut grid {
            row.reverse();
        }
    }
    if one_in(chance, 2) {
        for letter in grid.iter_mut().flatten() {
            *letter = exchange(*letter);
        }
    }
    grid.into_iter().map(String::from_iter).collect()
}

/// The same letter in the other player's colour.
pub fn exchange(letter: char) -> char {
    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
}

/// A setup that owns its board.
pub struct OwnedSetup {
    pub rules: Rules,
    pub board: Vec<String>,
    pub next_player: Player,
    pub quiet_moves: u32,
}

impl OwnedSetup {
    pub fn setup(&self) -> Setup<'_, String> {
        let &Self { rules, ref board, next_player, quiet_moves } = self;
        Setup { rules: rules.into(), board, next_player: Some(next_player), quiet_moves }
    }
}

/// A setup with at most as many pieces as at the start.
pub fn random_setup(chance: &mut Chance, size: u32) -> OwnedSetup {
    let board = if one_in(chance, 4) {
        random_board_with_an_enclosed_player(chance, size)
    } else {
        let min = if one_in(chance, 8) { 0 } else { 2 };
        // Few pieces are as likely as many.
        let max = number_in(chance, 2, size * size / 4 - 1);
        let rooks = [(); 2].map(|()| number_in(chance, min, max));
        let crowded = one_in(chance, 2);
        random_board(chance, size, rooks, crowded)
    };
    let rules = Rules::new(size, pick(chance, &[0, 0, 5, 20])).expect("the rules are valid");
    OwnedSetup { rules, board, next_player: chance.toss(), quiet_moves: chance.below(6) }
}

pub fn random_position(chance: &mut Chance, size: u32) -> Position {
    loop {
        if let Ok(position) = Position::try_from(&random_setup(chance, size).setup()) {
            return position;
        }
    }
}

/// The number of moves of random games to test on boards of a size: fewer on large boards, where the naive game is slow.
pub fn moves_on(size: u32) -> u32 {
    1_500_000 / size.pow(3)
}

/// One move of a game.
pub struct Step {
    pub before: Position,
    pub mv: Move,
    pub events: Vec<Event>,
    pub after: Position,
}

impl Step {
    pub fn turn(&self) -> Turn {
        Turn::from(&self.events[..])
    }
}

/// A new game tests more than a longer game.
const MAX_MOVES_PER_GAME: u32 = 50;

/// Plays random games of every size, from the start and from random positions, and checks each move.
pub fn play_random_games(seed: u64, mut check: impl FnMut(&Step)) {
    let mut chance = Chance::new(seed, 0);
    for size in SIZES {
        let mut moves = moves_on(size);
        while moves > 0 {
            let start = Position::start(Rules::new(size, 0).expect("the size is valid"));
            let mut game = if one_in(&mut chance, 4) { start } else { random_position(&mut chance, size) };
            for _ in 0..moves.min(MAX_MOVES_PER_GAME) {
                let legal = game.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let (before, mv) = (game, pick(&mut chance, &legal));
                let events = game.play(&mv).expect("the move is legal");
                check(&Step { before, mv, events, after: game });
                moves -= 1;
            }
        }
    }
}
