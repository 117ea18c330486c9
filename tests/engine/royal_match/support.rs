//! What the tests of RoyalMatch share.

use std::sync::atomic::AtomicBool;

use arbiter_engine::{Analysis, Engine, Search, Value, Workspace};
use arbiter_games::{
    Chance, Game, StateOrView,
    royal_match::{Move, Opening, OpeningSetup, Ordering, Player, RoyalMatch, Rules, Suit, View},
};

use crate::support::random_move;

/// A new match. The seed decides the order of the cards too: every suit is strong in turn.
pub fn deal(players: u32, hand_size: u32, seed: u64) -> RoyalMatch {
    let ordering = if seed & 4 == 0 { Ordering::ValueThenSuit } else { Ordering::SuitThenValue };
    let opening = OpeningSetup {
        players: Some(players),
        hand_size: Some(hand_size),
        dominant: Some(Suit::ALL[seed as usize & 3]),
        ..OpeningSetup::default()
    };
    RoyalMatch::new(Rules { ordering }, Opening::try_from(&opening).expect("the opening is valid"), seed)
}

/// A match after some random moves, not at its end.
pub fn in_progress(players: u32, hand_size: u32, seed: u64) -> RoyalMatch {
    let (mut game, mut chance) = (deal(players, hand_size, seed), Chance::new(seed, 0));
    for _ in 0..chance.below(players * hand_size) {
        let mv = random_move(&game, &mut chance);
        game.play(&mv).expect("the move is legal");
    }
    game
}

/// The match without a view.
pub fn parse(notation: &str) -> RoyalMatch {
    let state = RoyalMatch::parse(notation).ok().and_then(|state| state.into_state().ok());
    state.expect("the notation is that of a match")
}

/// What a player sees.
pub fn view(game: &RoyalMatch, player: Player) -> View {
    match game.view(player) {
        StateOrView::View(view) => view,
        StateOrView::State(_) => unreachable!("other hands are hidden"),
    }
}

/// Analyses what a player sees, with a new workspace.
pub fn analyse_view(game: &RoyalMatch, player: Player, max_nodes: u32, seed: u64) -> Analysis<Move> {
    let (is_cancelled, mut workspace) = (AtomicBool::new(false), Workspace::default());
    let mut search = Search::new(max_nodes, seed, &is_cancelled, &mut workspace);
    RoyalMatch::analyse_view(&view(game, player), &(), &mut search).expect("the search is not cancelled")
}

/// The players who have not played in this trick.
pub fn next_players(game: &RoyalMatch) -> Vec<Player> {
    game.outcome().next_players
}

pub fn millitricks(value: Value) -> i32 {
    match value {
        Value::ExpectedMillitricks(tricks) => tricks,
        other => panic!("{other:?} is not a number of tricks"),
    }
}
