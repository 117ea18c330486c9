//! Conversion between proto3 JSON and binary messages, for clients without protobuf.
//!
//! It uses the descriptors of the contract. The rest of the server handles only binary messages, so decoding, limits and
//! responses are the same in every protocol. See `docs/decisions/0008-json-by-reflection.md`.

mod expectation;
mod reader;
mod suggestion;
mod tree;

use std::{sync::LazyLock, vec};

use bytes::Bytes;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, Kind, MessageDescriptor, MethodDescriptor};
use prost_types::Any;
use serde_json::value::{RawValue, to_raw_value};

use self::{
    reader::{GivenFields, Reader},
    tree::Json,
};
use super::{FieldLimit, Items, Path, Refusal, batch::next_item, proto};

/// The contract and the details of refusals. Decoded at the first JSON request, because most servers never receive one.
static DESCRIPTORS: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let mut pool = DescriptorPool::new();
    for set in [proto::FILE_DESCRIPTOR_SET, tonic_types::pb::FILE_DESCRIPTOR_SET] {
        pool.decode_file_descriptor_set(set).expect("the descriptors are compiled");
    }
    pool
});

/// Converts the request of a call from JSON to its binary form. Not for a batch: see [`BatchFromJson`].
///
/// # Errors
///
/// If it has too many fields for a message of `max_bytes`, is not JSON, or does not match the request message. The refusal of a
/// malformed message has every violation.
pub fn request_from_json(call: &str, json: &[u8], max_bytes: usize) -> Result<Vec<u8>, Refusal> {
    let request = method(call)?.input();
    let mut reader = Reader::new(request.clone());
    let limit = FieldLimit::for_json(max_bytes);
    let message = reader.read(&request, or_empty_object(json), limit, &Path::REQUEST);
    Ok(reader.finish(message)?.encode_to_vec())
}

/// The body of a request. An empty body is an empty message.
fn or_empty_object(json: &[u8]) -> &[u8] {
    if json.is_empty() { b"{}" } else { json }
}

/// Converts the response of a call from its binary form to JSON. Not for a batch: see [`BatchToJson`].
///
/// # Errors
///
/// If it is not such a response, which is an internal error.
pub fn response_to_json(call: &str, binary: Bytes) -> Result<Vec<u8>, Refusal> {
    let response = decode(method(call)?.output(), binary)?;
    serde_json::to_vec(&response).map_err(|_| Refusal::internal_fault())
}

/// Converts a batch from JSON to its binary form, call by call, so that a long batch can yield to other calls.
pub struct BatchFromJson<'a> {
    calls: vec::IntoIter<&'a RawValue>,
    call: MessageDescriptor,
    max_call_bytes: usize,
    reader: Reader,
    converted: Items,
}

impl<'a> BatchFromJson<'a> {
    /// Finds the calls. A call of more than `max_call_bytes` is not converted.
    ///
    /// # Errors
    ///
    /// If there are more calls than any batch may have.
    pub fn new(json: &'a [u8], max_call_bytes: usize) -> Result<Self, Refusal> {
        let batch = method("EvaluateBatch")?.input();
        let mut reader = Reader::new(batch.clone());
        let calls = find_calls(&mut reader, &batch, or_empty_object(json))?;
        let (calls, call) = (calls.into_iter(), message("arbiter.v1.Call")?);
        Ok(Self { calls, call, max_call_bytes, reader, converted: Items::default() })
    }

    /// Converts the next call. Returns false if there is none, or if a call has too many fields.
    pub fn convert_next(&mut self) -> bool {
        let Some(call) = self.calls.next().filter(|_| !self.reader.is_refused()) else { return false };
        let call = call.get().as_bytes();
        if call.len() > self.max_call_bytes {
            // It is passed on as it is. The service refuses it for its size, without the rest of the batch.
            self.converted.push(call);
        } else {
            let calls = Path::root(CALLS);
            let limit = FieldLimit::for_json(self.max_call_bytes);
            let message = self.reader.read(&self.call, call, limit, &calls.index(self.converted.len()));
            self.converted.push(&message.encode_to_vec());
        }
        true
    }

