//! Authentication by bearer token.

use std::sync::Arc;

use http::{HeaderMap, header};
use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use subtle::{ConditionallySelectable, ConstantTimeEq};
use tonic::Code;

use super::{
    admission::Client,
    reload::{ConfigFile, FileError, Reloaded, watch},
};
use crate::{
    config::{OpenService, Security},
    wire::{Refusal, proto::ErrorReason},
};

/// The SHA-256 of a token: the server never has the token itself.
type Digest = [u8; SHA256_OUTPUT_LEN];

/// The accepted tokens, and the services that need none.
#[derive(Clone)]
pub(super) struct Tokens {
    accepted: Reloaded<Vec<(Digest, Arc<Client>)>>,
    open_services: Vec<OpenService>,
}

impl Tokens {
    /// Reads the file. None: authentication is not configured. Must be called within a runtime.
    pub(super) fn load(security: &Security) -> Result<Option<Self>, FileError> {
        let Some(path) = &security.token_file else { return Ok(None) };
        let file = ConfigFile::new("--token-file", path);
        let accepted = watch([file.clone()], "tokens", move |[text]| {
            let digests = parse(text).map_err(|why| file.unusable(why))?;
            Ok(digests.into_iter().map(|digest| (digest, Arc::default())).collect())
        })?;
        Ok(Some(Self { accepted, open_services: security.open_services.clone() }))
    }

    /// Accepts a call with a valid token, or to a service that needs none. Returns the client with this token.
    pub(super) fn authenticate(
        &self,
        service: &str,
        headers: &HeaderMap,
    ) -> Result<Option<Arc<Client>>, Refusal> {
        let client = self.client_of(headers);
        let is_open = || self.open_services.iter().any(|open| open.names().contains(&service));
        if client.is_some() || is_open() {
            return Ok(client);
        }
        let message = "a valid token is required: authorization: Bearer <token>";
        Err(Refusal::new(Code::Unauthenticated, ErrorReason::Unauthenticated, message))
    }

    /// Whether a request has a valid token.
    pub(super) fn accept(&self, headers: &HeaderMap) -> bool {
        self.client_of(headers).is_some()
    }

    fn client_of(&self, headers: &HeaderMap) -> Option<Arc<Client>> {
        bearer_token(headers).and_then(|token| self.find(token))
    }

    /// Finds the client with a token. Compares in constant time: the duration reveals only the number of tokens.
    fn find(&self, token: &[u8]) -> Option<Arc<Client>> {
        let given = digest(&SHA256, token);
        let accepted = self.accepted.borrow().clone();
        let mut found = u64::MAX;
        for (index, (accepted, _)) in (0..).zip(accepted.iter()) {
            found.conditional_assign(&index, accepted.as_slice().ct_eq(given.as_ref()));
        }
        let (_, client) = accepted.get(usize::try_from(found).ok()?)?;
        Some(client.clone())
    }
}

/// The token of a call. An empty one is rejected even if its digest is listed: it usually means an unset shell variable.
fn bearer_token(headers: &HeaderMap) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"bearer ";
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.as_bytes().split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| token.trim_ascii()).filter(|token| !token.is_empty())
}

/// Parses a token file: on each line a name, for people, and the SHA-256 of the token in hexadecimal digits.
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
        return Err("expected at least one token: without one, every call would be refused".to_owned());
    }
    Ok(tokens)
}

fn parse_digest(text: &str) -> Option<Digest> {
    let mut digest = Digest::default();
    hex::decode_to_slice(text, &mut digest).ok()?;
    Some(digest)
}
