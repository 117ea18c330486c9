//! Triple Triad, written from its clauses: a grid of cards whose sides are compared one by one. Rules, elements and results
//! are the words of the clauses. Players are 0 and 1. Only the conversions at the end use the crate.

use std::collections::VecDeque;

use arbiter_games::{
    Player, Square as CrateSquare, StateOrView,
    triple_triad::{
        BasicCapture, Capture as CrateCapture, CaptureRule, Card as CrateCard, Diagram, Element, Ending,
        Outcome as CrateOutcome, Rule, Settlement as CrateSettlement, TradeRule, TripleTriad,
    },
};

/// Row and column of a square.
pub type Cell = (usize, usize);

/// The cells, row by row.
pub const CELLS: [Cell; 9] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)];

/// The sides of a card in the order of the clauses: top, right, bottom, left.
const SIDES: [usize; 4] = [0, 1, 2, 3];

fn opposite(side: usize) -> usize {
    (side + 2) % 4
}

/// The cell next to a side; none at the edge of the board.
fn beside((row, column): Cell, side: usize) -> Option<Cell> {
    let (row, column) = match side {
        0 => (row.checked_sub(1)?, column),
        1 => (row, column + 1),
        2 => (row + 1, column),
        _ => (row, column.checked_sub(1)?),
    };
    (row < 3 && column < 3).then_some((row, column))
}

/// A card (TT-1). The rules do not use its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Card {
    pub id: u32,
    pub ranks: [i32; 4],
    pub element: Option<&'static str>,
    pub level: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Square {
    pub element: Option<&'static str>,
    /// The card on the square, and its owner.
    pub card: Option<(Card, usize)>,
}

/// A captured card, with the explanation of TT-11.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capture {
    pub card: u32,
    pub cell: Cell,
    pub by: u32,
    pub by_cell: Cell,
    pub rules: Vec<&'static str>,
    /// The ranks of the capturing and of the captured card.
    pub ranks: (i32, i32),
    pub sum: Option<i32>,
    pub wave: u32,
}

/// The outcome of a game so far (TT-12, TT-13).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub result: &'static str,
    pub winner: Option<usize>,
    pub scores: [usize; 2],
    pub sudden_death_count: u32,
}

/// A hand as one player sees it (TT-15).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hand {
    Seen(Vec<u32>),
    Hidden(usize),
}

/// The result of a trade (TT-14): both collections, and each transferred card with its old owner, if any, and its new
/// owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement {
    pub collections: [Vec<u32>; 2],
    pub transfers: Vec<(u32, Option<usize>, usize)>,
}

#[derive(Clone, Debug)]
pub struct Game {
    /// The rules that are on, by their names in the clauses. `always` is the variant of TT-9.
    pub rules: Vec<&'static str>,
    pub sudden_death_limit: u32,
    pub trade_rule: &'static str,
    pub grid: Vec<Vec<Square>>,
    pub hands: [Vec<Card>; 2],
    pub player: usize,
    pub sudden_death_count: u32,
}

impl Game {
    fn has(&self, rule: &str) -> bool {
        self.rules.contains(&rule)
    }

    fn square(&self, (row, column): Cell) -> Square {
        self.grid[row][column]
    }

    /// The card on a cell, which must have one.
    fn card(&self, cell: Cell) -> Card {
        self.square(cell).card.expect("the cell has a card").0
    }

    /// The cell next to a side, if it has a card.
    fn neighbour(&self, cell: Cell, side: usize) -> Option<Cell> {
        beside(cell, side).filter(|&next| self.square(next).card.is_some())
    }

    fn is_of(&self, cell: Cell, player: usize) -> bool {
        self.square(cell).card.is_some_and(|(_, owner)| owner == player)
    }

    /// TT-4: the rank of a side as the element of the square changes it.
    fn effective(&self, cell: Cell, side: usize) -> i32 {
        let card = self.card(cell);
        match self.square(cell).element {
            Some(element) if self.has("elemental") && card.element == Some(element) => card.ranks[side] + 1,
            Some(_) if self.has("elemental") => card.ranks[side] - 1,
            _ => card.ranks[side],
        }
    }

    /// The two original ranks that touch at a side, if there is a card next to it.
    fn original_ranks(&self, cell: Cell, side: usize) -> Option<(i32, i32)> {
        let next = self.neighbour(cell, side)?;
        Some((self.card(cell).ranks[side], self.card(next).ranks[opposite(side)]))
    }

