//! `RoyalMatch`, written from its document: the comparison is the function of the document, and its four hierarchies are
//! tables. Suits, decisions and results are the words of the clauses. Players count from 0. Only the conversions at the end
//! use the crate.

use arbiter_games::royal_match::{
    Card as CrateCard, Decision, Diagram, Ending, Order as CrateOrder, Ordering, Outcome as CrateOutcome,
    Suit, Trick as CrateTrick, View,
};

/// A card (RM-1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Card {
    pub suit: &'static str,
    pub numeric_value: i32,
}

/// The four hierarchies of the document, each from the strong suit to the weak suit.
pub const HIERARCHIES: [[&str; 4]; 4] = [
    ["hearts", "diamonds", "clubs", "spades"],
    ["diamonds", "hearts", "spades", "clubs"],
    ["clubs", "spades", "hearts", "diamonds"],
    ["spades", "clubs", "diamonds", "hearts"],
];

/// The suits from the strong suit to the weak suit.
fn hierarchy(dominant_color: &str) -> [&'static str; 4] {
    HIERARCHIES.into_iter().find(|suits| suits[0] == dominant_color).expect("each suit can be strong")
}

fn opposite_color(suit: &str) -> &'static str {
    match suit {
        "hearts" => "spades",
        "spades" => "hearts",
        "diamonds" => "clubs",
        _ => "diamonds",
    }
}

fn is_red_suit(suit: &str) -> bool {
    suit == "hearts" || suit == "diamonds"
}

/// The function `compareCards` of the document, line by line: 1 if the first card wins, -1 if the second wins. It never
/// returns 0.
pub fn compare_cards(card1: Card, card2: Card, dominant_color: &str) -> i32 {
    if card1.numeric_value != card2.numeric_value {
        return if card1.numeric_value > card2.numeric_value { 1 } else { -1 };
    }

    let weak_color = opposite_color(dominant_color);
    if card1.suit == dominant_color {
        return 1;
    }
    if card2.suit == dominant_color {
        return -1;
    }

    if card1.suit == weak_color {
        return -1;
    }
    if card2.suit == weak_color {
        return 1;
    }

    let is_dominant_red = is_red_suit(dominant_color);
    let is_card1_red = is_red_suit(card1.suit);
    if is_card1_red == is_dominant_red { 1 } else { -1 }
}

/// RM-6: the hierarchy first, then the value. Like `compare_cards`, it never returns 0.
pub fn compare_suit_then_value(card1: Card, card2: Card, dominant_color: &str) -> i32 {
    let place = |card: Card| hierarchy(dominant_color).iter().position(|&suit| suit == card.suit);
    let wins = if card1.suit == card2.suit {
        card1.numeric_value > card2.numeric_value
    } else {
        place(card1) < place(card2)
    };
    if wins { 1 } else { -1 }
}

/// How cards are compared (RM-3, RM-6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    pub ordering: &'static str,
    pub dominant: &'static str,
}

impl Order {
    /// 1, -1, or 0 for the same card (RM-4).
    pub fn compare(self, card1: Card, card2: Card) -> i32 {
        if card1 == card2 {
            0
        } else if self.ordering == "SUIT_THEN_VALUE" {
            compare_suit_then_value(card1, card2, self.dominant)
        } else {
            compare_cards(card1, card2, self.dominant)
        }
    }

    /// RM-5: the clause that decides, by the positions of the suits in the hierarchy.
    pub fn decision(self, card1: Card, card2: Card) -> &'static str {
        let [strong, .., weak] = hierarchy(self.dominant);
        let is_one = |suit| card1.suit == suit || card2.suit == suit;
        let (same_suit, same_value) = (card1.suit == card2.suit, card1.numeric_value == card2.numeric_value);
        let by_value =
            if self.ordering == "SUIT_THEN_VALUE" { same_suit && !same_value } else { !same_value };
        if by_value {
            "HIGHER_VALUE"
        } else if same_suit {
            "EQUAL"
        } else if is_one(strong) {
            "STRONG_SUIT"
        } else if is_one(weak) {
            "WEAK_SUIT"
        } else {
            "NEUTRAL_COLOUR"
        }
    }
}

/// One player of a match (RM-7).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Player {
    pub hand: Vec<Card>,
    pub played: Option<Card>,
    pub tricks: u32,
}

/// A taken trick: the player, the card, and the comparison of each card with the next weaker one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trick {
    pub player: usize,
    pub card: Card,
    pub comparisons: Vec<(Card, Card, &'static str)>,
}

/// The outcome of a match so far. `best` is empty while it is in progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub result: &'static str,
    pub best: Vec<usize>,
    pub tricks: Vec<u32>,
}

