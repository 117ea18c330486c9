use std::fmt;

use crate::RuleBreach;

/// A rule that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Both players see both hands (TT-15).
    Open,
    /// Hands are drawn from collections (TT-2).
    Random,
    /// Elements of squares change ranks (TT-4).
    Elemental,
    /// Two equal touching ranks take (TT-6).
    Same,
    /// The edge of the board counts as a 10 for Same (TT-7).
    SameWall,
    /// Two equal sums of touching ranks take (TT-8).
    Plus,
    /// Cards taken by Same or Plus take further cards (TT-10).
    Combo,
    /// An equal score is played again (TT-13).
    SuddenDeath,
}

impl Rule {
    /// All rules, in the order of the text notation.
    pub const ALL: [Self; 8] = [
        Self::Open,
        Self::Random,
        Self::Elemental,
        Self::Same,
        Self::SameWall,
        Self::Plus,
        Self::Combo,
        Self::SuddenDeath,
    ];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// What the basic rule does when Same or Plus has taken a card (TT-9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BasicCapture {
    /// Nothing: it applies only if neither has.
    Fallback,
    /// It also applies to the other sides of the placed card.
    Always,
}

/// Which cards change hands after a won game (TT-14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TradeRule {
    /// None.
    None,
    /// One card of the winner's choice.
    One,
    /// As many cards of the winner's choice as the scores differ by.
    Diff,
    /// Every card on the board goes to its owner there.
    Direct,
    /// The loser's whole collection.
    All,
}

impl fmt::Display for TradeRule {
    /// The name of the rule, as in its clause (TT-14).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "NONE",
            Self::One => "ONE",
            Self::Diff => "DIFF",
            Self::Direct => "DIRECT",
            Self::All => "ALL",
        })
    }
}

/// The rules of a game. They are always valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    on: u8,
    basic_capture: BasicCapture,
    trade: TradeRule,
    sudden_death_limit: u16,
}

/// What is wrong with a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The limit of sudden death is out of range.
    #[error("sudden_death_limit must be from 1 to {max}, not {0}", max = Rules::MAX_SUDDEN_DEATH_LIMIT)]
    SuddenDeathLimit(u32),
}

impl RuleBreach for RulesError {
    fn clause(&self) -> &'static str {
        "TT-13"
    }
}

impl Rules {
    /// Only the basic rule, and no trade.
    pub const DEFAULT: Self = Self {
        on: 0,
        basic_capture: BasicCapture::Fallback,
        trade: TradeRule::None,
        sudden_death_limit: Self::DEFAULT_SUDDEN_DEATH_LIMIT,
    };
    /// The default limit of sudden death.
    pub const DEFAULT_SUDDEN_DEATH_LIMIT: u16 = 5;
    /// The maximum limit of sudden death. The count is below the limit.
    pub const MAX_SUDDEN_DEATH_LIMIT: u16 = 1000;

    /// Whether a rule is on.
    #[inline(always)]
    pub const fn has(self, rule: Rule) -> bool {
        self.on & rule.bit() != 0
    }

    /// What the basic rule does when Same or Plus has taken a card.
    #[inline(always)]
    pub const fn basic_capture(self) -> BasicCapture {
        self.basic_capture
    }

    /// Which cards change hands after the game.
    pub const fn trade(self) -> TradeRule {
        self.trade
    }

    /// The number of drawn rounds after which sudden death ends in a final draw.
    pub const fn sudden_death_limit(self) -> u16 {
        self.sudden_death_limit
    }

    /// These rules with one more.
    #[must_use]
    pub const fn with(self, rule: Rule) -> Self {
        Self { on: self.on | rule.bit(), ..self }
    }

    /// These rules with several more.
    #[must_use]
    pub fn with_all(self, rules: impl IntoIterator<Item = Rule>) -> Self {
        rules.into_iter().fold(self, Self::with)
    }

    /// These rules with another basic capture (TT-9).
    #[must_use]
    pub const fn with_basic_capture(self, basic_capture: BasicCapture) -> Self {
        Self { basic_capture, ..self }
    }

    /// These rules with another trade rule.
    #[must_use]
    pub const fn with_trade(self, trade: TradeRule) -> Self {
        Self { trade, ..self }
    }

    /// These rules with another limit of sudden death.
    ///
    /// # Errors
    ///
    /// If the limit is out of range.
    pub fn with_sudden_death_limit(self, limit: u32) -> Result<Self, RulesError> {
        match u16::try_from(limit) {
            Ok(sudden_death_limit @ 1..=Self::MAX_SUDDEN_DEATH_LIMIT) => {
                Ok(Self { sudden_death_limit, ..self })
            }
            _ => Err(RulesError::SuddenDeathLimit(limit)),
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::DEFAULT
    }
}
