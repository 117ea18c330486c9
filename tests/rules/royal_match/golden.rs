//! Golden matches of `RoyalMatch`: whole matches, held against the crate and against the naive match.
//!
//! The files are `tests/rules/golden/royal_match/*.txt`. A line that starts with `#` is a comment. The first of the others is the
//! state that a match starts from; below it, each is a card played, the trick if that ends it, and the tricks of each
//! player; then the outcome:
//!
//! ```text
//! 1:KH  -  0-0-0
//! 3:KD  -  0-0-0
//! 2:AS  2 with AS HIGHER_VALUE KH STRONG_SUIT KD  0-1-0
//! outcome WINNER_DETERMINED 2 0-1-0
//! ```
//!
//! A trick is told by who takes it and its cards, the strongest first, with what decides between each and the next.

use crate::golden::{Golden, golden_games};
use crate::naive::royal_match::{self as plain, Card, Outcome, Trick};
use arbiter_games::{
    Game,
    royal_match::{Event, Move, RoyalMatch},
};

/// The folder of the files.
const GAME: &str = "royal_match";

/// Someone who plays a match and tells of it.
trait Referee {
    fn play(&mut self, mv: Move) -> Vec<Trick>;
    fn outcome(&self) -> Outcome;
}

impl Referee for RoyalMatch {
    fn play(&mut self, mv: Move) -> Vec<Trick> {
        let events = Game::play(self, &mv).expect("the move is legal");
        let taken = |event: &Event| match event {
            Event::TrickTaken(trick) => Some(Trick::from(trick)),
            Event::Played { .. } => None,
        };
        events.iter().filter_map(taken).collect()
    }

    fn outcome(&self) -> Outcome {
        (&Game::outcome(self)).into()
    }
}

impl Referee for plain::Match {
    fn play(&mut self, mv: Move) -> Vec<Trick> {
        self.play(mv.player.index(), mv.card.into()).expect("the move is legal")
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }
}

fn start(golden: &Golden) -> RoyalMatch {
    let (place, state) = &golden[0];
    crate::parse_state::<RoyalMatch>(state).unwrap_or_else(|errors| panic!("{place}: {errors:?}"))
}

fn tell_card(card: Card) -> String {
    let value = match card.numeric_value {
        11 => "J".to_owned(),
        12 => "Q".to_owned(),
        13 => "K".to_owned(),
        14 => "A".to_owned(),
        number => number.to_string(),
    };
    format!("{value}{}", card.suit[..1].to_uppercase())
}

fn tell_tricks(outcome: &Outcome) -> String {
    outcome.tricks.iter().map(u32::to_string).collect::<Vec<_>>().join("-")
}

fn tell_trick(trick: &Trick) -> String {
    let rest =
        trick.comparisons.iter().map(|&(_, weaker, decision)| format!(" {decision} {}", tell_card(weaker)));
    format!("{} with {}{}", trick.player + 1, tell_card(trick.card), rest.collect::<String>())
}

fn tell_move(mv: &str, tricks: &[Trick], outcome: &Outcome) -> String {
    let taken: Vec<_> = tricks.iter().map(tell_trick).collect();
    let taken = if taken.is_empty() { "-".to_owned() } else { taken.join(" ") };
    format!("{mv}  {taken}  {}", tell_tricks(outcome))
}

fn tell_outcome(outcome: &Outcome) -> String {
    let best: Vec<_> = outcome.best.iter().map(|player| (player + 1).to_string()).collect();
    format!("outcome {} {} {}", outcome.result, best.join("+"), tell_tricks(outcome))
}

/// Plays a match to its end, and holds each line against what the referee tells.
fn replay(golden: &Golden, referee: &mut impl Referee) {
    let mut is_over = false;
    for (place, line) in &golden[1..] {
        let first_word = line.split(' ').next().unwrap_or_default();
        let told = if first_word == "outcome" {
            is_over = true;
            tell_outcome(&referee.outcome())
        } else {
            let mv = first_word.parse().unwrap_or_else(|error| panic!("{place}: {error}"));
            let tricks = referee.play(mv);
            tell_move(first_word, &tricks, &referee.outcome())
        };
        assert_eq!(&told, line, "{place}");
    }
    assert!(is_over, "{} has no outcome", golden[0].0);
}

#[test]
fn the_crate_plays_each_match_as_its_file_tells() {
    for golden in golden_games(GAME) {
        replay(&golden, &mut start(&golden));
    }
}

#[test]
fn the_naive_match_plays_each_match_as_its_file_tells() {
    for golden in golden_games(GAME) {
        replay(&golden, &mut plain::Match::from(start(&golden).diagram()));
    }
}

/// A rule that no match shows would not be held against anything.
#[test]
fn the_matches_show_both_orderings_every_decision_and_both_endings() {
    let lines: Vec<_> = golden_games(GAME).concat().into_iter().map(|(_, line)| line).collect();
    let decisions = ["HIGHER_VALUE", "STRONG_SUIT", "WEAK_SUIT", "NEUTRAL_COLOUR"];
    for words in ["rm:v", "rm:s", "WINNER_DETERMINED", "DRAW"].into_iter().chain(decisions) {
        assert!(lines.iter().any(|line| line.contains(words)), "{words}");
    }
}
