//! Analysis of Triple Triad.

use std::sync::atomic::AtomicBool;

use arbiter_engine::{
    Analysis, Cancelled, Certainty, Engine, Search, Value, Workspace,
    triple_triad::{HiddenPool, HiddenPoolError},
};
use arbiter_games::{
    Chance, Game, Player, StateOrView,
    triple_triad::{
        BasicCapture, CATALOGUE, Card, Element, Move, Opening, OpeningSetup, Position, Rule, Rules,
        TripleTriad, View,
    },
};
use arbiter_naive::triple_triad::{self as naive, cell};

use crate::support::{analyse, play_out, random_move};

/// Enough for any position.
const ENOUGH: u32 = TripleTriad::DEFAULT_MAX_NODES;

/// Random rules that captures depend on.
fn random_rules(chance: &mut Chance) -> Rules {
    let rules = [Rule::Elemental, Rule::Same, Rule::SameWall, Rule::Plus, Rule::Combo];
    let on: Vec<_> = rules.into_iter().filter(|_| chance.below(2) == 1).collect();
    let basic_capture = [BasicCapture::Fallback, BasicCapture::Always][chance.below(2) as usize];
    Rules::DEFAULT.with_all(on).with_basic_capture(basic_capture)
}

/// A game from the catalogue, with random rules.
fn random_game(chance: &mut Chance) -> TripleTriad {
    TripleTriad::new(random_rules(chance), Opening::default(), chance.below(u32::MAX).into())
}

/// A game with random rules in which Same, Plus and Combo are frequent: the cards have few different ranks and elements.
fn random_special_game(chance: &mut Chance) -> TripleTriad {
    let mut id = 0;
    let hands = [(); 2].map(|()| {
        let mut card = || {
            id += 1;
            let ranks = [(); 4].map(|()| [1, 2, 3, 10][chance.below(4) as usize]);
            let element = [None, Some(Element::Fire), Some(Element::Ice)][chance.below(3) as usize];
            Card::new(id, ranks, element, 1, "").ok()
        };
        (0..5).map(|_| card()).collect()
    });
    let setup = OpeningSetup { hands, ..OpeningSetup::default() };
    let opening = Opening::try_from(&setup).expect("the opening is valid");
    TripleTriad::new(random_rules(chance), opening, chance.below(u32::MAX).into())
}

/// A random position of a game from the catalogue, with this many free squares.
fn random_position(chance: &mut Chance, free: usize) -> TripleTriad {
    let game = random_game(chance);
    play_randomly(game, chance, free)
}

/// Plays random moves until this many squares are free.
fn play_randomly(mut game: TripleTriad, chance: &mut Chance, free: usize) -> TripleTriad {
    for _ in free..9 {
        let mv = random_move(&game, chance);
        game.play(&mv).expect("the move is legal");
    }
    game
}

fn score_difference(value: Value) -> i32 {
    match value {
        Value::ScoreDifference(difference) => difference,
        other => panic!("not a score difference: {other:?}"),
    }
}

fn player_to_move(game: &TripleTriad) -> Player {
    game.position().next_player()
}

fn view_of(game: &TripleTriad, viewer: Player) -> View {
    match game.view(viewer) {
        StateOrView::View(view) => view,
        StateOrView::State(_) => panic!("the hands are open"),
    }
}

fn analyse_view(view: &View, pool: &HiddenPool, max_nodes: u32, seed: u64) -> Analysis<Move> {
    let (is_cancelled, mut workspace) = (AtomicBool::new(false), Workspace::default());
    let mut search = Search::new(max_nodes, seed, &is_cancelled, &mut workspace);
    TripleTriad::analyse_view(view, pool, &mut search).expect("the search is not cancelled")
}

/// The final score difference for a player with best play, by the naive implementation.
fn naive_value(game: &naive::Game, player: usize, is_players_turn: bool) -> i32 {
    let moves = game.moves();
    if moves.is_empty() {
        let scores = game.outcome().scores.map(|score| i32::try_from(score).expect("a score is small"));
        return scores[player] - scores[1 - player];
    }
    let values = moves.into_iter().map(|(card, cell)| {
        let mut next = game.clone();
        next.play(card, cell).expect("the move is legal");
        naive_value(&next, player, !is_players_turn)
    });
    if is_players_turn { values.max() } else { values.min() }.expect("there is a move")
}

