//! Plays random games of every game, and checks the invariants of all games at every state.

use std::collections::BTreeSet;

use arbiter::{
    games::{
        Chance, Game, GameId, Player, StateOrView,
        connect_four::{self, ConnectFour},
        queen_rooks::{self, QueenRooks},
        royal_match::{self, RoyalMatch},
        triple_triad::{self, TripleTriad},
    },
    wire::{Path, Violations, WireGame},
};
use prost::Message;

/// Games per starting position.
const GAMES_PER_START: u64 = 20;
/// Queen and rooks without a move limit may never end.
const MAX_MOVES: usize = 200;
/// Random corruptions of each state.
const CORRUPTIONS: usize = 10;

/// Rules and openings to start games with.
type Starts<G> = Vec<(<G as Game>::Rules, <G as Game>::Opening)>;

#[test]
fn every_state_of_a_random_game_satisfies_the_invariants() {
    for game in GameId::ALL {
        match game {
            GameId::ConnectFour => {
                play_all::<ConnectFour>(connect_four_starts(), |outcome| outcome.ending.is_some());
            }
            GameId::TripleTriad => {
                play_all::<TripleTriad>(triple_triad_starts(), |outcome| outcome.ending.is_some());
            }
            GameId::QueenRooks => {
                play_all::<QueenRooks>(queen_rooks_starts(), |outcome| outcome.ending.is_some());
            }
            GameId::RoyalMatch => {
                play_all::<RoyalMatch>(royal_match_starts(), |outcome| outcome.ending.is_some());
            }
        }
    }
}

fn play_all<G: WireGame<Opening: Clone>>(starts: Starts<G>, is_over: fn(&G::Outcome) -> bool) {
    for (rules, opening) in starts {
        for seed in 0..GAMES_PER_START {
            play(G::new(rules.clone(), opening.clone(), seed), &mut Chance::new(seed, 0), is_over);
        }
    }
}

/// Plays random moves until the game is over or has reached the maximum number of moves.
fn play<G: WireGame>(mut game: G, chance: &mut Chance, is_over: fn(&G::Outcome) -> bool) {
    for _ in 0..MAX_MOVES {
        let legal = game.legal_moves();
        check_rules(&game, &legal, is_over(&game.outcome()));
        check_wire(&game, chance);
        if legal.is_empty() {
            return;
        }
        let mv = &legal[chance.below(legal.len() as u32) as usize];
        assert!(game.play(mv).is_ok(), "{mv} cannot be played in {}", game.notation());
    }
}

fn check_rules<G: Game>(game: &G, legal: &[G::Move], is_over: bool) {
    let state = game.notation();
    assert_eq!(legal.is_empty(), is_over, "{state} must have no legal moves exactly if it is over");

    let mut texts = BTreeSet::new();
    for mv in legal {
        assert!(game.why_illegal(mv).is_empty(), "{mv} is listed in {state} but illegal");
        assert!(texts.insert(mv.to_string()), "{mv} is listed twice in {state}");
        assert!(mv.to_string().parse::<G::Move>().as_ref() == Ok(mv), "{mv} parses to another move");
    }

    assert!(G::recognizes(&state), "{state} is not recognized as its game");
    let parsed = G::parse(&state).ok().and_then(|known| known.into_state().ok());
    let parsed = parsed.unwrap_or_else(|| panic!("{state} does not parse"));
    assert_eq!(parsed.notation(), state, "the notation parses to another state");
    assert!(parsed.legal_moves() == legal, "{state} has other legal moves after parsing");
}

/// Everything that a client may send: the full state, and the view of each player.
fn state_and_views<G: WireGame>(game: &G) -> Vec<StateOrView<G>> {
    let view = |player: i32| {
        let (viewer, mut violations) = (Path::root("viewer"), Violations::default());
        let seat = G::read_viewer(player, &viewer, &mut violations)?;
        game.report_viewer(&seat, &viewer, &mut violations);
        violations.finish(Some(seat)).ok().map(|seat| game.view(seat))
    };
    std::iter::once(StateOrView::State(game.clone())).chain((1..=4).filter_map(view)).collect()
}

