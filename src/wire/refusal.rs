use std::{
    collections::BTreeMap,
    error::Error,
    fmt::{self, Display, Write},
    sync::Arc,
};

use prost::Message;
use prost_types::Any;
use tonic::{Code, Status};
use tonic_types::pb;

use super::{Path, proto, spelling::suggestion};
use crate::games::{GameId, RuleBreach};

/// The `domain` of every `google.rpc.ErrorInfo`.
pub const DOMAIN: &str = "arbiter.v1";

/// The most reasons that one refusal lists. Of the others it tells how many there are.
const MAX_REASONS: usize = 24;

/// The most bytes of reasons that one refusal lists: with everything around them, more would not fit into the 8 KiB of
/// headers that clients accept.
const MAX_REASON_BYTES: usize = 4096;

/// How many reasons the message of a status spells out at most: the details carry all of them.
const MAX_REASONS_IN_MESSAGE: usize = 4;

/// How long the message of a status is at most, as it is sent, unless its first reason is longer.
const MAX_MESSAGE_LENGTH: usize = 1024;

/// `google.rpc.ErrorInfo`, with its metadata in order: the same refusal has the same bytes.
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
    /// How many further reasons there are.
    unlisted: usize,
    move_index: Option<u32>,
}

/// Everything that is wrong with a request, gathered while it is read.
#[derive(Debug, Default)]
pub struct Violations {
    reasons: Vec<proto::Reason>,
    unlisted: usize,
    /// How much all of them take.
    bytes: usize,
}

impl Violations {
    /// Notes that a field is wrong.
    pub fn add(&mut self, at: &Path<'_>, code: proto::ErrorReason, message: impl Display) {
        self.push(at, code, &message, "");
    }

    /// Notes that a field breaks a rule of the game.
    pub fn add_breach(&mut self, at: &Path<'_>, code: proto::ErrorReason, breach: &impl RuleBreach) {
        self.push(at, code, breach, breach.clause());
    }

    /// Notes that a part of the request does not have the type of its field. The path may have a name that the caller
    /// made up: it is cut off.
    pub fn malformed(&mut self, at: &Path<'_>, message: impl Display) {
        let at = fmt::from_fn(|f| f.write_str(&truncate_quote(&at.to_string())));
        let message = fmt::from_fn(|f| f.write_str(&truncate(&message.to_string(), MAX_MESSAGE_LENGTH)));
        self.push(&at, proto::ErrorReason::MalformedRequest, &message, "");
    }

    fn push(&mut self, at: &dyn Display, code: proto::ErrorReason, message: &dyn Display, clause: &str) {
        // Once there is no room there never is again: what is not listed need not be put into words.
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

    /// Notes that a field is missing.
    pub fn required(&mut self, at: &Path<'_>) {
        self.add(at, proto::ErrorReason::FieldRequired, "this field is required");
    }

    /// Notes that something is not of the game that the request is about.
    pub fn game_mismatch(&mut self, at: &Path<'_>, what: &str, game: GameId) {
        let message = format!("this is no {what} of {}, the game of the request", game.name());
        self.add(at, proto::ErrorReason::GameMismatch, message);
    }

    /// The value that was made, or none: then each of the errors is noted.
    pub fn accept<T, E>(
        &mut self,
        made: Result<T, Vec<E>>,
        mut report: impl FnMut(E, &mut Self),
    ) -> Option<T> {
        match made {
            Ok(value) => Some(value),
            Err(errors) => {
                for error in errors {
                    report(error, self);
                }
                None
            }
        }
    }

    /// The value that was read, or the refusal of everything that is wrong.
    ///
    /// # Errors
    ///
    /// If anything is wrong. A value that could not be read must have been noted.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Refusal> {
        match value {
            Some(value) if self.reasons.is_empty() => Ok(value),
            _ => Err(self.into_refusal()),
        }
    }

    /// The refusal of everything that is wrong. There must be something.
    pub fn into_refusal(self) -> Refusal {
        debug_assert!(!self.reasons.is_empty(), "an unread value has a violation");
        Refusal {
            code: Code::InvalidArgument,
            reasons: self.reasons,
            unlisted: self.unlisted,
            move_index: None,
        }
    }
}

impl Refusal {
    /// A refusal for one reason that concerns no field and no rule.
    pub fn new(code: Code, reason: proto::ErrorReason, message: impl Into<String>) -> Self {
        let reason = proto::Reason { code: reason.into(), message: message.into(), ..Default::default() };
        Self { code, reasons: vec![reason], unlisted: 0, move_index: None }
    }

    /// A request that is no message of its type. The field is where that shows, or empty. What is said may quote the
    /// request: it is cut off.
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

    /// A call above the maximum number of calls in flight.
    pub fn overloaded() -> Self {
        Self::new(
            Code::ResourceExhausted,
            proto::ErrorReason::Overloaded,
            "too many calls are in flight: retry after a short delay",
        )
    }

    /// A batch above the maximum number of bytes that batches in flight may hold.
    pub fn too_many_batch_bytes() -> Self {
        Self::new(
            Code::ResourceExhausted,
            proto::ErrorReason::Overloaded,
            "the batches in flight hold too many bytes: retry after a short delay",
        )
    }

    /// A message above the maximum size.
    pub fn message_too_large(max_bytes: usize) -> Self {
        let message = format!("the message is larger than {max_bytes} bytes");
        Self::new(Code::ResourceExhausted, proto::ErrorReason::MessageTooLarge, message)
    }

    /// A call that the admission queue sheds.
    pub fn shed() -> Self {
        Self::new(
            Code::ResourceExhausted,
            proto::ErrorReason::Overloaded,
            "the server is overloaded and this call would wait too long in its queue: retry after a short delay",
        )
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

    /// An illegal move; in a replay, with its index.
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

    /// The first reason, in code.
    pub fn reason(&self) -> proto::ErrorReason {
        self.reasons.first().map_or(proto::ErrorReason::Unspecified, proto::Reason::code)
    }

    /// All reasons in one line, for people.
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

/// A reason why a rule forbids a move.
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

/// The most characters of a request that a refusal quotes.
const MAX_QUOTED_CHARACTERS: usize = 256;

/// A text that is not too long to be quoted.
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

/// How long a message is in a header: most of what is no letter, digit or mark of ASCII takes three characters a byte.
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
    /// The only place where a refusal becomes a status.
    fn from(refusal: Refusal) -> Self {
        let message = refusal.message();
        let status =
            pb::Status { code: refusal.code.into(), message: message.clone(), details: refusal.details() };
        Status::with_details(refusal.code, message, status.encode_to_vec().into())
    }
}

/// Returns the refusal behind a status: the one it was made of, or the equivalent of a status that tonic made because a
/// request did not reach its handler. tonic reports a caller's mistakes as INTERNAL, and without a reason.
pub fn refusal_of(status: &Status) -> Option<Refusal> {
    if let Some(refusal) = status.source().and_then(|source| source.downcast_ref::<Refusal>()) {
        return Some(refusal.clone());
    }
    let (code, reason) = match status.code() {
        _ if !status.details().is_empty() => return None,
        // The body is cut off, missing, badly framed, or badly compressed.
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
    fn the_same_refusal_has_the_same_bytes() {
        let reason =
            proto::Reason { field: "move".to_owned(), clause: "C4-2".to_owned(), ..Default::default() };
        let refusal = Refusal::illegal_move(vec![reason], Some(3));
        let bytes = || Status::from(refusal.clone()).details().to_vec();
        let first = bytes();
        assert!((0..64).all(|_| bytes() == first));
    }
}