/// The final score difference for the player to move, by brute force over the rules.
fn brute_force(position: &Position) -> i32 {
    let player = position.next_player();
    if position.is_over() {
        let score = |player| position.score(player).cast_signed();
        return score(player) - score(player.other());
    }
    let (hand, free) = (position.hand(player), position.free());
    let bits = |set: u16| (0..16).filter(move |bit| set >> bit & 1 != 0);
    let values =
        bits(hand).flat_map(|card| bits(free).map(move |square| (card, square))).map(|(card, square)| {
            let mut next = *position;
            next.place(card, square);
            -brute_force(&next)
        });
    values.max().expect("there is a move")
}

#[test]
fn every_late_move_has_its_value_by_minimax_on_the_naive_implementation() {
    let mut chance = Chance::new(1, 0);
    for round in 0..2000 {
        let start = if round % 2 == 0 { random_game(&mut chance) } else { random_special_game(&mut chance) };
        // Minimax of four free squares takes as long as that of many positions with fewer.
        let free = if round % 10 == 0 { 4 } else { 1 + round / 2 % 3 };
        let game = play_randomly(start, &mut chance, free);
        let player = player_to_move(&game);
        let naive = naive::Game::from(&game.diagram());
        let analysis = analyse(&game, player, ENOUGH, 0);
        for evaluation in &analysis.evaluations {
            let mut next = naive.clone();
            next.play(evaluation.mv.card, cell(evaluation.mv.square)).expect("the move is legal");
            let value = naive_value(&next, player as usize, false);
            assert_eq!(evaluation.certainty, Certainty::Exact, "{}", game.notation());
            assert_eq!(score_difference(evaluation.value), value, "{} {}", game.notation(), evaluation.mv);
        }
    }
}

#[test]
fn the_best_move_has_its_value_by_brute_force() {
    let mut chance = Chance::new(2, 0);
    for _ in 0..50 {
        let game = random_position(&mut chance, 6);
        let best = &analyse(&game, player_to_move(&game), ENOUGH, 0).evaluations[0];
        assert_eq!(best.certainty, Certainty::Exact);
        assert_eq!(score_difference(best.value), brute_force(game.position()), "{}", game.notation());
    }
}

#[test]
fn late_positions_are_exact_with_a_few_hundred_nodes() {
    let mut chance = Chance::new(9, 0);
    for (free, nodes) in [(1, 1), (2, 1), (3, 1), (4, 20), (5, 500)] {
        for _ in 0..50 {
            let game = random_position(&mut chance, free);
            let analysis = analyse(&game, player_to_move(&game), nodes, 0);
            let best = &analysis.evaluations[0];
            assert_eq!(best.certainty, Certainty::Exact, "{free} free squares: {}", game.notation());
        }
    }
}

#[test]
fn on_the_empty_board_the_other_moves_are_not_better_than_the_best_one() {
    let mut chance = Chance::new(10, 0);
    for _ in 0..3 {
        let game = random_game(&mut chance);
        let analysis = analyse(&game, player_to_move(&game), ENOUGH, 0);
        let best = &analysis.evaluations[0];
        assert_eq!(best.certainty, Certainty::Exact);
        for evaluation in &analysis.evaluations {
            assert_ne!(evaluation.certainty, Certainty::Estimate, "{}", evaluation.mv);
            assert!(score_difference(evaluation.value) <= score_difference(best.value), "{}", evaluation.mv);
        }
    }
}

#[test]
fn the_players_can_be_exchanged() {
    let mut chance = Chance::new(11, 0);
    for round in 0..60 {
        let game = random_position(&mut chance, 1 + round % 7);
        let mut diagram = game.diagram();
        diagram.hands.reverse();
        diagram.next_player = diagram.next_player.map(Player::other);
        for (_, card) in &mut diagram.squares {
            *card = card.map(|(card, owner)| (card, owner.other()));
        }
        let exchanged =
            TripleTriad::parse(&diagram.notation()).ok().and_then(|state| state.into_state().ok());
        let exchanged = exchanged.expect("the state is valid");
        let values = |game: &TripleTriad| {
            let analysis = analyse(game, player_to_move(game), ENOUGH, 0);
            let values = analysis.evaluations.iter().map(|evaluation| (evaluation.mv, evaluation.value));
            let mut values: Vec<_> = values.collect();
            values.sort_by_key(|(mv, _)| (mv.card, mv.square.row, mv.square.column));
            values
        };
        assert_eq!(values(&game), values(&exchanged), "{}", game.notation());
    }
}

