//! Decoding of a JSON request, which reports every violation.

use std::fmt;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value};
use serde_json::Number;

use super::{
    expectation::{example, expected},
    suggestion,
    tree::{Json, Lists, ParseError, Tree, parse_lists, parse_tree},
};
use crate::wire::{FieldLimit, Path, Refusal, Violations, refusal::truncate_quote};

/// Decodes the JSON of a request by the descriptors of the contract, and collects its violations.
pub(super) struct Reader {
    /// The type of the request.
    request: MessageDescriptor,
    violations: Violations,
    /// A refusal that replaces the violations: too many fields, or an internal fault.
    refusal: Option<Refusal>,
}

/// The fields of an object so far, each with the name that the client used.
pub(super) type GivenFields = Vec<(FieldDescriptor, String)>;

impl Reader {
    pub(super) fn new(request: MessageDescriptor) -> Self {
        Self { request, violations: Violations::default(), refusal: None }
    }

    /// Returns the value, or the refusal with all violations.
    pub(super) fn finish<T>(self, value: T) -> Result<T, Refusal> {
        match self.refusal {
            Some(refusal) => Err(refusal),
            None => self.violations.finish(Some(value)),
        }
    }

    /// Whether a refusal is certain that does not depend on the rest of the request.
    pub(super) fn is_refused(&self) -> bool {
        self.refusal.is_some()
    }

    /// Parses the lists of a batch, without their items. Returns None if they are refused.
    pub(super) fn parse_batch<'de>(&mut self, json: &'de [u8]) -> Option<Lists<'de>> {
        let limit = FieldLimit::BATCH;
        // The list of calls is a member of the batch.
        self.parsed(parse_lists(json, 1 + limit.max_fields()), limit, &Path::REQUEST)
    }

    fn parsed<T>(&mut self, parsed: Result<T, ParseError>, limit: FieldLimit, at: &Path<'_>) -> Option<T> {
        match parsed {
            Ok(value) => return Some(value),
            Err(ParseError::TooManyFields) => self.refusal = Some(limit.exceeded()),
            Err(ParseError::Syntax(error)) => {
                self.violations.malformed(at, format_args!("this is not valid JSON: {error}"));
            }
        }
        None
    }

    fn internal_fault(&mut self) {
        self.refusal = Some(Refusal::internal_fault());
    }

    /// Reads a message of the request, without its invalid fields.
    pub(super) fn read(
        &mut self,
        message: &MessageDescriptor,
        json: &[u8],
        limit: FieldLimit,
        at: &Path<'_>,
    ) -> DynamicMessage {
        match self.parsed(parse_tree(json, limit.max_fields()), limit, at) {
            Some(Tree(Json::Object(members))) => self.message(message, members, at),
            Some(Tree(other)) => {
                self.mismatch(at, &Kind::Message(message.clone()), false, &other);
                DynamicMessage::new(message.clone())
            }
            None => DynamicMessage::new(message.clone()),
        }
    }

    fn message(
        &mut self,
        descriptor: &MessageDescriptor,
        members: Vec<(String, Tree)>,
        at: &Path<'_>,
    ) -> DynamicMessage {
        let mut message = DynamicMessage::new(descriptor.clone());
        let mut given = GivenFields::new();
        for (name, Tree(json)) in members {
            let is_null = matches!(json, Json::Null);
            let Some(field) = self.field(descriptor, &mut given, name, is_null, at) else { continue };
            let value = self.field_value(&field, json, &at.field(field.name()));
            if value.is_some_and(|value| message.try_set_field(&field, value).is_err()) {
                self.internal_fault();
            }
        }
        message
    }

    /// The field that a member of an object sets. None if the field is unknown or the value is null.
    pub(super) fn field(
        &mut self,
        message: &MessageDescriptor,
        given: &mut GivenFields,
        name: String,
        is_null: bool,
        at: &Path<'_>,
    ) -> Option<FieldDescriptor> {
        let field = message.get_field_by_name(&name).or_else(|| message.get_field_by_json_name(&name));
        let Some(field) = field else {
            let text = fmt::from_fn(|f| {
                let instead = suggestion::for_field(&self.request, message, at, &name);
                write!(f, "unknown field `{}`: {instead}", truncate_quote(&name))
            });
            self.violations.malformed(&at.field(&name), text);
            return None;
        };
        if is_null {
            return None;
        }
        let oneof = field.containing_oneof();
        if let Some((_, spelling)) = given.iter().find(|(other, _)| *other == field) {
            let text = if *spelling == name {
                "this field is given twice".to_owned()
            } else {
                format!("this field is given twice, as `{spelling}` and as `{name}`")
            };
            self.violations.malformed(&at.field(field.name()), text);
        } else if let Some((other, _)) =
            given.iter().find(|(other, _)| oneof.is_some() && other.containing_oneof() == oneof)
        {
            let text = format!("only one of `{}` and `{}` can be given", other.name(), field.name());
            self.violations.malformed(at, text);
        } else {
            given.push((field.clone(), name));
        }
        Some(field)
    }

    fn field_value(&mut self, field: &FieldDescriptor, json: Json<Tree>, at: &Path<'_>) -> Option<Value> {
        let kind = field.kind();
        if !is_supported(field) {
            self.internal_fault();
            return None;
        }
        if !field.is_list() {
            return self.value(&kind, json, at);
        }
        let Json::Array(items) = json else {
            self.mismatch(at, &kind, true, &json);
            return None;
        };
        let items = items.into_iter().enumerate();
        let values = items.filter_map(|(index, Tree(item))| self.value(&kind, item, &at.index(index)));
        Some(Value::List(values.collect()))
    }

    fn value(&mut self, kind: &Kind, json: Json<Tree>, at: &Path<'_>) -> Option<Value> {
        let value = match (kind, json) {
            (Kind::Message(message), Json::Object(members)) => {
                return Some(Value::Message(self.message(message, members, at)));
            }
            (Kind::Enum(descriptor), Json::String(name)) => {
                let value = descriptor.get_value_by_name(&name);
                if value.is_none() {
                    let text = fmt::from_fn(|f| {
                        let instead = suggestion::for_enum_value(descriptor, &name);
                        write!(f, "unknown value `{}`: {instead}", truncate_quote(&name))
                    });
                    self.violations.malformed(at, text);
                }
                return value.map(|value| Value::EnumNumber(value.number()));
            }
            (Kind::String, Json::String(text)) => Ok(Value::String(text)),
            (Kind::Bool, Json::Bool(value)) => Ok(Value::Bool(value)),
            (Kind::Uint32, json) => integer(&json).map(Value::U32).ok_or(json),
            (Kind::Uint64, json) => integer(&json).map(Value::U64).ok_or(json),
            (Kind::Int32 | Kind::Sint32, json) => integer(&json).map(Value::I32).ok_or(json),
            (Kind::Enum(_), json) => integer(&json).map(Value::EnumNumber).ok_or(json),
            (_, json) => Err(json),
        };
        value.map_err(|found| self.mismatch(at, kind, false, &found)).ok()
    }

    /// Reports a value that is not of the expected kind, or not a list of that kind.
    pub(super) fn mismatch<T>(&mut self, at: &Path<'_>, kind: &Kind, is_list: bool, found: &Json<T>) {
        let text = fmt::from_fn(|f| {
            if is_list {
                write!(f, "expected an array such as [{}], found {found}", example(kind, "..."))
            } else {
                write!(f, "expected {}, found {found}", expected(kind, found))
            }
        });
        self.violations.malformed(at, text);
    }
}

