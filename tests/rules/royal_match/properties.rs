//! Properties of `RoyalMatch` that hold of every pair of cards and in every match.
//!
//! There are few enough cards to compare all of them; matches are random, by the crate's own generator of chance,
//! and are held against a naive implementation. Every run makes the same choices.

use std::{cmp, collections::BTreeSet};

use crate::naive::royal_match as plain;
use arbiter::games::{
    Chance, Game,
    royal_match::{
        Card, CardError, Decision, Ending, Event, IllegalMove, Move, Opening, OpeningError, OpeningSetup,
        Order, Ordering, ParseError, Place, Player, RoyalMatch, Rules, Seat, Setup, SetupError, SetupPlayer,
        Suit, Table,
    },
};

const ORDERINGS: [Ordering; 2] = [Ordering::ValueThenSuit, Ordering::SuitThenValue];

const ONE: Seat = Seat::ALL[0];
const TWO: Seat = Seat::ALL[1];
const THREE: Seat = Seat::ALL[2];
const FOUR: Seat = Seat::ALL[3];

fn card(text: &str) -> Card {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn cards(texts: &str) -> Vec<Card> {
    texts.split(' ').map(card).collect()
}

/// Both orderings, each with every strong suit.
fn orders() -> impl Iterator<Item = Order> {
    ORDERINGS
        .into_iter()
        .flat_map(|ordering| Suit::ALL.into_iter().map(move |dominant| Order { dominant, ordering }))
}

/// Every card against every card, itself included.
fn pairs() -> impl Iterator<Item = (Card, Card)> {
    Card::deck().flat_map(|first| Card::deck().map(move |second| (first, second)))
}

/// In the words of the document's function: 1, -1, or 0, which it never says.
fn sign(ordering: cmp::Ordering) -> i32 {
    ordering as i32
}

// Comparing cards.

#[test]
fn rm_1_a_deck_has_thirteen_values_of_each_of_four_suits() {
    let deck: BTreeSet<_> = Card::deck().map(|card| (plain::suit_name(card.suit()), card.value())).collect();
    let suits = ["clubs", "diamonds", "hearts", "spades"];
    let wanted = suits.into_iter().flat_map(|suit| (2..=14).map(move |value| (suit, value)));
    assert!(deck.iter().copied().eq(wanted), "{deck:?}");
    assert_eq!(Card::deck().count(), 52);
}

#[test]
fn rm_1_a_value_is_from_2_to_14() {
    for value in (0..=40).chain([258, 263, 1 << 16 | 7, u32::MAX]) {
        let made = Card::new(Suit::Clubs, value).map(|card| (card.suit(), u32::from(card.value())));
        let wanted =
            if (2..=14).contains(&value) { Ok((Suit::Clubs, value)) } else { Err(CardError::Value(value)) };
        assert_eq!(made, wanted);
    }
}

#[test]
fn rm_2_hearts_are_the_opposite_of_spades_and_diamonds_of_clubs() {
    assert_eq!(Suit::ALL, [Suit::Hearts, Suit::Diamonds, Suit::Clubs, Suit::Spades]);
    assert_eq!(Suit::ALL.map(Suit::opposite), [Suit::Spades, Suit::Clubs, Suit::Diamonds, Suit::Hearts]);
}

/// Two cards of which the first wins, and why.
type Example = (&'static str, &'static str, Decision);

/// The examples of the document's four configurations, as it lists them: the strong suit, and its six pairs.
#[rustfmt::skip]
const EXAMPLES: [(Suit, [Example; 6]); 4] = [
    (Suit::Hearts, [
        ("7♥", "7♦", Decision::StrongSuit),
        ("7♥", "7♣", Decision::StrongSuit),
        ("7♥", "7♠", Decision::StrongSuit),
        ("7♦", "7♣", Decision::NeutralColour),
        ("7♦", "7♠", Decision::WeakSuit),
        ("7♣", "7♠", Decision::WeakSuit),
    ]),
    (Suit::Diamonds, [
        ("10♦", "10♥", Decision::StrongSuit),
        ("10♦", "10♠", Decision::StrongSuit),
        ("10♦", "10♣", Decision::StrongSuit),
        ("10♥", "10♠", Decision::NeutralColour),
        ("10♥", "10♣", Decision::WeakSuit),
        ("10♠", "10♣", Decision::WeakSuit),
    ]),
    (Suit::Clubs, [
        ("5♣", "5♠", Decision::StrongSuit),
        ("5♣", "5♥", Decision::StrongSuit),
        ("5♣", "5♦", Decision::StrongSuit),
        ("5♠", "5♥", Decision::NeutralColour),
        ("5♠", "5♦", Decision::WeakSuit),
        ("5♥", "5♦", Decision::WeakSuit),
    ]),
    (Suit::Spades, [
        ("A♠", "A♣", Decision::StrongSuit),
        ("A♠", "A♦", Decision::StrongSuit),
        ("A♠", "A♥", Decision::StrongSuit),
        ("A♣", "A♦", Decision::NeutralColour),
        ("A♣", "A♥", Decision::WeakSuit),
        ("A♦", "A♥", Decision::WeakSuit),
    ]),
];

#[test]
fn rm_3_the_examples_of_the_document_are_decided_as_it_says() {
    for (dominant, examples) in EXAMPLES {
        for (winner, loser, decision) in examples {
            let order = Order { dominant, ordering: Ordering::ValueThenSuit };
            let told = order.compare(card(winner), card(loser));
            assert_eq!(told, (cmp::Ordering::Greater, decision), "{winner} and {loser}, {dominant} strong");
        }
    }
}

#[test]
fn rm_3_all_cards_are_compared_as_by_the_function_of_the_document() {
    for dominant in Suit::ALL {
        let order = Order { dominant, ordering: Ordering::ValueThenSuit };
        for (first, second) in pairs().filter(|(first, second)| first != second) {
            let wanted = plain::compare_cards(first.into(), second.into(), plain::suit_name(dominant));
            let told = order.compare(first, second).0;
            assert_eq!(sign(told), wanted, "{first} and {second}, {dominant} strong");
        }
    }
}

#[test]
fn rm_6_all_cards_are_compared_by_the_hierarchy_and_then_by_value() {
    for dominant in Suit::ALL {
        let order = Order { dominant, ordering: Ordering::SuitThenValue };
        for (first, second) in pairs().filter(|(first, second)| first != second) {
            let wanted =
                plain::compare_suit_then_value(first.into(), second.into(), plain::suit_name(dominant));
            let told = order.compare(first, second).0;
            assert_eq!(sign(told), wanted, "{first} and {second}, {dominant} strong");
        }
    }
}

#[test]
fn rm_4_exactly_identical_cards_are_equal() {
    for order in orders() {
        for (first, second) in pairs() {
            assert_eq!(
                order.compare(first, second).0.is_eq(),
                first == second,
                "{first}, {second}: {order:?}"
            );
        }
    }
}

#[test]
fn rm_4_of_two_cards_one_loses_when_the_other_wins() {
    for order in orders() {
        for (first, second) in pairs() {
            let (told, turned) = (order.compare(first, second).0, order.compare(second, first).0);
            assert_eq!(told, turned.reverse(), "{first}, {second}: {order:?}");
        }
    }
}

#[test]
fn rm_4_a_card_beats_what_is_beaten_by_a_card_that_it_beats() {
    for order in orders() {
        let beats = |first, second| order.compare(first, second).0.is_gt();
        for (first, second) in pairs().filter(|&(first, second)| beats(first, second)) {
            for third in Card::deck().filter(|&third| beats(second, third)) {
                assert!(beats(first, third), "{first}, {second}, {third}: {order:?}");
            }
        }
    }
}

#[test]
fn rm_5_the_clause_that_decides_is_told_for_all_cards() {
    for order in orders() {
        let naive = plain::Order::from(order);
        for (first, second) in pairs() {
            let told = plain::decision_name(order.compare(first, second).1);
            assert_eq!(told, naive.decision(first.into(), second.into()), "{first}, {second}: {order:?}");
        }
    }
}

#[test]
fn rm_5_every_decision_is_explained_in_words() {
    let by_value = |dominant| Order { dominant, ordering: Ordering::ValueThenSuit };
    let by_suit = |dominant| Order { dominant, ordering: Ordering::SuitThenValue };
    for (order, pair, wanted) in [
        (by_value(Suit::Clubs), "8H 7C", "8H beats 7C: it has the higher value"),
        (by_suit(Suit::Clubs), "2C AH", "2C beats AH: clubs are strong"),
        (by_value(Suit::Diamonds), "10S 10C", "10S beats 10C: clubs are weak"),
        (by_value(Suit::Hearts), "7D 7C", "7D beats 7C: both are neutral, and diamonds are red like hearts"),
        (by_value(Suit::Spades), "AC AD", "AC beats AD: both are neutral, and clubs are black like spades"),
        (by_value(Suit::Hearts), "QS QS", "QS and QS are the same card"),
    ] {
        let told: Vec<_> = order.explain(&cards(pair)).iter().map(ToString::to_string).collect();
        assert_eq!(told, [wanted]);
    }
}

#[test]
fn rm_6_the_whole_deck_is_ranked_by_what_is_looked_at_first() {
    for order in orders() {
        let mut ranked: Vec<Card> = Card::deck().collect();
        order.rank(&mut ranked);
        let ranked: Vec<_> = ranked.into_iter().map(plain::Card::from).collect();
        let dominant = plain::suit_name(order.dominant);
        let suits = plain::HIERARCHIES.into_iter().find(|suits| suits[0] == dominant);
        let suits = suits.expect("there is a table for each suit");
        let values = (2..=14).rev();
        let card = |suit, numeric_value| plain::Card { suit, numeric_value };
        let wanted: Vec<_> = match order.ordering {
            Ordering::ValueThenSuit => values.flat_map(|value| suits.map(|suit| card(suit, value))).collect(),
            Ordering::SuitThenValue => suits
                .into_iter()
                .flat_map(|suit| values.clone().map(move |value| card(suit, value)))
                .collect(),
        };
        assert_eq!(ranked, wanted, "{order:?}");
    }
}

// Cards as text.

#[test]
fn every_card_reads_back_from_its_text() {
    for card in Card::deck() {
        assert_eq!(card.to_string().parse(), Ok(card));
    }
}

#[test]
fn every_way_to_write_a_card_is_understood() {
    let values = "2 3 4 5 6 7 8 9 10 Jj Qq Kk Aa".split(' ').zip(2..);
    let values = values.flat_map(|(texts, value)| match value {
        ..=10 => vec![(texts.to_owned(), value)],
        _ => texts.chars().map(|letter| (letter.to_string(), value)).collect(),
    });
    let suits = Suit::ALL.into_iter().zip([
        ["H", "h", "♥", "♡", "♥\u{FE0F}", "♡\u{FE0F}"],
        ["D", "d", "♦", "♢", "♦\u{FE0F}", "♢\u{FE0F}"],
        ["C", "c", "♣", "♧", "♣\u{FE0F}", "♧\u{FE0F}"],
        ["S", "s", "♠", "♤", "♠\u{FE0F}", "♤\u{FE0F}"],
    ]);
    let mut ways = 0;
    for (value_text, value) in values {
        for (suit, texts) in suits.clone() {
            for suit_text in texts {
                let text = format!("{value_text}{suit_text}");
                assert_eq!(text.parse::<Card>().ok(), Card::new(suit, value).ok(), "{text}");
                ways += 1;
            }
        }
    }
    // Nine numbers, and four letters in two sizes.
    assert_eq!(ways, (9 + 8) * 4 * 6);
}

#[test]
fn what_is_no_card_is_refused() {
    let words = "H 7 10 J ♥ HH 77 H7 ♥7 7X XH 0H 1H 01H 07H 11H 14H 010H 100H +7H -7H 7.0H 7_H 7HH 7♥♥ 7♥H JJ \
                 10J JQH TH ７H ٧H 7Ｈ 7❤ 🂷 7H,8H 1:7H";
    let spaced = ["", " ", "7H ", " 7H", "7 H", "7H\0"];
    // The mark that asks for a coloured picture, anywhere but once behind a sign.
    let marked = ["\u{FE0F}", "7\u{FE0F}", "7\u{FE0F}♥", "\u{FE0F}7♥", "7♥\u{FE0F}\u{FE0F}"];
    for text in words.split(' ').chain(spaced).chain(marked) {
        assert!(text.parse::<Card>().is_err(), "{text:?}");
    }
}

// Dealing.

fn opening(setup: &OpeningSetup) -> Opening {
    Opening::try_from(setup).expect("the opening holds together")
}

fn deal(players: u32, hand_size: u32, seed: u64) -> RoyalMatch {
    let setup =
        OpeningSetup { players: Some(players), hand_size: Some(hand_size), ..OpeningSetup::default() };
    RoyalMatch::new(Rules::default(), opening(&setup), seed)
}

/// A deal of each size there is, by a few seeds each: players, cards a hand, the match.
fn deals() -> impl Iterator<Item = (u32, u32, RoyalMatch)> {
    let sizes = (2..=4).flat_map(|players| (1..=13).map(move |hand_size| (players, hand_size)));
    sizes.flat_map(|(players, hand_size)| {
        (0..20).map(move |seed| (players, hand_size, deal(players, hand_size, seed)))
    })
}

/// Every card of a table, in hands and in the trick.
fn cards_of(table: &Table) -> Vec<Card> {
    table.players().iter().flat_map(|player| player.hand.iter().copied().chain(player.played)).collect()
}

/// The places of cards in the deck, in order.
fn sorted(cards: impl IntoIterator<Item = Card>) -> Vec<usize> {
    let place = |card: Card| Card::deck().position(|other| other == card).expect("the deck has every card");
    let mut places: Vec<_> = cards.into_iter().map(place).collect();
    places.sort_unstable();
    places
}

#[test]
fn rm_7_each_player_is_dealt_as_many_cards_as_asked_for() {
    for (players, hand_size, game) in deals() {
        let sizes: Vec<_> = game.table().players().iter().map(|player| player.hand.len()).collect();
        assert_eq!(sizes, vec![hand_size as usize; players as usize]);
    }
}

#[test]
fn rm_7_no_card_is_dealt_twice() {
    for (_, _, game) in deals() {
        let dealt = sorted(cards_of(game.table()));
        assert!(dealt.is_sorted_by(|one, next| one < next), "{}", game.notation());
    }
}

#[test]
fn rm_7_nothing_is_played_or_taken_when_a_match_starts() {
    for (_, _, game) in deals() {
        let players = game.table().players();
        assert!(players.iter().all(|player| player.played.is_none() && player.tricks == 0));
    }
}

#[test]
fn rm_7_two_players_are_dealt_thirteen_cards_when_nothing_is_named() {
    let game = RoyalMatch::new(Rules::default(), opening(&OpeningSetup::default()), 5);
    assert_eq!(game, deal(2, 13, 5));
}

#[test]
fn rm_7_a_match_starts_with_what_was_named() {
    let hands = ["10H 2S AD", "KC QC JC", "3D 5H 4S"].map(cards);
    for order in orders() {
        let setup = OpeningSetup {
            hands: hands.iter().map(|hand| hand.iter().copied().map(Some).collect()).collect(),
            dominant: Some(order.dominant),
            ..OpeningSetup::default()
        };
        let game = RoyalMatch::new(Rules { ordering: order.ordering }, opening(&setup), 0);
        let given: Vec<_> = game.table().players().iter().map(|player| player.hand.clone()).collect();
        assert_eq!((game.table().order(), &given[..]), (order, &hands[..]));
    }
}

#[test]
fn what_is_drawn_follows_from_the_seed_whatever_else_is_named() {
    for (players, hand_size, seed) in [(2, 13, 0), (3, 4, 1), (4, 13, u64::MAX), (2, 1, 1 << 40)] {
        let drawn = deal(players, hand_size, seed);
        let dominant = Some(drawn.table().order().dominant);
        let hand = |player: &Player| player.hand.iter().copied().map(Some).collect();
        let hands: Vec<Vec<_>> = drawn.table().players().iter().map(hand).collect();
        let dealt =
            OpeningSetup { players: Some(players), hand_size: Some(hand_size), ..OpeningSetup::default() };
        for setup in [
            dealt.clone(),
            OpeningSetup { dominant, ..dealt.clone() },
            OpeningSetup { hands: hands.clone(), ..dealt },
            OpeningSetup { hands, ..OpeningSetup::default() },
        ] {
            assert_eq!(RoyalMatch::new(Rules::default(), opening(&setup), seed), drawn, "{setup:?}");
        }
    }
}

#[test]
fn everything_that_can_be_drawn_is_drawn_for_some_seed() {
    let (mut dominant, mut held) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..1000 {
        let game = deal(4, 1, seed);
        dominant.insert(plain::suit_name(game.table().order().dominant));
        held.extend(cards_of(game.table()).iter().map(ToString::to_string).enumerate());
    }
    // Each suit is strong, and each of the four players holds each of the cards.
    assert_eq!((dominant.len(), held.len()), (4, 4 * 52));
}

// What a seed means is part of the contract: a client that keeps one gets the same match from every release.
// The states below must never change.

#[test]
fn a_dealt_match_follows_from_its_seed_for_ever() {
    let new = |players, hand_size, seed| deal(players, hand_size, seed).notation();
    assert_eq!(
        new(2, 13, 0),
        "rm:vS:QC,5S,10S,QD,2D,9S,2C,4S,AH,2S,4H,JC,8H;0/7H,8C,9H,KC,2H,QS,5D,KS,KH,AS,6C,6H,3S;0"
    );
    assert_eq!(
        new(2, 13, 1),
        "rm:vH:AC,4S,8C,JH,5C,7C,4C,9C,9H,QH,2C,QS,8D;0/7D,10D,7S,KC,3C,3H,4D,4H,7H,6D,KD,3S,AS;0"
    );
    assert_eq!(
        new(2, 13, 42),
        "rm:vC:2D,KH,5H,AH,5D,AS,4S,JH,7C,2H,5S,8C,9H;0/2S,10C,9C,JC,4H,3S,9S,10H,9D,3H,7H,KC,8H;0"
    );
    assert_eq!(new(3, 5, 0), "rm:vS:QC,5S,10S,QD,2D;0/9S,2C,4S,AH,2S;0/4H,JC,8H,7H,8C;0");
    assert_eq!(new(3, 5, 1), "rm:vH:AC,4S,8C,JH,5C;0/7C,4C,9C,9H,QH;0/2C,QS,8D,7D,10D;0");
    assert_eq!(new(3, 5, 42), "rm:vC:2D,KH,5H,AH,5D;0/AS,4S,JH,7C,2H;0/5S,8C,9H,2S,10C;0");
    assert_eq!(new(4, 2, u64::MAX), "rm:vH:QS,4C;0/KS,3C;0/7S,4H;0/KD,6D;0");
}

// Matches.

fn pick<T: Copy>(chance: &mut Chance, from: &[T]) -> T {
    from[chance.below(from.len() as u32) as usize]
}

fn random_match(chance: &mut Chance) -> RoyalMatch {
    let setup = OpeningSetup {
        players: Some(2 + chance.below(3)),
        hand_size: Some(1 + chance.below(13)),
        ..OpeningSetup::default()
    };
    let rules = Rules { ordering: pick(chance, &ORDERINGS) };
    RoyalMatch::new(rules, opening(&setup), chance.below(u32::MAX).into())
}

fn naive(game: &RoyalMatch) -> plain::Match {
    game.table().into()
}

/// Plays random matches with the crate and with the naive implementation side by side, and calls the comparison
/// before each move and at the end.
fn play_side_by_side(kind: u64, mut compare: impl FnMut(&RoyalMatch, &plain::Match)) {
    let mut chance = Chance::new(7, kind);
    for _ in 0..500 {
        let mut game = random_match(&mut chance);
        let mut naive = naive(&game);
        loop {
            compare(&game, &naive);
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = pick(&mut chance, &legal);
            game.play(&mv).expect("the move is legal");
            naive.play(mv.seat.index(), mv.card.into()).expect("the move is legal");
        }
    }
}

/// Every state of random matches.
fn at_every_state(kind: u64, mut check: impl FnMut(&RoyalMatch)) {
    play_side_by_side(kind, |game, _| check(game));
}

/// Every card of the deck played by every player that a match can have.
fn moves_to_try() -> impl Iterator<Item = Move> {
    Seat::ALL.into_iter().flat_map(|seat| Card::deck().map(move |card| Move { seat, card }))
}

/// Every reason why a move is illegal, from what the table shows.
fn reasons(table: &Table, Move { seat, card }: Move) -> Vec<IllegalMove> {
    let over = cards_of(table).is_empty().then_some(IllegalMove::GameOver);
    let players = table.players().len();
    let Some(player) = table.players().get(seat.index()) else {
        return over.into_iter().chain([IllegalMove::NoSuchPlayer { seat, players }]).collect();
    };
    let second = player.played.map(|_| IllegalMove::AlreadyPlayed(seat));
    let missing = (!player.hand.contains(&card)).then_some(IllegalMove::CardNotInHand { seat, card });
    over.into_iter().chain(second).chain(missing).collect()
}

#[test]
fn rm_7_the_naive_match_has_the_same_legal_moves() {
    play_side_by_side(1, |game, naive| {
        let legal: Vec<_> = game.legal_moves().iter().map(|mv| (mv.seat.index(), mv.card.into())).collect();
        assert_eq!(legal, naive.moves(), "{}", game.notation());
    });
}

#[test]
fn rm_7_a_move_is_listed_exactly_when_it_is_valid_and_can_be_played() {
    at_every_state(2, |game| {
        let listed = game.legal_moves();
        for mv in moves_to_try() {
            let is_listed = listed.contains(&mv);
            assert_eq!(game.why_illegal(&mv).is_empty(), is_listed, "{mv} in {}", game.notation());
            assert_eq!(game.clone().play(&mv).is_ok(), is_listed, "{mv} in {}", game.notation());
        }
    });
}

#[test]
fn rm_7_each_refusal_tells_its_reasons_and_changes_nothing() {
    at_every_state(3, |game| {
        let mut after = game.clone();
        for mv in moves_to_try() {
            let reasons = reasons(game.table(), mv);
            if !reasons.is_empty() {
                assert_eq!(after.play(&mv), Err(reasons), "{mv} in {}", game.notation());
                assert_eq!(&after, game, "{mv}");
            }
        }
    });
}

#[test]
fn rm_7_the_naive_match_tells_of_the_same_card_and_trick() {
    let mut tricks = 0;
    play_side_by_side(4, |game, naive| {
        for mv in game.legal_moves() {
            let events = game.clone().play(&mv).expect("the move is legal");
            let [Event::Played { seat, card }, taken @ ..] = &events[..] else {
                panic!("{mv} in {} does not begin with the card: {events:?}", game.notation());
            };
            assert_eq!((*seat, *card), (mv.seat, mv.card));
            let taken = taken.iter().map(|event| match event {
                Event::TrickTaken(trick) => plain::Trick::from(trick),
                Event::Played { .. } => panic!("{mv} in {} plays two cards", game.notation()),
            });
            let taken: Vec<_> = taken.collect();
            let wanted = naive.clone().play(mv.seat.index(), mv.card.into());
            tricks += taken.len();
            assert_eq!(Some(taken), wanted, "{mv} in {}", game.notation());
        }
    });
    assert!(tricks > 1000, "{tricks} tricks were compared");
}

#[test]
fn rm_7_the_naive_match_reaches_the_same_table() {
    play_side_by_side(5, |game, wanted| assert_eq!(&naive(game), wanted, "{}", game.notation()));
}

#[test]
fn rm_7_the_naive_match_has_the_same_tricks_and_outcome() {
    let mut met = BTreeSet::new();
    play_side_by_side(6, |game, naive| {
        let outcome = plain::Outcome::from(&game.outcome());
        assert_eq!(outcome, naive.outcome(), "{}", game.notation());
        met.insert((outcome.result, outcome.best.len()));
    });
    // A case that was never met was never compared: a match under way, a winner, and draws between two to four.
    let draws = [("DRAW", 2), ("DRAW", 3), ("DRAW", 4)];
    let all: BTreeSet<_> = draws.into_iter().chain([("IN_PROGRESS", 0), ("WINNER_DETERMINED", 1)]).collect();
    assert_eq!(met, all);
}

#[test]
fn rm_7_most_tricks_win_and_equal_most_is_a_draw_between_those_players() {
    for (state, ending) in [
        ("rm:vH:-;3/-;2", Ending::Won { winner: ONE }),
        ("rm:vH:-;1/-;5/-;0/-;4", Ending::Won { winner: TWO }),
        ("rm:vH:-;2/-;1/-;2", Ending::Draw { between: vec![ONE, THREE] }),
        ("rm:vH:-;0/-;3/-;3/-;3", Ending::Draw { between: vec![TWO, THREE, FOUR] }),
        ("rm:vH:-;1/-;1/-;1/-;1", Ending::Draw { between: vec![ONE, TWO, THREE, FOUR] }),
    ] {
        let game = RoyalMatch::parse(state).expect("the match is over");
        assert_eq!(game.outcome().ending, Some(ending), "{state}");
    }
}

#[test]
fn rm_7_no_card_is_lost_or_doubled() {
    let mut chance = Chance::new(8, 0);
    for _ in 0..500 {
        let mut game = random_match(&mut chance);
        let dealt = sorted(cards_of(game.table()));
        let mut taken = Vec::new();
        loop {
            let everywhere = cards_of(game.table()).into_iter().chain(taken.iter().copied());
            assert_eq!(sorted(everywhere), dealt, "{}", game.notation());
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            for event in game.play(&pick(&mut chance, &legal)).expect("the move is legal") {
                if let Event::TrickTaken(trick) = event {
                    taken.push(trick.card);
                    taken.extend(trick.comparisons.iter().map(|comparison| comparison.weaker));
                }
            }
        }
    }
}

/// Every order in which players can come.
fn permutations(seats: &[Seat]) -> Vec<Vec<Seat>> {
    if seats.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |&first: &Seat| {
        let rest: Vec<_> = seats.iter().copied().filter(|&seat| seat != first).collect();
        permutations(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    seats.iter().flat_map(with_first).collect()
}

#[test]
fn rm_7_the_players_may_play_in_any_order_and_the_trick_is_the_same() {
    let mut chance = Chance::new(9, 0);
    for _ in 0..500 {
        let start = random_match(&mut chance);
        let chosen: Vec<Card> =
            start.table().players().iter().map(|player| pick(&mut chance, &player.hand)).collect();
        let seats: Vec<Seat> = start.table().seats().collect();
        let ends = permutations(&seats).into_iter().map(|seats| {
            let mut game = start.clone();
            let play = |seat: Seat| game.play(&Move { seat, card: chosen[seat.index()] });
            let events = seats.into_iter().map(play).collect::<Result<Vec<_>, _>>();
            let trick = events.expect("everybody may play").concat().pop();
            assert!(matches!(trick, Some(Event::TrickTaken(_))), "{trick:?} in {}", start.notation());
            (trick, game)
        });
        let ends: Vec<_> = ends.collect();
        assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{ends:?}");
    }
}

#[test]
fn rm_7_a_trick_says_why_it_is_taken() {
    let mut game = RoyalMatch::parse("rm:vH:KH;0/-;0;AS/-;0;KD").expect("the state is a match");
    let events = game.play(&"1:KH".parse().expect("the text is a move")).expect("the move is legal");
    let [_, Event::TrickTaken(trick)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(trick.to_string(), "player two takes the trick with AS: AS beats KH: it has the higher value");
}

/// A table that need not be one of a match: hands of any size, and a trick to which everybody has played, but one
/// player in some.
fn random_table(chance: &mut Chance) -> Table {
    let mut deck: Vec<Card> = Card::deck().collect();
    chance.draw(&mut deck, Card::COUNT);
    let players = 2 + chance.below(3);
    let missing = chance.below(2 * players);
    let player = |index| SetupPlayer {
        hand: deck.split_off(deck.len() - chance.below(5) as usize).into_iter().map(Some).collect(),
        played: if index == missing { None } else { deck.pop().map(Some) },
        tricks: chance.below(4),
    };
    let players = (0..players).map(player).collect();
    let rules = Rules { ordering: pick(chance, &ORDERINGS) };
    let setup = Setup { rules, dominant: Some(pick(chance, &Suit::ALL)), players };
    Table::try_from(&setup).expect("the cards are different")
}

#[test]
fn rm_7_a_trick_made_by_hand_is_taken_as_in_the_naive_match() {
    let mut chance = Chance::new(10, 0);
    let mut met = BTreeSet::new();
    for _ in 0..2000 {
        let table = random_table(&mut chance);
        let mut wanted = plain::Match::from(&table);
        let notation = table.notation();
        let (tricks, after) = RoyalMatch::resolve_captures(table);
        let tricks: Vec<_> = tricks.iter().map(plain::Trick::from).collect();
        assert_eq!(tricks, wanted.take_trick().into_iter().collect::<Vec<_>>(), "{notation}");
        assert_eq!(plain::Match::from(&after), wanted, "{notation}");
        met.insert(tricks.len());
    }
    assert_eq!(met, BTreeSet::from([0, 1]));
}

// Matches as text.

#[test]
fn every_state_reads_back_from_its_notation() {
    at_every_state(7, |game| {
        let text = game.notation();
        assert_eq!(RoyalMatch::parse(&text).as_ref(), Ok(game), "{text}");
    });
}

#[test]
fn every_table_reads_back_from_its_notation() {
    let mut chance = Chance::new(11, 0);
    for _ in 0..2000 {
        let table = random_table(&mut chance);
        assert_eq!(Table::parse(&table.notation()).as_ref(), Ok(&table), "{}", table.notation());
    }
}

#[test]
fn a_state_with_a_few_wrong_characters_is_refused_with_a_reason_or_read_as_another() {
    let mut chance = Chance::new(12, 0);
    let letters: Vec<char> = "rmvsHDCShdcsAKQJakqj0123456789:;/,-?♥♡\u{FE0F} ".chars().collect();
    let mut read = 0;
    for _ in 0..20_000 {
        let mut text: Vec<char> = random_match(&mut chance).notation().chars().collect();
        for _ in 0..=chance.below(2) {
            let at = chance.below(text.len() as u32) as usize;
            text.splice(
                at..=at,
                (0..chance.below(3)).map(|_| pick(&mut chance, &letters)).collect::<Vec<_>>(),
            );
        }
        let text: String = text.into_iter().collect();
        match RoyalMatch::parse(&text) {
            Ok(game) => {
                read += 1;
                assert_eq!(RoyalMatch::parse(&game.notation()), Ok(game), "{text}");
            }
            Err(errors) => assert!(!errors.is_empty(), "{text}"),
        }
    }
    assert!(read > 100, "only {read} could be read");
}

// What one player sees.

fn seats(game: &RoyalMatch) -> impl Iterator<Item = Seat> {
    game.table().seats()
}

/// A match that is the same for the viewer: the other hands are dealt again from the cards that the viewer does not
/// see.
fn with_other_hidden_hands(chance: &mut Chance, game: &RoyalMatch, viewer: Seat) -> RoyalMatch {
    let mut setup = setup(game.table());
    let players = game.table().players();
    let seen: Vec<Card> = players
        .iter()
        .filter_map(|player| player.played)
        .chain(players[viewer.index()].hand.clone())
        .collect();
    let mut unseen: Vec<Card> = Card::deck().filter(|card| !seen.contains(card)).collect();
    let count = unseen.len();
    chance.draw(&mut unseen, count);
    for (_, player) in Seat::ALL.into_iter().zip(&mut setup.players).filter(|(seat, _)| *seat != viewer) {
        let rest = unseen.split_off(player.hand.len());
        player.hand = std::mem::replace(&mut unseen, rest).into_iter().map(Some).collect();
    }
    RoyalMatch::try_from(&setup).expect("the hands have the same sizes")
}

#[test]
fn a_player_sees_the_own_hand_and_the_number_of_cards_in_the_others_and_all_else() {
    at_every_state(8, |game| {
        for viewer in seats(game) {
            let view = game.view(viewer);
            assert_eq!(view.viewer, viewer);
            assert_eq!(plain::hands_of(&view), naive(game).view(viewer.index()), "{}", game.notation());
            let without_hands = |table: &Table| {
                let mut table = plain::Match::from(table);
                table.players.iter_mut().for_each(|player| player.hand.clear());
                table
            };
            assert_eq!(without_hands(&view.table), without_hands(game.table()), "{}", game.notation());
        }
    });
}

#[test]
fn nothing_that_a_player_is_shown_depends_on_the_hidden_cards() {
    let mut chance = Chance::new(13, 0);
    at_every_state(9, |game| {
        for viewer in seats(game) {
            let other = with_other_hidden_hands(&mut chance, game, viewer).view(viewer);
            let view = game.view(viewer);
            assert_eq!(view.notation(), other.notation());
            assert_eq!(view, other);
        }
    });
}

#[test]
fn what_a_player_sees_is_not_taken_for_the_state() {
    at_every_state(10, |game| {
        for text in seats(game).map(|viewer| game.view(viewer).notation()) {
            assert_eq!(RoyalMatch::parse(&text), Err(vec![ParseError::View]), "{text}");
            assert_eq!(Table::parse(&text), Err(vec![ParseError::View]), "{text}");
        }
    });
}

#[test]
fn a_view_has_a_question_mark_and_a_number_in_place_of_each_hidden_hand() {
    let game = RoyalMatch::parse("rm:sC:7H;2/-;1;2H/3D;0").expect("the state is a match");
    let views: Vec<_> = seats(&game).map(|viewer| game.view(viewer).notation()).collect();
    assert_eq!(views, ["rm:sC:7H;2/?0;1;2H/?1;0", "rm:sC:?1;2/-;1;2H/?1;0", "rm:sC:?1;2/?0;1;2H/3D;0"]);
}

// What no match can be.

fn setup(table: &Table) -> Setup {
    let player = |player: &Player| SetupPlayer {
        hand: player.hand.iter().copied().map(Some).collect(),
        played: player.played.map(Some),
        tricks: player.tricks.into(),
    };
    let players = table.players().iter().map(player).collect();
    Setup { rules: table.rules(), dominant: Some(table.order().dominant), players }
}

fn setup_errors(state: &str) -> Vec<SetupError> {
    let errors = RoyalMatch::parse(state).expect_err(state);
    let errors = errors.into_iter().map(|error| match error {
        ParseError::Setup(error) => error,
        error => panic!("{error} in {state}"),
    });
    errors.collect()
}

#[test]
fn every_way_in_which_a_state_is_no_match_is_told() {
    let fourteen = "2H,3H,4H,5H,6H,7H,8H,9H,10H,JH,QH,KH,AH,2S";
    let in_hand = Place::Hand;
    let doubled = |text, first, second| SetupError::DuplicateCard { card: card(text), first, second };
    for (state, wanted) in [
        ("rm:vH:7H;0", vec![SetupError::PlayerCount(1)]),
        ("rm:vH:7H;0/7D;0/7C;0/7S;0/8H;0", vec![SetupError::PlayerCount(5)]),
        (
            &format!("rm:vH:{fourteen};0/2D;0"),
            vec![
                SetupError::HandTooLarge { seat: ONE, found: 14 },
                SetupError::HandSize { seat: TWO, found: 1, wanted: 14 },
            ],
        ),
        ("rm:vH:7H,7H;0/2C,3C;0", vec![doubled("7H", in_hand(ONE, 0), in_hand(ONE, 1))]),
        ("rm:vH:7H,AS;0/2C,AS;0", vec![doubled("AS", in_hand(ONE, 1), in_hand(TWO, 1))]),
        ("rm:vH:7H;0;2C/2C,3C;0", vec![doubled("2C", Place::Played(ONE), in_hand(TWO, 0))]),
        (
            "rm:vH:7H,8H;0/2C,3C;0;4C/-;0;5C",
            vec![
                SetupError::HandSize { seat: TWO, found: 3, wanted: 2 },
                SetupError::HandSize { seat: THREE, found: 1, wanted: 2 },
            ],
        ),
        ("rm:vH:7H;6/8H;7", vec![SetupError::TooManyTricks { tricks: 13, left: 1 }]),
        ("rm:vH:-;14/-;0", vec![SetupError::Tricks { seat: ONE, found: 14 }]),
        ("rm:vH:-;0/-;0/-;0", vec![SetupError::NoCards]),
        ("rm:vH:7H;0;2C/8H;0;3C", vec![SetupError::TrickComplete]),
    ] {
        assert_eq!(setup_errors(state), wanted, "{state}");
    }
}

#[test]
fn everything_that_is_wrong_with_a_state_is_told_at_once() {
    let wanted = [
        SetupError::PlayerCount(5),
        SetupError::DuplicateCard {
            card: card("7H"),
            first: Place::Hand(ONE, 0),
            second: Place::Played(THREE),
        },
        SetupError::Tricks { seat: ONE, found: 20 },
        SetupError::HandSize { seat: TWO, found: 2, wanted: 1 },
    ];
    assert_eq!(setup_errors("rm:vH:7H;20/8H,9H;0/-;0;7H/10H;0/JH;0"), wanted);
}

/// Whether a set-up is a state of some match, by the letter of RM-7.
fn is_match(setup: &Setup) -> bool {
    let left: BTreeSet<_> =
        setup.players.iter().map(|player| player.hand.len() + usize::from(player.played.is_some())).collect();
    let cards: Vec<Card> = setup
        .players
        .iter()
        .flat_map(|player| player.hand.iter().copied().chain(player.played))
        .flatten()
        .collect();
    let tricks: usize = setup.players.iter().map(|player| player.tricks as usize).sum();
    (2..=4).contains(&setup.players.len())
        && sorted(cards).is_sorted_by(|one, next| one < next)
        && left.len() == 1
        && left.iter().all(|left| (1..=13).contains(&(left + tricks)))
        && setup.players.iter().any(|player| player.played.is_none())
}

/// Changes something, which may or may not leave a match.
fn disturb(chance: &mut Chance, setup: &mut Setup) {
    let deck: Vec<_> = Card::deck().map(Some).collect();
    let what = chance.below(6);
    let seat = chance.below(setup.players.len() as u32) as usize;
    let player = &mut setup.players[seat];
    match what {
        0 => player.hand.push(pick(chance, &deck)),
        1 => drop(player.hand.pop()),
        2 => player.played = Some(pick(chance, &deck)),
        3 => player.played = None,
        4 => player.tricks = chance.below(15),
        _ => setup.players.rotate_left(seat),
    }
}

#[test]
fn a_set_up_is_a_match_exactly_when_it_holds_together() {
    let mut chance = Chance::new(14, 0);
    let mut met = [0, 0];
    at_every_state(11, |game| {
        let mut setup = setup(game.table());
        for _ in 0..3 {
            disturb(&mut chance, &mut setup);
            let made = RoyalMatch::try_from(&setup);
            assert_eq!(made.is_ok(), is_match(&setup), "{setup:?}: {made:?}");
            met[usize::from(made.is_ok())] += 1;
        }
    });
    assert!(met.iter().all(|&count| count > 1000), "{met:?}");
}

#[test]
fn nothing_that_is_wrong_with_a_set_up_is_told_twice() {
    let mut chance = Chance::new(15, 0);
    at_every_state(12, |game| {
        let mut setup = setup(game.table());
        for _ in 0..5 {
            disturb(&mut chance, &mut setup);
            let errors = RoyalMatch::try_from(&setup).err().unwrap_or_default();
            let told: BTreeSet<_> = errors.iter().map(|error| format!("{error:?}")).collect();
            assert_eq!(told.len(), errors.len(), "{setup:?}: {errors:?}");
        }
    });
}

#[test]
fn every_way_in_which_an_opening_is_wrong_is_told() {
    let hands = |texts: &[&str]| -> Vec<Vec<Option<Card>>> {
        texts.iter().map(|hand| cards(hand).into_iter().map(Some).collect()).collect()
    };
    let fourteen = "2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH AH 2S";
    let none = OpeningSetup::default;
    for (setup, wanted) in [
        (OpeningSetup { players: Some(1), ..none() }, OpeningError::Players(1)),
        (OpeningSetup { players: Some(5), ..none() }, OpeningError::Players(5)),
        (OpeningSetup { hand_size: Some(0), ..none() }, OpeningError::HandSize(0)),
        (OpeningSetup { hand_size: Some(14), ..none() }, OpeningError::HandSize(14)),
        (
            OpeningSetup { players: Some(3), hands: hands(&["7H", "8H"]), ..none() },
            OpeningError::HandCount { found: 2, wanted: 3 },
        ),
        (OpeningSetup { hands: hands(&["7H"]), ..none() }, OpeningError::HandsOutOfRange(1)),
        (
            OpeningSetup { hands: hands(&["7H", "8H", "9H", "10H", "JH"]), ..none() },
            OpeningError::HandsOutOfRange(5),
        ),
        (
            OpeningSetup { hands: hands(&["7H 8H", "9H"]), ..none() },
            OpeningError::CardCount { seat: TWO, found: 1, wanted: 2 },
        ),
        (
            OpeningSetup { hand_size: Some(1), hands: hands(&["7H 8H", "9H"]), ..none() },
            OpeningError::CardCount { seat: ONE, found: 2, wanted: 1 },
        ),
        (
            OpeningSetup { hand_size: Some(1), hands: hands(&["2D", fourteen]), ..none() },
            OpeningError::CardsOutOfRange { seat: TWO, found: 14 },
        ),
        (
            OpeningSetup { hands: hands(&["7H 8H", "9H 7H"]), ..none() },
            OpeningError::DuplicateCard { seat: TWO, index: 1, card: card("7H") },
        ),
    ] {
        let errors = Opening::try_from(&setup).expect_err("the opening is wrong");
        assert_eq!(errors, [wanted], "{setup:?}");
    }
}

/// Whoever reads a card says what is wrong with it.
#[test]
fn what_could_not_be_read_is_refused_without_a_second_reason() {
    let hands = vec![vec![Some(card("7H"))], vec![None]];
    let opening = OpeningSetup { hands, ..OpeningSetup::default() };
    assert_eq!(Opening::try_from(&opening).err(), Some(vec![]));
    let whole = setup(RoyalMatch::parse("rm:vH:7H;0/8H;0").expect("the state is a match").table());
    let mut unread = whole.clone();
    unread.players[0].hand[0] = None;
    assert_eq!(RoyalMatch::try_from(&unread), Err(vec![]));
    assert_eq!(RoyalMatch::try_from(&Setup { dominant: None, ..whole }), Err(vec![]));
}
