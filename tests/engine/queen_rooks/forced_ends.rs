//! Forced ends on small boards, compared with brute force over the rules.

use arbiter_engine::{Certainty, Evaluation, GameEnd, Value};
use arbiter_games::{
    Chance,
    Player::{self, One},
    queen_rooks::{Ending, Move, Position},
};

use super::{after, analyse, position, random_position, rules};

const POSITIONS: u64 = 400;
const MAX_NODES: u32 = 20_000;
/// How many plies brute force looks ahead.
const MAX_PLIES: u32 = 5;

/// Whether a player can reach an end with this property within this number of plies, against any moves of the opponent.
fn can_force(position: &Position, player: Player, plies: u32, wanted: fn(Ending, Player) -> bool) -> bool {
    if let Some(ending) = position.outcome().ending {
        return wanted(ending, player);
    }
    let mut results = position
        .legal_moves()
        .into_iter()
        .map(|mv| can_force(&after(position, &mv), player, plies - 1, wanted));
    plies > 0
        && if position.next_player() == player {
            results.any(|forced| forced)
        } else {
            results.all(|forced| forced)
        }
}

fn is_win(ending: Ending, player: Player) -> bool {
    ending == Ending::Won { winner: player }
}

fn is_no_loss(ending: Ending, player: Player) -> bool {
    ending != Ending::Won { winner: player.other() }
}

/// The number of plies in which a player can force a win.
fn plies_to_win(position: &Position, player: Player) -> Option<u32> {
    (0..=MAX_PLIES).find(|&plies| can_force(position, player, plies, is_win))
}

fn is_forced_draw(position: &Position, plies: u32) -> bool {
    Player::ALL.into_iter().all(|player| can_force(position, player, plies, is_no_loss))
}

/// Positions without a limit of quiet moves, and with limits that are reached soon.
fn positions(stream: u64) -> impl Iterator<Item = Position> {
    (0..POSITIONS).map(move |seed| {
        let mut chance = Chance::new(seed, stream);
        let limit = chance.below(7);
        random_position(&mut chance, 4, limit)
    })
}

#[test]
fn every_win_within_five_plies_is_found() {
    let mut found = [0; MAX_PLIES as usize + 1];
    for position in positions(0) {
        let expected = plies_to_win(&position, position.next_player());
        let best = &analyse(&position, MAX_NODES).evaluations[0];
        match best.value {
            Value::ForcedEnd(GameEnd::Win { plies }) if plies <= MAX_PLIES => {
                assert_eq!((Some(plies), best.certainty), (expected, Certainty::Exact), "{position:?}");
            }
            _ => assert_eq!(expected, None, "{position:?}"),
        }
        if let Some(plies) = expected {
            found[plies as usize] += 1;
        }
    }
    // The positions are varied enough.
    assert!(found[1] > 20 && found[3] > 20 && found[5] > 5, "{found:?}");
}

#[test]
fn every_loss_within_five_plies_is_found() {
    let mut found = 0;
    for position in positions(1) {
        let expected = plies_to_win(&position, position.next_player().other());
        let best = &analyse(&position, MAX_NODES).evaluations[0];
        match best.value {
            Value::ForcedEnd(GameEnd::Loss { plies }) if plies <= MAX_PLIES => {
                assert_eq!((Some(plies), best.certainty), (expected, Certainty::Exact), "{position:?}");
            }
            _ => assert_eq!(expected, None, "{position:?}"),
        }
        found += u32::from(expected.is_some());
    }
    assert!(found > 10, "only {found} positions are lost");
}

#[test]
fn every_draw_within_four_plies_is_found() {
    let mut found = 0;
    for position in positions(2).filter(|position| is_forced_draw(position, 4)) {
        let best = &analyse(&position, MAX_NODES).evaluations[0];
        let is_draw = matches!(best.value, Value::ForcedEnd(GameEnd::Draw { .. }));
        assert!(is_draw && best.certainty == Certainty::Exact, "{position:?}: {best:?}");
        found += 1;
    }
    assert!(found > 20, "only {found} positions are drawn");
}

#[test]
fn proven_values_of_all_moves_are_right() {
    let mut checked = [0; 3];
    for position in positions(3) {
        for evaluation in analyse(&position, MAX_NODES).evaluations {
            let Value::ForcedEnd(end) = evaluation.value else { continue };
            checked[check(&position, &evaluation, end)] += 1;
        }
    }
    assert!(checked.into_iter().min() > Some(100), "{checked:?}");
}

/// Checks a forced end, if it is near. Returns its kind.
fn check(position: &Position, evaluation: &Evaluation<Move>, end: GameEnd) -> usize {
    let player = position.next_player();
    let next = after(position, &evaluation.mv);
    let is_exact = evaluation.certainty == Certainty::Exact;
    match end {
        GameEnd::Win { plies } if plies <= MAX_PLIES => {
            assert!(
                is_exact && plies_to_win(&next, player) == Some(plies - 1),
                "{position:?}: {evaluation:?}"
            );
            0
        }
        GameEnd::Loss { plies } if plies <= MAX_PLIES => {
            let expected = plies_to_win(&next, player.other()).map(|plies| plies + 1);
            // A bound need not be reached.
            let is_right = if is_exact { expected == Some(plies) } else { expected <= Some(plies) };
            assert!(expected.is_some() && is_right, "{position:?}: {evaluation:?}");
            1
        }
        GameEnd::Draw { .. } => {
            // The proof may need more plies than the line: brute force only refutes it.
            let can_win = |player| plies_to_win(&next, player).is_some();
            assert!(is_exact && !Player::ALL.into_iter().any(can_win), "{position:?}: {evaluation:?}");
            2
        }
        _ => 0,
    }
}

#[test]
fn a_capture_that_leaves_two_pieces_wins_at_once() {
    // The rook on d4 moves up and takes the one on d1, and on d3 also the one on a3 (QR-4, QR-5).
    let position = position("Q..r q... r... R..R", One, 0, 0).expect("the position is valid");
    let best = &analyse(&position, 1).evaluations[0];
    assert_eq!(best.value, Value::ForcedEnd(GameEnd::Win { plies: 1 }));
    let winner = after(&position, &best.mv).outcome().ending;
    assert_eq!(winner, Some(Ending::Won { winner: One }));
}

#[test]
fn a_player_moves_again_if_the_opponent_passes() {
    // Player two is enclosed and passes (QR-6). The queen moves below the rook on b1, then a rook moves along its row.
    let position = position("qrR. rR.. R... ...Q", One, 0, 0).expect("the position is valid");
    let analysis = analyse(&position, MAX_NODES);
    let best = &analysis.evaluations[0];
    assert_eq!(best.value, Value::ForcedEnd(GameEnd::Win { plies: 2 }));
    assert_eq!(best.certainty, Certainty::Exact);
    let line = analysis.line.iter().fold(position, |position, mv| after(&position, mv));
    assert_eq!(line.outcome().ending, Some(Ending::Won { winner: One }));
}

#[test]
fn the_last_quiet_move_is_a_draw() {
    let position = Position::start(rules(6, 1));
    let analysis = analyse(&position, 1);
    let draw = Value::ForcedEnd(GameEnd::Draw { plies: 1 });
    assert!(analysis.evaluations.iter().all(|evaluation| evaluation.value == draw));
    assert!(analysis.evaluations.iter().all(|evaluation| evaluation.certainty == Certainty::Exact));
}
