//! Refusals: the violations of a request, and their conversion to gRPC statuses.

use std::{
    collections::BTreeMap,
    error::Error,
    fmt::{self, Display, Write},
    sync::Arc,
    time::Duration,
};

use prost::Message;
use prost_types::Any;
use tonic::{Code, Status};
use tonic_types::pb;

use super::{Path, proto, spelling::suggestion};
use crate::games::{GameId, RuleBreach};

/// The `domain` of every `google.rpc.ErrorInfo`.
pub const DOMAIN: &str = "arbiter.v1";

/// Maximum number of reasons that a refusal lists. The others are only counted.
const MAX_REASONS: usize = 24;

/// Maximum encoded size of the reasons that a refusal lists. With the rest of the trailers they have to fit into the 8 KiB
/// of headers that clients accept.
const MAX_REASON_BYTES: usize = 4096;

/// Maximum number of reasons in the message of a status. The details have all listed reasons.
const MAX_REASONS_IN_MESSAGE: usize = 4;

/// Maximum length of the message of a status, percent-encoded, unless its first reason alone is longer.
const MAX_MESSAGE_LENGTH: usize = 1024;

/// `google.rpc.ErrorInfo` with sorted metadata, so that equal refusals have equal bytes.
#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    metadata: BTreeMap<String, String>,
}

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    code: Code,
    reasons: Vec<proto::Reason>,
    /// The number of reasons that are not listed.
    unlisted: usize,
    move_index: Option<u32>,
}

/// The violations of a request, collected while it is decoded.
#[derive(Debug, Default)]
pub struct Violations {
    reasons: Vec<proto::Reason>,
    unlisted: usize,
    /// The encoded size of the reasons.
    bytes: usize,
}

impl Violations {
    /// Reports a violation of a field.
    pub fn add(&mut self, at: &Path<'_>, code: proto::ErrorReason, message: impl Display) {
        self.push(at, code, &message, "");
    }

    /// Reports a field that breaks a rule of the game.
    pub fn add_breach(&mut self, at: &Path<'_>, code: proto::ErrorReason, breach: &impl RuleBreach) {
        self.push(at, code, breach, breach.clause());
    }

    /// Reports a value that does not have the type of its field. The path and the message may quote the request and are
    /// truncated.
    pub fn malformed(&mut self, at: &Path<'_>, message: impl Display) {
        let at = fmt::from_fn(|f| f.write_str(&truncate_quote(&at.to_string())));
        let message = fmt::from_fn(|f| f.write_str(&truncate(&message.to_string(), MAX_MESSAGE_LENGTH)));
        self.push(&at, proto::ErrorReason::MalformedRequest, &message, "");
    }

    fn push(&mut self, at: &dyn Display, code: proto::ErrorReason, message: &dyn Display, clause: &str) {
        // Once a reason does not fit, all later ones are only counted. Their messages are not formatted.
        if self.unlisted > 0 {
            self.unlisted += 1;
            return;
        }
        let reason = reason(code, at, message, clause);
        self.bytes += reason.encoded_len() + reason.code().as_str_name().len();
        let full = self.reasons.len() == MAX_REASONS || self.bytes > MAX_REASON_BYTES;
        if full && !self.reasons.is_empty() {
            self.unlisted += 1;
        } else {
            self.reasons.push(reason);
        }
    }

    /// Reports a missing field.
    pub fn required(&mut self, at: &Path<'_>) {
        self.add(at, proto::ErrorReason::FieldRequired, "this field is required");
    }

    /// Reports a state, move or rule set that is not of this game.
    pub fn game_mismatch(&mut self, at: &Path<'_>, what: &str, game: GameId) {
        let message = format!("expected a {what} of {}, the game of this request", game.name());
        self.add(at, proto::ErrorReason::GameMismatch, message);
    }

