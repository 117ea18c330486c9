//! Perft: the number of move sequences of a game, compared with known numbers.
//!
//! The files are `tests/rules/perft/<game>/*.perft`. A line that starts with `#` is a comment. An entry is the notation of
//! a state and, on the lines below it, what is counted from there:
//!
//! ```text
//! leaves 3 343       sequences of exactly three moves
//! positions 3 238    different positions reached by exactly three moves
//! games 356232       sequences of moves up to the end of the game
//! ```

use std::{collections::HashSet, fs, hash::Hash, path::Path};

use arbiter_games::{
    Game,
    connect_four::{ConnectFour, Position},
    queen_rooks::QueenRooks,
};

use crate::naive;

/// A game as a tree of states.
trait Tree: Sized {
    /// Equal for states that are the same position.
    type Key: Eq + Hash;

    fn root(notation: &str) -> Self;
    fn children(&self) -> impl Iterator<Item = Self>;
    fn key(&self) -> Self::Key;
}

/// One number of a file.
struct Known {
    /// Its location, for failure messages.
    place: String,
    state: String,
    what: What,
    count: u64,
}

enum What {
    Leaves(u64),
    Positions(u64),
    Games,
}

/// Reads all files of a game.
fn read(game: &str) -> Vec<Known> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/rules/perft").join(game);
    let mut known = Vec::new();
    for file in fs::read_dir(folder).expect("the game has a folder") {
        let path = file.expect("the folder can be listed").path();
        let text = fs::read_to_string(&path).expect("the file is text");
        let mut state = String::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let place = format!("{}:{}: {line:?} from {state}", path.display(), index + 1);
            let number = |word: &str| -> u64 { word.parse().unwrap_or_else(|_| panic!("{place}: {word:?}")) };
            let (what, count) = match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["leaves", depth, count] => (What::Leaves(number(depth)), number(count)),
                ["positions", depth, count] => (What::Positions(number(depth)), number(count)),
                ["games", count] => (What::Games, number(count)),
                [notation] => {
                    notation.clone_into(&mut state);
                    continue;
                }
                [] => continue,
                _ => panic!("{place}: no such count"),
            };
            known.push(Known { place, state: state.clone(), what, count });
        }
    }
    known
}

/// Recounts every known number.
fn recount<'a, T: Tree>(known: impl IntoIterator<Item = &'a Known>) {
    for Known { place, state, what, count } in known {
        let root = T::root(state);
        let counted = match *what {
            What::Leaves(depth) => leaves(&root, depth),
            What::Positions(depth) => positions(root, depth),
            What::Games => games(&root),
        };
        assert_eq!(counted, *count, "{place}");
    }
}

fn leaves<T: Tree>(state: &T, depth: u64) -> u64 {
    if depth == 0 { 1 } else { state.children().map(|child| leaves(&child, depth - 1)).sum() }
}

fn positions<T: Tree>(root: T, depth: u64) -> u64 {
    let mut level = vec![root];
    for _ in 0..depth {
        let mut seen = HashSet::new();
        level = level.iter().flat_map(T::children).filter(|child| seen.insert(child.key())).collect();
    }
    level.len() as u64
}

fn games<T: Tree>(state: &T) -> u64 {
    // A state without children is the end of one game.
    state.children().map(|child| games(&child)).sum::<u64>().max(1)
}

impl Tree for Position {
    type Key = Self;

    fn root(notation: &str) -> Self {
        *crate::parse_state::<ConnectFour>(notation).expect("the state is valid").position()
    }

    fn children(&self) -> impl Iterator<Item = Self> {
        self.legal_columns().map(|column| {
            let mut child = *self;
            assert!(child.drop_token(column.into()), "column {column} is listed as legal");
            child
        })
    }

    fn key(&self) -> Self {
        *self
    }
}

impl Tree for naive::connect_four::Game {
    type Key = naive::connect_four::Board;

    fn root(notation: &str) -> Self {
        Self::from_notation(notation)
    }

    fn children(&self) -> impl Iterator<Item = Self> {
        self.moves().into_iter().map(|column| {
            let mut child = self.clone();
            child.play(column);
            child
        })
    }

    fn key(&self) -> Self::Key {
        self.board.clone()
    }
}

impl Tree for QueenRooks {
    type Key = String;

    fn root(notation: &str) -> Self {
        crate::parse_state::<Self>(notation).expect("the state is valid")
    }

    fn children(&self) -> impl Iterator<Item = Self> {
        self.legal_moves().into_iter().map(|mv| {
            let mut child = *self;
            child.play(&mv).unwrap_or_else(|_| panic!("{mv} is listed as legal"));
            child
        })
    }

    fn key(&self) -> String {
        self.notation()
    }
}

impl Tree for naive::queen_rooks::Game {
    type Key = Self;

    fn root(notation: &str) -> Self {
        Self::from_notation(notation)
    }

    fn children(&self) -> impl Iterator<Item = Self> {
        self.moves().into_iter().map(|(from, to)| {
            let mut child = self.clone();
            child.play(from, to);
            child
        })
    }

    fn key(&self) -> Self {
        self.clone()
    }
}

/// The maximum count that a naive implementation recounts in every run.
const QUICK: u64 = 100_000;

#[test]
fn connect_four_matches_the_perft_files() {
    recount::<Position>(&read("connect_four"));
}

/// Numbers without a published source come from the naive implementation, so it must recount them.
#[test]
fn the_naive_connect_four_matches_the_perft_files() {
    let known = read("connect_four");
    let (quick, slow): (Vec<_>, Vec<_>) = known.iter().partition(|known| known.count <= QUICK);
    recount::<naive::connect_four::Game>(quick);
    for Known { place, .. } in slow {
        assert!(place.contains("published.perft"), "{place}: too many to recount");
    }
}

#[test]
fn queen_rooks_matches_the_perft_files() {
    recount::<QueenRooks>(&read("queen_rooks"));
}

#[test]
fn the_naive_queen_rooks_matches_the_perft_files() {
    let known = read("queen_rooks");
    recount::<naive::queen_rooks::Game>(known.iter().filter(|known| known.count <= QUICK));
}
