//! Descriptions and examples of expected values, for error messages.

use prost_reflect::Kind;

use super::tree::{Json, quoted};

/// Describes the expected kind of a value.
pub(super) fn expected<T>(kind: &Kind, found: &Json<T>) -> String {
    match kind {
        Kind::String => "a string".to_owned(),
        Kind::Bool => "true or false".to_owned(),
        Kind::Uint32 => format!("a whole number from 0 to {}", u32::MAX),
        Kind::Uint64 => format!("a whole number from 0 to {}", u64::MAX),
        Kind::Enum(_) => format!("a name such as {}", example(kind, "...")),
        Kind::Message(_) => {
            // A string in place of a message is probably its notation.
            let text = match found {
                Json::String(text) => text.clone(),
                Json::Number(number) => number.to_string(),
                _ => "...".to_owned(),
            };
            format!("an object such as {}", example(kind, &text))
        }
        _ => format!("a whole number from {} to {}", i32::MIN, i32::MAX),
    }
}

/// An example of a value, with `text` as its string.
pub(super) fn example(kind: &Kind, text: &str) -> String {
    match kind {
        Kind::String => quoted(text),
        Kind::Bool => "true".to_owned(),
        Kind::Enum(descriptor) => {
            let value = descriptor.values().find(|value| value.number() != 0);
            format!("{:?}", value.unwrap_or_else(|| descriptor.default_value()).name())
        }
        Kind::Message(message) => {
            let field = message.get_field_by_name("notation").or_else(|| message.fields().next());
            field.map_or_else(
                || "{}".to_owned(),
                |field| match field.kind() {
                    _ if field.is_list() => format!("{{{:?}: []}}", field.name()),
                    Kind::Message(_) => format!("{{{:?}: {{}}}}", field.name()),
                    kind => format!("{{{:?}: {}}}", field.name(), example(&kind, text)),
                },
            )
        }
        _ => "1".to_owned(),
    }
}
