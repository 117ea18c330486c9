//! Request ids: they connect the response that a client sees to its line in the log.

use http::{HeaderMap, HeaderName, HeaderValue};

/// The header of the request id, in requests and responses.
pub(in crate::server) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Maximum length of a request id from a client.
const MAX_LENGTH: usize = 128;

/// Returns the id of a request: the one it came with, if that can be logged, or else a new one, which is set.
pub(in crate::server) fn assign_request_id(headers: &mut HeaderMap) -> HeaderValue {
    if let Some(given) = headers.get(&REQUEST_ID).filter(|given| is_loggable(given.as_bytes())) {
        return response_header(given.as_bytes());
    }
    let id = new();
    headers.insert(REQUEST_ID, id.clone());
    id
}

/// The header of a response. A copy: a clone would share the memory of all headers of its request. HPACK does not add it to
/// its table ("sensitive"), because hardly any later response has the same value.
fn response_header(id: &[u8]) -> HeaderValue {
    // Only ids that are valid in a header get here.
    let mut value = HeaderValue::from_bytes(id).unwrap_or_else(|_| HeaderValue::from_static("-"));
    value.set_sensitive(true);
    value
}

/// Whether an id is not too long and has only visible ASCII characters.
fn is_loggable(id: &[u8]) -> bool {
    (1..=MAX_LENGTH).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic)
}

/// Generates an id of 16 hexadecimal digits. It is unlikely to repeat, and not secret.
fn new() -> HeaderValue {
    let mut id = [0; 16];
    // The buffer has the right size, and hexadecimal digits are valid in a header.
    let _ = hex::encode_to_slice(fastrand::u64(..).to_be_bytes(), &mut id);
    response_header(&id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_loggable_id_is_kept_and_any_other_is_replaced() {
        for (given, kept) in [("a", true), ("7f/x=~", true), ("", false), ("a b", false), ("\u{e9}", false)] {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(given.as_bytes()).unwrap());
            let id = assign_request_id(&mut headers);
            assert_eq!(id == given, kept, "{given:?}");
            assert_eq!(headers.get(&REQUEST_ID), Some(&id), "{given:?}");
        }
        for (length, kept) in [(MAX_LENGTH, true), (MAX_LENGTH + 1, false)] {
            let given = "x".repeat(length);
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::try_from(&given).unwrap());
            assert_eq!(assign_request_id(&mut headers) == given, kept, "{length}");
        }
    }

    #[test]
    fn new_ids_differ_and_have_sixteen_digits() {
        let ids: HashSet<HeaderValue> =
            (0..10_000).map(|_| assign_request_id(&mut HeaderMap::new())).collect();
        assert_eq!(ids.len(), 10_000);
        assert!(ids.iter().all(|id| id.len() == 16 && id.as_bytes().iter().all(u8::is_ascii_hexdigit)));
    }
}
