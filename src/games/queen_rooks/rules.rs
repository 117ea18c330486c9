use crate::RuleBreach;

/// The rules of a game (QR-1, QR-7). They are always valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    size: u8,
    quiet_move_limit: u32,
}

/// What is wrong with a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The size is out of range, or odd.
    #[error("size must be an even number from {min} to {max}, not {0}", min = Rules::MIN_SIZE, max = Rules::MAX_SIZE)]
    Size(u32),
    /// The limit of quiet moves is out of range.
    #[error("quiet_move_limit must be from 0 to {max}, not {0}", max = Rules::MAX_QUIET_MOVES)]
    QuietMoveLimit(u32),
}

impl RuleBreach for RulesError {
    fn clause(&self) -> &'static str {
        match self {
            Self::Size(_) => "QR-1",
            Self::QuietMoveLimit(_) => "QR-7",
        }
    }
}

impl Rules {
    /// 8 rows and columns, and no limit of quiet moves.
    pub const DEFAULT: Self = Self { size: 8, quiet_move_limit: 0 };
    /// The minimum number of rows and columns.
    pub const MIN_SIZE: u8 = 4;
    /// The maximum number of rows and columns.
    pub const MAX_SIZE: u8 = 26;
    /// The maximum limit of quiet moves, and the maximum count.
    pub const MAX_QUIET_MOVES: u32 = 1_000_000;

    /// Checks a rule set.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn new(size: u32, quiet_move_limit: u32) -> Result<Self, Vec<RulesError>> {
        let mut errors = Vec::new();
        if !(Self::MIN_SIZE.into()..=Self::MAX_SIZE.into()).contains(&size) || size % 2 == 1 {
            errors.push(RulesError::Size(size));
        }
        if quiet_move_limit > Self::MAX_QUIET_MOVES {
            errors.push(RulesError::QuietMoveLimit(quiet_move_limit));
        }
        // The size is at most 26 by the check above.
        if errors.is_empty() { Ok(Self { size: size as u8, quiet_move_limit }) } else { Err(errors) }
    }

    /// The number of rows and of columns: even, 4 to 26.
    pub const fn size(self) -> u8 {
        self.size
    }

    /// The number of moves in a row without a capture that makes a draw; 0 if there is no limit.
    pub const fn quiet_move_limit(self) -> u32 {
        self.quiet_move_limit
    }

    /// The number of pieces of each player at the start, including the queen (QR-2).
    pub const fn pieces(self) -> u32 {
        Self::pieces_on(self.size)
    }

    /// The number of pieces of each player at the start on a board of this size.
    pub(super) const fn pieces_on(size: u8) -> u32 {
        size as u32 * size as u32 / 4
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The valid values of a rule set. An invalid value is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PartialRules {
    pub(super) size: Option<u8>,
    pub(super) quiet_move_limit: Option<u32>,
}

impl PartialRules {
    /// Checks a rule set. Returns its valid values, and everything that is wrong with the others.
    pub fn new(size: u32, quiet_move_limit: u32) -> (Self, Vec<RulesError>) {
        let errors = Rules::new(size, quiet_move_limit).err().unwrap_or_default();
        let mut partial = Self { size: u8::try_from(size).ok(), quiet_move_limit: Some(quiet_move_limit) };
        for error in &errors {
            match error {
                RulesError::Size(_) => partial.size = None,
                RulesError::QuietMoveLimit(_) => partial.quiet_move_limit = None,
            }
        }
        (partial, errors)
    }

    /// The rules, if every value is valid.
    pub fn complete(self) -> Option<Rules> {
        Some(Rules { size: self.size?, quiet_move_limit: self.quiet_move_limit? })
    }
}

impl From<Rules> for PartialRules {
    fn from(Rules { size, quiet_move_limit }: Rules) -> Self {
        Self { size: Some(size), quiet_move_limit: Some(quiet_move_limit) }
    }
}