    /// Returns the value, or reports each of the errors and returns None.
    pub fn accept<T, E>(
        &mut self,
        result: Result<T, Vec<E>>,
        mut report: impl FnMut(E, &mut Self),
    ) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(errors) => {
                for error in errors {
                    report(error, self);
                }
                None
            }
        }
    }

    /// Returns the value, or the refusal with all violations.
    ///
    /// # Errors
    ///
    /// If there is a violation. A value of None requires one.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Refusal> {
        match value {
            Some(value) if self.reasons.is_empty() => Ok(value),
            _ => Err(self.into_refusal()),
        }
    }

    /// The refusal with all violations. There must be at least one.
    pub fn into_refusal(self) -> Refusal {
        debug_assert!(!self.reasons.is_empty(), "a value of None has a violation");
        Refusal {
            code: Code::InvalidArgument,
            reasons: self.reasons,
            unlisted: self.unlisted,
            move_index: None,
        }
    }
}

impl Refusal {
    /// A refusal with one reason, without a field or a clause.
    pub fn new(code: Code, reason: proto::ErrorReason, message: impl Into<String>) -> Self {
        let reason = proto::Reason { code: reason.into(), message: message.into(), ..Default::default() };
        Self { code, reasons: vec![reason], unlisted: 0, move_index: None }
    }

    /// A malformed request. `field` is the path of the error, or empty. Both may quote the request and are truncated.
    pub fn malformed(field: &str, message: impl Display) -> Self {
        let message = truncate_quote(&message.to_string());
        let mut refusal = Self::new(Code::InvalidArgument, proto::ErrorReason::MalformedRequest, message);
        refusal.reasons[0].field = truncate_quote(field);
        refusal
    }

    /// An unknown RPC of the service. The message suggests one that exists.
    pub fn unknown_method(name: &str, methods: &[&str]) -> Self {
        let message = format!("unknown method `{}`: {}", truncate_quote(name), suggestion(name, methods));
        Self::new(Code::Unimplemented, proto::ErrorReason::CallNotAvailable, message)
    }

    /// An internal error.
    pub fn internal_fault() -> Self {
        Self::new(
            Code::Internal,
            proto::ErrorReason::InternalFault,
            "internal error: please report it with the request",
        )
    }

    /// A call whose deadline has passed.
    pub fn deadline_exceeded() -> Self {
        Self::new(
            Code::DeadlineExceeded,
            proto::ErrorReason::DeadlineExceeded,
            "the deadline of this call has passed",
        )
    }

    /// A call above the maximum number of calls in flight, or above the share of its client.
    pub fn too_many_calls() -> Self {
        Self::overloaded("too many calls are in flight")
    }

    /// A suggestion above the maximum number of suggestions that run or wait, or above the share of its client.
    pub fn too_many_analyses() -> Self {
        Self::overloaded("too many calls of SuggestMove are running or waiting")
    }

    /// A stream above the maximum number of open streams, or above the share of its client.
    pub fn too_many_streams() -> Self {
        Self::overloaded("too many streams are open")
    }

    /// A call above the maximum number of bytes that are held for calls in flight, or above the share of its client.
    pub fn too_many_bytes() -> Self {
        Self::overloaded("the calls in flight hold too many bytes")
    }

    fn overloaded(why: &str) -> Self {
        let message = format!("{why}: retry after a short delay");
        Self::new(Code::ResourceExhausted, proto::ErrorReason::Overloaded, message)
    }

    /// A stream whose client has sent nothing for too long.
    pub fn idle_stream(timeout: Duration) -> Self {
        let message = format!("the stream was idle for {timeout:?}: open another one when it is needed");
        Self::new(Code::DeadlineExceeded, proto::ErrorReason::DeadlineExceeded, message)
    }

    /// A message above the maximum size.
    pub fn message_too_large(max_bytes: usize) -> Self {
        let message = format!("the message is larger than {max_bytes} bytes");
        Self::new(Code::ResourceExhausted, proto::ErrorReason::MessageTooLarge, message)
    }

