//! Suggestions for unknown names of fields and enum values.

use std::cmp::Reverse;

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};

use crate::wire::{
    Path,
    spelling::{expected_one_of, nearest, quoted},
};

/// Maximum number of suggested paths. If more fit equally well, a suggestion is not helpful.
const MAX_PATHS: usize = 3;

/// Maximum depth of the search, which is above that of the contract. It ends the search in recursive messages.
const MAX_DEPTH: usize = 8;

/// Suggests a replacement for an unknown field of the message at the path `at`.
pub(super) fn for_field(
    request: &MessageDescriptor,
    message: &MessageDescriptor,
    at: &Path<'_>,
    name: &str,
) -> String {
    let fields: Vec<_> = message.fields().collect();
    let names: Vec<_> = fields.iter().map(FieldDescriptor::name).collect();
    if let Some(near) = nearest(name, names.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    let paths = paths_to(name, request, &at.to_string());
    if (1..=MAX_PATHS).contains(&paths.len()) {
        return format!("did you mean {}?", quoted(&paths, " or "));
    }
    if names.is_empty() { "this message has no fields".to_owned() } else { expected_one_of(&names) }
}

/// Suggests a replacement for an unknown enum value. The common prefix of the values is ignored.
pub(super) fn for_enum_value(descriptor: &EnumDescriptor, name: &str) -> String {
    let values: Vec<_> = descriptor.values().collect();
    let prefix = descriptor.default_value().name().strip_suffix("UNSPECIFIED").unwrap_or_default().to_owned();
    // UNSPECIFIED is refused in every request.
    let given = values.iter().filter(|value| value.number() != 0);
    let short_names: Vec<_> =
        given.map(|value| value.name().strip_prefix(&prefix).unwrap_or(value.name())).collect();
    let name = name.to_ascii_uppercase();
    let short_name = name.strip_prefix(&prefix).unwrap_or(&name);
    match nearest(short_name, short_names.iter().copied()) {
        Some(near) => format!("did you mean `{prefix}{near}`?"),
        None => {
            expected_one_of(&short_names.iter().map(|short| format!("{prefix}{short}")).collect::<Vec<_>>())
        }
    }
}

/// The paths of the fields with this name, in snake case or camel case, that share most segments with `at`. Of those,
/// the shortest.
fn paths_to(name: &str, request: &MessageDescriptor, at: &str) -> Vec<String> {
    let at = at.split('.').filter(|segment| !segment.is_empty()).collect();
    let mut search = Search { name, at, best: None, paths: Vec::new() };
    search.visit(request, &Path::REQUEST, 0, true);
    search.paths
}

struct Search<'a> {
    name: &'a str,
    /// The segments of the path where the name was found, such as `moves[1]`.
    at: Vec<&'a str>,
    /// The number of segments that the best paths share with `at`, and the number that they have.
    best: Option<(usize, Reverse<usize>)>,
    paths: Vec<String>,
}

impl Search<'_> {
    /// Searches a message. `is_prefix` says whether its path is a prefix of `at`.
    fn visit(&mut self, message: &MessageDescriptor, path: &Path<'_>, depth: usize, is_prefix: bool) {
        let given = self.at.get(depth).copied().filter(|_| is_prefix);
        let given_field = given.and_then(|segment| message.get_field_by_name(without_index(segment)));
        let given_oneof = given_field.as_ref().and_then(FieldDescriptor::containing_oneof);
        for field in message.fields() {
            let is_given = given_field.as_ref() == Some(&field);
            if !is_given && given_oneof.is_some() && field.containing_oneof() == given_oneof {
                // Another member of the oneof is set: the name is meant for that game or call.
                continue;
            }
            let step = path.field(given.filter(|_| is_given).unwrap_or(field.name()));
            if field.name() == self.name || field.json_name() == self.name {
                self.add(&step);
            }
            let item = step.index(0);
            let path = if field.is_list() && !is_given { &item } else { &step };
            if let Kind::Message(message) = field.kind()
                && depth < MAX_DEPTH
            {
                self.visit(&message, path, depth + 1, is_given);
            }
        }
    }

    fn add(&mut self, path: &Path<'_>) {
        let path = path.to_string();
        let is_shared =
            |segment: &&str| self.at.iter().any(|other| without_index(other) == without_index(segment));
        let rank = Some((path.split('.').filter(is_shared).count(), Reverse(path.split('.').count())));
        if rank > self.best {
            self.paths.clear();
            self.best = rank;
        }
        if rank == self.best {
            self.paths.push(path);
        }
    }
}

/// The name of a segment of a path: `moves` of `moves[1]`.
fn without_index(segment: &str) -> &str {
    segment.split('[').next().unwrap_or(segment)
}