#[test]
fn best_play_ends_with_the_value_of_the_best_move() {
    let mut chance = Chance::new(3, 0);
    for round in 0..30 {
        let game = random_position(&mut chance, 1 + round % 9);
        let player = player_to_move(&game);
        let analysis = analyse(&game, player, ENOUGH, 0);
        assert_eq!(analysis.line[0], analysis.evaluations[0].mv);
        let mut end = game;
        for mv in &analysis.line {
            end.play(mv).expect("the line is legal");
        }
        let [mine, theirs] =
            [player, player.other()].map(|player| end.position().score(player).cast_signed());
        assert!(end.position().is_over());
        assert_eq!(score_difference(analysis.evaluations[0].value), mine - theirs, "{}", game.notation());
    }
}

#[test]
fn every_legal_move_is_evaluated_with_any_budget() {
    let mut chance = Chance::new(4, 0);
    let as_text = |moves: Vec<Move>| {
        let mut moves: Vec<_> = moves.iter().map(ToString::to_string).collect();
        moves.sort();
        moves
    };
    for round in 0..60 {
        let game = random_position(&mut chance, 1 + round % 9);
        let player = player_to_move(&game);
        let view = view_of(&game, player);
        for nodes in [1, 30, 1000] {
            let pool = HiddenPool::default();
            for analysis in [analyse(&game, player, nodes, 0), analyse_view(&view, &pool, nodes, 0)] {
                assert!(analysis.nodes <= nodes);
                assert_eq!(analysis.line[0], analysis.evaluations[0].mv);
                let evaluated = analysis.evaluations.into_iter().map(|evaluation| evaluation.mv).collect();
                assert_eq!(as_text(evaluated), as_text(game.legal_moves()), "{}", game.notation());
            }
        }
    }
}

#[test]
fn earlier_searches_of_a_workspace_do_not_matter() {
    let mut chance = Chance::new(5, 0);
    let (is_cancelled, mut workspace) = (AtomicBool::new(false), Workspace::default());
    for round in 0..30 {
        let game = random_position(&mut chance, 1 + round % 8);
        let (player, nodes) = (player_to_move(&game), [100, 5000, ENOUGH][round % 3]);
        let mut search = Search::new(nodes, 0, &is_cancelled, &mut workspace);
        let used = game.analyse(player, &mut search).expect("the search is not cancelled");
        assert_eq!(used, analyse(&game, player, nodes, 0));
    }
}

#[test]
fn a_cancelled_search_has_no_result() {
    let game = random_game(&mut Chance::new(6, 0));
    let player = player_to_move(&game);
    let (is_cancelled, mut workspace) = (AtomicBool::new(true), Workspace::default());
    let mut search = Search::new(ENOUGH, 0, &is_cancelled, &mut workspace);
    assert_eq!(game.analyse(player, &mut search), Err(Cancelled));
    let view = view_of(&game, player);
    let mut search = Search::new(ENOUGH, 0, &is_cancelled, &mut workspace);
    assert_eq!(TripleTriad::analyse_view(&view, &HiddenPool::default(), &mut search), Err(Cancelled));
}

#[test]
fn a_suggestion_for_a_view_depends_on_nothing_that_it_hides() {
    let [one, other] = ["1,2,3,4,5:6,7,8,9", "1,2,3,4,5:101,102,103,104"].map(|hands| {
        let state = TripleTriad::parse(&format!("tt:spc:-,-,-/-,O20,-/-,-,-:{hands}:X"));
        view_of(
            &state.ok().and_then(|state| state.into_state().ok()).expect("the state is valid"),
            Player::One,
        )
    });
    let pool = HiddenPool::default();
    for nodes in [1000, 100_000] {
        assert_eq!(analyse_view(&one, &pool, nodes, 3), analyse_view(&other, &pool, nodes, 3));
    }
}

#[test]
fn the_seed_decides_what_the_hidden_cards_may_be() {
    let game = random_position(&mut Chance::new(7, 0), 6);
    let view = view_of(&game, player_to_move(&game));
    let values = |seed| analyse_view(&view, &HiddenPool::default(), ENOUGH, seed).evaluations;
    assert_eq!(values(1), values(1));
    assert_ne!(values(1), values(2));
}

#[test]
fn the_last_placement_does_not_depend_on_the_hidden_card() {
    let mut chance = Chance::new(12, 0);
    for _ in 0..50 {
        let game = random_position(&mut chance, 1);
        let player = player_to_move(&game);
        let seen = analyse_view(&view_of(&game, player), &HiddenPool::default(), 1, 0);
        assert_eq!(seen.evaluations, analyse(&game, player, 1, 0).evaluations, "{}", game.notation());
    }
}

