//! The opening book.

use std::sync::{Arc, atomic::AtomicBool};

use arbiter_engine::{
    Certainty, Engine, Search, Value, Workspace,
    connect_four::{Book, BookError},
};
use arbiter_games::{
    Chance, Game,
    connect_four::{ConnectFour, Rules},
};

use super::{MANY_NODES, analyse, random_position};

const EMBEDDED: &[u8] = include_bytes!("../../../src/engine/connect_four/openings.book");

/// The file with another byte at an index, and the checksum that fits.
fn with_byte(index: usize, byte: u8) -> Vec<u8> {
    let mut bytes = EMBEDDED[..EMBEDDED.len() - 8].to_vec();
    bytes[index] = byte;
    let checksum = checksum(&bytes);
    [bytes, checksum.to_le_bytes().to_vec()].concat()
}

/// FNV-1a with 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[test]
fn the_embedded_book_has_all_openings() {
    // 77 715 positions and their mirror images, and 13 580 in which the player to move can win at once, are 91 295 positions.
    assert_eq!(Book::from_bytes(EMBEDDED).map(|book| (book.plies(), book.positions())), Ok((8, 77_715)));
}

#[test]
fn the_embedded_book_is_the_documented_one() {
    assert_eq!(
        (EMBEDDED.len(), EMBEDDED.last_chunk()),
        (164_689, Some(&0xCA97_3C54_66B7_B7EE_u64.to_le_bytes()))
    );
}

#[test]
fn sampled_entries_agree_with_the_search() {
    let mut chance = Chance::new(6, 0);
    let mut workspace = Workspace::with_book(Arc::new(Book::empty()));
    let mut solved = 0;
    for _ in 0..120 {
        let game = random_position(Rules::DEFAULT, 8, &mut chance);
        let by_book = analyse(&game, MANY_NODES);
        let is_cancelled = AtomicBool::new(false);
        // Solves the easier positions.
        let mut search = Search::new(30_000, 0, &is_cancelled, &mut workspace);
        let by_search =
            game.analyse(game.position().next_player(), &mut search).expect("the search is not cancelled");
        let best = &by_book.evaluations[0];
        assert_eq!(best.certainty, Certainty::Exact, "{}", game.notation());
        assert!(by_book.nodes <= 200, "only for the other moves: {}", by_book.nodes);
        if by_search.evaluations[0].certainty != Certainty::Exact {
            continue;
        }
        solved += 1;
        assert_eq!(by_search.evaluations[0].value, best.value, "{}", game.notation());
        // The search has an upper bound of the column of the book, which must not exclude it.
        let column = by_search.evaluations.iter().find(|evaluation| evaluation.mv == best.mv);
        assert_eq!(column.map(|evaluation| evaluation.value), Some(best.value), "{}", game.notation());
    }
    assert!(solved >= 25, "{solved}");
}

#[test]
fn the_book_is_asked_inside_the_search() {
    let analysis = analyse(&ConnectFour::new(Rules::DEFAULT, (), 0), 100_000);
    let best = &analysis.evaluations[0];
    assert_eq!((best.mv.column, best.certainty), (3, Certainty::Exact));
    assert_eq!(best.value.to_string(), "wins in 41 plies");
    assert!(matches!(best.value, Value::ForcedEnd(_)));
}

#[test]
fn a_file_without_the_first_bytes_is_refused() {
    assert_eq!(Book::from_bytes(&EMBEDDED[1..]), Err(BookError::Magic));
    assert_eq!(Book::from_bytes(&EMBEDDED[..13]), Err(BookError::Magic));
    assert_eq!(Book::from_bytes(&[]), Err(BookError::Magic));
}

#[test]
fn a_number_of_tokens_out_of_range_is_refused() {
    assert_eq!(Book::from_bytes(&with_byte(8, 7)), Err(BookError::Plies(7)));
    assert_eq!(Book::from_bytes(&with_byte(8, 13)), Err(BookError::Plies(13)));
}

#[test]
fn an_unknown_kind_of_columns_is_refused() {
    assert_eq!(Book::from_bytes(&with_byte(9, 2)), Err(BookError::Columns(2)));
}

#[test]
fn a_truncated_file_is_refused() {
    for length in [14, 100, EMBEDDED.len() - 9] {
        let result = Book::from_bytes(&EMBEDDED[..length]);
        assert!(matches!(result, Err(BookError::Incomplete { wanted: 77_715, .. })), "{length}: {result:?}");
    }
    let result = Book::from_bytes(&EMBEDDED[..EMBEDDED.len() - 1]);
    assert!(result.is_err(), "{result:?}");
}

#[test]
fn more_bytes_after_the_checksum_are_refused() {
    assert_eq!(Book::from_bytes(&[EMBEDDED, &[0]].concat()), Err(BookError::TrailingBytes(9)));
}

#[test]
fn a_changed_byte_is_refused() {
    let mut bytes = EMBEDDED.to_vec();
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    assert!(matches!(Book::from_bytes(&bytes), Err(BookError::Checksum { .. })));
}

#[test]
fn codes_that_do_not_ascend_are_refused() {
    // The distance of the last position from the one before.
    assert_eq!(Book::from_bytes(&with_byte(EMBEDDED.len() - 10, 0)), Err(BookError::Code(77_714)));
}

#[test]
fn a_score_out_of_range_is_refused() {
    let result = Book::from_bytes(&with_byte(EMBEDDED.len() - 9, u8::MAX));
    assert_eq!(result, Err(BookError::Info { position: 77_714, info: u8::MAX, max: 17 }));
}

#[test]
fn errors_say_what_a_good_file_is() {
    let error = Book::from_bytes(b"no book").expect_err("this is not a book");
    assert_eq!(
        error.to_string(),
        "this is not an opening book of Connect Four: the file must start with C4BOOK1, as files of make_book.py do"
    );
}
