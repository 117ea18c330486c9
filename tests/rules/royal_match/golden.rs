//! Golden matches of `RoyalMatch`: whole matches, compared with the crate and with the naive match.
//!
//! The files are `tests/rules/golden/royal_match/*.txt`. A line that starts with `#` is a comment. The first other line is
//! the state at the start. Each line below it is a played card, the trick if the card completes it, and the tricks of each
//! player. The last line is the outcome:
//!
//! ```text
//! 1:KH  -  0-0-0
//! 3:KD  -  0-0-0
//! 2:AS  2 with AS HIGHER_VALUE KH STRONG_SUIT KD  0-1-0
//! outcome WINNER_DETERMINED 2 0-1-0
//! ```
//!
//! A trick is the player who takes it and its cards, the strongest first, with the decision between each card and the
//! next.

use crate::golden::{Golden, golden_games};
use crate::naive::royal_match::{self as plain, Card, Outcome, Trick};
use arbiter_games::{
    Game,
    royal_match::{Event, Move, RoyalMatch},
};

/// The folder of the files.
const GAME: &str = "royal_match";

/// Plays a match and reports it.
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

fn write_card(card: Card) -> String {
    let value = match card.numeric_value {
        11 => "J".to_owned(),
        12 => "Q".to_owned(),
        13 => "K".to_owned(),
        14 => "A".to_owned(),
        number => number.to_string(),
    };
    format!("{value}{}", card.suit[..1].to_uppercase())
}

fn write_tricks(outcome: &Outcome) -> String {
    outcome.tricks.iter().map(u32::to_string).collect::<Vec<_>>().join("-")
}

fn write_trick(trick: &Trick) -> String {
    let rest =
        trick.comparisons.iter().map(|&(_, weaker, decision)| format!(" {decision} {}", write_card(weaker)));
    format!("{} with {}{}", trick.player + 1, write_card(trick.card), rest.collect::<String>())
}

fn write_move(mv: &str, tricks: &[Trick], outcome: &Outcome) -> String {
    let taken: Vec<_> = tricks.iter().map(write_trick).collect();
    let taken = if taken.is_empty() { "-".to_owned() } else { taken.join(" ") };
    format!("{mv}  {taken}  {}", write_tricks(outcome))
}

fn write_outcome(outcome: &Outcome) -> String {
    let best: Vec<_> = outcome.best.iter().map(|player| (player + 1).to_string()).collect();
    format!("outcome {} {} {}", outcome.result, best.join("+"), write_tricks(outcome))
}

/// Plays a match to its end, and compares each line with what the referee reports.
fn replay(golden: &Golden, referee: &mut impl Referee) {
    let mut is_over = false;
    for (place, line) in &golden[1..] {
        let first_word = line.split(' ').next().unwrap_or_default();
        let written = if first_word == "outcome" {
            is_over = true;
            write_outcome(&referee.outcome())
        } else {
            let mv = first_word.parse().unwrap_or_else(|error| panic!("{place}: {error}"));
            let tricks = referee.play(mv);
            write_move(first_word, &tricks, &referee.outcome())
        };
        assert_eq!(&written, line, "{place}");
    }
    assert!(is_over, "{} has no outcome", golden[0].0);
}

#[test]
fn the_crate_plays_each_match_as_its_file_says() {
    for golden in golden_games(GAME) {
        replay(&golden, &mut start(&golden));
    }
}

#[test]
fn the_naive_match_plays_each_match_as_its_file_says() {
    for golden in golden_games(GAME) {
        replay(&golden, &mut plain::Match::from(start(&golden).diagram()));
    }
}

/// A rule that no match shows would not be tested.
#[test]
fn the_matches_show_both_orderings_every_decision_and_both_endings() {
    let lines: Vec<_> = golden_games(GAME).concat().into_iter().map(|(_, line)| line).collect();
    let decisions = ["HIGHER_VALUE", "STRONG_SUIT", "WEAK_SUIT", "NEUTRAL_COLOUR"];
    for words in ["rm:v", "rm:s", "WINNER_DETERMINED", "DRAW"].into_iter().chain(decisions) {
        assert!(lines.iter().any(|line| line.contains(words)), "{words}");
    }
}