    /// TT-6 and TT-7: the name of the rule, and the sides that match.
    fn same(&self, placed: Cell) -> (&'static str, Vec<usize>) {
        let is_match =
            |&side: &usize| self.original_ranks(placed, side).is_some_and(|(rank, other)| rank == other);
        let is_wall = |&side: &usize| beside(placed, side).is_none() && self.card(placed).ranks[side] == 10;
        let matching: Vec<usize> = SIDES.into_iter().filter(is_match).collect();
        let walls = SIDES.into_iter().filter(is_wall).count();
        if self.has("same") && matching.len() >= 2 {
            ("SAME", matching)
        } else if self.has("same") && self.has("same_wall") && matching.len() + walls >= 2 {
            ("SAME_WALL", matching)
        } else {
            ("none", Vec::new())
        }
    }

    /// TT-8: the sides with the same sum as another side.
    fn plus(&self, placed: Cell) -> Vec<usize> {
        let sum = |side| self.original_ranks(placed, side).map(|(rank, other)| rank + other);
        let is_doubled = |&side: &usize| {
            sum(side).is_some() && SIDES.iter().any(|&another| another != side && sum(another) == sum(side))
        };
        if self.has("plus") { SIDES.into_iter().filter(is_doubled).collect() } else { Vec::new() }
    }

    /// TT-5: what a card of the player takes by strictly greater effective ranks.
    fn basic(&self, by: Cell, player: usize, rule: &'static str, wave: u32) -> Vec<Capture> {
        let mut captures = Vec::new();
        for side in SIDES {
            let Some(cell) = self.neighbour(by, side).filter(|&cell| self.is_of(cell, 1 - player)) else {
                continue;
            };
            let ranks = (self.effective(by, side), self.effective(cell, opposite(side)));
            if ranks.0 > ranks.1 {
                captures.push(self.capture(by, cell, vec![rule], ranks, wave));
            }
        }
        captures
    }

    fn capture(
        &self,
        by_cell: Cell,
        cell: Cell,
        rules: Vec<&'static str>,
        ranks: (i32, i32),
        wave: u32,
    ) -> Capture {
        let sum = rules.contains(&"PLUS").then_some(ranks.0 + ranks.1);
        Capture {
            card: self.card(cell).id,
            cell,
            by: self.card(by_cell).id,
            by_cell,
            rules,
            ranks,
            sum,
            wave,
        }
    }

    /// TT-5 to TT-11: everything that a just placed card takes, in the order of the report.
    pub fn captures(&self, placed: Cell) -> Vec<Capture> {
        let (_, player) = self.square(placed).card.expect("a card has been placed");
        let (same_name, same) = self.same(placed);
        let plus = self.plus(placed);
        let mut captures: Vec<Capture> = Vec::new();
        for side in SIDES {
            let mut rules = Vec::new();
            if same.contains(&side) {
                rules.push(same_name);
            }
            if plus.contains(&side) {
                rules.push("PLUS");
            }
            if let (Some(cell), Some(ranks)) = (beside(placed, side), self.original_ranks(placed, side))
                && self.is_of(cell, 1 - player)
                && !rules.is_empty()
            {
                captures.push(self.capture(placed, cell, rules, ranks, 0));
            }
        }

        // TT-10: captures of the placed card by the basic rule are not queued.
        let mut queue: VecDeque<(Cell, u32)> = captures.iter().map(|capture| (capture.cell, 0)).collect();
        if captures.is_empty() || self.has("always") {
            for capture in self.basic(placed, player, "BASIC", 0) {
                if captures.iter().all(|earlier| earlier.cell != capture.cell) {
                    captures.push(capture);
                }
            }
        }
        while let Some((by, wave)) = queue.pop_front().filter(|_| self.has("combo")) {
            for capture in self.basic(by, player, "COMBO", wave + 1) {
                if captures.iter().all(|earlier| earlier.cell != capture.cell) {
                    queue.push_back((capture.cell, wave + 1));
                    captures.push(capture);
                }
            }
        }
        captures
    }

    fn is_over(&self) -> bool {
        CELLS.iter().all(|&cell| self.square(cell).card.is_some())
    }

    /// TT-3: every card of the player's hand on every empty cell.
    pub fn moves(&self) -> Vec<(u32, Cell)> {
        let mut moves = Vec::new();
        if !self.is_over() {
            for card in &self.hands[self.player] {
                let empty = CELLS.into_iter().filter(|&cell| self.square(cell).card.is_none());
                moves.extend(empty.map(|cell| (card.id, cell)));
            }
        }
        moves
    }

