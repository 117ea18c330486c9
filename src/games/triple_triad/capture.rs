//! What a placed card takes (TT-5 to TT-11).

use std::fmt;

use super::{
    Card,
    board::{
        Board, Sides, Squares, Touching, equal_sides, greater_sides, neighbour, sides_facing, square_at,
        squares_on, walls,
    },
    card::{Ranks, Side},
    rules::{BasicCapture, Rule, Rules},
};
use crate::Square;

/// A rule that captures cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaptureRule {
    /// A higher rank (TT-5).
    Basic,
    /// Equal ranks on two sides or more (TT-6).
    Same,
    /// Same with the help of the edge of the board (TT-7).
    SameWall,
    /// Equal sums of ranks on two sides or more (TT-8).
    Plus,
    /// A higher rank of a card that was itself captured (TT-10).
    Combo,
}

impl CaptureRule {
    /// All rules, in the order in which they are reported.
    pub const ALL: [Self; 5] = [Self::Basic, Self::Same, Self::SameWall, Self::Plus, Self::Combo];
}

impl fmt::Display for CaptureRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Basic => "the basic rule",
            Self::Same => "Same",
            Self::SameWall => "Same Wall",
            Self::Plus => "Plus",
            Self::Combo => "Combo",
        })
    }
}

/// The rules that capture one card: one of them, or Same and Plus together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CaptureRules(u8);

impl CaptureRules {
    const fn only(rule: CaptureRule) -> Self {
        Self(1 << rule as u8)
    }

    const fn and(self, rule: CaptureRule) -> Self {
        Self(self.0 | Self::only(rule).0)
    }

    /// Whether a rule is in the set.
    pub const fn has(self, rule: CaptureRule) -> bool {
        self.0 & Self::only(rule).0 != 0
    }

    /// The rules of the set, in the order of [`CaptureRule::ALL`].
    pub fn each(self) -> impl Iterator<Item = CaptureRule> {
        CaptureRule::ALL.into_iter().filter(move |&rule| self.has(rule))
    }
}

/// A captured card, by the index of its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_field_names, reason = "the names are those of Capture")]
pub(super) struct Taken {
    pub square: usize,
    pub by: usize,
    pub rules: CaptureRules,
    pub rank: u8,
    pub taken_rank: u8,
    pub wave: u8,
}

/// A captured card, with its explanation (TT-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The captured card.
    pub card: Card,
    /// Its square.
    pub square: Square,
    /// The card that captures it.
    pub by: Card,
    /// The square of that card.
    pub by_square: Square,
    /// The rules that capture it.
    pub rules: CaptureRules,
    /// The touching rank of the capturing card, printed or effective as the rule compares them.
    pub rank: u8,
    /// The touching rank of the captured card, printed or effective as the rule compares them.
    pub taken_rank: u8,
    /// 0 for captures of the placed card, 1 and up for Combo.
    pub wave: u8,
}

impl Capture {
    /// The sum of the two ranks if Plus captures the card.
    pub fn sum(&self) -> Option<u8> {
        self.rules.has(CaptureRule::Plus).then_some(self.rank + self.taken_rank)
    }
}

impl fmt::Display for Capture {
    /// For players, such as `Ifrit takes Cactuar by Combo, 9 over 6, second wave`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WAVES: [&str; 9] =
            ["", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
        let Self { card, by, rank, taken_rank, .. } = self;
        write!(f, "{by} takes {card} by ")?;
        for (index, rule) in self.rules.each().enumerate() {
            let and = if index > 0 { " and " } else { "" };
            write!(f, "{and}{rule}")?;
        }
        if self.rules.has(CaptureRule::Basic) || self.rules.has(CaptureRule::Combo) {
            write!(f, ", {rank} over {taken_rank}")?;
        }
        if self.rules.has(CaptureRule::Same) || self.rules.has(CaptureRule::SameWall) {
            write!(f, ", {rank} = {taken_rank}")?;
        }
        if let Some(sum) = self.sum() {
            write!(f, ", {rank} + {taken_rank} = {sum}")?;
        }
        if self.wave > 0 {
            write!(f, ", {} wave", WAVES[usize::from(self.wave)])?;
        }
        Ok(())
    }
}

/// Finds everything that the card on a square takes, as if its owner had just placed it, and calls `report` with each
/// capture. Returns the squares of the captured cards. The board does not change.
#[inline(always)]
pub(super) fn resolve(board: &Board, rules: Rules, placed: usize, mut report: impl FnMut(Taken)) -> Squares {
    let foes = board.cards_of(board.owner(placed).other());
    let printed = board.printed(placed);
    let special = special(printed, rules, placed);
    let by_special = (special.same | special.plus) & sides_facing(placed, foes);
    for side in each_side(by_special) {
        let (rank, taken_rank) = printed.on(side);
        let square = neighbour(placed, side);
        report(Taken { square, by: placed, rules: special.rules(side), rank, taken_rank, wave: 0 });
    }
    let mut taken = squares_on(placed, by_special);
    if by_special == 0 || rules.basic_capture() == BasicCapture::Always {
        taken |= beaten(board, placed, foes & !taken, CaptureRule::Basic, 0, &mut report);
    }
    if by_special != 0 && rules.has(Rule::Combo) {
        taken |= combo(board, foes, taken, placed, by_special, &mut report);
    }
    taken
}

