use arbiter_games::Chance;

use super::{Analysis, Certainty, Evaluation, GameEnd, Value};

/// The stream of a seed that decides how an opponent errs.
const CHANCE_STREAM: u64 = 0x4C45_5645;

/// The value of a win in the near future, on the scale of first impressions.
const WIN: i64 = 1000;

/// How much worse than its upper bound a move is taken to be. It may be a bad one.
const DOUBT: i64 = 300;

/// How well an opponent plays. Low levels see only near ends of the game, rely on first impressions, and judge moves with random
/// errors. No level ignores an end that it sees: it wins as soon as it can, and loses as late as it can.
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
    /// The number of plies up to which forced ends are seen.
    horizon: u32,
    /// The weight of the true value, in percent. The rest is that of the first impression.
    insight: i64,
    /// The maximum random error, on the scale of first impressions.
    max_error: u32,
}

impl Level {
    /// All levels, from the weakest to the strongest.
    pub const ALL: [Self; 4] = [Self::Casual, Self::Intermediate, Self::Strong, Self::Best];

    /// Chooses one of the evaluated moves, of which there must be at least one. The seed and the evaluations decide the errors, so
    /// that they differ from position to position even if the seed does not.
    pub fn choose<M>(self, analysis: &Analysis<M>, seed: u64) -> &Evaluation<M> {
        let evaluations = &analysis.evaluations;
        let judgement = match self {
            Self::Casual => Judgement { horizon: 2, insight: 10, max_error: 400 },
            Self::Intermediate => Judgement { horizon: 5, insight: 50, max_error: 250 },
            Self::Strong => Judgement { horizon: 11, insight: 90, max_error: 100 },
            Self::Best => return &evaluations[0],
        };
        let mut chance = Chance::new(seed ^ fingerprint(evaluations), CHANCE_STREAM);
        let scores: Vec<i64> =
            evaluations.iter().map(|evaluation| judgement.score(evaluation, &mut chance)).collect();
        // Of several moves with the best score, the first.
        let best = (0..scores.len()).rev().max_by_key(|&index| scores[index]);
        &evaluations[best.unwrap_or_default()]
    }
}

impl Judgement {
    /// How good a move seems to be. Only differences between moves matter.
    fn score<M>(&self, evaluation: &Evaluation<M>, chance: &mut Chance) -> i64 {
        // Drawn even if it is not used, so that the errors of the other moves do not depend on this one.
        let error = self.error(chance);
        let is_bound = evaluation.certainty == Certainty::AtMost;
        let value = match evaluation.value {
            Value::ForcedEnd(GameEnd::Win { plies }) if plies <= self.horizon && !is_bound => {
                return 100 * WIN - i64::from(plies);
            }
            Value::ForcedEnd(GameEnd::Loss { plies }) if plies <= self.horizon => {
                return i64::from(plies) - 100 * WIN;
            }
            Value::ForcedEnd(GameEnd::Win { plies }) => self.far_end(plies),
            Value::ForcedEnd(GameEnd::Loss { plies }) => -self.far_end(plies),
            Value::ForcedEnd(GameEnd::Draw { .. }) => 0,
            Value::ScoreDifference(cards) => 100 * i64::from(cards),
            Value::ExpectedMillitricks(tricks) => i64::from(tricks),
            Value::Heuristic(value) => i64::from(value.clamp(-1000, 1000)),
        };
        let value = if is_bound { value - DOUBT } else { value };
        let impression = i64::from(evaluation.first_impression);
        (value * self.insight + impression * (100 - self.insight)) / 100 + error
    }

    /// The value of a forced win that is not seen: a quarter at twice the distance.
    fn far_end(&self, plies: u32) -> i64 {
        // The bound of a move may be a win within the horizon.
        let (horizon, plies) = (i64::from(self.horizon), i64::from(plies.clamp(self.horizon, 1000)));
        WIN * horizon * horizon / (plies * plies)
    }

    /// A random error: small ones are more likely than large ones.
    fn error(&self, chance: &mut Chance) -> i64 {
        let mut part = || i64::from(chance.below(self.max_error + 1));
        part() - part()
    }
}

/// A hash of the values.
fn fingerprint<M>(evaluations: &[Evaluation<M>]) -> u64 {
    evaluations.iter().fold(0, |hash, evaluation| {
        let value = evaluation.value.rank().1 ^ i64::from(evaluation.first_impression) << 32;
        (hash ^ value.cast_unsigned()).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31)
    })
}