    /// A call that the admission queue sheds.
    pub fn shed() -> Self {
        Self::overloaded("the server is overloaded and this call would wait too long in its queue")
    }

    /// An item of a batch whose answer does not fit into the response.
    pub fn answer_too_large() -> Self {
        Self::new(
            Code::ResourceExhausted,
            proto::ErrorReason::AnswerTooLarge,
            "the response to this batch would be too large: send this call again in another batch",
        )
    }

    /// A stream that is still open when the server shuts down.
    pub fn shutting_down() -> Self {
        Self::new(
            Code::Unavailable,
            proto::ErrorReason::ShuttingDown,
            "the server is shutting down: open a new stream",
        )
    }

    /// A call that the client cancelled.
    pub fn cancelled() -> Self {
        Self::new(Code::Cancelled, proto::ErrorReason::Unspecified, "the client cancelled the call")
    }

    /// An illegal move, with its index if it is part of a replay.
    pub fn illegal_move(reasons: Vec<proto::Reason>, move_index: Option<usize>) -> Self {
        Self {
            code: Code::FailedPrecondition,
            reasons,
            unlisted: 0,
            move_index: move_index.map(|index| u32::try_from(index).unwrap_or(u32::MAX)),
        }
    }

    /// A status that only carries this refusal to [`refusal_of`], without the details that a client would receive.
    pub(super) fn into_source(self) -> Status {
        let mut status = Status::new(self.code, "");
        status.set_source(Arc::new(self));
        status
    }

    /// The status code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The code of the first reason.
    pub fn reason(&self) -> proto::ErrorReason {
        self.reasons.first().map_or(proto::ErrorReason::Unspecified, proto::Reason::code)
    }

    /// The first reasons in one line, for people.
    pub fn message(&self) -> String {
        let mut message = match self.move_index {
            Some(index) => format!("move {index} is illegal: "),
            None if self.code == Code::FailedPrecondition => "illegal move: ".to_owned(),
            None => String::new(),
        };
        let mut listed = 0;
        for reason in self.reasons.iter().take(MAX_REASONS_IN_MESSAGE) {
            let end = message.len();
            if listed > 0 {
                message.push_str("; ");
            }
            if self.code == Code::InvalidArgument && !reason.field.is_empty() {
                message.push_str(&reason.field);
                message.push_str(": ");
            }
            message.push_str(&reason.message);
            if listed > 0 && percent_encoded_len(&message) > MAX_MESSAGE_LENGTH {
                message.truncate(end);
                break;
            }
            listed += 1;
        }
        if let Some(more @ 1..) = (self.reasons.len() + self.unlisted).checked_sub(listed) {
            let _ = write!(message, "; and {more} more");
        }
        message
    }

    fn details(&self) -> Vec<Any> {
        let mut details = vec![any("google.rpc.ErrorInfo", &self.error_info())];
        if self.code == Code::InvalidArgument {
            details.push(any("google.rpc.BadRequest", &self.bad_request()));
        }
        if self.code == Code::FailedPrecondition {
            let illegal_move =
                proto::IllegalMove { reasons: self.reasons.clone(), move_index: self.move_index };
            details.push(any("arbiter.v1.IllegalMove", &illegal_move));
        }
        details
    }

    fn error_info(&self) -> ErrorInfo {
        let mut metadata = BTreeMap::new();
        if let Some(first) = self.reasons.first() {
            for (key, value) in [("field", &first.field), ("clause", &first.clause)] {
                if !value.is_empty() {
                    metadata.insert(key.to_owned(), value.clone());
                }
            }
        }
        if let Some(index) = self.move_index {
            metadata.insert("move_index".to_owned(), index.to_string());
        }
        if self.unlisted > 0 {
            metadata.insert("unlisted_violations".to_owned(), self.unlisted.to_string());
        }
        ErrorInfo { reason: self.reason().as_str_name().to_owned(), domain: DOMAIN.to_owned(), metadata }
    }

