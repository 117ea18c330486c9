//! What the tests of all engines share.

use std::sync::atomic::AtomicBool;

use arbiter_engine::{Analysis, Engine, Search, Workspace};
use arbiter_games::{Chance, Game};

/// Analyses a position with a new workspace.
pub fn analyse<G: Engine>(game: &G, player: G::Player, max_nodes: u32, seed: u64) -> Analysis<G::Move> {
    let (is_cancelled, mut workspace) = (AtomicBool::new(false), Workspace::default());
    let mut search = Search::new(max_nodes, seed, &is_cancelled, &mut workspace);
    game.analyse(player, &mut search).expect("the search is not cancelled")
}

/// A random legal move. There must be one.
pub fn random_move<G: Game>(game: &G, chance: &mut Chance) -> G::Move {
    let mut moves = game.legal_moves();
    // Games have far fewer than 2³² moves.
    let index = chance.below(moves.len() as u32) as usize;
    moves.swap_remove(index)
}

/// Plays a game to its end.
pub fn play_out<G: Game>(mut game: G, mut choose: impl FnMut(&G) -> G::Move) -> G {
    while !game.legal_moves().is_empty() {
        let mv = choose(&game);
        assert!(game.play(&mv).is_ok(), "{mv} is legal");
    }
    game
}