/// The sides on which Same and Plus match, with cards of either player.
#[derive(Clone, Copy)]
struct Special {
    same: Sides,
    plus: Sides,
    /// Whether Same needs a wall.
    wall: bool,
}

impl Special {
    /// The rules that match on a side.
    fn rules(self, side: Side) -> CaptureRules {
        let same = if self.wall { CaptureRule::SameWall } else { CaptureRule::Same };
        let has = |sides: Sides| sides & 1 << side as u8 != 0;
        match (has(self.same), has(self.plus)) {
            (true, true) => CaptureRules::only(same).and(CaptureRule::Plus),
            (true, false) => CaptureRules::only(same),
            (false, _) => CaptureRules::only(CaptureRule::Plus),
        }
    }
}

/// Where Same (TT-6, TT-7) and Plus (TT-8) match.
#[inline(always)]
fn special(printed: Touching, rules: Rules, placed: usize) -> Special {
    let mut special = Special { same: 0, plus: 0, wall: false };
    if rules.has(Rule::Same) {
        let equal = equal_sides(printed.own, printed.other);
        let mut walls_touched = 0;
        if rules.has(Rule::SameWall) {
            walls_touched = walls(placed) & equal_sides(printed.own, [Ranks::MAX; 4]);
        }
        special.wall = equal.count_ones() < 2;
        special.same = if (equal | walls_touched).count_ones() >= 2 { equal } else { 0 };
    }
    if rules.has(Rule::Plus) {
        let [top, right, bottom, left] = sums(printed);
        special.plus = equal_sides([top, right, bottom, left], [right, bottom, left, top])
            | equal_sides([top, right, bottom, left], [bottom, left, top, right])
            | equal_sides([top, right, bottom, left], [left, top, right, bottom]);
    }
    special
}

/// The sum of the touching ranks on each side. A side without a neighbour has a unique sum, so that it never matches.
#[inline(always)]
const fn sums(Touching { own, other }: Touching) -> [u8; 4] {
    [
        if other[0] == 0 { 0x80 } else { own[0] + other[0] },
        if other[1] == 0 { 0x81 } else { own[1] + other[1] },
        if other[2] == 0 { 0x82 } else { own[2] + other[2] },
        if other[3] == 0 { 0x83 } else { own[3] + other[3] },
    ]
}

/// The foes that a card beats by the basic rule (TT-5).
#[inline(always)]
fn beaten(
    board: &Board,
    by: usize,
    foes: Squares,
    rule: CaptureRule,
    wave: u8,
    report: &mut impl FnMut(Taken),
) -> Squares {
    let effective = board.effective(by);
    let beaten = greater_sides(effective.own, effective.other) & sides_facing(by, foes);
    for side in each_side(beaten) {
        let (rank, taken_rank) = effective.on(side);
        let square = neighbour(by, side);
        report(Taken { square, by, rules: CaptureRules::only(rule), rank, taken_rank, wave });
    }
    squares_on(by, beaten)
}

/// What the cards taken by Same and Plus take themselves (TT-10): wave after wave, until one takes nothing.
#[inline(always)]
fn combo(
    board: &Board,
    foes: Squares,
    mut taken: Squares,
    placed: usize,
    by_special: Sides,
    report: &mut impl FnMut(Taken),
) -> Squares {
    let mut queue = Queue { squares: [0; 8], length: 0 };
    queue.push(placed, by_special);
    let (mut next, mut end_of_wave, mut wave) = (0, queue.length, 1);
    while next < queue.length {
        let by = queue.squares[next];
        next += 1;
        let more = beaten(board, by, foes & !taken, CaptureRule::Combo, wave, report);
        taken |= more;
        queue.push(by, sides_facing(by, more));
        if next == end_of_wave {
            end_of_wave = queue.length;
            wave += 1;
        }
    }
    taken
}

/// The cards that may take further cards, in the order in which they were taken.
struct Queue {
    squares: [usize; 8],
    length: usize,
}

impl Queue {
    /// Adds the neighbours of a square on these sides, in the order of the sides.
    #[inline(always)]
    fn push(&mut self, square: usize, sides: Sides) {
        for side in each_side(sides) {
            self.squares[self.length] = neighbour(square, side);
            self.length += 1;
        }
    }
}

/// The sides of a set, in their order.
#[inline(always)]
fn each_side(sides: Sides) -> impl Iterator<Item = Side> {
    Side::ALL.into_iter().filter(move |&side| sides & 1 << side as u8 != 0)
}

impl Taken {
    /// The capture with its cards; none if a square is empty.
    pub fn explain(self, card_on: impl Fn(usize) -> Option<Card>) -> Option<Capture> {
        let Self { square, by, rules, rank, taken_rank, wave } = self;
        Some(Capture {
            card: card_on(square)?,
            square: square_at(square),
            by: card_on(by)?,
            by_square: square_at(by),
            rules,
            rank,
            taken_rank,
            wave,
        })
    }
}
