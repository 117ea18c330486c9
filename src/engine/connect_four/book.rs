//! The opening book: the scores of all positions of the default board with a number of tokens.
//!
//! The file format. Numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `C4BOOK1` and a line feed |
//! | 1 | the number of tokens of each position, 8 to 12 |
//! | 1 | 1 if the book has the best column of each position, otherwise 0 |
//! | 4 | the number of positions |
//! | 2 or more per position, in ascending order of their codes | the code minus the one before, or plus 1 for the first position: seven bits per byte, the lowest first, and bit 7 is set in all bytes but the last. Then one byte: the score plus 17; in a book with columns this times 7, plus the best column from 0 |
//! | 8 | the 64-bit FNV-1a hash of all bytes before |
//!
//! The code of a position is a number of `2 × tokens + 7` bits. From the highest bit on, it has for each column from the left, and
//! for each of its tokens from the bottom, `10` for the player to move or `11` for the opponent, and then `0`. The book has either
//! a position or its mirror image: the one with the smaller code.
//!
//! The embedded book, `openings.book`, has the hash `ca973c5466b7b7ee`.
//!
//! A score is that of the player to move: see [`Bounds`](super::bounds::Bounds). Positions in which this player can win at once
//! need not be in the book, because the search never asks for them.

use std::sync::{Arc, LazyLock};

use super::{
    geometry::{DefaultBoard, Geometry},
    position::Position,
    score,
};

const MAGIC: &[u8] = b"C4BOOK1\n";
const HEADER_BYTES: usize = MAGIC.len() + 6;
const CHECKSUM_BYTES: usize = 8;
const SCORE_OFFSET: i32 = 17;

/// The number of columns, and of the bits of a column.
const COLUMNS: u32 = 7;
const STRIDE: u32 = 7;

/// All positions with 8 tokens: `make_book.py` makes the file.
static EMBEDDED: LazyLock<Arc<Book>> = LazyLock::new(|| {
    Arc::new(Book::from_bytes(include_bytes!("openings.book")).expect("a test reads the embedded book"))
});

/// An opening book of Connect Four for the default board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    plies: u32,
    has_columns: bool,
    /// Sorted.
    codes: Vec<u32>,
    /// For each code, the score and the best column, as in the file.
    infos: Vec<u8>,
}

/// What a book knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BookEntry {
    pub(super) score: i32,
    /// A best column, if the book has columns.
    pub(super) column: Option<u32>,
}

/// What is wrong with the file of an opening book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// It is not such a file.
    #[error(
        "this is not an opening book of Connect Four: the file must start with C4BOOK1, as files of make_book.py do"
    )]
    Magic,
    /// Positions with this number of tokens are not supported.
    #[error("the positions of the opening book have {0} tokens: it must be from {min} to {max}", min = Book::MIN_PLIES, max = Book::MAX_PLIES)]
    Plies(u8),
    /// The second byte of the header is unknown.
    #[error("byte 9 of the opening book is {0}: it must be 1 if the book has the best columns, otherwise 0")]
    Columns(u8),
    /// The file ends too early.
    #[error("the opening book is incomplete: it must have {wanted} positions, and ends after {found}")]
    Incomplete {
        /// The number of positions that the header announces.
        wanted: u32,
        /// The number of positions in the file.
        found: u32,
    },
    /// There is more after the last position.
    #[error(
        "the opening book must end with a checksum of 8 bytes after the last position, not with {0} bytes"
    )]
    TrailingBytes(usize),
    /// The file has changed since it was made.
    #[error(
        "the checksum of the opening book is {found:016x}, and must be {wanted:016x}: the file is damaged, so make or copy it again"
    )]
    Checksum {
        /// The checksum of the content.
        wanted: u64,
        /// The checksum in the file.
        found: u64,
    },
    /// The code of a position is not greater than that of the one before, or too large.
    #[error(
        "the code of position {0} of the opening book is out of order: codes must ascend, and have 2 bits per token and 7 more"
    )]
    Code(u32),
    /// A score or column is not possible.
    #[error("byte {info} of position {position} of the opening book is not a score from {} to {} with a column from 0 to 6", -max, max)]
    Info {
        /// The number of the position, from 0.
        position: u32,
        /// The byte.
        info: u8,
        /// The score of the fastest win in such a position.
        max: i32,
    },
}

impl Book {
    /// The minimum number of tokens of the positions of a book.
    pub const MIN_PLIES: u8 = 8;
    /// The maximum number of tokens of the positions of a book: a code fits into 32 bits.
    pub const MAX_PLIES: u8 = 12;

    /// The book that is part of this crate, with all positions with 8 tokens.
    pub fn embedded() -> Arc<Self> {
        EMBEDDED.clone()
    }

    /// A book without positions.
    pub const fn empty() -> Self {
        Self { plies: Self::MIN_PLIES as u32, has_columns: false, codes: Vec::new(), infos: Vec::new() }
    }

