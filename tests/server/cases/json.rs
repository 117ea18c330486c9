//! Messages as JSON, and how two of them differ.

use prost_reflect::{DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

/// Lines that are shown around a difference.
const CONTEXT: usize = 3;

/// Reads a message. A field that the message does not have is an error, and so is a name in lowerCamelCase:
/// one spelling is enough.
pub fn read(descriptor: MessageDescriptor, json: &Value) -> Result<DynamicMessage, String> {
    let name = descriptor.full_name().to_owned();
    if let Some(key) = camel_case_key(json) {
        return Err(format!("{key:?} is no field of {name}: fields are written as in the .proto files"));
    }
    DynamicMessage::deserialize(descriptor, json).map_err(|error| format!("this is no {name}: {error}"))
}

fn camel_case_key(json: &Value) -> Option<&str> {
    match json {
        Value::Object(fields) => fields.iter().find_map(|(key, value)| {
            if key.contains(char::is_uppercase) { Some(key.as_str()) } else { camel_case_key(value) }
        }),
        Value::Array(items) => items.iter().find_map(camel_case_key),
        _ => None,
    }
}

/// Writes a message, with the names of the fields as in the .proto files.
pub fn write(message: &DynamicMessage) -> Value {
    let options = SerializeOptions::new().use_proto_field_name(true);
    message
        .serialize_with_options(serde_json::value::Serializer, &options)
        .expect("every message of the contract has a JSON form")
}

/// Shows where two values differ: lines that are only wanted with `-`, lines that only came with `+`.
pub fn diff(wanted: &Value, got: &Value) -> String {
    let [wanted, got] = [wanted, got].map(|value| format!("{value:#}"));
    let (wanted, got): (Vec<_>, Vec<_>) = (wanted.lines().collect(), got.lines().collect());
    let shorter = wanted.len().min(got.len());
    let start = wanted.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let end =
        wanted.iter().rev().zip(got.iter().rev()).take_while(|(a, b)| a == b).count().min(shorter - start);
    let (wanted_end, got_end) = (wanted.len() - end, got.len() - end);

    let context_start = start.saturating_sub(CONTEXT);
    let context_end = (wanted_end + CONTEXT).min(wanted.len());
    let marked = [
        (' ', &wanted[context_start..start]),
        ('-', &wanted[start..wanted_end]),
        ('+', &got[start..got_end]),
        (' ', &wanted[wanted_end..context_end]),
    ];
    let lines =
        marked.iter().flat_map(|(mark, lines)| lines.iter().map(move |line| format!("    {mark} {line}")));
    lines.collect::<Vec<_>>().join("\n")
}
