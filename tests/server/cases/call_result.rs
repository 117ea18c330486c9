//! The result of a call, and its comparison with the expected one.

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, ReflectMessage, Value};
use tonic::{Code, Status};
use tonic_types::pb;

use super::{
    case::{Case, Expected},
    json,
};
use arbiter::wire::{
    DOMAIN,
    proto::{self, Reason, Refusal},
};

/// The result of a call. A refusal has the same form whether the request was a single call or an item.
#[derive(Clone, Debug, PartialEq)]
pub enum CallResult {
    /// The response messages without ignored fields. One, unless the call is a stream.
    Messages(Vec<DynamicMessage>),
    Refusal(Refusal),
}

impl CallResult {
    /// Converts the result of a single call.
    pub fn from_call(case: &Case, result: Result<Vec<DynamicMessage>, Status>) -> Result<Self, String> {
        match result {
            Ok(messages) => Self::from_messages(case, messages),
            Err(status) => {
                decode_status(&status).map(Self::Refusal).map_err(|error| format!("{error}: {status:?}"))
            }
        }
    }

    /// Converts an `arbiter.v1.Answer`, the result of an item of `EvaluateBatch` or `Evaluate`.
    pub fn from_item(case: &Case, item: &DynamicMessage) -> Result<Self, String> {
        let (field, value) = item.fields().next().ok_or("the answer is empty")?;
        let message = value.as_message().ok_or("the answer is not a message")?;
        if field.name() == "refusal" {
            message.transcode_to().map(Self::Refusal).map_err(|error| error.to_string())
        } else if message.descriptor() == case.method.output() {
            Self::from_messages(case, vec![message.clone()])
        } else {
            Err(format!("the answer is a {}", message.descriptor().full_name()))
        }
    }

    fn from_messages(case: &Case, mut messages: Vec<DynamicMessage>) -> Result<Self, String> {
        for message in &mut messages {
            let read_back = json::parse(message.descriptor(), &json::from_message(message))?;
            if read_back != *message {
                return Err(format!("the response changes in a round trip through JSON: {message:?}"));
            }
            if let Some(field) = find_unspecified(message) {
                return Err(format!(
                    "{field} is UNSPECIFIED, which has no meaning in a response: {message:?}"
                ));
            }
            if remove_fields(message, &case.ignored).missing > 0 {
                let actual = json::from_message(message);
                return Err(format!("an ignored field must be present: {actual:#}"));
            }
        }
        Ok(Self::Messages(messages))
    }

    /// Compares this result with the one that the case expects. The error is a diff.
    pub fn check(&self, case: &Case, pool: &DescriptorPool) -> Result<(), String> {
        let expected = match &case.expected {
            Expected::Messages(messages) => Self::Messages(messages.clone()),
            Expected::Refusal { code, reasons, move_index } => {
                let actual = match self {
                    Self::Refusal(refusal) => refusal.clone(),
                    Self::Messages(_) => Refusal::default(),
                };
                // A case that gives no message accepts the actual one.
                let reasons = reasons.iter().enumerate().map(|(index, (reason, message))| {
                    let actual = actual.reasons.get(index).map(|reason| reason.message.clone());
                    let message = message.clone().or(actual).unwrap_or_default();
                    Reason { message, ..reason.clone() }
                });
                let (code, reasons) = ((*code).into(), reasons.collect());
                Self::Refusal(Refusal { code, reasons, move_index: *move_index, ..actual })
            }
        };
        self.compare(&expected, pool)
    }

    /// Compares the result of an item with that of the same request as a single call.
    pub fn check_item(mut self, single: &Self, pool: &DescriptorPool) -> Result<(), String> {
        if let Self::Refusal(refusal) = &mut self
            && refusal.code == i32::from(Code::InvalidArgument)
        {
            // google.rpc.BadRequest has no field for clauses.
            refusal.reasons.iter_mut().for_each(|reason| reason.clause.clear());
        }
        self.compare(single, pool)
    }

    fn compare(&self, expected: &Self, pool: &DescriptorPool) -> Result<(), String> {
        if self == expected {
            return Ok(());
        }
        Err(json::diff(&expected.to_json(pool), &self.to_json(pool)))
    }

    fn to_json(&self, pool: &DescriptorPool) -> serde_json::Value {
        match self {
            Self::Messages(messages) => messages.iter().map(json::from_message).collect(),
            Self::Refusal(refusal) => {
                let descriptor =
                    pool.get_message_by_name("arbiter.v1.Refusal").expect("the contract defines it");
                let mut message = DynamicMessage::new(descriptor);
                message.transcode_from(refusal).expect("both have the same descriptor");
                json::from_message(&message)
            }
        }
    }
}

