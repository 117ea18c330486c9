//! How opponents choose from an analysis.

use arbiter_engine::{Analysis, Certainty, Evaluation, GameEnd, Level, Value};

const SEEDS: u64 = 1000;

#[test]
fn every_level_wins_at_once() {
    let analysis = analysis([win(1), heuristic(0, 1000)]);
    for level in Level::ALL {
        assert!((0..SEEDS).all(|seed| choose(level, &analysis, seed) == 0), "{level:?}");
    }
}

#[test]
fn every_level_prevents_the_next_winning_move_of_the_opponent() {
    let analysis = analysis([heuristic(-500, -1000), loss(2), loss(2)]);
    for level in Level::ALL {
        assert!((0..SEEDS).all(|seed| choose(level, &analysis, seed) == 0), "{level:?}");
    }
}

#[test]
fn every_level_loses_as_late_as_it_can() {
    let analysis = analysis([loss(4), loss(2), loss(2)]);
    for level in Level::ALL {
        assert!((0..SEEDS).all(|seed| choose(level, &analysis, seed) == 0), "{level:?}");
    }
}

#[test]
fn a_bound_within_the_horizon_is_not_taken_for_a_win() {
    let bound = Evaluation { certainty: Certainty::AtMost, first_impression: -1000, ..win(3) };
    let analysis = analysis([win(3), bound]);
    for level in [Level::Intermediate, Level::Strong] {
        assert!((0..SEEDS).all(|seed| choose(level, &analysis, seed) == 0), "{level:?}");
    }
}

#[test]
fn a_strong_opponent_does_not_trust_a_bound() {
    let bound = Evaluation { certainty: Certainty::AtMost, ..draw() };
    let analysis = analysis([draw(), bound]);
    assert!((0..SEEDS).all(|seed| choose(Level::Strong, &analysis, seed) == 0));
}

#[test]
fn a_casual_opponent_overlooks_a_win_in_three_plies() {
    let analysis = analysis([Evaluation { first_impression: -1000, ..win(3) }, heuristic(0, 1000)]);
    assert!((0..SEEDS).all(|seed| choose(Level::Casual, &analysis, seed) == 1));
    assert!((0..SEEDS).all(|seed| choose(Level::Intermediate, &analysis, seed) == 0));
}

#[test]
fn the_best_level_makes_the_first_move() {
    let analysis = analysis([tricks(6000, 0), tricks(6000, 1000), tricks(0, 1000)]);
    assert!((0..SEEDS).all(|seed| choose(Level::Best, &analysis, seed) == 0));
}

#[test]
fn the_seed_decides_the_move() {
    let analysis = similar_moves();
    for level in [Level::Casual, Level::Intermediate, Level::Strong] {
        let moves = |seeds: std::ops::Range<u64>| -> Vec<usize> {
            seeds.map(|seed| choose(level, &analysis, seed)).collect()
        };
        assert_eq!(moves(0..20), moves(0..20), "{level:?}");
        assert_ne!(moves(0..20), moves(20..40), "{level:?}");
    }
}

#[test]
fn one_seed_does_not_always_err_for_the_same_place_in_the_list() {
    let moves = (0..100).map(|value| {
        let analysis = analysis([tricks(5000 + value, 0), tricks(4999 + value, 0), tricks(4998 + value, 0)]);
        choose(Level::Casual, &analysis, 0)
    });
    let mut counts = [0; 3];
    moves.for_each(|index| counts[index] += 1);
    assert!(counts.iter().all(|&count| count > 15), "{counts:?}");
}

#[test]
fn stronger_levels_make_better_moves() {
    let analysis = similar_moves();
    let means = Level::ALL.map(|level| {
        let value = |seed| match analysis.evaluations[choose(level, &analysis, seed)].value {
            Value::ExpectedMillitricks(tricks) => tricks,
            _ => unreachable!(),
        };
        (0..SEEDS).map(value).sum::<i32>() / SEEDS as i32
    });
    assert!(means.is_sorted_by(|weaker, stronger| weaker < stronger), "{means:?}");
}

#[test]
fn no_level_blunders() {
    // The last move is far worse, and looks so.
    let analysis = analysis([tricks(6000, 0), tricks(5900, 100), tricks(4900, -700)]);
    for level in Level::ALL {
        assert!((0..SEEDS).all(|seed| choose(level, &analysis, seed) != 2), "{level:?}");
    }
}

#[test]
fn only_differences_in_expected_tricks_matter() {
    let moves = |tricks_taken| {
        let values = [900, 700, 500].map(|value| tricks(tricks_taken + value, 0));
        // The errors differ, but not how often each move is chosen.
        let analysis = analysis(values);
        (0..SEEDS).filter(|&seed| choose(Level::Intermediate, &analysis, seed) == 0).count()
    };
    assert!(moves(0).abs_diff(moves(12_000)) < 60, "{} {}", moves(0), moves(12_000));
}

/// Moves whose values are similar. First impressions mislead.
fn similar_moves() -> Analysis<usize> {
    analysis([tricks(6100, -100), tricks(6050, 0), tricks(6000, 50), tricks(5900, 100), tricks(5800, 0)])
}

/// The index of the chosen move in the analysis.
fn choose(level: Level, analysis: &Analysis<usize>, seed: u64) -> usize {
    let chosen = level.choose(analysis, seed).mv;
    analysis
        .evaluations
        .iter()
        .position(|evaluation| evaluation.mv == chosen)
        .expect("the move is one of them")
}

/// An analysis of moves, the best first. They are numbers.
fn analysis<const N: usize>(evaluations: [Evaluation<usize>; N]) -> Analysis<usize> {
    let numbered = (0..).zip(evaluations).map(|(mv, evaluation)| Evaluation { mv, ..evaluation });
    Analysis::new(numbered.collect(), vec![0], 1)
}

fn win(plies: u32) -> Evaluation<usize> {
    exact(Value::ForcedEnd(GameEnd::Win { plies }))
}

fn draw() -> Evaluation<usize> {
    exact(Value::ForcedEnd(GameEnd::Draw { plies: 20 }))
}

fn loss(plies: u32) -> Evaluation<usize> {
    exact(Value::ForcedEnd(GameEnd::Loss { plies }))
}

fn exact(value: Value) -> Evaluation<usize> {
    Evaluation { mv: 0, certainty: Certainty::Exact, value, first_impression: 0 }
}

fn heuristic(value: i32, first_impression: i32) -> Evaluation<usize> {
    Evaluation { first_impression, ..exact(Value::Heuristic(value)) }
}

fn tricks(millitricks: i32, first_impression: i32) -> Evaluation<usize> {
    Evaluation { first_impression, ..exact(Value::ExpectedMillitricks(millitricks)) }
}