    /// The batch in its binary form.
    ///
    /// # Errors
    ///
    /// If a call has too many fields, or if it is not JSON, or does not match the messages of a batch. The refusal of a malformed
    /// batch has the violations of all calls.
    pub fn finish(self) -> Result<Vec<u8>, Refusal> {
        Ok(self.reader.finish(self.converted)?.encode_to_vec())
    }
}

/// The only field of a batch.
const CALLS: &str = "calls";

/// Finds the calls of a batch without decoding them.
fn find_calls<'a>(
    reader: &mut Reader,
    batch: &MessageDescriptor,
    json: &'a [u8],
) -> Result<Vec<&'a RawValue>, Refusal> {
    let at = &Path::REQUEST;
    let members = match reader.parse_batch(json) {
        Some(Json::Object(members)) => members,
        Some(other) => {
            reader.mismatch(at, &Kind::Message(batch.clone()), false, &other);
            Vec::new()
        }
        None => Vec::new(),
    };
    let (mut given, mut calls) = (GivenFields::new(), Vec::new());
    for (name, value) in members {
        let is_null = matches!(value, Json::Null);
        let Some(field) = reader.field(batch, &mut given, name, is_null, at) else { continue };
        if field.name() != CALLS {
            return Err(Refusal::internal_fault());
        }
        match value {
            Json::Array(items) => calls = items,
            other => reader.mismatch(&at.field(CALLS), &field.kind(), true, &other),
        }
    }
    Ok(calls)
}

/// Converts the response of a batch from its binary form to JSON, answer by answer.
pub struct BatchToJson {
    /// The answers that are not converted yet.
    answers: Bytes,
    answer: MessageDescriptor,
    json: Vec<u8>,
}

impl BatchToJson {
    /// Finds the answers.
    ///
    /// # Errors
    ///
    /// If it is not such a response, which is an internal error.
    pub fn new(binary: Bytes) -> Result<Self, Refusal> {
        Ok(Self { answers: binary, answer: message("arbiter.v1.Answer")?, json: Vec::new() })
    }

