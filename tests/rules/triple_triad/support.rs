//! Helpers for the tests of Triple Triad: games made by proptest, and random boards made by the generator of the crate. Both
//! have fixed seeds, so every run makes the same choices.

use std::fmt;

use proptest::{
    array::uniform9,
    collection::vec,
    option,
    prelude::*,
    sample::{Index, select, subsequence},
    test_runner::{Config, RngSeed},
};

use crate::{
    chance::{one_in, pick},
    naive::triple_triad::{self as plain, CELLS, Cell, square},
};
use arbiter_games::{
    Chance, Game, Player, Square,
    triple_triad::{
        Arrival, BasicCapture, CATALOGUE, Capture, Card, Diagram, Element, Move, Opening, OpeningSetup, Rule,
        Rules, TradeRule, TripleTriad,
    },
};

pub const TRADES: [TradeRule; 5] =
    [TradeRule::None, TradeRule::One, TradeRule::Diff, TradeRule::Direct, TradeRule::All];

pub fn config() -> Config {
    Config { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(15), ..Config::default() }
}

/// The rules with these letters in the notation.
pub fn rules(letters: &str) -> Rules {
    Diagram::parse(&format!("tt:{letters}:-,-,-/-,-,-/-,-,-")).expect("the rules are valid").rules
}

pub fn any_rules() -> impl Strategy<Value = Rules> {
    let on = subsequence(Rule::ALL.to_vec(), 0..=Rule::ALL.len());
    let basic_capture = select(vec![BasicCapture::Fallback, BasicCapture::Always]);
    let limit = prop_oneof![Just(5), 1..=1000u32];
    (on, basic_capture, select(TRADES.to_vec()), limit).prop_map(|(on, basic_capture, trade, limit)| {
        let rules = Rules::DEFAULT.with_all(on).with_basic_capture(basic_capture).with_trade(trade);
        rules.with_sudden_death_limit(limit).expect("the limit is in range")
    })
}

pub fn any_player() -> impl Strategy<Value = Player> {
    select(Player::ALL.to_vec())
}

pub fn any_element() -> impl Strategy<Value = Element> {
    select(Element::ALL.to_vec())
}

/// Cards with different ids: cards of the catalogue with any id, and custom cards with any printable name.
pub fn any_cards(count: usize) -> impl Strategy<Value = Vec<Card>> {
    let ids: Vec<u32> = (1..=40).chain([54, 109, 110, 111, 1 << 31, u32::MAX]).collect();
    let ids = subsequence(ids, count).prop_shuffle();
    let known = select(CATALOGUE.to_vec()).prop_map(|card| {
        let name = card.name().to_owned();
        (card.ranks().each().map(u32::from), card.element(), u32::from(card.level()), name)
    });
    let custom = (
        [1..=10u32, 1..=10u32, 1..=10u32, 1..=10u32],
        option::of(any_element()),
        1..=10u32,
        prop_oneof![Just(String::new()), "[ -~]{0,32}", "[^\\pC\\p{Zl}\\p{Zp}]{0,8}"],
    );
    (ids, vec(prop_oneof![known, custom], count)).prop_map(|(ids, cards)| {
        let card = |(id, (ranks, element, level, name)): (_, (_, _, _, String))| {
            Card::new(id, ranks, element, level, &name).expect("the card is valid")
        };
        ids.into_iter().zip(cards).map(card).collect()
    })
}

/// An opening with the first ten cards as the two hands.
pub fn with_hands(cards: &[Card]) -> OpeningSetup {
    OpeningSetup { hands: [all(&cards[..5]), all(&cards[5..10])], ..OpeningSetup::default() }
}

pub fn all(cards: &[Card]) -> Vec<Option<Card>> {
    cards.iter().copied().map(Some).collect()
}

/// The squares with an element, in the form of an opening.
pub fn elemental_squares(elements: &[Option<Element>; 9]) -> Vec<(Option<Square>, Option<Element>)> {
    let elements = elements.iter().enumerate().filter(|(_, element)| element.is_some());
    elements.map(|(index, element)| (Some(square((index / 3, index % 3))), *element)).collect()
}

pub fn start(rules: Rules, setup: &OpeningSetup, seed: u64) -> TripleTriad {
    TripleTriad::new(rules, Opening::try_from(setup).expect("the opening is valid"), seed)
}

/// The game of a diagram, which must be a position.
pub fn game(diagram: &Diagram) -> TripleTriad {
    crate::parse_state::<TripleTriad>(&diagram.notation()).expect("the diagram is a game")
}

pub fn naive(game: &TripleTriad) -> plain::Game {
    (&game.diagram()).into()
}

pub fn ids<'a>(cards: impl IntoIterator<Item = &'a Card>) -> Vec<u32> {
    cards.into_iter().map(Card::id).collect()
}

pub fn sorted(mut ids: Vec<u32>) -> Vec<u32> {
    ids.sort_unstable();
    ids
}

pub fn ids_on_board(diagram: &Diagram) -> Vec<u32> {
    diagram.squares.iter().filter_map(|(_, card)| card.map(|(card, _)| card.id())).collect()
}

/// A game that can be played: where it starts, its moves, and fifteen cards that are not in it.
#[derive(Clone, Debug)]
pub struct Record {
    pub start: TripleTriad,
    pub moves: Vec<Move>,
    pub others: Vec<Card>,
}

