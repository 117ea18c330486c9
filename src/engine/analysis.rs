use std::{cmp::Reverse, fmt};

/// What every legal move of a player leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis<M> {
    /// Every legal move, best first. The engine decides the order of moves with the same value.
    pub evaluations: Vec<Evaluation<M>>,
    /// Best play of all players, as far as it is known. It starts with the first evaluated move.
    pub line: Vec<M>,
    /// The number of positions that were searched.
    pub nodes: u32,
}

impl<M> Analysis<M> {
    /// Sorts evaluations by their value, best first. Moves with the same value stay in their order, those with an exact
    /// value first.
    pub fn new(mut evaluations: Vec<Evaluation<M>>, line: Vec<M>, nodes: u32) -> Self {
        evaluations.sort_by_key(|evaluation| {
            (Reverse(evaluation.value.rank()), evaluation.certainty != Certainty::Exact)
        });
        Self { evaluations, line, nodes }
    }

    /// Whether the value of the best move is exact.
    pub fn is_exact(&self) -> bool {
        self.evaluations.first().is_some_and(|best| best.certainty == Certainty::Exact)
    }
}

/// What a move leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation<M> {
    /// The move.
    pub mv: M,
    /// How certain the value is.
    pub certainty: Certainty,
    /// The value for the player who makes the move.
    pub value: Value,
    /// How good the move looks without a search, from -1000 to 1000: opponents of low levels play by it.
    pub first_impression: i32,
}

impl<M> fmt::Display for Evaluation<M> {
    /// For players, such as `probably wins by 2 cards`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_end = matches!(self.value, Value::ForcedEnd(_) | Value::ScoreDifference(_));
        match self.certainty {
            Certainty::AtMost if is_end => f.write_str("at best ")?,
            Certainty::Estimate if is_end => f.write_str("probably ")?,
            _ => {}
        }
        self.value.fmt(f)
    }
}

/// How certain a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// This is the value with best play of all players.
    Exact,
    /// The value with best play is this or worse for the player, and the move is not better than the best one.
    AtMost,
    /// The value is not proven: the search ran out of nodes, or cards are hidden.
    Estimate,
}

/// The value of a move for the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The game ends in a known way.
    ForcedEnd(GameEnd),
    /// The final score of the player minus that of the opponent in Triple Triad.
    ScoreDifference(i32),
    /// The expected number of tricks of the player at the end of a match of RoyalMatch, in thousandths.
    ExpectedMillitricks(i32),
    /// How good the position after the move is: 0 is balanced. The scale depends on the game.
    Heuristic(i32),
}

/// How a game ends, and after how many plies. The evaluated move is the first ply. The winner prefers a short game, and the
/// loser a long one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameEnd {
    /// The player who makes the move wins.
    Win {
        /// The number of plies.
        plies: u32,
    },
    /// Nobody wins.
    Draw {
        /// The number of plies.
        plies: u32,
    },
    /// The player who makes the move loses.
    Loss {
        /// The number of plies.
        plies: u32,
    },
}

impl Value {
    /// A greater rank is better for the player. Values of different kinds compare as forced wins, all others, forced losses.
    pub(crate) fn rank(self) -> (i8, i64) {
        match self {
            Self::ForcedEnd(GameEnd::Win { plies }) => (1, -i64::from(plies)),
            Self::ForcedEnd(GameEnd::Draw { .. }) => (0, 0),
            Self::ForcedEnd(GameEnd::Loss { plies }) => (-1, plies.into()),
            Self::ScoreDifference(value) | Self::ExpectedMillitricks(value) | Self::Heuristic(value) => {
                (0, value.into())
            }
        }
    }
}

impl fmt::Display for Value {
    /// For players, such as `wins in 7 plies`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ForcedEnd(end) => end.fmt(f),
            Self::ScoreDifference(0) => f.write_str("ends in a draw"),
            Self::ScoreDifference(difference) => {
                let verb = if difference > 0 { "wins" } else { "loses" };
                write!(f, "{verb} by {}", Count(difference.unsigned_abs(), "card"))
            }
            Self::ExpectedMillitricks(tricks) => {
                let hundredths = (tricks + 5) / 10;
                write!(f, "is expected to end with {}.{:02} tricks", hundredths / 100, hundredths % 100)
            }
            Self::Heuristic(value) => write!(f, "leads to a position with a value of {value}"),
        }
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, plies) = match *self {
            Self::Win { plies } => ("wins", plies),
            Self::Draw { plies } => ("leads to a draw", plies),
            Self::Loss { plies } => ("loses", plies),
        };
        write!(f, "{verb} in {}", Count(plies, "ply"))
    }
}

/// A number and a noun, such as `2 plies`.
struct Count(u32, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = *self;
        match (count, noun.strip_suffix('y')) {
            (1, _) => write!(f, "1 {noun}"),
            (_, Some(stem)) => write!(f, "{count} {stem}ies"),
            (_, None) => write!(f, "{count} {noun}s"),
        }
    }
}
