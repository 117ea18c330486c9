use arbiter_games::{
    Player,
    triple_triad::{Card, Diagram, SQUARE_COUNT},
};

use super::{
    deal::Deal,
    hidden_pool::{HiddenPool, hidden_cards},
    ordering::Placement,
    position::Position,
    root::{self, RootMove},
    solver::{Solver, TOTAL_SCORE},
    squares::Squares,
};
use crate::{Cancelled, Search, search::Stop};

/// The random stream that the samples of a hidden hand are drawn from.
const SAMPLES_STREAM: u64 = 0x4849_4444;

/// The effort for a number of free squares. The fewer are free, the faster is a sample.
#[derive(Clone, Copy)]
struct Effort {
    /// The number of hands that are drawn.
    samples: u32,
    /// The maximum number of replies to each move that stand for a random one.
    replies: usize,
}

/// The effort by the number of free squares. With one, the hidden card is never placed.
const EFFORTS: [Effort; SQUARE_COUNT + 1] = {
    const fn effort(samples: u32, replies: usize) -> Effort {
        Effort { samples, replies }
    }
    [
        effort(1, 1),
        effort(1, 1),
        effort(24, 4),
        effort(24, 6),
        effort(24, 12),
        effort(24, 12),
        effort(24, 15),
        effort(20, 8),
        effort(6, 2),
        effort(1, 1),
    ]
};

/// The weights of the replies in an expectation. An opponent who does not see the viewer's hand does not always find the best
/// reply: against opponents who do not, moves that only draw with best play then often win.
const BEST_REPLY: i32 = 2;
const CAPTURING_REPLY: i32 = 1;
const RANDOM_REPLY: i32 = 4;

/// The sum of the weights.
const WEIGHTS: i32 = BEST_REPLY + CAPTURING_REPLY + RANDOM_REPLY;

/// What is expected after a move of the viewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expectation {
    pub placement: Placement,
    pub first_impression: i32,
    /// The sum of expected final scores, each times [`SCALE`].
    sum: i32,
    samples: i32,
}

/// The denominator of expected scores, which are averages of at most 40 replies.
const SCALE: i32 = 1000;

impl Expectation {
    /// The expected difference of the final scores, rounded.
    pub fn difference(&self) -> i32 {
        let one = SCALE * self.samples;
        (2 * self.sum - TOTAL_SCORE * one + one / 2).div_euclid(one)
    }
}

/// What every move of the viewer leads to on average, the best first. The hidden hand of the diagram is drawn from the pool.
pub(super) fn expectations(
    diagram: &Diagram,
    pool: &HiddenPool,
    search: &mut Search<'_>,
) -> Result<Vec<Expectation>, Cancelled> {
    let needed = hidden_cards(diagram);
    let mut unseen = pool.unseen(diagram);
    if unseen.len() < needed {
        // The pool was checked for another view.
        unseen = HiddenPool::default().unseen(diagram);
    }
    let free = diagram.squares.iter().filter(|(_, card)| card.is_none()).count();
    let Effort { samples, replies } = EFFORTS[free];
    let mut chance = search.chance(SAMPLES_STREAM);
    let mut expectations: Vec<Expectation> = Vec::new();
    for sample in 0..samples {
        let (deal, position) = with_hidden_hand(diagram, chance.draw(&mut unseen, needed));
        if expectations.is_empty() {
            expectations = position
                .placements()
                .map(|(card, square)| {
                    let placement = Placement::new(card, square);
                    let first_impression = root::first_impression(&deal, &position, placement);
                    Expectation { placement, first_impression, sum: 0, samples: samples.cast_signed() }
                })
                .collect();
        }
        let nodes = search.nodes_left() / (samples - sample);
        let mut solver = Solver::new(&deal, &position, search, nodes, sample);
        let scores = expected_scores(&deal, &position, replies, sample, &mut solver)?;
        for (expectation, score) in expectations.iter_mut().zip(scores) {
            expectation.sum += score;
        }
    }
    expectations.sort_by_key(|expectation| -expectation.sum);
    Ok(expectations)
}

/// The deal and the position of a view if this is the hidden hand.
fn with_hidden_hand(diagram: &Diagram, hidden_hand: &[Card]) -> (Deal, Position) {
    let hands = Player::ALL.map(|player| match diagram.hidden {
        Some(hidden) if hidden.viewer != player => hidden_hand,
        _ => &diagram.hands[player as usize],
    });
    Position::new(diagram, hands).expect("a view has ten cards with those of the hidden hand")
}

/// The expected score after each placement, in their order, times [`SCALE`].
fn expected_scores(
    deal: &Deal,
    position: &Position,
    replies: usize,
    sample: u32,
    solver: &mut Solver<'_, '_>,
) -> Result<Vec<i32>, Cancelled> {
    let mut moves = RootMove::all(deal, position);
    let search = solver.visit().and_then(|()| root::find_all(&mut moves, solver));
    moves.sort_by_key(|mv| (mv.placement.card, mv.placement.square));
    let expected = search.and_then(|()| {
        moves.iter().map(|mv| expected_score(deal, mv, replies, sample, solver)).collect::<Result<_, _>>()
    });
    match expected {
        Ok(scores) => Ok(scores),
        Err(Stop::OutOfNodes) => Ok(moves.iter().map(|mv| SCALE * mv.score()).collect()),
        Err(Stop::Cancelled) => Err(Cancelled),
    }
}

/// The expected score after a move whose score with best play is known, times [`SCALE`].
fn expected_score(
    deal: &Deal,
    mv: &RootMove,
    max_replies: usize,
    sample: u32,
    solver: &mut Solver<'_, '_>,
) -> Result<i32, Stop> {
    let best = mv.lower;
    let replies: Vec<(usize, usize, Squares)> = mv
        .after
        .placements()
        .map(|(card, square)| (card, square, mv.after.captures(deal, card, square)))
        .collect();
    let Some(&capturing) = replies.iter().rev().max_by_key(|(.., taken)| taken.count_ones()) else {
        return Ok(SCALE * best);
    };
    let mut score = |&(card, square, taken): &(usize, usize, Squares)| {
        solver.score_from(&mv.after.place(deal, card, square, taken), best)
    };
    let capturing = score(&capturing)?;
    // Each sample takes other replies.
    let step = replies.len().div_ceil(max_replies);
    let (mut sum, mut count) = (0, 0);
    for reply in replies.iter().skip(sample as usize % step).step_by(step) {
        sum += score(reply)?;
        count += 1;
    }
    Ok(SCALE * (BEST_REPLY * best + CAPTURING_REPLY * capturing) / WEIGHTS
        + SCALE * RANDOM_REPLY * sum / (WEIGHTS * count))
}
