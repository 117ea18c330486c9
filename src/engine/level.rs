use arbiter_games::Chance;

use super::{Analysis, Evaluation, GameEnd, Value};

/// The stream of a seed that decides how an opponent errs.
const CHANCE_STREAM: u64 = 0x4C45_5645;

/// How well an opponent plays. Low levels see only ends of the game that are near, rely on first impressions, and judge
/// moves with random errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Wins at once if possible, prevents the opponent's next winning move, and otherwise plays by first impression.
    Casual,
    /// Looks a few moves ahead.
    Intermediate,
    /// Errs rarely, and only by a little.
    Strong,
    /// Makes the best move.
    Best,
}

/// How a level judges moves.
struct Judgement {
    /// Forced ends after more plies are not seen.
    horizon: u32,
    /// The weight of the true value, in percent. The rest is that of the first impression.
    insight: i64,
    /// The maximum random error, on the scale of first impressions.
    max_error: u32,
}

impl Level {
    /// All levels, from the weakest to the strongest.
    pub const ALL: [Self; 4] = [Self::Casual, Self::Intermediate, Self::Strong, Self::Best];

    /// Chooses one of the evaluated moves, of which there must be at least one. The seed decides the errors.
    pub fn choose<M>(self, analysis: &Analysis<M>, seed: u64) -> &Evaluation<M> {
        let evaluations = &analysis.evaluations;
        let judgement = match self {
            Self::Casual => Judgement { horizon: 2, insight: 10, max_error: 250 },
            Self::Intermediate => Judgement { horizon: 5, insight: 40, max_error: 150 },
            Self::Strong => Judgement { horizon: 11, insight: 80, max_error: 60 },
            Self::Best => return &evaluations[0],
        };
        let mut chance = Chance::new(seed, CHANCE_STREAM);
        let scores: Vec<i64> =
            evaluations.iter().map(|evaluation| judgement.score(evaluation, &mut chance)).collect();
        // The first of the moves with the best score.
        let best = (0..scores.len()).rev().max_by_key(|&index| scores[index]);
        &evaluations[best.unwrap_or_default()]
    }
}

impl Judgement {
    fn score<M>(&self, evaluation: &Evaluation<M>, chance: &mut Chance) -> i64 {
        // Drawn even if it is not used, so that the errors of the other moves do not depend on this one.
        let error = i64::from(chance.below(2 * self.max_error + 1)) - i64::from(self.max_error);
        let value = match evaluation.value {
            Value::ForcedEnd(GameEnd::Win { plies }) if plies <= self.horizon => {
                return 100_000 - i64::from(plies);
            }
            Value::ForcedEnd(GameEnd::Loss { plies }) if plies <= self.horizon => {
                return i64::from(plies) - 100_000;
            }
            Value::ForcedEnd(GameEnd::Win { plies }) => 1000 - 5 * i64::from(plies.min(100)),
            Value::ForcedEnd(GameEnd::Loss { plies }) => 5 * i64::from(plies.min(100)) - 1000,
            Value::ForcedEnd(GameEnd::Draw { .. }) => 0,
            Value::ScoreDifference(cards) => 100 * i64::from(cards),
            Value::ExpectedMillitricks(tricks) => i64::from(tricks),
            Value::Heuristic(value) => i64::from(value.clamp(-1000, 1000)),
        };
        let impression = i64::from(evaluation.first_impression);
        (value * self.insight + impression * (100 - self.insight)) / 100 + error
    }
}
