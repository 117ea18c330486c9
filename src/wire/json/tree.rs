//! JSON values that keep duplicate members.

use std::{cell::Cell, fmt, marker::PhantomData};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value, value::RawValue};

use crate::wire::refusal::truncate_quote;

/// A JSON value. Unlike `serde_json::Value` it keeps members with the same name, so that they can be reported.
///
/// The items of an array and the members of an object are a [`Tree`], or values whose own items are not parsed yet.
pub(super) enum Json<T> {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<T>),
    Object(Vec<(String, T)>),
}

/// A text as a JSON string, truncated if it is long.
pub(super) fn quoted(text: &str) -> String {
    Value::from(truncate_quote(text)).to_string()
}

/// A completely parsed JSON value.
pub(super) struct Tree(pub(super) Json<Tree>);

impl<T> fmt::Display for Json<T> {
    /// Describes the value in an error message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "the boolean {value}"),
            Self::Number(number) => write!(f, "the number {number}"),
            Self::String(text) => write!(f, "the string {}", quoted(text)),
            Self::Array(_) => f.write_str("an array"),
            Self::Object(_) => f.write_str("an object"),
        }
    }
}

/// An object of lists, such as a batch, whose items are not parsed yet.
pub(super) type Lists<'a> = Json<Json<&'a RawValue>>;

/// Why JSON cannot be parsed.
pub(super) enum ParseError {
    /// It has too many items and members.
    TooManyFields,
    Syntax(serde_json::Error),
}

/// Parses JSON with at most this many items and members, nested ones included.
pub(super) fn parse_tree(json: &[u8], max_fields: usize) -> Result<Tree, ParseError> {
    let budget = FieldBudget::new(max_fields);
    parse(json, &budget, TreeSeed(&budget))
}

/// Parses JSON with at most this many items and members. The contents of list items do not count.
pub(super) fn parse_lists(json: &[u8], max_fields: usize) -> Result<Lists<'_>, ParseError> {
    let budget = &FieldBudget::new(max_fields);
    parse(json, budget, JsonSeed { budget, item: JsonSeed { budget, item: PhantomData } })
}

fn parse<'de, S: DeserializeSeed<'de>>(
    json: &'de [u8],
    budget: &FieldBudget,
    seed: S,
) -> Result<S::Value, ParseError> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let value = seed.deserialize(&mut deserializer);
    let value = value.and_then(|value| deserializer.end().map(|()| value));
    value.map_err(
        |error| if budget.is_exceeded() { ParseError::TooManyFields } else { ParseError::Syntax(error) },
    )
}

/// The number of items and members that may still be parsed. None if there were more: then parsing stops.
struct FieldBudget(Cell<Option<usize>>);

impl FieldBudget {
    fn new(max_fields: usize) -> Self {
        Self(Cell::new(Some(max_fields)))
    }

    fn take<E: Error>(&self) -> Result<(), E> {
        self.0.set(self.0.get().and_then(|remaining| remaining.checked_sub(1)));
        if self.is_exceeded() { Err(E::custom("too many fields")) } else { Ok(()) }
    }

    fn is_exceeded(&self) -> bool {
        self.0.get().is_none()
    }
}

/// Parses a value completely.
#[derive(Clone, Copy)]
struct TreeSeed<'a>(&'a FieldBudget);

impl<'de> DeserializeSeed<'de> for TreeSeed<'_> {
    type Value = Tree;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        JsonSeed { budget: self.0, item: self }.deserialize(deserializer).map(Tree)
    }
}

/// Parses a value, and its items and members with another seed.
#[derive(Clone, Copy)]
struct JsonSeed<'a, S> {
    budget: &'a FieldBudget,
    item: S,
}

impl<'de, S: DeserializeSeed<'de> + Copy> DeserializeSeed<'de> for JsonSeed<'_, S> {
    type Value = Json<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<S::Value>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, S: DeserializeSeed<'de> + Copy> Visitor<'de> for JsonSeed<'_, S> {
    type Value = Json<S::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Number::from_f64(number).map(Json::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = array.next_element_seed(self.item)? {
            self.budget.take()?;
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = object.next_key()? {
            self.budget.take()?;
            members.push((name, object.next_value_seed(self.item)?));
        }
        Ok(Json::Object(members))
    }
}
