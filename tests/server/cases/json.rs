//! Messages as JSON, and a diff of two JSON values.

use prost_reflect::{DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

/// Lines of context around a difference.
const CONTEXT: usize = 3;

/// Parses a message. Rejects unknown fields, and names in lowerCamelCase: case files use only the names in the .proto
/// files.
pub fn parse(descriptor: MessageDescriptor, json: &Value) -> Result<DynamicMessage, String> {
    let name = descriptor.full_name().to_owned();
    if let Some(key) = camel_case_key(json) {
        return Err(format!("{key:?} is not a field of {name}: use the names in the .proto files"));
    }
    DynamicMessage::deserialize(descriptor, json).map_err(|error| format!("not a valid {name}: {error}"))
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

/// Converts a message to JSON with the field names of the .proto files.
pub fn from_message(message: &DynamicMessage) -> Value {
    let options = SerializeOptions::new().use_proto_field_name(true);
    message
        .serialize_with_options(serde_json::value::Serializer, &options)
        .expect("every message of the contract has a JSON form")
}

/// A line diff of two values: `-` marks expected lines, `+` actual ones.
pub fn diff(expected: &Value, actual: &Value) -> String {
    let [expected, actual] = [expected, actual].map(|value| format!("{value:#}"));
    let (expected, actual): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let shorter = expected.len().min(actual.len());
    let start = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let end = expected
        .iter()
        .rev()
        .zip(actual.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
        .min(shorter - start);
    let (expected_end, actual_end) = (expected.len() - end, actual.len() - end);

    let context_start = start.saturating_sub(CONTEXT);
    let context_end = (expected_end + CONTEXT).min(expected.len());
    let marked = [
        (' ', &expected[context_start..start]),
        ('-', &expected[start..expected_end]),
        ('+', &actual[start..actual_end]),
        (' ', &expected[expected_end..context_end]),
    ];
    let lines =
        marked.iter().flat_map(|(mark, lines)| lines.iter().map(move |line| format!("    {mark} {line}")));
    lines.collect::<Vec<_>>().join("\n")
}