/// The name of an enum field that is UNSPECIFIED, in the message or in a nested one. Responses omit fields without a value.
fn find_unspecified(message: &DynamicMessage) -> Option<String> {
    let is_unspecified = |value: &Value| matches!(value, Value::EnumNumber(0));
    let nested = |value: &Value| value.as_message().and_then(find_unspecified);
    message.descriptor().fields().find_map(|field| {
        if field.supports_presence() && !message.has_field(&field) {
            return None;
        }
        let value = message.get_field(&field);
        let values = value.as_list().unwrap_or_else(|| std::slice::from_ref(&*value));
        let found = values.iter().any(is_unspecified);
        if found { Some(field.full_name().to_owned()) } else { values.iter().find_map(nested) }
    })
}

/// How many of the fields to remove were present and how many were missing.
#[derive(Default)]
pub struct RemovedFields {
    pub present: usize,
    pub missing: usize,
}

/// Removes fields by path. A path through a list applies to each item.
pub fn remove_fields(message: &mut DynamicMessage, paths: &[Vec<FieldDescriptor>]) -> RemovedFields {
    let mut removed = RemovedFields::default();
    for path in paths {
        remove_field(message, path, &mut removed);
    }
    removed
}

fn remove_field(message: &mut DynamicMessage, path: &[FieldDescriptor], removed: &mut RemovedFields) {
    let Some((field, rest)) = path.split_first() else {
        return;
    };
    match (message.has_field(field), rest.is_empty()) {
        (true, true) => {
            message.clear_field(field);
            removed.present += 1;
        }
        (false, true) => removed.missing += 1,
        (true, false) => match message.get_field_mut(field) {
            Value::Message(inner) => remove_field(inner, rest, removed),
            Value::List(items) => {
                for inner in items.iter_mut().filter_map(Value::as_message_mut) {
                    remove_field(inner, rest, removed);
                }
            }
            _ => {}
        },
        (false, false) => {}
    }
}

/// Converts an error status to a refusal, and checks that all details are present.
fn decode_status(status: &Status) -> Result<Refusal, String> {
    if status.details().is_empty() {
        return Err("the status has no details".to_owned());
    }
    let details = pb::Status::decode(status.details()).map_err(|error| error.to_string())?;
    if details.code != i32::from(status.code()) || details.message != status.message() {
        return Err("the details belong to another status".to_owned());
    }
    let error_info: pb::ErrorInfo =
        detail(&details, "google.rpc.ErrorInfo").ok_or("google.rpc.ErrorInfo is missing")?;
    let (reasons, move_index) = match status.code() {
        Code::InvalidArgument => {
            let bad_request: pb::BadRequest =
                detail(&details, "google.rpc.BadRequest").ok_or("google.rpc.BadRequest is missing")?;
            (bad_request.field_violations.into_iter().map(reason_from_violation).collect(), None)
        }
        Code::FailedPrecondition => {
            let illegal_move: proto::IllegalMove =
                detail(&details, "arbiter.v1.IllegalMove").ok_or("arbiter.v1.IllegalMove is missing")?;
            (illegal_move.reasons, illegal_move.move_index)
        }
        _ => {
            let code = reason_code(&error_info.reason).into();
            (vec![Reason { code, message: status.message().to_owned(), ..Reason::default() }], None)
        }
    };
    let unlisted_reasons =
        error_info.metadata.get("unlisted_violations").and_then(|count| count.parse().ok());
    let (code, message) = (status.code().into(), status.message().to_owned());
    let refusal = Refusal { code, message, reasons, move_index, unlisted_reasons };
    check_error_info(&error_info, &refusal)?;
    Ok(refusal)
}

fn detail<M: Message + Default>(status: &pb::Status, name: &str) -> Option<M> {
    let url = format!("type.googleapis.com/{name}");
    let detail = status.details.iter().find(|detail| detail.type_url == url)?;
    M::decode(detail.value.as_slice()).ok()
}

fn reason_from_violation(violation: pb::bad_request::FieldViolation) -> Reason {
    Reason {
        code: reason_code(&violation.reason).into(),
        message: violation.description,
        field: violation.field,
        ..Reason::default()
    }
}

fn reason_code(name: &str) -> proto::ErrorReason {
    proto::ErrorReason::from_str_name(name).unwrap_or_default()
}

/// Checks that the `google.rpc.ErrorInfo` of a refusal describes its first reason.
fn check_error_info(error_info: &pb::ErrorInfo, refusal: &Refusal) -> Result<(), String> {
    let first = refusal.reasons.first().ok_or("the refusal has no reason")?;
    if error_info.domain != DOMAIN || error_info.reason != first.code().as_str_name() {
        return Err("google.rpc.ErrorInfo does not describe the first reason".to_owned());
    }
    let move_index = refusal.move_index.map(|index| index.to_string()).unwrap_or_default();
    for (key, expected) in [("field", &first.field), ("clause", &first.clause), ("move_index", &move_index)] {
        let actual = error_info.metadata.get(key);
        if !expected.is_empty() && actual != Some(expected) {
            return Err(format!("{key} in the metadata of google.rpc.ErrorInfo should be {expected}"));
        }
    }
    if refusal.message.is_empty() || refusal.reasons.iter().any(|reason| reason.message.is_empty()) {
        return Err("a message is empty".to_owned());
    }
    Ok(())
}
