//! What the service has answered, and whether it is what was wanted.

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, ReflectMessage, Value};
use tonic::{Code, Status};
use tonic_types::pb;

use super::{
    case::{Case, Wanted},
    json,
};
use arbiter::wire::{
    DOMAIN,
    proto::{self, Reason, Refusal},
};

/// An answer, in a form that can be compared: a refusal is the same on its own and as an item of many.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The messages: one, unless the call is a stream. Without the fields that the case ignores.
    Messages(Vec<DynamicMessage>),
    /// Why the call was refused.
    Refusal(Refusal),
}

impl Answer {
    /// Reads the answer to a call.
    pub fn read(case: &Case, answer: Result<Vec<DynamicMessage>, Status>) -> Result<Self, String> {
        match answer {
            Ok(messages) => Self::read_messages(case, messages),
            Err(status) => {
                read_status(&status).map(Self::Refusal).map_err(|error| format!("{error}: {status:?}"))
            }
        }
    }

    /// Reads the answer to an item of `EvaluateBatch` or `Evaluate`: an `arbiter.v1.Answer`.
    pub fn read_item(case: &Case, item: &DynamicMessage) -> Result<Self, String> {
        let (field, value) = item.fields().next().ok_or("the item has no answer")?;
        let message = value.as_message().ok_or("the item's answer is no message")?;
        if field.name() == "refusal" {
            message.transcode_to().map(Self::Refusal).map_err(|error| error.to_string())
        } else if message.descriptor() == case.method.output() {
            Self::read_messages(case, vec![message.clone()])
        } else {
            Err(format!("the item's answer is a {}", message.descriptor().full_name()))
        }
    }

    fn read_messages(case: &Case, mut messages: Vec<DynamicMessage>) -> Result<Self, String> {
        for message in &mut messages {
            let read_back = json::read(message.descriptor(), &json::write(message))?;
            if read_back != *message {
                return Err(format!("the answer is not the same after a turn through JSON: {message:?}"));
            }
            if let Some(field) = unspecified(message) {
                return Err(format!(
                    "{field} is UNSPECIFIED, which carries no meaning in an answer: {message:?}"
                ));
            }
            if take_out(message, &case.ignored).missing > 0 {
                let got = json::write(message);
                return Err(format!("a field that is ignored must still be there: {got:#}"));
            }
        }
        Ok(Self::Messages(messages))
    }

    /// Compares this answer with the one that the case wants, and shows the difference.
    pub fn check(&self, case: &Case, pool: &DescriptorPool) -> Result<(), String> {
        let wanted = match &case.wanted {
            Wanted::Messages(messages) => Self::Messages(messages.clone()),
            Wanted::Refusal { code, reasons, move_index } => {
                let got = match self {
                    Self::Refusal(refusal) => refusal.clone(),
                    Self::Messages(_) => Refusal::default(),
                };
                // Messages may be any unless the case wants one: those that were answered are taken over.
                let reasons = reasons.iter().enumerate().map(|(index, (reason, message))| {
                    let answered = got.reasons.get(index).map(|reason| reason.message.clone());
                    let message = message.clone().or(answered).unwrap_or_default();
                    Reason { message, ..reason.clone() }
                });
                let (code, reasons) = ((*code).into(), reasons.collect());
                Self::Refusal(Refusal { code, reasons, move_index: *move_index, ..got })
            }
        };
        self.compare(&wanted, pool)
    }

    /// Compares the answer to an item with the one that the same call has had on its own.
    pub fn check_item(mut self, alone: &Self, pool: &DescriptorPool) -> Result<(), String> {
        if let Self::Refusal(refusal) = &mut self
            && refusal.code == i32::from(Code::InvalidArgument)
        {
            // A google.rpc.BadRequest has no room for the clauses.
            refusal.reasons.iter_mut().for_each(|reason| reason.clause.clear());
        }
        self.compare(alone, pool)
    }

    /// Compares this answer with another, and shows the difference.
    fn compare(&self, wanted: &Self, pool: &DescriptorPool) -> Result<(), String> {
        if self == wanted {
            return Ok(());
        }
        Err(json::diff(&wanted.to_json(pool), &self.to_json(pool)))
    }

    fn to_json(&self, pool: &DescriptorPool) -> serde_json::Value {
        match self {
            Self::Messages(messages) => messages.iter().map(json::write).collect(),
            Self::Refusal(refusal) => {
                let descriptor =
                    pool.get_message_by_name("arbiter.v1.Refusal").expect("it is in the contract");
                let mut message = DynamicMessage::new(descriptor);
                message.transcode_from(refusal).expect("it is the same message");
                json::write(&message)
            }
        }
    }
}