fn encode<G: WireGame>(known: &StateOrView<G>) -> Vec<u8> {
    match known {
        StateOrView::State(game) => game.write_state(),
        StateOrView::View(view) => G::write_view(view),
    }
}

/// The encoding equals that of prost, and both decoders round-trip it. If the fast path accepts a corrupted message, the
/// decoder with violations returns the same state.
fn check_wire<G: WireGame>(game: &G, chance: &mut Chance) {
    for known in state_and_views(game) {
        let mut wire = encode(&known);
        let message = G::State::decode(&*wire).expect("the encoding is valid Protobuf");
        assert_eq!(message.encode_to_vec(), wire, "{} is not encoded as by prost", known.notation());
        assert_eq!(G::scan_state(&wire).as_ref().map(encode).as_ref(), Some(&wire));
        assert_eq!(decode_with_violations::<G>(&wire).as_ref().map(encode).as_ref(), Some(&wire));
        for _ in 0..CORRUPTIONS {
            corrupt(&mut wire, chance);
            if let Some(decoded) = G::scan_state(&wire) {
                let other = decode_with_violations::<G>(&wire).as_ref().map(encode);
                assert_eq!(other, Some(encode(&decoded)), "the decoders disagree on {wire:?}");
            }
        }
    }
}

fn decode_with_violations<G: WireGame>(wire: &[u8]) -> Option<StateOrView<G>> {
    let state = G::State::decode(wire).ok()?;
    let mut violations = Violations::default();
    let game = G::read_state(&state, &Path::root("state"), &mut violations);
    violations.finish(game).ok()
}

/// Changes, removes or repeats some of the bytes.
fn corrupt(wire: &mut Vec<u8>, chance: &mut Chance) {
    let mut below = |limit: usize| chance.below(limit.max(1) as u32) as usize;
    let at = below(wire.len());
    let end = (at + 1 + below(12)).min(wire.len());
    match below(4) {
        0 if at < end => drop(wire.drain(at..end)),
        1 if at < end => {
            let copy = wire[at..end].to_vec();
            let to = below(wire.len());
            wire.splice(to..to, copy);
        }
        2 if at < end => wire[at] = below(256) as u8,
        // Small bytes, which are common keys and values.
        _ if at < end => wire[at] = below(16) as u8,
        _ => wire.push(below(256) as u8),
    }
}

fn connect_four_starts() -> Starts<ConnectFour> {
    let sizes = [(7, 6, 4), (1, 2, 2), (5, 4, 3), (16, 7, 4), (9, 9, 5)];
    let starts = sizes.into_iter().flat_map(|(columns, rows, line_length)| {
        Player::ALL.map(|first| connect_four::Rules::new(columns, rows, line_length, first))
    });
    starts.map(|rules| (rules.expect("the rules are valid"), ())).collect()
}

fn triple_triad_starts() -> Starts<TripleTriad> {
    use triple_triad::{BasicCapture, Opening, Rule, Rules};
    let all = Rules::DEFAULT.with_all(Rule::ALL);
    let others = [Rules::DEFAULT, all, all.with_basic_capture(BasicCapture::Always)];
    let starts = Rule::ALL.into_iter().map(|rule| Rules::DEFAULT.with(rule)).chain(others);
    starts.map(|rules| (rules, Opening::default())).collect()
}

fn queen_rooks_starts() -> Starts<QueenRooks> {
    let starts = [(4, 0), (4, 5), (6, 0), (8, 0), (8, 20), (12, 0)];
    let rules = |(size, limit)| queen_rooks::Rules::new(size, limit).expect("the rules are valid");
    starts.map(|start| (rules(start), ())).into()
}

fn royal_match_starts() -> Starts<RoyalMatch> {
    use royal_match::{Opening, OpeningSetup, Ordering, Rules};
    let starts = [(2, 13), (3, 1), (3, 7), (4, 13)].into_iter().flat_map(|(players, hand_size)| {
        let (players, hand_size) = (Some(players), Some(hand_size));
        let setup = OpeningSetup { players, hand_size, ..OpeningSetup::default() };
        let opening = Opening::try_from(&setup).expect("the opening is valid");
        [Ordering::ValueThenSuit, Ordering::SuitThenValue]
            .map(|ordering| (Rules { ordering }, opening.clone()))
    });
    starts.collect()
}