    /// Places a card, and changes the owners of the captured cards at the end (TT-11). Returns none if the move is
    /// illegal.
    pub fn play(&mut self, id: u32, placed: Cell) -> Option<Vec<Capture>> {
        if !self.moves().contains(&(id, placed)) {
            return None;
        }
        let hand = &mut self.hands[self.player];
        let card = hand.remove(hand.iter().position(|card| card.id == id)?);
        self.grid[placed.0][placed.1].card = Some((card, self.player));
        let captures = self.captures(placed);
        for capture in &captures {
            let (row, column) = capture.cell;
            self.grid[row][column].card = Some((self.card(capture.cell), self.player));
        }
        self.player = 1 - self.player;
        Some(captures)
    }

    /// The cards of a player on the board, row by row.
    fn controlled(&self, player: usize) -> Vec<Card> {
        let theirs = CELLS.into_iter().filter(|&cell| self.is_of(cell, player));
        theirs.map(|cell| self.card(cell)).collect()
    }

    /// TT-12 and TT-13.
    pub fn outcome(&self) -> Outcome {
        let scores = [0, 1].map(|player| self.controlled(player).len() + self.hands[player].len());
        let count = self.sudden_death_count;
        let (result, winner, sudden_death_count) = if !self.is_over() {
            ("IN_PROGRESS", None, count)
        } else if scores[0] > scores[1] {
            ("WINNER_DETERMINED", Some(0), 0)
        } else if scores[1] > scores[0] {
            ("WINNER_DETERMINED", Some(1), 0)
        } else if !self.has("sudden_death") {
            ("DRAW", None, count)
        } else if count + 1 < self.sudden_death_limit {
            ("SUDDEN_DEATH_CONTINUE", None, count + 1)
        } else {
            ("FINAL_DRAW", None, count + 1)
        };
        Outcome { result, winner, scores, sudden_death_count }
    }

    /// TT-13: the hands of the next round.
    pub fn next_hands(&self) -> [Vec<Card>; 2] {
        [0, 1].map(|player| [self.controlled(player), self.hands[player].clone()].concat())
    }

    /// TT-14: the result of the trade; none if the picks are invalid or the game has no winner.
    pub fn trade(&self, mut collections: [Vec<Card>; 2], picks: &[u32]) -> Option<Settlement> {
        let Outcome { winner, scores, .. } = self.outcome();
        let winner = winner?;
        let loser = 1 - winner;
        let mut best = collections[loser].clone();
        best.sort_by(|a, b| {
            let sum = |card: &Card| card.ranks.iter().sum::<i32>();
            b.level.cmp(&a.level).then(sum(b).cmp(&sum(a))).then(a.id.cmp(&b.id))
        });
        let number = match self.trade_rule {
            "ONE" => 1,
            "DIFF" => scores[winner] - scores[loser],
            _ => 0,
        };
        best.truncate(number);
        if !picks.is_empty() {
            let is_unknown = |id: &u32| collections[loser].iter().all(|card| card.id != *id);
            let is_duplicate = |id: &u32| picks.iter().filter(|other| *other == id).count() > 1;
            if picks.len() != best.len() || picks.iter().any(is_unknown) || picks.iter().any(is_duplicate) {
                return None;
            }
            best = picks
                .iter()
                .filter_map(|id| collections[loser].iter().find(|card| card.id == *id).copied())
                .collect();
        }
        let moving: Vec<(Card, usize)> = match self.trade_rule {
            "DIRECT" => CELLS.iter().filter_map(|&cell| self.square(cell).card).collect(),
            "ALL" => collections[loser].iter().map(|&card| (card, winner)).collect(),
            _ => best.into_iter().map(|card| (card, winner)).collect(),
        };
        let mut transfers = Vec::new();
        for (card, to) in moving {
            let from = [0, 1].into_iter().find(|&player| collections[player].contains(&card));
            if from != Some(to) {
                collections[1 - to].retain(|other| *other != card);
                collections[to].push(card);
                transfers.push((card.id, from, to));
            }
        }
        let collections = collections.map(|cards| cards.iter().map(|card| card.id).collect());
        Some(Settlement { collections, transfers })
    }

    /// TT-15: both hands as one player sees them.
    pub fn view(&self, viewer: usize) -> [Hand; 2] {
        [0, 1].map(|player| {
            let hand = &self.hands[player];
            if self.has("open") || player == viewer {
                Hand::Seen(hand.iter().map(|card| card.id).collect())
            } else {
                Hand::Hidden(hand.len())
            }
        })
    }
}

// Conversions of the types of the crate.