    /// Converts the next answer. Returns false if there is none.
    ///
    /// # Errors
    ///
    /// If it is not an answer, which is an internal error.
    pub fn convert_next(&mut self) -> Result<bool, Refusal> {
        let mut rest = &*self.answers;
        let Some(answer) = next_item(&mut rest) else { return Ok(false) };
        let (answer, rest) = (self.answers.slice_ref(answer), self.answers.slice_ref(rest));
        self.answers = rest;
        self.json.extend_from_slice(if self.json.is_empty() { br#"{"answers":["# } else { b"," });
        let answer = decode(self.answer.clone(), answer)?;
        serde_json::to_writer(&mut self.json, &answer).map_err(|_| Refusal::internal_fault())?;
        Ok(true)
    }

    /// The response in JSON. An empty list is omitted, as in every message.
    pub fn finish(mut self) -> Vec<u8> {
        self.json.extend_from_slice(if self.json.is_empty() { b"{}" } else { b"]}" });
        self.json
    }
}

/// A detail of a refusal in JSON, if it is of a known type.
pub fn detail_to_json(detail: &Any) -> Option<Box<RawValue>> {
    let (_, name) = detail.type_url.rsplit_once('/')?;
    let detail = decode(message(name).ok()?, Bytes::copy_from_slice(&detail.value)).ok()?;
    // A `serde_json::Value` sorts the names of a map, so that equal refusals have equal texts.
    to_raw_value(&serde_json::to_value(&detail).ok()?).ok()
}

fn method(call: &str) -> Result<MethodDescriptor, Refusal> {
    let service = DESCRIPTORS.get_service_by_name(proto::SERVICE_NAME);
    let method = service.and_then(|service| service.methods().find(|method| method.name() == call));
    method.ok_or_else(Refusal::internal_fault)
}

fn message(name: &str) -> Result<MessageDescriptor, Refusal> {
    DESCRIPTORS.get_message_by_name(name).ok_or_else(Refusal::internal_fault)
}

fn decode(descriptor: MessageDescriptor, binary: Bytes) -> Result<DynamicMessage, Refusal> {
    DynamicMessage::decode(descriptor, binary).map_err(|_| Refusal::internal_fault())
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    /// Maximum size of a call.
    pub(super) const MAX_BYTES: usize = 65_536;

    fn convert_batch(json: &str) -> Result<Vec<u8>, Refusal> {
        let mut batch = BatchFromJson::new(json.as_bytes(), MAX_BYTES)?;
        while batch.convert_next() {}
        batch.finish()
    }

    /// The refusal of a malformed request.
    pub(super) fn refusal(call: &str, json: &str) -> Refusal {
        let converted = match call {
            "EvaluateBatch" => convert_batch(json),
            _ => request_from_json(call, json.as_bytes(), MAX_BYTES),
        };
        let refusal = converted.expect_err("the request is malformed");
        assert_eq!(refusal.code(), Code::InvalidArgument);
        assert_eq!(refusal.reason(), proto::ErrorReason::MalformedRequest);
        refusal
    }

    /// The field and the message of each violation of a malformed request.
    pub(super) fn violations(call: &str, json: &str) -> Vec<(String, String)> {
        let reasons = proto::Refusal::from(refusal(call, json)).reasons;
        reasons.into_iter().map(|reason| (reason.field, reason.message)).collect()
    }

    /// The only violation of a malformed request.
    pub(super) fn violation(call: &str, json: &str) -> (String, String) {
        let [violation] = violations(call, json).try_into().expect("there is one violation");
        violation
    }

    #[test]
    fn an_empty_batch_has_no_calls() {
        for json in ["", "{}", r#"{"calls": null}"#, r#"{"calls": []}"#] {
            assert_eq!(convert_batch(json).expect("the batch is valid"), [0; 0], "{json}");
        }
    }

    #[test]
    fn the_violations_of_all_calls_of_a_batch_are_reported_with_their_paths() {
        let json = r#"{"calls": [{}, {"applyMove": {"move": 4}}, null, {"new_game": {"seed": -1}}]}"#;
        let fields: Vec<_> = violations("EvaluateBatch", json).into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["calls[1].apply_move.move", "calls[2]", "calls[3].new_game.seed"]);
    }

    #[test]
    fn an_unknown_field_of_a_batch_has_a_suggestion() {
        let (field, message) = violation("EvaluateBatch", r#"{"cals": []}"#);
        assert_eq!(field, "cals");
        assert_eq!(message, "unknown field `cals`: did you mean `calls`?");
    }

    #[test]
    fn calls_given_twice_are_refused() {
        assert_eq!(violation("EvaluateBatch", r#"{"calls": [], "calls": []}"#).0, "calls");
    }

    #[test]
    fn a_batch_of_the_wrong_type_reports_the_expected_type() {
        let (field, message) = violation("EvaluateBatch", "[]");
        assert_eq!(field, "");
        assert_eq!(message, r#"expected an object such as {"calls": []}, found an array"#);
        let (field, message) = violation("EvaluateBatch", r#"{"calls": {}}"#);
        assert_eq!(field, "calls");
        assert_eq!(message, r#"expected an array such as [{"validate_move": {}}], found an object"#);
    }

    #[test]
    fn a_call_that_is_too_long_is_not_converted() {
        let long = format!(r#"{{"{}": 1}}"#, "a".repeat(MAX_BYTES));
        let batch = convert_batch(&format!(r#"{{"calls": [{long}]}}"#)).expect("the batch is valid");
        let batch = Items::decode(batch.as_slice()).expect("the result is a batch");
        assert!(batch.iter().eq([long.as_bytes()]));
    }
}
