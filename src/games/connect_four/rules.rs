use crate::{Player, RuleBreach, Square};

/// The maximum number of bits of a board: one per cell, and one more per column (C4-1).
const MAX_BITS: u32 = 128;

/// The rules of a game (C4-1). They are always valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    columns: u8,
    rows: u8,
    line_length: u8,
    first_player: Player,
}

/// What is wrong with a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The number of columns is out of range.
    #[error("columns must be from 1 to {max}, not {0}", max = Rules::MAX_COLUMNS)]
    Columns(u32),
    /// The number of rows is out of range.
    #[error("rows must be from 1 to {max}, not {0}", max = Rules::MAX_ROWS)]
    Rows(u32),
    /// Each side is in range, but the board is too large.
    #[error(
        "a board of {columns} columns by {rows} rows is too large: columns × (rows + 1) must be at most {MAX_BITS}"
    )]
    TooLarge {
        /// The number of columns.
        columns: u32,
        /// The number of rows.
        rows: u32,
    },
    /// The board has only one cell.
    #[error("a board of one cell cannot hold a line")]
    TooSmall,
    /// The line is too short.
    #[error("line_length must be at least {min}, not {0}", min = Rules::MIN_LINE_LENGTH)]
    LineTooShort(u32),
    /// The line is longer than the board.
    #[error("line_length must be at most {longest}, not {length}: no side of the board is longer")]
    LineTooLong {
        /// The length.
        length: u32,
        /// The longer side of the board. An invalid side counts as its maximum.
        longest: u32,
    },
}

impl RuleBreach for RulesError {
    fn clause(&self) -> &'static str {
        "C4-1"
    }
}

impl Rules {
    /// 7 columns by 6 rows, four in a line, player one first.
    pub const DEFAULT: Self = Self { columns: 7, rows: 6, line_length: 4, first_player: Player::One };
    /// The maximum number of columns.
    pub const MAX_COLUMNS: u32 = MAX_BITS / 2;
    /// The maximum number of rows.
    pub const MAX_ROWS: u32 = MAX_BITS - 1;
    /// The minimum length of a line that wins.
    pub const MIN_LINE_LENGTH: u32 = 2;

    /// Checks a rule set.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn new(
        columns: u32,
        rows: u32,
        line_length: u32,
        first_player: Player,
    ) -> Result<Self, Vec<RulesError>> {
        let mut errors = Vec::new();
        let valid_columns = Some(columns).filter(|columns| (1..=Self::MAX_COLUMNS).contains(columns));
        let valid_rows = Some(rows).filter(|rows| (1..=Self::MAX_ROWS).contains(rows));
        if valid_columns.is_none() {
            errors.push(RulesError::Columns(columns));
        }
        if valid_rows.is_none() {
            errors.push(RulesError::Rows(rows));
        }
        if line_length < Self::MIN_LINE_LENGTH {
            errors.push(RulesError::LineTooShort(line_length));
        }
        if let (Some(columns), Some(rows)) = (valid_columns, valid_rows)
            && columns * (rows + 1) > MAX_BITS
        {
            errors.push(RulesError::TooLarge { columns, rows });
        }
        let longest = valid_columns.unwrap_or(Self::MAX_COLUMNS).max(valid_rows.unwrap_or(Self::MAX_ROWS));
        if longest < Self::MIN_LINE_LENGTH {
            errors.push(RulesError::TooSmall);
        } else if line_length > longest {
            errors.push(RulesError::LineTooLong { length: line_length, longest });
        }
        if errors.is_empty() {
            // All values are below 128 by the checks above.
            Ok(Self {
                columns: columns as u8,
                rows: rows as u8,
                line_length: line_length as u8,
                first_player,
            })
        } else {
            Err(errors)
        }
    }

    /// The number of columns, 1 to 64.
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// The number of rows, 1 to 127.
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// The length of a line that wins.
    pub const fn line_length(self) -> u8 {
        self.line_length
    }

    /// The player who makes the first move.
    pub const fn first_player(self) -> Player {
        self.first_player
    }

    /// Whether board and line are those of [`Rules::DEFAULT`]. The first player may differ.
    #[inline(always)]
    pub const fn has_default_sizes(self) -> bool {
        let Self { columns, rows, line_length, .. } = Self::DEFAULT;
        self.columns == columns && self.rows == rows && self.line_length == line_length
    }

    /// The same rules with another first player.
    #[inline(always)]
    pub(super) const fn starting_with(self, first_player: Player) -> Self {
        Self { first_player, ..self }
    }

    /// The number of cells, below 128.
    pub(super) const fn cells(self) -> u8 {
        self.columns * self.rows
    }

    /// The number of bits of a column in a bitboard: its cells, and an empty one above them.
    pub(super) const fn stride(self) -> u32 {
        self.rows as u32 + 1
    }

    /// The square of a bit.
    #[inline(always)]
    pub(super) const fn square(self, index: u32) -> Square {
        Square { row: self.rows as u32 - 1 - index % self.stride(), column: index / self.stride() }
    }

    /// The bit of a square, which must be on the board.
    #[inline(always)]
    pub(super) const fn index(self, square: Square) -> u32 {
        square.column * self.stride() + self.rows as u32 - 1 - square.row
    }

    /// The number of bits of the board in a bitboard.
    pub(super) const fn bits(self) -> u32 {
        self.columns as u32 * self.stride()
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
    pub(super) columns: Option<u8>,
    pub(super) rows: Option<u8>,
    pub(super) line_length: Option<u8>,
    pub(super) first_player: Option<Player>,
}

impl PartialRules {
    /// Checks a rule set. Returns its valid values, and everything that is wrong with the others.
    ///
    /// If the sides are invalid together, either may be the wrong one, so both are `None`.
    pub fn new(
        columns: u32,
        rows: u32,
        line_length: u32,
        first_player: Option<Player>,
    ) -> (Self, Vec<RulesError>) {
        let rules = Rules::new(columns, rows, line_length, first_player.unwrap_or(Player::One));
        let errors = rules.err().unwrap_or_default();
        let mut partial = Self {
            columns: u8::try_from(columns).ok(),
            rows: u8::try_from(rows).ok(),
            line_length: u8::try_from(line_length).ok(),
            first_player,
        };
        for error in &errors {
            match error {
                RulesError::Columns(_) => partial.columns = None,
                RulesError::Rows(_) => partial.rows = None,
                RulesError::TooLarge { .. } | RulesError::TooSmall => {
                    (partial.columns, partial.rows) = (None, None);
                }
                RulesError::LineTooShort(_) | RulesError::LineTooLong { .. } => partial.line_length = None,
            }
        }
        (partial, errors)
    }

    /// The rules, if every value is valid.
    #[inline(always)]
    pub fn complete(self) -> Option<Rules> {
        // Values that are invalid together are not all `Some`.
        Some(Rules {
            columns: self.columns?,
            rows: self.rows?,
            line_length: self.line_length?,
            first_player: self.first_player?,
        })
    }
}

impl From<Rules> for PartialRules {
    #[inline(always)]
    fn from(Rules { columns, rows, line_length, first_player }: Rules) -> Self {
        Self {
            columns: Some(columns),
            rows: Some(rows),
            line_length: Some(line_length),
            first_player: Some(first_player),
        }
    }
}
