//! A name for every request, so that what its caller saw finds its line in the log.

use std::cell::Cell;

use http::{HeaderMap, HeaderName, HeaderValue};

/// The header that carries it, both ways.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest name that is taken over from a caller.
const LONGEST: usize = 128;

/// The name of a request: the one it came with, if that can stand in a log; or else a new one, which it then has.
pub(super) fn of(headers: &mut HeaderMap) -> HeaderValue {
    if let Some(given) = headers.get(&REQUEST_ID).filter(|given| is_usable(given.as_bytes())) {
        return given.clone();
    }
    let id = new();
    headers.insert(REQUEST_ID, id.clone());
    id
}

/// Whether a name has neither spaces nor signs that nobody sees, and is not too long.
fn is_usable(name: &[u8]) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.iter().all(u8::is_ascii_graphic)
}

/// A name that nobody else is likely to have: sixteen hexadecimal digits.
fn new() -> HeaderValue {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let number = next();
    let digits: [u8; 16] = std::array::from_fn(|i| DIGITS[(number >> (60 - 4 * i)) as usize & 15]);
    // Every digit may stand in a header.
    HeaderValue::from_bytes(&digits).unwrap_or_else(|_| HeaderValue::from_static("-"))
}

/// The next number of this thread's sequence (`SplitMix64`), which begins anywhere. Not a secret, only rarely the same.
fn next() -> u64 {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(getrandom::u64().unwrap_or_default());
    }
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_usable_name_is_kept_and_any_other_is_replaced() {
        for (given, kept) in [("a", true), ("7f/x=~", true), ("", false), ("a b", false), ("\u{e9}", false)] {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(given.as_bytes()).unwrap());
            let id = of(&mut headers);
            assert_eq!(id == given, kept, "{given:?}");
            assert_eq!(headers.get(&REQUEST_ID), Some(&id), "{given:?}");
        }
        for (length, kept) in [(LONGEST, true), (LONGEST + 1, false)] {
            let given = "x".repeat(length);
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::try_from(&given).unwrap());
            assert_eq!(of(&mut headers) == given, kept, "{length}");
        }
    }

    #[test]
    fn new_names_differ_and_are_sixteen_digits() {
        let names: HashSet<HeaderValue> = (0..10_000).map(|_| of(&mut HeaderMap::new())).collect();
        assert_eq!(names.len(), 10_000);
        assert!(
            names.iter().all(|name| name.len() == 16 && name.as_bytes().iter().all(u8::is_ascii_hexdigit))
        );
    }
}