#[test]
fn the_hidden_hand_is_drawn_from_the_pool() {
    let game = random_position(&mut Chance::new(13, 0), 6);
    let view = view_of(&game, player_to_move(&game));
    let values = |cards: &[Card], seed| {
        let pool = HiddenPool::new(cards, &view).expect("the pool is valid");
        analyse_view(&view, &pool, ENOUGH, seed).evaluations
    };
    let cards: Vec<Card> = CATALOGUE
        .iter()
        .filter(|card| game.cards().iter().all(|other| other.id() != card.id()))
        .copied()
        .collect();
    let hidden = game.position().hand(player_to_move(&game).other()).count_ones() as usize;
    let (weak, strong) = (&cards[..hidden], &cards[cards.len() - hidden..]);
    // There is one hand to draw, but its cards are drawn in any order.
    assert_eq!(values(weak, 1), values(weak, 2));
    assert!(score_difference(values(weak, 1)[0].value) > score_difference(values(strong, 1)[0].value));
}

#[test]
fn the_order_of_the_pool_does_not_matter() {
    let game = random_position(&mut Chance::new(14, 0), 5);
    let view = view_of(&game, player_to_move(&game));
    let reversed: Vec<Card> = CATALOGUE.iter().rev().copied().collect();
    let pool = HiddenPool::new(&reversed, &view).expect("the pool is valid");
    assert_eq!(analyse_view(&view, &pool, ENOUGH, 0), analyse_view(&view, &HiddenPool::default(), ENOUGH, 0));
}

#[test]
fn a_pool_is_rejected_with_everything_that_is_wrong() {
    let game = random_game(&mut Chance::new(15, 0));
    let view = view_of(&game, Player::One);
    let own = game.diagram().hands[0][0];
    let other = CATALOGUE.into_iter().find(|card| game.cards().iter().all(|dealt| dealt.id() != card.id()));
    let other = other.expect("the catalogue has more than ten cards");
    let errors = HiddenPool::new(&[own, other, other], &view).expect_err("the pool is too small");
    assert_eq!(
        errors,
        [
            HiddenPoolError::DuplicateCard { index: 2, id: other.id() },
            HiddenPoolError::TooFew { needed: 5, found: 1, given: 3 },
        ]
    );
}

#[test]
fn a_capture_makes_a_better_first_impression() {
    let state = TripleTriad::parse("tt:spc:-,-,-/-,O1,-/-,-,-:54,2,3,4,5:6,7,8,9:X");
    let game = state.ok().and_then(|state| state.into_state().ok()).expect("the state is valid");
    let analysis = analyse(&game, Player::One, 1, 0);
    let impression = |square: (u32, u32)| {
        let is_it = |mv: Move| mv.card == 54 && (mv.square.row, mv.square.column) == square;
        let evaluation = analysis.evaluations.iter().find(|evaluation| is_it(evaluation.mv));
        evaluation.expect("the move is legal").first_impression
    };
    // Ifrit takes Geezard from above, and takes nothing in a corner.
    assert!(impression((0, 1)) > impression((0, 0)));
}

/// Plays 40 games from the catalogue with a small budget, seeing only the own hand. Returns two points for a win, and one for
/// a draw.
fn points_against(stream: u64, opponent: impl Fn(&TripleTriad, &mut Chance) -> Move) -> i32 {
    let mut chance = Chance::new(8, stream);
    let mut points = 0;
    for round in 0..40 {
        let player = Player::ALL[round % 2];
        let end = play_out(random_game(&mut chance), |game| {
            if player_to_move(game) == player {
                analyse_view(&view_of(game, player), &HiddenPool::default(), 30_000, 0).evaluations[0].mv
            } else {
                opponent(game, &mut chance)
            }
        });
        let [mine, theirs] = [player, player.other()].map(|player| end.position().score(player));
        points += 2 * i32::from(mine > theirs) + i32::from(mine == theirs);
    }
    points
}

#[test]
fn a_player_who_sees_only_the_own_hand_beats_a_random_one() {
    let points = points_against(0, random_move);
    assert!(points >= 70, "{points} of 80 points");
}

#[test]
fn a_player_who_sees_only_the_own_hand_beats_one_who_takes_as_many_cards_as_possible() {
    let points = points_against(1, |game, chance| {
        let captures = |mv: &Move| game.clone().play(mv).map_or(0, |events| events.len());
        let moves = game.legal_moves();
        let most = moves.iter().map(captures).max();
        let best: Vec<Move> = moves.into_iter().filter(|mv| Some(captures(mv)) == most).collect();
        best[chance.below(best.len() as u32) as usize]
    });
    assert!(points >= 54, "{points} of 80 points");
}
