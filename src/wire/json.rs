//! The messages in the JSON form of proto3, for callers who speak no protobuf.
//!
//! JSON is turned into the binary message and back by the descriptors of the contract: one reader, one set of limits
//! and one set of answers, whichever way a call comes. See `docs/decisions/0008-json-by-reflection.md`.

use std::{fmt::Write, sync::LazyLock};

use bytes::Bytes;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor};
use prost_types::Any;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_path_to_error::{Path, Segment};
use tonic::Code;

use super::{
    Refusal,
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

/// A batch, or its answer: on the wire both are one list of messages. They are turned one by one, since a message that
/// is known only by its descriptor takes many times its size.
#[derive(Clone, PartialEq, Message)]
struct Items {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    items: Vec<Bytes>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchInJson<'a> {
    #[serde(borrow)]
    calls: Option<Vec<&'a RawValue>>,
}

#[derive(Serialize)]
struct BatchAnswerInJson {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<Box<RawValue>>,
}

/// Turns the request of a call from JSON into its binary form. A call of a batch has at most so many bytes.
///
/// # Errors
///
/// If it is no JSON, or not that of the request, or a batch of more calls than are ever read.
pub fn request_from_json(call: &str, json: &[u8], max_call_bytes: usize) -> Result<Vec<u8>, Refusal> {
    let request = method(call)?.input();
    if request.full_name() != "arbiter.v1.EvaluateBatchRequest" {
        return Ok(read(request, json, "")?.encode_to_vec());
    }
    let batch: BatchInJson<'_> =
        serde_json::from_slice(json).map_err(|error| Refusal::malformed("", error))?;
    let calls = batch.calls.unwrap_or_default();
    if calls.len() > MAX_TOP_LEVEL_FIELDS {
        return Err(Refusal::new(Code::ResourceExhausted, proto::ErrorReason::TooManyItems, TOO_MANY_FIELDS));
    }
    let one = message("arbiter.v1.Call")?;
    let calls = calls.into_iter().enumerate().map(|(index, call)| {
        // Too long to be read: it is handed on as it is, and refused for its length, on its own.
        if call.get().len() > max_call_bytes {
            return Ok(Bytes::copy_from_slice(call.get().as_bytes()));
        }
        let call = read(one.clone(), call.get().as_bytes(), &format!("calls[{index}]"))?;
        Ok(call.encode_to_vec().into())
    });
    Ok(Items { items: calls.collect::<Result<_, Refusal>>()? }.encode_to_vec())
}

/// Turns the response of a call from its binary form into JSON.
///
/// # Errors
///
/// If it is no such response: a fault of ours.
pub fn response_to_json(call: &str, binary: Bytes) -> Result<Vec<u8>, Refusal> {
    let response = method(call)?.output();
    let json = if response.full_name() == "arbiter.v1.EvaluateBatchResponse" {
        let one = message("arbiter.v1.Answer")?;
        let batch = Items::decode(binary).map_err(|_| Refusal::internal_fault())?;
        let answers = batch.items.into_iter().map(|answer| write(one.clone(), answer));
        serde_json::to_vec(&BatchAnswerInJson { answers: answers.collect::<Result<_, _>>()? })
    } else {
        serde_json::to_vec(&decode(response, binary)?)
    };
    json.map_err(|_| Refusal::internal_fault())
}

/// A detail of a refusal in JSON, if it is of a known type.
pub fn detail_to_json(detail: &Any) -> Option<Box<RawValue>> {
    let (_, name) = detail.type_url.rsplit_once('/')?;
    write(message(name).ok()?, Bytes::copy_from_slice(&detail.value)).ok()
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

fn write(descriptor: MessageDescriptor, binary: Bytes) -> Result<Box<RawValue>, Refusal> {
    to_raw_value(&decode(descriptor, binary)?).map_err(|_| Refusal::internal_fault())
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
        let refusal = request_from_json(call, json.as_bytes(), 1000).expect_err("it is malformed");
        assert_eq!(refusal.reason(), proto::ErrorReason::MalformedRequest);
        let message = refusal.message();
        (proto::Refusal::from(refusal).reasons[0].field.clone(), message)
    }

    #[test]
    fn a_request_may_use_the_names_of_the_contract_or_those_of_json() {
        let in_proto =
            request_from_json("NewGame", br#"{"connect_four": {}, "seed": "7"}"#, 0).expect("reads");
        let in_json = request_from_json("NewGame", br#"{"connectFour": {}, "seed": 7}"#, 0).expect("reads");
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
