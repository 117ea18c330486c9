//! Helpers for the tests of Connect Four: games on boards of every size, made by proptest or by a small generator. Both
//! have fixed seeds, so every run makes the same choices.

use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, RngSeed},
};

use crate::naive::connect_four::Board;
use arbiter_games::{
    Game, Player, Square,
    connect_four::{ConnectFour, Move, Position, Rules},
};

/// Common boards, thin boards, and boards at the limits of 64 and 128 bits.
pub const BOARDS: &str = "7x6x4 7x6x4o 7x6x3 7x6x5 4x4x3 5x4x4 6x5x4o 8x8x4 9x6x5 3x20x3 20x3x3 12x8x5 10x10x6 \
                      5x5x2 2x1x2 1x2x2 1x63x2 32x1x3 2x31x3 8x7x4 4x15x4 13x4x4 5x12x4o 1x64x2 33x1x2 64x1x2 \
                      1x127x127 42x2x2 16x7x4 4x31x4 2x63x3";

pub fn config() -> Config {
    Config { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(4), ..Config::default() }
}

pub fn rules(text: &str) -> Rules {
    crate::parse_state::<ConnectFour>(&format!("c4:{text}:")).expect("the rules are valid").position().rules()
}

/// The rules of the list, and any other valid rules.
pub fn any_rules() -> impl Strategy<Value = Rules> {
    let others = (1..=64u32)
        .prop_flat_map(|columns| (Just(columns), if columns == 1 { 2 } else { 1 }..=128 / columns - 1))
        .prop_flat_map(|(columns, rows)| (Just(columns), Just(rows), 2..=columns.max(rows)))
        .prop_flat_map(|(columns, rows, length)| {
            select(Player::ALL.to_vec())
                .prop_map(move |first| Rules::new(columns, rows, length, first).unwrap())
        });
    prop_oneof![select(BOARDS.split(' ').map(rules).collect::<Vec<_>>()), others]
}

pub fn squares(rules: Rules) -> impl Iterator<Item = Square> {
    let (columns, rows) = (u32::from(rules.columns()), u32::from(rules.rows()));
    (0..columns).flat_map(move |column| (0..rows).map(move |row| Square { row, column }))
}

/// A game that can be played: its rules and the columns from the empty board on.
#[derive(Clone, Debug)]
pub struct Record {
    pub rules: Rules,
    pub columns: Vec<u32>,
}

impl Record {
    /// Plays one of the legal columns for each choice, until the game is over.
    pub fn new(rules: Rules, choices: &[u16]) -> Self {
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
    pub fn states(&self) -> Vec<ConnectFour> {
        let mut states = vec![ConnectFour::new(self.rules, (), 0)];
        for &column in &self.columns {
            let mut next = states[states.len() - 1].clone();
            next.play(&Move { column: column.into() }).expect("the column is legal");
            states.push(next);
        }
        states
    }

    pub fn last_state(&self) -> ConnectFour {
        self.states().pop().expect("there is a first state")
    }

    /// The same game with other rules or other columns.
    pub fn with(&self, rules: Rules, column: impl Fn(u32) -> u32) -> Self {
        Self { rules, columns: self.columns.iter().map(|&c| column(c)).collect() }
    }
}

pub fn any_record() -> impl Strategy<Value = Record> {
    (any_rules(), vec(any::<u16>(), 0..=127)).prop_map(|(rules, choices)| Record::new(rules, &choices))
}

/// `SplitMix64`: the same numbers in every run.
pub struct Random(pub u64);

impl Random {
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        from[(mixed % from.len() as u64) as usize]
    }
}

pub fn naive_board(position: &Position) -> Board {
    Board::from_rows(&position.rows(), position.rules().line_length().into())
}

pub fn number(player: Player) -> u8 {
    if player == Player::One { 1 } else { 2 }
}

/// The messages of errors, one per line.
pub fn messages(errors: &[impl ToString]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
