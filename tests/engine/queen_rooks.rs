//! Analysis of Queen and rooks.

mod budget;
mod forced_ends;
mod matches;
mod symmetry;

use arbiter_engine::Analysis;
use arbiter_games::{
    Chance, Player,
    queen_rooks::{Move, Position, Rules, Setup},
};

use crate::support;

/// Analyses a position for the player to move.
fn analyse(position: &Position, max_nodes: u32) -> Analysis<Move> {
    support::analyse(position, position.next_player(), max_nodes, 0)
}

fn rules(size: u32, quiet_move_limit: u32) -> Rules {
    Rules::new(size, quiet_move_limit).expect("the rules are valid")
}

/// A position from a picture: rows from the top, with spaces between them.
fn position(picture: &str, next_player: Player, quiet_moves: u32, limit: u32) -> Option<Position> {
    let board: Vec<&str> = picture.split(' ').collect();
    let rules = rules(board.len() as u32, limit).into();
    let setup = Setup { rules, board: &board, next_player: Some(next_player), quiet_moves };
    Position::try_from(&setup).ok().filter(|position| !position.is_over())
}

/// A position with random pieces on random squares. It is not over.
fn random_position(chance: &mut Chance, size: u32, quiet_move_limit: u32) -> Position {
    loop {
        let quiet_moves = if quiet_move_limit > 0 { chance.below(quiet_move_limit) } else { 0 };
        let rooks = [(); 2].map(|()| 2 + chance.below(size * size / 4 - 2) as usize);
        let letters = format!("Qq{}{}", "R".repeat(rooks[0]), "r".repeat(rooks[1]));
        let mut cells: Vec<u32> = (0..size * size).collect();
        let mut squares = vec!['.'; cells.len()];
        for (&cell, letter) in chance.draw(&mut cells, letters.len()).iter().zip(letters.chars()) {
            squares[cell as usize] = letter;
        }
        let rows: Vec<String> = squares.chunks(size as usize).map(String::from_iter).collect();
        if let Some(position) = position(&rows.join(" "), chance.toss(), quiet_moves, quiet_move_limit) {
            return position;
        }
    }
}

/// A position of a random game from the start. It is not over.
fn random_game(chance: &mut Chance, rules: Rules, moves: u32) -> Position {
    let mut game = Position::start(rules);
    for _ in 0..moves {
        let mut next = game;
        next.play(&support::random_move(&game, chance)).expect("the move is legal");
        if next.is_over() {
            break;
        }
        game = next;
    }
    game
}

/// The position after a legal move.
fn after(position: &Position, mv: &Move) -> Position {
    let mut next = *position;
    next.play(mv).expect("the move is legal");
    next
}