    /// Reads the file of a book. `make_book.py` makes one. The scores are not checked: a search relies on them.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BookError> {
        let Some((header, rest)) = bytes.split_at_checked(HEADER_BYTES).filter(|_| bytes.starts_with(MAGIC))
        else {
            return Err(BookError::Magic);
        };
        let (plies, flag) = (header[MAGIC.len()], header[MAGIC.len() + 1]);
        if !(Self::MIN_PLIES..=Self::MAX_PLIES).contains(&plies) {
            return Err(BookError::Plies(plies));
        }
        if flag > 1 {
            return Err(BookError::Columns(flag));
        }
        let wanted = u32::from_le_bytes([header[10], header[11], header[12], header[13]]);
        let mut book =
            Self { plies: plies.into(), has_columns: flag == 1, codes: Vec::new(), infos: Vec::new() };
        let mut rest = rest.iter();
        for found in 0..wanted {
            if rest.len() <= CHECKSUM_BYTES {
                return Err(BookError::Incomplete { wanted, found });
            }
            book.read_position(&mut rest)?;
        }
        let rest = rest.as_slice();
        let Ok(checksum) = rest.try_into() else { return Err(BookError::TrailingBytes(rest.len())) };
        let found = u64::from_le_bytes(checksum);
        let wanted = fnv1a(&bytes[..bytes.len() - CHECKSUM_BYTES]);
        if found != wanted {
            return Err(BookError::Checksum { wanted, found });
        }
        Ok(book)
    }

    /// Reads a code and the byte after it.
    fn read_position<'a>(&mut self, bytes: &mut impl Iterator<Item = &'a u8>) -> Result<(), BookError> {
        // A book has fewer than 2³² positions.
        let position = self.codes.len() as u32;
        let out_of_order = BookError::Code(position);
        let (mut step, mut shift) = (0u64, 0);
        loop {
            let byte = *bytes.next().ok_or(out_of_order.clone())?;
            step |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
            if shift > u32::BITS {
                return Err(out_of_order);
            }
        }
        let end = 1u64 << (2 * self.plies + COLUMNS);
        let next = self.codes.last().map_or(step.checked_sub(1), |&last| Some(u64::from(last) + step));
        let (Some(code), true) = (next.filter(|&code| code < end), step > 0) else {
            return Err(out_of_order);
        };
        let &info = bytes.next().ok_or(BookError::Code(position))?;
        let max = score::win_now(DefaultBoard.cells().count_ones() - self.plies);
        if self.entry(info).score.abs() > max {
            return Err(BookError::Info { position, info, max });
        }
        // It is below `end`, which is at most 2³¹.
        self.codes.push(code as u32);
        self.infos.push(info);
        Ok(())
    }

    /// The number of tokens of the positions of this book.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The number of positions, without mirror images.
    pub fn positions(&self) -> usize {
        self.codes.len()
    }

    fn entry(&self, info: u8) -> BookEntry {
        let info = u32::from(info);
        let (score, column) =
            if self.has_columns { (info / COLUMNS, Some(info % COLUMNS)) } else { (info, None) };
        BookEntry { score: score.cast_signed() - SCORE_OFFSET, column }
    }

    /// What the book knows of a position of the default board.
    pub(super) fn get(&self, position: &Position<u64>) -> Option<BookEntry> {
        let contents = position.mine + position.tokens + DefaultBoard.ground();
        let [code, mirrored] = codes(contents);
        let index = self.codes.binary_search(&code.min(mirrored)).ok()?;
        let mut entry = self.entry(self.infos[index]);
        if mirrored < code {
            entry.column = entry.column.map(|column| COLUMNS - 1 - column);
        }
        Some(entry)
    }
}

/// The codes of a position with at most 12 tokens, and of its mirror image. Each column of the argument has a bit above all its
/// tokens, and bits for those of the player to move.
fn codes(contents: u64) -> [u32; 2] {
    let [mut code, mut mirrored] = [0; 2];
    for column in 0..COLUMNS {
        let of_column = |column: u32| COLUMN_CODES[(contents >> (column * STRIDE)) as usize & 0x7F];
        let append = |code: u32, (bits, length): (u32, u32)| code << length | bits;
        code = append(code, of_column(column));
        mirrored = append(mirrored, of_column(COLUMNS - 1 - column));
    }
    [code, mirrored]
}

/// The bits of the code of a column, and their number, for each content of a column.
static COLUMN_CODES: [(u32, u32); 1 << STRIDE] = {
    let mut codes = [(0, 0); 1 << STRIDE];
    let mut content = 1u32;
    while content < codes.len() as u32 {
        let height = content.ilog2();
        let (mut code, mut row) = (0, 0);
        while row < height {
            code = code << 2 | if content >> row & 1 == 1 { 0b10 } else { 0b11 };
            row += 1;
        }
        codes[content as usize] = (code << 1, 2 * height + 1);
        content += 1;
    }
    codes
};

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
