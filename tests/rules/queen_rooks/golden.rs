//! Golden games of Queen and rooks: whole games, compared with the crate and with the naive game.
//!
//! The files are `tests/rules/golden/queen_rooks/*.txt`. A line that starts with `#` is a comment. The first other line is
//! the state at the start. Each line below it is a move, the squares of the captured rooks, the pieces of both players
//! after it, and the player who passes, if any. The last two lines are the outcome and the state at the end:
//!
//! ```text
//! d4-a4  a3 e4  6-9  pass 1
//! outcome WINNER_DETERMINED TOO_FEW_PIECES 2 2-8
//! state qr:3rr1/2r2r/4R1/r3r1/1q4/Q2r2:1
//! ```

use crate::golden::golden_games;
use crate::naive::queen_rooks::{self as plain, Outcome, Turn, cells, square};
use arbiter_games::{
    Game,
    queen_rooks::{Move, QueenRooks},
};

/// The folder of the files.
const GAME: &str = "queen_rooks";

/// Plays a game and reports it.
trait Referee {
    fn read(notation: &str) -> Self;
    fn play(&mut self, mv: Move) -> Turn;
    fn outcome(&self) -> Outcome;
    fn notation(&self) -> String;
}

impl Referee for QueenRooks {
    fn read(notation: &str) -> Self {
        crate::parse_state::<Self>(notation).expect("the state is valid")
    }

    fn play(&mut self, mv: Move) -> Turn {
        Turn::from(&Game::play(self, &mv).expect("the move is legal")[..])
    }

    fn outcome(&self) -> Outcome {
        Game::outcome(self).into()
    }

    fn notation(&self) -> String {
        Game::notation(self)
    }
}

impl Referee for plain::Game {
    fn read(notation: &str) -> Self {
        Self::from_notation(notation)
    }

    fn play(&mut self, mv: Move) -> Turn {
        let (from, to) = cells(&mv);
        self.play(from, to).expect("the move is legal")
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }

    fn notation(&self) -> String {
        self.notation()
    }
}

fn write_move(mv: &str, Turn { captures, passed, .. }: &Turn, outcome: &Outcome) -> String {
    // The text of a move starts with the name of a square.
    let name = |cell| Move { from: square(cell), to: square(cell) }.to_string();
    let taken: Vec<_> =
        captures.iter().map(|capture| name(capture.cell).split('-').take(1).collect::<String>()).collect();
    let taken = if taken.is_empty() { "-".to_owned() } else { taken.join(" ") };
    let [one, two] = outcome.pieces;
    let pass = passed.map_or(String::new(), |player| format!("  pass {}", player + 1));
    format!("{mv}  {taken}  {one}-{two}{pass}")
}

fn write_outcome(Outcome { result, reason, winner, pieces: [one, two] }: &Outcome) -> String {
    let reason = reason.map_or(String::new(), |reason| format!(" {reason}"));
    let winner = winner.map_or(String::new(), |winner| format!(" {}", winner + 1));
    format!("outcome {result}{reason}{winner} {one}-{two}")
}

/// Plays each game to its end, and compares each line with what the referee reports.
fn replay<R: Referee>() {
    for golden in golden_games(GAME) {
        let mut referee = R::read(&golden[0].1);
        for (place, line) in &golden[1..] {
            let written = match line.split(' ').next().unwrap_or_default() {
                "outcome" => write_outcome(&referee.outcome()),
                "state" => format!("state {}", referee.notation()),
                mv => {
                    let turn = referee.play(mv.parse().unwrap_or_else(|error| panic!("{place}: {error}")));
                    write_move(mv, &turn, &referee.outcome())
                }
            };
            assert_eq!(&written, line, "{place}");
        }
    }
}

#[test]
fn the_crate_plays_each_game_as_its_file_says() {
    replay::<QueenRooks>();
}

#[test]
fn the_naive_game_plays_each_game_as_its_file_says() {
    replay::<plain::Game>();
}

#[test]
fn each_file_has_the_end_of_the_game() {
    for golden in golden_games(GAME) {
        let ends = golden.iter().map(|(_, line)| line.split(' ').next().unwrap_or_default()).rev();
        assert!(ends.take(2).eq(["state", "outcome"]), "{} has no end", golden[0].0);
        assert!(
            !golden.iter().any(|(_, line)| line.contains("IN_PROGRESS")),
            "{} is in progress",
            golden[0].0
        );
    }
}

/// A clause that no game shows would not be tested.
#[test]
fn the_games_show_every_way_to_end_a_pass_and_two_rooks_taken_at_once() {
    let lines: Vec<_> = golden_games(GAME).concat().into_iter().map(|(_, line)| line).collect();
    for shown in ["TOO_FEW_PIECES 1", "TOO_FEW_PIECES 2", "QUIET_MOVE_LIMIT", "  pass "] {
        assert!(lines.iter().any(|line| line.contains(shown)), "{shown}");
    }
    let takes_two = |line: &String| line.split("  ").nth(1).is_some_and(|taken| taken.contains(' '));
    assert!(lines.iter().any(takes_two));
}
