//! The messages in the JSON form of proto3, for callers who speak no protobuf.
//!
//! JSON is turned into the binary message and back by the descriptors of the contract: one reader, one set of limits
//! and one set of answers, whichever way a call comes. See `docs/decisions/0008-json-by-reflection.md`.

use std::{fmt::Write, sync::LazyLock, vec};

use bytes::Bytes;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor};
use prost_types::Any;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_path_to_error::{Path, Segment};
use tonic::Code;

use super::{
    Items, Refusal,
    batch::next_item,
    codec::{MAX_TOP_LEVEL_FIELDS, TOO_MANY_FIELDS},
    proto,
};

/// The contract and the details of refusals. Made when the first JSON comes: most servers never see any.
static DESCRIPTORS: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let mut pool = DescriptorPool::new();
    for set in [proto::FILE_DESCRIPTOR_SET, tonic_types::pb::FILE_DESCRIPTOR_SET] {
        pool.decode_file_descriptor_set(set).expect("what was compiled can be read");
    }
    pool
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchInJson<'a> {
    #[serde(borrow)]
    calls: Option<Vec<&'a RawValue>>,
}

/// Turns the request of a call, not of a batch, from JSON into its binary form.
///
/// # Errors
///
/// If it is no JSON, or not that of the request.
pub fn request_from_json(call: &str, json: &[u8]) -> Result<Vec<u8>, Refusal> {
    Ok(read(method(call)?.input(), json, "")?.encode_to_vec())
}

/// Turns the response of a call, not of a batch, from its binary form into JSON.
///
/// # Errors
///
/// If it is no such response: a fault of ours.
pub fn response_to_json(call: &str, binary: Bytes) -> Result<Vec<u8>, Refusal> {
    let response = decode(method(call)?.output(), binary)?;
    serde_json::to_vec(&response).map_err(|_| Refusal::internal_fault())
}

/// A batch in JSON on its way into its binary form, call by call: it may be long, and others want their turn.
pub struct BatchFromJson<'a> {
    calls: vec::IntoIter<&'a RawValue>,
    one: MessageDescriptor,
    max_call_bytes: usize,
    turned: Items,
}

impl<'a> BatchFromJson<'a> {
    /// Finds the calls. Each has at most so many bytes.
    ///
    /// # Errors
    ///
    /// If it is no JSON, or not that of a batch, or one of more calls than are ever read.
    pub fn new(json: &'a [u8], max_call_bytes: usize) -> Result<Self, Refusal> {
        let batch: BatchInJson<'_> =
            serde_json::from_slice(json).map_err(|error| Refusal::malformed("", error))?;
        let calls = batch.calls.unwrap_or_default();
        if calls.len() > MAX_TOP_LEVEL_FIELDS {
            let reason = proto::ErrorReason::TooManyItems;
            return Err(Refusal::new(Code::ResourceExhausted, reason, TOO_MANY_FIELDS));
        }
        let (calls, one) = (calls.into_iter(), message("arbiter.v1.Call")?);
        Ok(Self { calls, one, max_call_bytes, turned: Items::default() })
    }

    /// Turns the next call. False: there was none.
    ///
    /// # Errors
    ///
    /// If it is no call.
    pub fn turn_next(&mut self) -> Result<bool, Refusal> {
        let Some(call) = self.calls.next() else { return Ok(false) };
        let call = call.get().as_bytes();
        if call.len() > self.max_call_bytes {
            // Too long to be read: it is handed on as it is, and refused for its length, on its own.
            self.turned.push(call);
        } else {
            let at = format!("calls[{}]", self.turned.len());
            self.turned.push(&read(self.one.clone(), call, &at)?.encode_to_vec());
        }
        Ok(true)
    }

    /// The batch, in its binary form.
    pub fn finish(self) -> Vec<u8> {
        self.turned.encode_to_vec()
    }
}

/// The answer of a batch on its way into JSON, call by call.
pub struct BatchToJson {
    /// Those that are still to be turned.
    answers: Bytes,
    one: MessageDescriptor,
    json: Vec<u8>,
}

impl BatchToJson {
    /// Finds the answers.
    ///
    /// # Errors
    ///
    /// If it is no such response: a fault of ours.
    pub fn new(binary: Bytes) -> Result<Self, Refusal> {
        Ok(Self { answers: binary, one: message("arbiter.v1.Answer")?, json: Vec::new() })
    }