/// A hand as one player sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hand {
    Seen(Vec<Card>),
    Hidden(usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Match {
    pub order: Order,
    pub players: Vec<Player>,
}

impl Match {
    /// The legal moves of all players who have not played in this trick.
    pub fn moves(&self) -> Vec<(usize, Card)> {
        let mut moves = Vec::new();
        for (index, player) in self.players.iter().enumerate() {
            if player.played.is_none() {
                moves.extend(player.hand.iter().map(|&card| (index, card)));
            }
        }
        moves
    }

    /// Plays a card and returns the trick if it is complete. Returns none if the move is illegal.
    pub fn play(&mut self, player: usize, card: Card) -> Option<Vec<Trick>> {
        if !self.moves().contains(&(player, card)) {
            return None;
        }
        self.players[player].hand.retain(|&other| other != card);
        self.players[player].played = Some(card);
        Some(self.take_trick().into_iter().collect())
    }

    /// Resolves the trick if it is complete: the card that beats all others takes it.
    pub fn take_trick(&mut self) -> Option<Trick> {
        let cards: Vec<Card> = self.players.iter().filter_map(|player| player.played).collect();
        if cards.len() < self.players.len() {
            return None;
        }
        let beaten_by =
            |card: Card| cards.iter().filter(|&&other| self.order.compare(card, other) > 0).count();
        // The strongest of n cards beats n - 1 of them, the next one n - 2, and the weakest none.
        let ranking: Vec<Card> = (0..cards.len())
            .rev()
            .filter_map(|count| cards.iter().copied().find(|&card| beaten_by(card) == count))
            .collect();
        let comparisons = ranking
            .windows(2)
            .map(|pair| (pair[0], pair[1], self.order.decision(pair[0], pair[1])))
            .collect();
        let card = ranking[0];
        let player = self.players.iter().position(|player| player.played == Some(card))?;
        for player in &mut self.players {
            player.played = None;
        }
        self.players[player].tricks += 1;
        Some(Trick { player, card, comparisons })
    }

    pub fn outcome(&self) -> Outcome {
        let tricks: Vec<u32> = self.players.iter().map(|player| player.tricks).collect();
        let in_progress =
            self.players.iter().any(|player| !player.hand.is_empty() || player.played.is_some());
        let has_most = |&player: &usize| tricks.iter().all(|&other| other <= tricks[player]);
        let best: Vec<usize> =
            if in_progress { Vec::new() } else { (0..tricks.len()).filter(has_most).collect() };
        let result = match best.len() {
            0 => "IN_PROGRESS",
            1 => "WINNER_DETERMINED",
            _ => "DRAW",
        };
        Outcome { result, best, tricks }
    }

    /// The hands as one of the players sees them.
    pub fn view(&self, viewer: usize) -> Vec<Hand> {
        let hands = self.players.iter().map(|player| &player.hand).enumerate();
        hands
            .map(
                |(index, hand)| {
                    if index == viewer { Hand::Seen(hand.clone()) } else { Hand::Hidden(hand.len()) }
                },
            )
            .collect()
    }
}

// Conversions of the types of the crate.

impl From<&Diagram> for Match {
    fn from(diagram: &Diagram) -> Self {
        let players = diagram.seats().iter().map(|seat| Player {
            hand: cards(&seat.hand),
            played: seat.played.map(Card::from),
            tricks: seat.tricks.into(),
        });
        Self { order: diagram.order().into(), players: players.collect() }
    }
}

impl From<CrateOrder> for Order {
    fn from(order: CrateOrder) -> Self {
        let ordering = match order.ordering {
            Ordering::ValueThenSuit => "VALUE_THEN_SUIT",
            Ordering::SuitThenValue => "SUIT_THEN_VALUE",
        };
        Self { ordering, dominant: suit_name(order.dominant) }
    }
}

impl From<CrateCard> for Card {
    fn from(card: CrateCard) -> Self {
        Self { suit: suit_name(card.suit()), numeric_value: card.value().into() }
    }
}

impl From<&CrateTrick> for Trick {
    fn from(trick: &CrateTrick) -> Self {
        let comparisons = trick.comparisons.iter().map(|comparison| {
            (comparison.stronger.into(), comparison.weaker.into(), decision_name(comparison.decision))
        });
        Self { player: trick.player.index(), card: trick.card.into(), comparisons: comparisons.collect() }
    }
}

impl From<&CrateOutcome> for Outcome {
    fn from(outcome: &CrateOutcome) -> Self {
        let (result, best) = match &outcome.ending {
            None => ("IN_PROGRESS", vec![]),
            Some(Ending::Won { winner }) => ("WINNER_DETERMINED", vec![winner.index()]),
            Some(Ending::Draw { between }) => ("DRAW", between.iter().map(|player| player.index()).collect()),
        };
        Self { result, best, tricks: outcome.tricks.clone() }
    }
}

/// The hands of a view. A hand that is marked as hidden but has cards counts as seen.
pub fn hands_of(view: &View) -> Vec<Hand> {
    let seats = view.diagram().seats().iter();
    seats
        .map(|seat| match seat.hidden {
            Some(hidden) if seat.hand.is_empty() => Hand::Hidden(hidden.into()),
            _ => Hand::Seen(cards(&seat.hand)),
        })
        .collect()
}

fn cards(cards: &[CrateCard]) -> Vec<Card> {
    cards.iter().copied().map(Card::from).collect()
}

pub fn suit_name(suit: Suit) -> &'static str {
    match suit {
        Suit::Hearts => "hearts",
        Suit::Diamonds => "diamonds",
        Suit::Clubs => "clubs",
        Suit::Spades => "spades",
    }
}

pub fn decision_name(decision: Decision) -> &'static str {
    match decision {
        Decision::HigherValue => "HIGHER_VALUE",
        Decision::StrongSuit => "STRONG_SUIT",
        Decision::WeakSuit => "WEAK_SUIT",
        Decision::NeutralColour => "NEUTRAL_COLOUR",
        Decision::Equal => "EQUAL",
    }
}