/// A field of an enum that is UNSPECIFIED in an answer, or in a message inside: where there is no value, it is absent.
fn unspecified(message: &DynamicMessage) -> Option<String> {
    let is_unspecified = |value: &Value| matches!(value, Value::EnumNumber(0));
    let within = |value: &Value| value.as_message().and_then(unspecified);
    message.descriptor().fields().find_map(|field| {
        if field.supports_presence() && !message.has_field(&field) {
            return None;
        }
        let value = message.get_field(&field);
        let values = value.as_list().unwrap_or_else(|| std::slice::from_ref(&*value));
        let wrong = values.iter().any(is_unspecified);
        if wrong { Some(field.full_name().to_owned()) } else { values.iter().find_map(within) }
    })
}

/// How often a field was there, and how often it was not.
#[derive(Default)]
pub struct TakenOut {
    pub there: usize,
    pub missing: usize,
}

/// Takes fields out of a message, wherever the ways to them lead: through a list to each of its items.
pub fn take_out(message: &mut DynamicMessage, ways: &[Vec<FieldDescriptor>]) -> TakenOut {
    let mut taken_out = TakenOut::default();
    for way in ways {
        follow(message, way, &mut taken_out);
    }
    taken_out
}

fn follow(message: &mut DynamicMessage, way: &[FieldDescriptor], taken_out: &mut TakenOut) {
    let Some((field, rest)) = way.split_first() else {
        return;
    };
    match (message.has_field(field), rest.is_empty()) {
        (true, true) => {
            message.clear_field(field);
            taken_out.there += 1;
        }
        (false, true) => taken_out.missing += 1,
        (true, false) => match message.get_field_mut(field) {
            Value::Message(inner) => follow(inner, rest, taken_out),
            Value::List(items) => {
                for inner in items.iter_mut().filter_map(Value::as_message_mut) {
                    follow(inner, rest, taken_out);
                }
            }
            _ => {}
        },
        (false, false) => {}
    }
}

/// Reads a refusal out of the status of a call. Everything that a refusal promises must be there.
fn read_status(status: &Status) -> Result<Refusal, String> {
    if status.details().is_empty() {
        return Err("the status has no details".to_owned());
    }
    let written = pb::Status::decode(status.details()).map_err(|error| error.to_string())?;
    if written.code != i32::from(status.code()) || written.message != status.message() {
        return Err("the details are of another status".to_owned());
    }
    let error_info: pb::ErrorInfo =
        detail(&written, "google.rpc.ErrorInfo").ok_or("there is no google.rpc.ErrorInfo")?;
    let (reasons, move_index) = match status.code() {
        Code::InvalidArgument => {
            let bad_request: pb::BadRequest =
                detail(&written, "google.rpc.BadRequest").ok_or("there is no google.rpc.BadRequest")?;
            (bad_request.field_violations.into_iter().map(read_violation).collect(), None)
        }
        Code::FailedPrecondition => {
            let illegal_move: proto::IllegalMove =
                detail(&written, "arbiter.v1.IllegalMove").ok_or("there is no arbiter.v1.IllegalMove")?;
            (illegal_move.reasons, illegal_move.move_index)
        }
        _ => {
            let code = read_reason(&error_info.reason).into();
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

fn read_violation(violation: pb::bad_request::FieldViolation) -> Reason {
    Reason {
        code: read_reason(&violation.reason).into(),
        message: violation.description,
        field: violation.field,
        ..Reason::default()
    }
}

fn read_reason(name: &str) -> proto::ErrorReason {
    proto::ErrorReason::from_str_name(name).unwrap_or_default()
}

/// Checks that the `google.rpc.ErrorInfo` of a refusal tells its first reason.
fn check_error_info(error_info: &pb::ErrorInfo, refusal: &Refusal) -> Result<(), String> {
    let first = refusal.reasons.first().ok_or("there is no reason")?;
    if error_info.domain != DOMAIN || error_info.reason != first.code().as_str_name() {
        return Err("the google.rpc.ErrorInfo is not that of the first reason".to_owned());
    }
    let move_index = refusal.move_index.map(|index| index.to_string()).unwrap_or_default();
    for (key, wanted) in [("field", &first.field), ("clause", &first.clause), ("move_index", &move_index)] {
        let told = error_info.metadata.get(key);
        if !wanted.is_empty() && told != Some(wanted) {
            return Err(format!("{key} in the metadata of google.rpc.ErrorInfo should be {wanted}"));
        }
    }
    if refusal.message.is_empty() || refusal.reasons.iter().any(|reason| reason.message.is_empty()) {
        return Err("a message is empty".to_owned());
    }
    Ok(())
}
