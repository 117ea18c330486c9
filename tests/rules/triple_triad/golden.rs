//! Golden games of Triple Triad: whole games, compared with the crate and with the naive game.
//!
//! The files are `tests/rules/golden/triple_triad/*.txt`. A line that starts with `#` is a comment. The first other line is
//! the state at the start. Each line below it is a move, its captures and the scores after it. Then follows the outcome,
//! and in sudden death a seed with the next round that it draws:
//!
//! ```text
//! 17@5  2:SAME+PLUS/0 4:SAME/0 1:COMBO/1  7-3
//! outcome SUDDEN_DEATH_CONTINUE 5-5 count 1
//! next 42 tt:d:-,-,-/-,-,-/-,-,-:1,3,5,7,9:2,4,6,8,10:X1
//! ```
//!
//! A capture is the square, counted from 1 as in moves, the rules, and the wave. Captures are in the order of TT-11.

use crate::golden::{Golden, golden_games};
use crate::naive::triple_triad::{self as plain, Capture, Outcome, cell};
use arbiter_games::{
    Game,
    triple_triad::{Event, Move, TripleTriad},
};

/// The folder of the files.
const GAME: &str = "triple_triad";

/// Plays a game and reports it.
trait Referee {
    fn play(&mut self, mv: Move) -> Vec<Capture>;
    fn outcome(&self) -> Outcome;
}

impl Referee for TripleTriad {
    fn play(&mut self, mv: Move) -> Vec<Capture> {
        let events = Game::play(self, &mv).expect("the move is legal");
        let captured = |event: &Event| match event {
            Event::Captured(capture) => Some(Capture::from(capture)),
            Event::Placed { .. } => None,
        };
        events.iter().filter_map(captured).collect()
    }

    fn outcome(&self) -> Outcome {
        (&Game::outcome(self)).into()
    }
}

impl Referee for plain::Game {
    fn play(&mut self, mv: Move) -> Vec<Capture> {
        self.play(mv.card, cell(mv.square)).expect("the move is legal")
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }
}

fn start(golden: &Golden) -> TripleTriad {
    let (place, state) = &golden[0];
    crate::parse_state::<TripleTriad>(state).unwrap_or_else(|errors| panic!("{place}: {errors:?}"))
}

fn write_move(mv: &str, captures: &[Capture], Outcome { scores: [one, two], .. }: &Outcome) -> String {
    let write = |capture: &Capture| {
        let (row, column) = capture.cell;
        format!("{}:{}/{}", 3 * row + column + 1, capture.rules.join("+"), capture.wave)
    };
    let taken: Vec<_> = captures.iter().map(write).collect();
    let taken = if taken.is_empty() { "-".to_owned() } else { taken.join(" ") };
    format!("{mv}  {taken}  {one}-{two}")
}

fn write_outcome(Outcome { result, winner, scores: [one, two], sudden_death_count }: &Outcome) -> String {
    let winner = winner.map_or("", |winner| [" X", " O"][winner]);
    format!("outcome {result}{winner} {one}-{two} count {sudden_death_count}")
}

/// Plays a game to its end, and compares each line with what the referee reports.
fn replay(golden: &Golden, referee: &mut impl Referee) {
    let mut is_over = false;
    for (place, line) in &golden[1..] {
        let first_word = line.split(' ').next().unwrap_or_default();
        let written = match first_word {
            "next" => continue,
            "outcome" => {
                is_over = true;
                write_outcome(&referee.outcome())
            }
            mv => {
                let captures = referee.play(mv.parse().unwrap_or_else(|error| panic!("{place}: {error}")));
                write_move(mv, &captures, &referee.outcome())
            }
        };
        assert_eq!(&written, line, "{place}");
    }
    assert!(is_over, "{} has no outcome", golden[0].0);
}

#[test]
fn the_crate_plays_each_game_as_its_file_says() {
    for golden in golden_games(GAME) {
        replay(&golden, &mut start(&golden));
    }
}

#[test]
fn the_naive_game_plays_each_game_as_its_file_says() {
    for golden in golden_games(GAME) {
        replay(&golden, &mut plain::Game::from(&start(&golden).diagram()));
    }
}

#[test]
fn tt_13_the_next_round_is_the_one_in_the_file() {
    let mut rounds = 0;
    for golden in golden_games(GAME) {
        let Some((place, line)) = golden.last().filter(|(_, line)| line.starts_with("next ")) else {
            continue;
        };
        let [_, seed, state] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{place}: {line}") };
        let mut game = start(&golden);
        replay(&golden, &mut game);
        let next = game.next_round(|| seed.parse().expect("a seed is a number"));
        assert_eq!(next.map(|next| next.notation()).as_deref(), Some(state), "{place}");
        rounds += 1;
    }
    assert!(rounds > 0, "no file has a next round");
}

/// A rule that no game shows would not be tested.
#[test]
fn the_games_show_every_way_to_take_a_card() {
    let lines: Vec<_> = golden_games(GAME).concat().into_iter().map(|(_, line)| line).collect();
    let ways =
        ["BASIC/0", "SAME/0", "SAME_WALL/0", ":PLUS/0", "SAME+PLUS/0", "COMBO/1", "COMBO/2", "COMBO/3"];
    for way in ways {
        assert!(lines.iter().any(|line| line.contains(way)), "{way}");
    }
}