    fn bad_request(&self) -> pb::BadRequest {
        let violation = |reason: &proto::Reason| pb::bad_request::FieldViolation {
            field: reason.field.clone(),
            description: reason.message.clone(),
            reason: reason.code().as_str_name().to_owned(),
            localized_message: None,
        };
        pb::BadRequest { field_violations: self.reasons.iter().map(violation).collect() }
    }
}

/// The reason for a breach of a rule.
pub(super) fn breach(
    code: proto::ErrorReason,
    field: impl Display,
    breach: &impl RuleBreach,
) -> proto::Reason {
    reason(code, &field, breach, breach.clause())
}

fn reason(
    code: proto::ErrorReason,
    field: &dyn Display,
    message: &dyn Display,
    clause: &str,
) -> proto::Reason {
    proto::Reason {
        code: code.into(),
        message: message.to_string(),
        clause: clause.to_owned(),
        field: field.to_string(),
    }
}

/// Maximum number of characters that a refusal quotes from a request.
const MAX_QUOTED_CHARACTERS: usize = 256;

/// Truncates a text that is quoted from a request.
pub(super) fn truncate_quote(text: &str) -> String {
    truncate(text, MAX_QUOTED_CHARACTERS)
}

/// The first characters of a text, with an ellipsis if there are more.
fn truncate(text: &str, max_characters: usize) -> String {
    match text.char_indices().nth(max_characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The length of a message in the `grpc-message` header, where spaces, some punctuation and all non-ASCII bytes take three
/// characters.
fn percent_encoded_len(message: &str) -> usize {
    let is_literal = |byte: u8| byte.is_ascii_graphic() && !b"\"#%<>?`{}".contains(&byte);
    message.bytes().map(|byte| if is_literal(byte) { 1 } else { 3 }).sum()
}

fn any(name: &str, message: &impl Message) -> Any {
    Any { type_url: format!("type.googleapis.com/{name}"), value: message.encode_to_vec() }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl Error for Refusal {}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.message();
        let status =
            pb::Status { code: refusal.code.into(), message: message.clone(), details: refusal.details() };
        Status::with_details(refusal.code, message, status.encode_to_vec().into())
    }
}

/// Returns the refusal that a status carries, or the equivalent of a status that tonic returned before the request reached
/// its handler. tonic reports client errors as INTERNAL, without a reason.
pub fn refusal_of(status: &Status) -> Option<Refusal> {
    if let Some(refusal) = status.source().and_then(|source| source.downcast_ref::<Refusal>()) {
        return Some(refusal.clone());
    }
    let (code, reason) = match status.code() {
        _ if !status.details().is_empty() => return None,
        // The body is truncated, missing, badly framed, or badly compressed.
        Code::Internal => (Code::InvalidArgument, proto::ErrorReason::MalformedRequest),
        Code::OutOfRange | Code::ResourceExhausted => {
            (Code::ResourceExhausted, proto::ErrorReason::MessageTooLarge)
        }
        Code::Unimplemented => (Code::Unimplemented, proto::ErrorReason::CallNotAvailable),
        _ => return None,
    };
    let message = match status.message() {
        "" => "unknown method",
        message => message.trim_start_matches("Error, "),
    };
    Some(Refusal::new(code, reason, message))
}

impl From<Refusal> for proto::Refusal {
    fn from(refusal: Refusal) -> Self {
        Self {
            code: refusal.code.into(),
            message: refusal.message(),
            reasons: refusal.reasons,
            move_index: refusal.move_index,
            unlisted_reasons: u32::try_from(refusal.unlisted).ok().filter(|&unlisted| unlisted > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_refusals_have_equal_bytes() {
        let reason =
            proto::Reason { field: "move".to_owned(), clause: "C4-2".to_owned(), ..Default::default() };
        let refusal = Refusal::illegal_move(vec![reason], Some(3));
        let bytes = || Status::from(refusal.clone()).details().to_vec();
        let first = bytes();
        assert!((0..64).all(|_| bytes() == first));
    }
}
