//! Mirrored positions have mirrored evaluations.

use arbiter_games::{
    Chance, Game,
    connect_four::{ConnectFour, Move, Rules},
};

use super::{MANY_NODES, analyse, exact, random_position, rules};

/// The position as a mirror shows it.
fn mirrored(game: &ConnectFour) -> ConnectFour {
    let rules = game.position().rules();
    let notation = game.notation();
    let (_, columns) = notation.rsplit_once(':').expect("the notation has columns");
    let mut mirrored = ConnectFour::new(rules, (), 0);
    for column in columns.bytes() {
        let column = i64::from(rules.columns()) - i64::from(column - b'0');
        mirrored.play(&Move { column }).expect("the move is legal");
    }
    mirrored
}

#[track_caller]
fn compare(rules: Rules, plies: std::ops::RangeInclusive<u32>, positions: u32) {
    let mut chance = Chance::new(3, 0);
    for _ in 0..positions {
        let plies = plies.start() + chance.below(plies.end() - plies.start() + 1);
        let game = random_position(rules, plies, &mut chance);
        let [left, right] = [&game, &mirrored(&game)].map(|game| analyse(game, MANY_NODES));
        assert_eq!(left.evaluations[0].value, right.evaluations[0].value, "{}", game.notation());
        for column in 0..i64::from(rules.columns()) {
            let ends = [exact(&left, column), exact(&right, i64::from(rules.columns()) - 1 - column)];
            if let [Some(left), Some(right)] = ends {
                assert_eq!(left, right, "{}, column {column}", game.notation());
            }
        }
    }
}

#[test]
fn positions_of_the_book() {
    compare(Rules::DEFAULT, 7..=8, 100);
}

#[test]
fn positions_of_the_middle_game() {
    compare(Rules::DEFAULT, 18..=30, 50);
}

#[test]
fn positions_of_another_board() {
    compare(rules(6, 5, 4), 10..=20, 50);
}
