//! Short matches. The full ones are in the bench of the engines.

use arbiter_games::{
    Chance, Player,
    queen_rooks::{Ending, Position},
};

use super::{analyse, rules};
use crate::support::{play_out, random_move};

#[test]
fn it_beats_random_moves() {
    for seed in 0..20 {
        let engine = Player::ALL[seed as usize % 2];
        let mut chance = Chance::new(seed, 0);
        let end = play_out(Position::start(rules(6, 100)), |position| {
            if position.next_player() == engine {
                analyse(position, 1000).evaluations[0].mv
            } else {
                random_move(position, &mut chance)
            }
        });
        assert_eq!(end.outcome().ending, Some(Ending::Won { winner: engine }), "seed {seed}");
    }
}
