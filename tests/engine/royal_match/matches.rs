//! Matches against players who choose random cards. The players play in the order of their seats.

use arbiter_engine::Level;
use arbiter_games::{
    Chance,
    royal_match::{MAX_HAND_SIZE, Move, Player, RoyalMatch},
};

use super::support::{analyse_view, deal, next_players};

#[test]
fn stronger_levels_take_more_tricks() {
    let tricks = |level: Option<Level>| tricks_of_seat_two(300, level);
    let [casual, intermediate, strong, best] = Level::ALL.map(|level| tricks(Some(level)));
    let random = tricks(None);
    println!("{random} {casual} {intermediate} {strong} {best}");
    assert!(random < casual && casual <= intermediate && intermediate <= strong && strong <= best);
}

#[test]
fn the_best_level_takes_more_than_its_share_of_tricks() {
    for players in 3..=4 {
        let (matches, hand_size) = (40 * players, 8);
        let mut tricks = 0;
        for seed in 0..matches {
            let ours = Player::ALL[(seed % players) as usize];
            let game = play(deal(players, hand_size, seed.into()), seed.into(), |game, player, seed| {
                (player == ours).then(|| analyse_view(game, player, 1000, seed).evaluations[0].mv)
            });
            tricks += game.outcome().tricks[ours.index()];
        }
        let share = matches * hand_size / players;
        assert!(tricks > share + share / 10, "{tricks} tricks of {players} players, {share} would be fair");
    }
}

/// The tricks of player two in matches against a random player. Player one, who leads, has no influence on them.
fn tricks_of_seat_two(matches: u64, level: Option<Level>) -> u32 {
    let tricks = (0..matches).map(|seed| {
        let game = play(deal(2, MAX_HAND_SIZE as u32, seed), seed, |game, player, seed| {
            let level = level.filter(|_| player == Player::Two)?;
            Some(level.choose(&analyse_view(game, player, 300, seed), seed).mv)
        });
        game.outcome().tricks[Player::Two.index()]
    });
    tricks.sum()
}

/// Plays a match. A player for whom nothing is chosen plays a random card, which depends only on the seed and the trick.
fn play(
    mut game: RoyalMatch,
    seed: u64,
    choose: impl Fn(&RoyalMatch, Player, u64) -> Option<Move>,
) -> RoyalMatch {
    while let Some(&player) = next_players(&game).first() {
        let hand = &game.diagram().seats()[player.index()].hand;
        let mut chance = Chance::new(seed, (hand.len() * 4 + player.index()) as u64);
        let card = hand[chance.below(hand.len() as u32) as usize];
        let mv = choose(&game, player, seed).unwrap_or(Move { player, card });
        game.play(&mv).expect("the move is legal");
    }
    game
}