#[cfg(test)]
mod tests {
    use crate::wire::json::tests::violation;

    #[test]
    fn a_close_spelling_in_the_message_is_suggested() {
        let (field, message) = violation("ApplyMove", r#"{"state": {"notatoin": "4"}}"#);
        assert_eq!(field, "state.notatoin");
        assert_eq!(message, "unknown field `notatoin`: did you mean `notation`?");
    }

    #[test]
    fn the_path_of_the_same_name_elsewhere_is_suggested() {
        let (field, message) = violation("NewGame", r#"{"queen_rooks": {"size": 6}}"#);
        assert_eq!(field, "queen_rooks.size");
        assert_eq!(message, "unknown field `size`: did you mean `rules.queen_rooks.size`?");
    }

    #[test]
    fn a_name_elsewhere_is_found_by_its_json_spelling() {
        let (_, message) = violation("NewGame", r#"{"queenRooks": {"quietMoveLimit": 6}}"#);
        assert!(message.ends_with("did you mean `rules.queen_rooks.quiet_move_limit`?"), "{message}");
    }

    #[test]
    fn the_path_that_shares_most_segments_is_suggested() {
        let (_, message) = violation("ApplyMove", r#"{"state": {"royal_match": {"trade_rule": 1}}}"#);
        assert!(message.contains("expected one of `rules`"), "not of another game: {message}");
        let (_, message) = violation("ApplyMove", r#"{"state": {"queen_rooks": {"size": 6}}}"#);
        assert!(message.ends_with("did you mean `state.queen_rooks.rules.size`?"), "{message}");
    }

    #[test]
    fn paths_that_fit_equally_well_are_all_suggested() {
        let (_, message) = violation("RenderState", r#"{"state": {"board": []}}"#);
        let expected = "did you mean `state.connect_four.board` or `state.triple_triad.board` or \
                        `state.queen_rooks.board`?";
        assert!(message.ends_with(expected), "{message}");
    }

    #[test]
    fn a_suggested_path_has_the_index_of_the_item_it_was_found_in() {
        let json = r#"{"moves": [{}, {"column": 3}]}"#;
        let (field, message) = violation("ReplayGame", json);
        assert_eq!(field, "moves[1].column");
        assert!(message.contains("`moves[1].connect_four.column`"), "{message}");
    }

    #[test]
    fn a_suggested_path_in_a_batch_stays_in_its_call() {
        let (_, message) =
            violation("EvaluateBatch", r#"{"calls": [{}, {"new_game": {"queen_rooks": {"size": 6}}}]}"#);
        assert!(message.ends_with("did you mean `calls[1].new_game.rules.queen_rooks.size`?"), "{message}");
        let (_, message) = violation("EvaluateBatch", r#"{"calls": [{"apply_move": {"seed": 6}}]}"#);
        assert!(message.ends_with("expected one of `state`, `move`"), "{message}");
    }

    #[test]
    fn the_fields_are_listed_when_nothing_is_near() {
        let (_, message) = violation("ApplyMove", r#"{"game": "chess"}"#);
        assert_eq!(message, "unknown field `game`: expected one of `state`, `move`");
    }

    #[test]
    fn a_message_without_fields_has_no_suggestion() {
        let (_, message) = violation("NewGame", r#"{"connect_four": {"level": 1}}"#);
        assert_eq!(message, "unknown field `level`: this message has no fields");
    }

    #[test]
    fn the_nearest_name_of_an_enum_value_is_suggested() {
        let (field, message) = violation("ViewState", r#"{"viewer": "PLAYER_NINE"}"#);
        assert_eq!(field, "viewer");
        assert_eq!(message, "unknown value `PLAYER_NINE`: did you mean `PLAYER_ONE`?");
    }

    #[test]
    fn an_enum_value_without_its_prefix_is_recognised() {
        let (_, message) = violation("CompareCards", r#"{"dominant_suit": "hearts"}"#);
        assert_eq!(message, "unknown value `hearts`: did you mean `ROYAL_MATCH_SUIT_HEARTS`?");
        let (_, message) = violation("ViewState", r#"{"viewer": "player_one"}"#);
        assert_eq!(message, "unknown value `player_one`: did you mean `PLAYER_ONE`?");
    }

    #[test]
    fn the_names_of_an_enum_are_listed_when_none_is_near() {
        let (_, message) = violation("NewGame", r#"{"form": "JSON"}"#);
        assert_eq!(
            message,
            "unknown value `JSON`: expected one of `STATE_FORM_TYPED`, `STATE_FORM_NOTATION`"
        );
    }
}