impl From<&Diagram> for Game {
    fn from(diagram: &Diagram) -> Self {
        let rules = diagram.rules;
        let mut names: Vec<_> =
            Rule::ALL.into_iter().filter(|&rule| rules.has(rule)).map(rule_name).collect();
        if rules.basic_capture() == BasicCapture::Always {
            names.push("always");
        }
        let square = |&(element, card): &(Option<Element>, Option<(CrateCard, Player)>)| Square {
            element: element.map(element_name),
            card: card.map(|(card, owner)| (Card::from(&card), owner as usize)),
        };
        Self {
            rules: names,
            sudden_death_limit: rules.sudden_death_limit().into(),
            trade_rule: trade_name(rules.trade()),
            grid: diagram.squares.chunks(3).map(|row| row.iter().map(square).collect()).collect(),
            hands: diagram.hands.each_ref().map(|hand| hand.iter().map(Card::from).collect()),
            player: diagram.next_player.map_or(0, |player| player as usize),
            sudden_death_count: diagram.drawn_rounds.into(),
        }
    }
}

impl From<&CrateCard> for Card {
    fn from(card: &CrateCard) -> Self {
        Self {
            id: card.id(),
            ranks: card.ranks().each().map(i32::from),
            element: card.element().map(element_name),
            level: card.level().into(),
        }
    }
}

impl From<&CrateCapture> for Capture {
    fn from(capture: &CrateCapture) -> Self {
        Self {
            card: capture.card.id(),
            cell: cell(capture.square),
            by: capture.by.id(),
            by_cell: cell(capture.by_square),
            rules: capture.rules.each().map(capture_name).collect(),
            ranks: (capture.rank.into(), capture.taken_rank.into()),
            sum: capture.sum().map(i32::from),
            wave: capture.wave.into(),
        }
    }
}

impl From<&CrateOutcome> for Outcome {
    fn from(outcome: &CrateOutcome) -> Self {
        let (result, winner) = match outcome.ending {
            None => ("IN_PROGRESS", None),
            Some(Ending::Won { winner }) => ("WINNER_DETERMINED", Some(winner as usize)),
            Some(Ending::Draw) => ("DRAW", None),
            Some(Ending::SuddenDeath) => ("SUDDEN_DEATH_CONTINUE", None),
            Some(Ending::FinalDraw) => ("FINAL_DRAW", None),
        };
        let scores = outcome.scores.map(|score| score as usize);
        Self { result, winner, scores, sudden_death_count: outcome.drawn_rounds.into() }
    }
}

impl From<&CrateSettlement> for Settlement {
    fn from(settlement: &CrateSettlement) -> Self {
        let transfers = settlement.transfers.iter().map(|transfer| {
            (transfer.card.id(), transfer.from.map(|player| player as usize), transfer.to as usize)
        });
        let collections = settlement.collections.each_ref();
        Self {
            collections: collections.map(|cards| cards.iter().map(CrateCard::id).collect()),
            transfers: transfers.collect(),
        }
    }
}

/// The hands of a state or view. A hand that is marked as hidden but has cards counts as seen.
pub fn hands_of(known: &StateOrView<TripleTriad>) -> [Hand; 2] {
    let diagram = match known {
        StateOrView::State(game) => game.diagram(),
        StateOrView::View(view) => view.diagram().clone(),
    };
    Player::ALL.map(|player| {
        let shown = &diagram.hands[player as usize];
        match diagram.hidden {
            Some(hidden) if hidden.viewer != player && shown.is_empty() => {
                Hand::Hidden(hidden.cards as usize)
            }
            _ => Hand::Seen(shown.iter().map(CrateCard::id).collect()),
        }
    })
}

pub fn cell(square: CrateSquare) -> Cell {
    (square.row as usize, square.column as usize)
}

pub fn square((row, column): Cell) -> CrateSquare {
    CrateSquare { row: row as u32, column: column as u32 }
}

fn element_name(element: Element) -> &'static str {
    ["fire", "ice", "thunder", "earth", "poison", "wind", "water", "holy"][element as usize]
}

fn rule_name(rule: Rule) -> &'static str {
    match rule {
        Rule::Open => "open",
        Rule::Random => "random",
        Rule::Elemental => "elemental",
        Rule::Same => "same",
        Rule::SameWall => "same_wall",
        Rule::Plus => "plus",
        Rule::Combo => "combo",
        Rule::SuddenDeath => "sudden_death",
    }
}

fn trade_name(rule: TradeRule) -> &'static str {
    match rule {
        TradeRule::None => "NONE",
        TradeRule::One => "ONE",
        TradeRule::Diff => "DIFF",
        TradeRule::Direct => "DIRECT",
        TradeRule::All => "ALL",
    }
}

fn capture_name(rule: CaptureRule) -> &'static str {
    match rule {
        CaptureRule::Basic => "BASIC",
        CaptureRule::Same => "SAME",
        CaptureRule::SameWall => "SAME_WALL",
        CaptureRule::Plus => "PLUS",
        CaptureRule::Combo => "COMBO",
    }
}
