//! Comparisons with minimax over the rules.

use std::{cmp::Reverse, collections::HashMap};

use arbiter_engine::{Analysis, Certainty, GameEnd, Value};
use arbiter_games::{
    Chance, Game, Player,
    connect_four::{ConnectFour, Ending, Move, Position, Rules},
};

use super::{MANY_NODES, analyse, random_position, rules};

/// How a game ends, ordered by the preferences of the player to move.
fn rank(end: GameEnd) -> (i8, i64) {
    match end {
        GameEnd::Win { plies } => (1, -i64::from(plies)),
        GameEnd::Draw { .. } => (0, 0),
        GameEnd::Loss { plies } => (-1, plies.into()),
    }
}

/// The same end for the opponent, who made a move before.
fn before(end: GameEnd) -> GameEnd {
    match end {
        GameEnd::Win { plies } => GameEnd::Loss { plies: plies + 1 },
        GameEnd::Draw { plies } => GameEnd::Draw { plies: plies + 1 },
        GameEnd::Loss { plies } => GameEnd::Win { plies: plies + 1 },
    }
}

#[derive(Default)]
struct BruteForce(HashMap<Position, GameEnd>);

impl BruteForce {
    /// What a move leads to.
    fn value(&mut self, game: &ConnectFour, mv: Move) -> GameEnd {
        let mut next = *game.position();
        assert!(next.play(&mv).is_some(), "{mv} is legal");
        before(self.best(next))
    }

    fn best(&mut self, position: Position) -> GameEnd {
        if position.is_over() {
            return if position.outcome().ending == Some(Ending::Draw) {
                GameEnd::Draw { plies: 0 }
            } else {
                GameEnd::Loss { plies: 0 }
            };
        }
        if let Some(&end) = self.0.get(&position) {
            return end;
        }
        let ends = position.legal_columns().map(|column| {
            let mut next = position;
            next.drop_token(column.into());
            before(self.best(next))
        });
        let best = ends.max_by_key(|&end| rank(end)).expect("a position that is not over has legal columns");
        self.0.insert(position, best);
        best
    }

    /// Compares an analysis with enough nodes.
    fn check(&mut self, game: &ConnectFour, analysis: &Analysis<Move>) {
        let board = game.notation();
        let mut values = Vec::new();
        for evaluation in &analysis.evaluations {
            let Value::ForcedEnd(found) = evaluation.value else { panic!("{board}: {evaluation:?}") };
            let value = self.value(game, evaluation.mv);
            match evaluation.certainty {
                Certainty::Exact => assert_eq!(found, value, "{board}, {}", evaluation.mv),
                Certainty::AtMost => assert!(rank(value) <= rank(found), "{board}, {evaluation:?}, {value}"),
                Certainty::Estimate => panic!("{board}: {evaluation:?}"),
            }
            values.push(value);
        }
        assert_eq!(analysis.evaluations[0].certainty, Certainty::Exact, "{board}");
        let best = values.iter().copied().min_by_key(|&end| Reverse(rank(end)));
        assert_eq!(best, Some(values[0]), "{board}");
        self.check_line(game, analysis, values[0]);
    }

    /// Each move of the line must keep the value of the position.
    fn check_line(&mut self, game: &ConnectFour, analysis: &Analysis<Move>, value: GameEnd) {
        assert_eq!(analysis.line.first(), Some(&analysis.evaluations[0].mv));
        let (mut game, mut value) = (game.clone(), value);
        for mv in &analysis.line {
            assert_eq!(self.value(&game, *mv), value, "{}, {mv}", game.notation());
            game.play(mv).expect("the line is legal");
            if !game.position().is_over() {
                value = self.best(*game.position());
            }
        }
    }
}

/// Analyses random positions with a number of tokens and compares each with minimax.
#[track_caller]
fn compare(rules: Rules, plies: std::ops::RangeInclusive<u32>, positions: usize) {
    let mut chance = Chance::new(1, 0);
    let mut brute_force = BruteForce::default();
    for _ in 0..positions {
        let plies = plies.start() + chance.below(plies.end() - plies.start() + 1);
        let game = random_position(rules, plies, &mut chance);
        brute_force.check(&game, &analyse(&game, MANY_NODES));
    }
}

#[test]
fn lines_of_2_on_small_boards() {
    for (columns, rows) in [(2, 1), (1, 2), (2, 2), (3, 3), (5, 1), (1, 6), (4, 4)] {
        compare(rules(columns, rows, 2), 0..=1, 3);
    }
}

#[test]
fn lines_of_3_on_small_boards() {
    for (columns, rows) in [(3, 1), (1, 3), (2, 3), (3, 2), (3, 3), (7, 1), (4, 3), (3, 5), (4, 4)] {
        compare(rules(columns, rows, 3), 0..=2, 5);
    }
}

#[test]
fn lines_of_4_on_small_boards() {
    for (columns, rows) in [(4, 1), (1, 9), (4, 2), (2, 5), (3, 4), (4, 3), (4, 4)] {
        compare(rules(columns, rows, 4), 0..=3, 5);
    }
    compare(rules(5, 4, 4), 6..=12, 20);
    compare(rules(4, 5, 4), 6..=12, 20);
}

#[test]
fn lines_of_5_and_more() {
    compare(rules(5, 4, 5), 8..=14, 20);
    compare(rules(3, 6, 6), 6..=12, 20);
    compare(rules(9, 2, 7), 6..=12, 20);
}

#[test]
fn the_last_tokens_of_the_default_board() {
    compare(Rules::DEFAULT, 28..=41, 150);
}

#[test]
fn the_last_tokens_of_boards_in_64_bits() {
    compare(rules(8, 7, 4), 42..=55, 40);
    compare(rules(32, 1, 3), 22..=26, 20);
    compare(rules(1, 63, 63), 50..=60, 10);
}

#[test]
fn the_last_tokens_of_boards_in_128_bits() {
    compare(rules(12, 9, 5), 96..=107, 40);
    compare(rules(16, 7, 6), 100..=111, 40);
    compare(rules(64, 1, 7), 54..=60, 20);
    compare(rules(1, 127, 100), 110..=126, 10);
    compare(rules(9, 12, 12), 96..=104, 20);
}

#[test]
fn the_second_player_may_start() {
    let rules = Rules::new(4, 4, 3, Player::Two).expect("the rules are valid");
    compare(rules, 0..=4, 20);
}
