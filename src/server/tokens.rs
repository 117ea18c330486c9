//! Who may call, by the token that is shown.

use http::{HeaderMap, header};
use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use subtle::{Choice, ConstantTimeEq};
use tonic::Code;

use super::files::{FileError, Followed, NamedFile, follow};
use crate::{
    config::{OpenService, Security},
    wire::{Refusal, proto::ErrorReason},
};

/// What is known of a token: enough to recognize it, not enough to show it.
type Digest = [u8; SHA256_OUTPUT_LEN];

/// The tokens that let a call in, and the services that need none.
#[derive(Clone)]
pub(super) struct Tokens {
    known: Followed<Vec<Digest>>,
    open: Vec<OpenService>,
}

impl Tokens {
    /// Reads the file. None: nobody needs a token. Must be called within a runtime.
    pub(super) fn load(security: &Security) -> Result<Option<Self>, FileError> {
        let Some(path) = &security.token_file else { return Ok(None) };
        let file = NamedFile::new("--token-file", path);
        let known = follow([file.clone()], move |[text]| parse(text).map_err(|why| file.unusable(why)))?;
        Ok(Some(Self { known, open: security.open_services.clone() }))
    }

    /// Lets a call of this service in if it shows a token that is known, or needs none.
    pub(super) fn admit(&self, service: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_open = self.open.iter().any(|open| open.names().contains(&service));
        if is_open || shown(headers).is_some_and(|token| self.knows(token)) {
            return Ok(());
        }
        let message = "this service needs a token that it knows: authorization: Bearer <token>";
        Err(Refusal::new(Code::Unauthenticated, ErrorReason::Unauthenticated, message))
    }

    /// How long it takes tells nothing of the tokens that are known but their number.
    fn knows(&self, token: &[u8]) -> bool {
        let shown = digest(&SHA256, token);
        let known = self.known.borrow().clone();
        let found =
            known.iter().fold(Choice::from(0), |found, known| found | known.as_slice().ct_eq(shown.as_ref()));
        found.into()
    }
}

/// The token of a call, if it shows one. Nothing is no token, even if a file has its digest: that of a variable that was
/// not set.
fn shown(headers: &HeaderMap) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"bearer ";
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.as_bytes().split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| token.trim_ascii()).filter(|token| !token.is_empty())
}

/// Reads the tokens of a file: on each line a name, for people, and the SHA-256 of the token in hexadecimal digits.
fn parse(text: &[u8]) -> Result<Vec<Digest>, String> {
    let text = str::from_utf8(text).map_err(|error| error.to_string())?;
    let mut tokens = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [_name, digest] if let Some(digest) = parse_digest(digest) => tokens.push(digest),
            _ => {
                let number = index + 1;
                return Err(format!(
                    "line {number}: expected a name and 64 hexadecimal digits, the SHA-256 of a token"
                ));
            }
        }
    }
    if tokens.is_empty() {
        return Err("there is no token in it: nobody could call".to_owned());
    }
    Ok(tokens)
}

fn parse_digest(text: &str) -> Option<Digest> {
    let mut digest = Digest::default();
    if text.len() != 2 * digest.len() || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, index) in digest.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(text.get(index..index + 2)?, 16).ok()?;
    }
    Some(digest)
}
