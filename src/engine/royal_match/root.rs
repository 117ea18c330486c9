//! The evaluation of every move of a player.

use std::cmp::Reverse;

use arbiter_games::{
    Chance,
    royal_match::{Diagram, Move, Player},
};

use super::{
    cards::{CardSet, Rank, Ranking},
    hidden::HiddenHands,
    impression::first_impression,
    playout,
    position::Position,
    two_players,
};
use crate::{Analysis, Cancelled, Certainty, Evaluation, Search, Value, search::Stop};

/// The stream of a seed that decides hidden hands and playouts.
const CHANCE_STREAM: u64 = 0x524F_5941;

/// The maximum number of deals, or of playouts per move. With more, a value would change by about a hundredth of a trick.
const MAX_SAMPLES: u32 = 10_000;

/// What is known of a match, and the asked player.
pub(super) struct Root {
    player: Player,
    ranking: Ranking,
    /// Hidden hands are empty.
    position: Position,
    hidden: HiddenHands,
    /// The cards that the player would not see if all hands were closed.
    unseen: CardSet,
    /// The number of tricks that the player has taken.
    tricks_taken: i32,
}

/// The sum of the tricks that the player takes from here, for each card in the hand, weakest first.
struct Samples {
    count: u32,
    tricks: Vec<u32>,
}

impl Root {
    /// The player must have a card to play.
    pub(super) fn new(diagram: &Diagram, player: Player) -> Self {
        let (ranking, seats) = (Ranking::new(diagram.order()), diagram.seats());
        let hands: Vec<CardSet> =
            seats.iter().map(|seat| seat.hand.iter().map(|&card| ranking.rank(card)).collect()).collect();
        let trick: Vec<Option<Rank>> =
            seats.iter().map(|seat| seat.played.map(|card| ranking.rank(card))).collect();
        let in_trick: CardSet = trick.iter().copied().flatten().collect();
        let visible = hands.iter().fold(in_trick, |all, &hand| all.union(hand));
        Self {
            player,
            position: Position::new(&hands, &trick),
            hidden: HiddenHands::new(diagram, visible),
            unseen: in_trick.union(hands[player.index()]).complement(),
            tricks_taken: seats[player.index()].tricks.into(),
            ranking,
        }
    }

    /// Evaluates every card in the hand of the player.
    pub(super) fn analyse(mut self, search: &mut Search<'_>) -> Result<Analysis<Move>, Cancelled> {
        let seat = self.player.index();
        let hand: Vec<Rank> = self.position.hands[seat].iter().collect();
        let is_solvable = self.is_solvable(hand[0]);
        let samples = self.sample(&hand, if is_solvable { 1 } else { MAX_SAMPLES }, search)?;
        let is_exact = is_solvable && samples.count > 0;

        let evaluate = |(&rank, &tricks): (&Rank, &u32)| {
            let first_impression = first_impression(&self.position, seat, rank, self.unseen);
            let to_come = samples.millitricks(tricks).unwrap_or_else(|| self.guess(first_impression));
            Evaluation {
                mv: self.mv(seat, rank),
                certainty: if is_exact { Certainty::Exact } else { Certainty::Estimate },
                value: Value::ExpectedMillitricks(1000 * self.tricks_taken + to_come),
                first_impression,
            }
        };
        let mut evaluations: Vec<Evaluation<Move>> = hand.iter().zip(&samples.tricks).map(evaluate).collect();
        // Of cards with the same value, the one that looks best is the first, and then the weakest.
        evaluations.sort_by_key(|evaluation| Reverse(evaluation.first_impression));
        let mut analysis = Analysis::new(evaluations, Vec::new(), search.nodes());
        let best = analysis.evaluations[0].mv;
        analysis.line = if is_exact { self.line(best) } else { vec![best] };
        Ok(analysis)
    }

    /// Whether the value of every move can be computed. All cards of the player lead to hands of the same sizes.
    fn is_solvable(&self, any_card: Rank) -> bool {
        let mut after = self.position;
        after.play(self.player.index(), any_card);
        self.hidden.is_empty() && (after.players == 2 || after.is_forced())
    }

    /// Deals the hidden hands again and again. Plays the match from each card of the player, until there are enough samples or
    /// no nodes are left.
    fn sample(
        &mut self,
        hand: &[Rank],
        max_samples: u32,
        search: &mut Search<'_>,
    ) -> Result<Samples, Cancelled> {
        let mut chance = search.chance(CHANCE_STREAM);
        let mut samples = Samples { count: 0, tricks: vec![0; hand.len()] };
        let mut tricks = vec![0; hand.len()];
        while samples.count < max_samples {
            let mut position = self.position;
            self.hidden.deal(&mut position, &mut chance);
            match self.play_all(&position, hand, &mut tricks, &mut chance, search) {
                Ok(()) => samples.add(&tricks),
                // The sample is incomplete.
                Err(Stop::OutOfNodes) => break,
                Err(Stop::Cancelled) => return Err(Cancelled),
            }
        }
        Ok(samples)
    }

    /// The number of tricks that the player takes from here after each card.
    fn play_all(
        &self,
        position: &Position,
        hand: &[Rank],
        tricks: &mut [u32],
        chance: &mut Chance,
        search: &mut Search<'_>,
    ) -> Result<(), Stop> {
        let seat = self.player.index();
        for (&card, tricks) in hand.iter().zip(tricks) {
            search.visit()?;
            *tricks = if position.players == 2 {
                two_players::tricks_after(position, seat, card)
            } else {
                playout::tricks_after(position, seat, card, chance, search)?
            };
        }
        Ok(())
    }

    /// A fair share of the tricks to come, and the first impression of a card: what can be said without a search. In
    /// thousandths.
    fn guess(&self, first_impression: i32) -> i32 {
        // A hand has at most 13 cards.
        let to_come = 1000 * self.position.hands[self.player.index()].len().cast_signed();
        let share = to_come / (self.position.players as u32).cast_signed();
        (share + first_impression).clamp(0, to_come)
    }

    /// Best play of all players to the end of the match, which must be solvable.
    fn line(&self, first: Move) -> Vec<Move> {
        let mut position = self.position;
        position.play(first.player.index(), self.ranking.rank(first.card));
        let mut line = vec![first];
        loop {
            let seat = position.next_seat();
            let card = match position.players {
                2 => two_players::best_card(&position),
                // The only one.
                _ => position.hands[seat].weakest(),
            };
            let Some(card) = card else { return line };
            position.play(seat, card);
            line.push(self.mv(seat, card));
        }
    }

    fn mv(&self, seat: usize, card: Rank) -> Move {
        Move { player: Player::ALL[seat], card: self.ranking.card(card) }
    }
}

impl Samples {
    fn add(&mut self, tricks: &[u32]) {
        self.count += 1;
        for (sum, tricks) in self.tricks.iter_mut().zip(tricks) {
            *sum += tricks;
        }
    }

    /// The mean of a sum, in thousandths, rounded to the nearest. None without samples.
    fn millitricks(&self, sum: u32) -> Option<i32> {
        // A mean is at most 13 tricks, and a sum at most 13 for each of 10,000 samples.
        (self.count > 0).then(|| ((1000 * sum + self.count / 2) / self.count).cast_signed())
    }
}