impl Record {
    /// Plays one of the legal moves for each choice, until the game is over.
    pub fn new(start: &TripleTriad, choices: &[Index], others: &[Card]) -> Self {
        let mut game = *start;
        let moves = choices.iter().map_while(|choice| {
            let legal = game.legal_moves();
            let mv = (!legal.is_empty()).then(|| *choice.get(&legal))?;
            game.play(&mv).ok().map(|_| mv)
        });
        Self { start: *start, moves: moves.collect(), others: others.to_vec() }
    }

    /// Every state of the game, from the empty board on.
    pub fn states(&self) -> Vec<TripleTriad> {
        let mut states = vec![self.start];
        for mv in &self.moves {
            let mut next = states[states.len() - 1];
            next.play(mv).expect("the move is legal");
            states.push(next);
        }
        states
    }
}

pub fn any_record() -> impl Strategy<Value = Record> {
    let elements = option::of(uniform9(option::of(any_element())));
    (any_rules(), any_cards(25), option::of(any_player()), elements, any::<u64>(), vec(any::<Index>(), 0..=9))
        .prop_map(|(rules, cards, first_player, elements, seed, choices)| {
            let elements = elements.as_ref().map(elemental_squares);
            let start = start(rules, &OpeningSetup { first_player, elements, ..with_hands(&cards) }, seed);
            Record::new(&start, &choices, &cards[10..])
        })
}

/// A state after nine placements, and fifteen cards that are not in it. The player with a card left in the hand owns this
/// many squares: with four, the scores are equal.
pub fn any_end(squares: impl Strategy<Value = usize>) -> impl Strategy<Value = (TripleTriad, Vec<Card>)> {
    let order = Just((0..9usize).collect::<Vec<_>>()).prop_shuffle();
    let drawn_rounds = prop_oneof![0..=5u16, 0..=1000u16];
    (any_rules(), any_cards(25), any_player(), squares, order, drawn_rounds).prop_map(
        |(rules, cards, player, squares, order, drawn_rounds)| {
            let mut hands = [Vec::new(), Vec::new()];
            hands[player as usize].push(cards[9]);
            let owner = |square| if order[square] < squares { player } else { player.other() };
            let squares = std::array::from_fn(|square| (None, Some((cards[square], owner(square)))));
            let drawn_rounds =
                if rules.has(Rule::SuddenDeath) { drawn_rounds % rules.sudden_death_limit() } else { 0 };
            let next_player = Some(player);
            let end = Diagram { rules, squares, hands, next_player, drawn_rounds, hidden: None };
            (game(&end), cards[10..].to_vec())
        },
    )
}

/// A board, and the cell of the card that was just placed.
#[derive(Clone, Debug)]
pub struct Turn {
    pub diagram: Diagram,
    pub placed: Cell,
}

impl Turn {
    pub fn resolve(&self) -> (Vec<Capture>, Diagram) {
        let arrival = Arrival::new(self.diagram.clone(), square(self.placed)).expect("there is a card");
        let (captures, after) = TripleTriad::resolve_captures(arrival);
        (captures, after.diagram().clone())
    }

    pub fn card_at(&self, (row, column): Cell) -> Option<(Card, Player)> {
        self.diagram.squares[3 * row + column].1
    }

    pub fn player(&self) -> Player {
        self.card_at(self.placed).expect("there is a card").1
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} and a card has arrived on {}", self.diagram.notation(), square(self.placed))
    }
}

/// Random rules that captures depend on, each more often on than off.
pub fn random_rules(chance: &mut Chance) -> Rules {
    let every = [Rule::Elemental, Rule::Same, Rule::SameWall, Rule::Plus, Rule::Combo, Rule::SuddenDeath];
    let on = every.into_iter().filter(|_| !one_in(chance, 4));
    let rules = Rules::DEFAULT.with_all(on);
    rules.with_basic_capture(pick(chance, &[BasicCapture::Fallback, BasicCapture::Always]))
}

/// Cards with ids from 1. Most have few different ranks, so that Same, Plus and Combo are frequent.
pub fn random_cards<const COUNT: usize>(chance: &mut Chance) -> [Card; COUNT] {
    let (min, max) = pick(chance, &[(1, 2), (1, 3), (2, 5), (9, 10), (8, 10), (1, 10)]);
    std::array::from_fn(|index| {
        let ranks = [(); 4].map(|()| min + chance.below(max - min + 1));
        let element = random_element(chance);
        Card::new(index as u32 + 1, ranks, element, 1, "").expect("the card is valid")
    })
}

/// No element, or one of three, so that a card and its square often match.
pub fn random_element(chance: &mut Chance) -> Option<Element> {
    pick(chance, &[None, None, Some(Element::Fire), Some(Element::Water), Some(Element::Holy)])
}

pub fn random_turn(chance: &mut Chance) -> Turn {
    let rules = random_rules(chance);
    let cards: [Card; 9] = random_cards(chance);
    let (placed, player) = (pick(chance, &CELLS), pick(chance, &Player::ALL));
    let (empty, own) = (2 + chance.below(6), 2 + chance.below(6));
    let squares = std::array::from_fn(|index| {
        let element = random_element(chance);
        if CELLS[index] == placed {
            (element, Some((cards[index], player)))
        } else if one_in(chance, empty) {
            (element, None)
        } else {
            let owner = if one_in(chance, own) { player } else { player.other() };
            (element, Some((cards[index], owner)))
        }
    });
    let hands = [vec![], vec![]];
    let diagram = Diagram { rules, squares, hands, next_player: None, drawn_rounds: 0, hidden: None };
    Turn { diagram, placed }
}