/// Whether this reader supports the type of a field.
fn is_supported(field: &FieldDescriptor) -> bool {
    let is_well_known = |name: &str| name.starts_with("google.protobuf.");
    match field.kind() {
        Kind::String | Kind::Bool | Kind::Uint32 | Kind::Uint64 | Kind::Int32 | Kind::Sint32 => true,
        Kind::Enum(descriptor) => !is_well_known(descriptor.full_name()),
        Kind::Message(message) => !message.is_map_entry() && !is_well_known(message.full_name()),
        _ => false,
    }
}

/// 2^53. A larger float may have been rounded.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The integer in a number, or in a string with a JSON number, if it is exact and in range.
fn integer<N: TryFrom<i128>>(json: &Json<Tree>) -> Option<N> {
    let integral =
        |number: f64| (number.fract() == 0.0 && number.abs() < MAX_EXACT).then_some(number as i128);
    let integer = |number: &Number| number.as_i128().or_else(|| integral(number.as_f64()?));
    let number = match json {
        Json::Number(number) => integer(number)?,
        Json::String(text) if text.trim() == text => integer(&serde_json::from_str(text).ok()?)?,
        _ => return None,
    };
    N::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use prost::Message;

    use super::*;
    use crate::wire::{
        json::{
            DESCRIPTORS,
            tests::{MAX_BYTES, refusal, violation, violations},
        },
        proto, request_from_json,
    };

    fn new_game(json: &str) -> proto::NewGameRequest {
        let binary = request_from_json("NewGame", json.as_bytes(), MAX_BYTES).expect("the request is valid");
        proto::NewGameRequest::decode(binary.as_slice()).expect("the result is a request")
    }

    #[test]
    fn a_name_has_two_spellings() {
        let contract = new_game(r#"{"rules": {"connect_four": {"line_length": 5}}}"#);
        let json = new_game(r#"{"rules": {"connectFour": {"lineLength": 5}}}"#);
        assert_eq!(contract, json);
        assert_ne!(contract, proto::NewGameRequest::default());
    }

    #[test]
    fn a_field_given_twice_is_refused() {
        let expected = ("seed".to_owned(), "this field is given twice".to_owned());
        assert_eq!(violation("NewGame", r#"{"seed": 1, "seed": 1}"#), expected);
    }

    #[test]
    fn a_field_given_in_both_spellings_is_refused() {
        let (field, message) = violation("NewGame", r#"{"connectFour": {}, "connect_four": {}}"#);
        assert_eq!(field, "connect_four");
        assert_eq!(message, "this field is given twice, as `connectFour` and as `connect_four`");
    }

    #[test]
    fn two_members_of_a_oneof_are_refused() {
        let (field, message) = violation("ViewState", r#"{"state": {"notation": "c4:", "connectFour": {}}}"#);
        assert_eq!(field, "state");
        assert_eq!(message, "only one of `notation` and `connect_four` can be given");
    }

    #[test]
    fn all_violations_are_reported_with_their_paths() {
        let json = r#"{
            "state": {"connectFour": {"board": ["", 3, null], "nextPlayer": "PLAYER_SEVEN"}},
            "move": {"connect_four": {"column": -1}},
            "seed": 7
        }"#;
        let fields: Vec<_> = violations("ApplyMove", json).into_iter().map(|(field, _)| field).collect();
        let expected = [
            "state.connect_four.board[1]",
            "state.connect_four.board[2]",
            "state.connect_four.next_player",
            "move.connect_four.column",
            "seed",
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn violations_that_do_not_fit_are_counted() {
        let json = format!(r#"{{"picks": [{}]}}"#, vec!["-1"; 1000].join(", "));
        let refusal = proto::Refusal::from(refusal("SettleTrade", &json));
        assert_eq!(refusal.reasons.len() + refusal.unlisted_reasons() as usize, 1000);
    }

    #[test]
    fn an_integer_is_a_number_or_a_string() {
        for max in ["18446744073709551615", r#""18446744073709551615""#] {
            assert_eq!(new_game(&format!(r#"{{"seed": {max}}}"#)).seed, Some(u64::MAX));
        }
        for hundred in ["100", "100.0", "1e2", r#""100""#, r#""100.0""#, r#""1e2""#] {
            assert_eq!(new_game(&format!(r#"{{"seed": {hundred}}}"#)).seed, Some(100), "{hundred}");
        }
    }

    #[test]
    fn an_invalid_or_out_of_range_integer_is_refused() {
        let text = [r#""""#, r#"" 7""#, r#""+7""#, r#""007""#, r#""seven""#, r#""inf""#, r#""NaN""#];
        // A float above 2^53 may have been rounded.
        let inexact = ["9007199254740993.0", r#""9007199254740993.0""#];
        let numbers = ["-1", "1.5", "18446744073709551616", "1e300", r#""-1""#];
        for seed in numbers.into_iter().chain(text).chain(inexact) {
            let (field, message) = violation("NewGame", &format!(r#"{{"seed": {seed}}}"#));
            assert_eq!(field, "seed");
            assert!(message.starts_with("expected a whole number from 0 to 18446744073709551615"), "{seed}");
        }
        let json = r#"{"move": {"connect_four": {"column": 4294967296}}}"#;
        assert_eq!(violation("ApplyMove", json).0, "move.connect_four.column");
    }

    #[test]
    fn an_enum_value_is_a_name_or_a_number() {
        let notation = Some(proto::StateForm::Notation.into());
        assert_eq!(new_game(r#"{"form": "STATE_FORM_NOTATION"}"#).form, notation);
        assert_eq!(new_game(r#"{"form": 2}"#).form, notation);
    }

    #[test]
    fn an_unknown_enum_number_is_passed_through() {
        assert_eq!(new_game(r#"{"form": 9}"#).form, Some(9));
        assert_eq!(new_game(r#"{"form": -1}"#).form, Some(-1));
    }

    #[test]
    fn null_is_an_absent_field() {
        let json = r#"{"connectFour": {}, "royalMatch": null, "rules": null, "seed": null, "form": null}"#;
        assert_eq!(new_game(json), new_game(r#"{"connectFour": {}}"#));
        request_from_json("SettleTrade", br#"{"picks": null}"#, MAX_BYTES).expect("a list may be null");
    }

    #[test]
    fn null_in_an_array_is_refused() {
        let (field, message) = violation("SettleTrade", r#"{"picks": [1, null]}"#);
        assert_eq!(field, "picks[1]");
        assert!(message.ends_with("found null"), "{message}");
    }

    #[test]
    fn an_unknown_field_is_refused_even_if_it_is_null() {
        assert_eq!(violation("NewGame", r#"{"sed": null}"#).0, "sed");
    }

    #[test]
    fn an_empty_body_is_an_empty_message() {
        assert_eq!(new_game(""), proto::NewGameRequest::default());
    }

    #[test]
    fn a_value_of_the_wrong_type_reports_the_expected_type() {
        let board = r#"{"state": {"connect_four": {"board": "BOARD"}}}"#;
        for (call, json, expected) in [
            ("ApplyMove", r#"{"state": {"notation": 3}}"#, "expected a string, found the number 3"),
            ("ListGames", r#"{"include_cards": "yes"}"#, r#"expected true or false, found the string "yes""#),
            ("ViewState", r#"{"viewer": []}"#, r#"expected a name such as "PLAYER_ONE", found an array"#),
            ("RenderState", board, r#"expected an array such as ["..."], found the string "BOARD""#),
            ("ListGames", "[]", r#"expected an object such as {"include_cards": true}, found an array"#),
            (
                "ApplyMove",
                r#"{"move": 4}"#,
                r#"expected an object such as {"notation": "4"}, found the number 4"#,
            ),
        ] {
            assert_eq!(violation(call, json).1, expected, "{json}");
        }
    }

    #[test]
    fn a_syntax_error_has_its_line_and_column() {
        let (field, message) = violation("ListGames", "{\n  'a': 1}");
        assert_eq!(field, "");
        assert_eq!(message, "this is not valid JSON: key must be a string at line 2 column 3");
    }

    #[test]
    fn a_second_json_value_is_refused() {
        let (_, message) = violation("ListGames", "{} {}");
        assert!(message.contains("trailing characters"), "{message}");
    }

    #[test]
    fn nesting_is_limited() {
        let json = format!(r#"{{"state": {}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        let (_, message) = violation("RenderState", &json);
        assert!(message.contains("recursion limit exceeded"), "{message}");
    }

    #[test]
    fn quoted_input_is_truncated() {
        let long = "ä".repeat(20_000);
        for json in [
            format!(r#"{{"move": {{"{long}": 1}}}}"#),
            format!(r#"{{"state": {{"{long}": {{"x": 1}}}}}}"#),
            format!(r#"{{"move": "{long}"}}"#),
            format!(r#"{{"state": {{"connect_four": {{"next_player": "{long}"}}}}}}"#),
        ] {
            let (field, message) = violation("ApplyMove", &json);
            assert!(field.len() < 1000 && message.len() < 2000, "{} and {}", field.len(), message.len());
        }
    }

    #[test]
    fn a_field_that_is_not_supported_is_an_internal_fault() {
        let message =
            DESCRIPTORS.get_message_by_name("google.rpc.ErrorInfo").expect("google.rpc.ErrorInfo has a map");
        let mut reader = Reader::new(message.clone());
        let limit = FieldLimit::for_json(1000);
        reader.read(&message, br#"{"metadata": {"a": "b"}}"#, limit, &Path::REQUEST);
        assert_eq!(reader.finish(()), Err(Refusal::internal_fault()));
    }

    #[test]
    fn every_field_of_every_request_is_supported() {
        let service = DESCRIPTORS.get_service_by_name(proto::SERVICE_NAME);
        let service = service.expect("the contract has the service");
        let mut messages: Vec<_> = service.methods().map(|method| method.input()).collect();
        let mut visited = BTreeSet::new();
        while let Some(message) = messages.pop() {
            if !visited.insert(message.full_name().to_owned()) {
                continue;
            }
            for field in message.fields() {
                assert!(is_supported(&field), "{}", field.full_name());
                messages.extend(field.kind().as_message().cloned());
            }
        }
        assert!(visited.contains("arbiter.v1.QueenRooksMove"), "{visited:?}");
    }
}