    /// Turns the next answer. False: there was none.
    ///
    /// # Errors
    ///
    /// If it is no answer: a fault of ours.
    pub fn turn_next(&mut self) -> Result<bool, Refusal> {
        let mut rest = &*self.answers;
        let Some(answer) = next_item(&mut rest) else { return Ok(false) };
        let (answer, rest) = (self.answers.slice_ref(answer), self.answers.slice_ref(rest));
        self.answers = rest;
        self.json.extend_from_slice(if self.json.is_empty() { br#"{"answers":["# } else { b"," });
        let answer = decode(self.one.clone(), answer)?;
        serde_json::to_writer(&mut self.json, &answer).map_err(|_| Refusal::internal_fault())?;
        Ok(true)
    }

    /// The answer, in JSON. An empty list is left out, as every one is.
    pub fn finish(mut self) -> Vec<u8> {
        self.json.extend_from_slice(if self.json.is_empty() { b"{}" } else { b"]}" });
        self.json
    }
}

/// A detail of a refusal in JSON, if it is of a known type.
pub fn detail_to_json(detail: &Any) -> Option<Box<RawValue>> {
    let (_, name) = detail.type_url.rsplit_once('/')?;
    let detail = decode(message(name).ok()?, Bytes::copy_from_slice(&detail.value)).ok()?;
    // In the order of the names: a map has none of its own, and the same refusal is to have the same text.
    to_raw_value(&serde_json::to_value(&detail).ok()?).ok()
}

fn method(call: &str) -> Result<MethodDescriptor, Refusal> {
    let service = DESCRIPTORS.get_service_by_name(proto::rules_service_server::SERVICE_NAME);
    let method = service.and_then(|service| service.methods().find(|method| method.name() == call));
    method.ok_or_else(Refusal::internal_fault)
}

fn message(name: &str) -> Result<MessageDescriptor, Refusal> {
    DESCRIPTORS.get_message_by_name(name).ok_or_else(Refusal::internal_fault)
}

/// Reads a message from JSON. `at` is where it stands in the request.
fn read(descriptor: MessageDescriptor, json: &[u8], at: &str) -> Result<DynamicMessage, Refusal> {
    let mut json = serde_json::Deserializer::from_slice(json);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
    match DynamicMessage::deserialize(descriptor, tracked) {
        Ok(message) => {
            json.end().map_err(|error| Refusal::malformed(at, error))?;
            Ok(message)
        }
        Err(error) => Err(Refusal::malformed(&field_path(at, &track.path()), error)),
    }
}

fn decode(descriptor: MessageDescriptor, binary: Bytes) -> Result<DynamicMessage, Refusal> {
    DynamicMessage::decode(descriptor, binary).map_err(|_| Refusal::internal_fault())
}

/// The path of a field as in every refusal, with the names of the contract.
fn field_path(at: &str, path: &Path) -> String {
    let mut text = at.to_owned();
    for segment in path {
        match segment {
            // Writing to a string cannot fail.
            Segment::Seq { index } => _ = write!(text, "[{index}]"),
            Segment::Map { key } => {
                if !text.is_empty() {
                    text.push('.');
                }
                push_in_snake_case(&mut text, key);
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    text
}

fn push_in_snake_case(text: &mut String, key: &str) {
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violation(call: &str, json: &str) -> (String, String) {
        let read = match call {
            "EvaluateBatch" => BatchFromJson::new(json.as_bytes(), 1000).and_then(|mut batch| {
                while batch.turn_next()? {}
                Ok(batch.finish())
            }),
            _ => request_from_json(call, json.as_bytes()),
        };
        let refusal = read.expect_err("it is malformed");
        assert_eq!(refusal.reason(), proto::ErrorReason::MalformedRequest);
        let message = refusal.message();
        (proto::Refusal::from(refusal).reasons[0].field.clone(), message)
    }

    #[test]
    fn a_request_may_use_the_names_of_the_contract_or_those_of_json() {
        let in_proto = request_from_json("NewGame", br#"{"connect_four": {}, "seed": "7"}"#).expect("reads");
        let in_json = request_from_json("NewGame", br#"{"connectFour": {}, "seed": 7}"#).expect("reads");
        let game = proto::NewGameRequest::decode(in_proto.as_slice()).expect("it is a request");
        assert_eq!(in_proto, in_json);
        assert_eq!(game.seed, Some(7));
    }

    #[test]
    fn what_is_malformed_is_named_by_its_path() {
        let (field, message) =
            violation("ApplyMove", r#"{"state": {"connectFour": {"board": ["", 3]}}, "move": {}}"#);
        assert_eq!(field, "state.connect_four.board[1]");
        assert!(message.starts_with("state.connect_four.board[1]: invalid type: integer `3`"), "{message}");

        let (field, message) = violation("ApplyMove", r#"{"state": {"notatoin": "4"}}"#);
        assert_eq!(field, "state");
        assert!(message.contains("unrecognized field name 'notatoin'"), "{message}");
    }

    #[test]
    fn what_is_malformed_in_a_batch_is_named_by_its_path() {
        let (field, _) = violation("EvaluateBatch", r#"{"calls": [{}, {"applyMove": {"move": 4}}]}"#);
        assert_eq!(field, "calls[1].apply_move.move");
        let (field, _) = violation("EvaluateBatch", r#"{"call": []}"#);
        assert_eq!(field, "");
    }

    #[test]
    fn what_is_quoted_is_cut_off() {
        let long = "ä".repeat(30_000);
        for json in
            [format!(r#"{{"move": {{"{long}": 1}}}}"#), format!(r#"{{"state": {{"{long}": {{"x": 1}}}}}}"#)]
        {
            let (field, message) = violation("ApplyMove", &json);
            assert!(field.len() < 1000 && message.len() < 2000, "{} and {}", field.len(), message.len());
        }
    }

    #[test]
    fn more_than_one_text_is_refused() {
        let (_, message) = violation("ListGames", "{} {}");
        assert!(message.contains("trailing characters"), "{message}");
    }
}
