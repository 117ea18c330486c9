//! `Required.` in the comments of the contract: a missing field is a violation exactly if its comment says so.

use std::collections::{BTreeMap, BTreeSet};

use arbiter::wire::proto;
use prost::Message;
use prost_reflect::{DynamicMessage, Value};
use prost_types::{DescriptorProto, FileDescriptorSet};

use super::{BATCH_ITEMS, Contract, case::Expected, client::Client};
use crate::support::TestServer;

/// The reasons for a missing field. An empty list has the wrong number of items.
const MISSING_REASONS: [proto::ErrorReason; 3] = [
    proto::ErrorReason::FieldRequired,
    proto::ErrorReason::BoardSizeMismatch,
    proto::ErrorReason::CountMismatch,
];

/// Maximum number of requests per call in which one field is removed.
const MAX_SAMPLES: usize = 30;

/// The comment of every field, by the full name of the field.
fn comments() -> BTreeMap<String, String> {
    let files =
        FileDescriptorSet::decode(proto::FILE_DESCRIPTOR_SET).expect("the descriptors are valid").file;
    let mut comments = BTreeMap::new();
    for file in files.iter().filter(|file| file.package() == "arbiter.v1") {
        let locations = file.source_code_info.as_ref().map_or(&[][..], |info| &info.location);
        for location in locations {
            // Field 4 of a file descriptor holds its messages, field 2 of a message descriptor its fields.
            if let [4, message, 2, field] = location.path[..] {
                let message: &DescriptorProto = &file.message_type[message.unsigned_abs() as usize];
                let field = &message.field[field.unsigned_abs() as usize];
                let name = format!("arbiter.v1.{}.{}", message.name(), field.name());
                comments.insert(name, location.leading_comments().trim().to_owned());
            }
        }
    }
    assert!(comments.len() > 100, "the contract has comments");
    comments
}

/// All variants of a message with one field removed: the full name of the field, its path, and the remaining message.
fn with_one_field_removed(message: &DynamicMessage, at: &str) -> Vec<(String, String, DynamicMessage)> {
    let mut all = Vec::new();
    for (field, value) in message.fields() {
        let path = if at.is_empty() { field.name().to_owned() } else { format!("{at}.{}", field.name()) };
        let mut without = message.clone();
        without.clear_field(&field);
        all.push((field.full_name().to_owned(), path.clone(), without));
        let inner = |value: Value| {
            let mut outer = message.clone();
            outer.set_field(&field, value);
            outer
        };
        match value {
            Value::Message(part) => {
                let parts = with_one_field_removed(part, &path).into_iter();
                all.extend(parts.map(|(name, path, part)| (name, path, inner(Value::Message(part)))));
            }
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    let Some(part) = item.as_message() else { continue };
                    for (name, path, part) in with_one_field_removed(part, &format!("{path}[{index}]")) {
                        let mut items = items.clone();
                        items[index] = Value::Message(part);
                        all.push((name, path, inner(Value::List(items))));
                    }
                }
            }
            _ => {}
        }
    }
    all
}

#[test]
fn required_appears_only_at_the_start_of_a_comment() {
    for (name, comment) in comments() {
        let rest = comment.strip_prefix("Required").unwrap_or(&comment);
        assert!(!rest.to_lowercase().contains("required"), "{name}: {comment}");
    }
}

#[tokio::test]
async fn a_missing_field_is_a_violation_exactly_if_its_comment_says_required() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut client = Client::grpc(server.channel().await);
    let contract = Contract::load();
    let cases = contract.read_cases(&mut Vec::new());
    let (mut requests, mut samples) = (Vec::new(), BTreeMap::<_, usize>::new());
    for case in cases.iter().filter(|case| matches!(case.expected, Expected::Messages(_))) {
        let Some(call) = contract.to_call(case) else { continue };
        for (name, path, request) in with_one_field_removed(&case.request[0], "") {
            let sample = samples.entry((case.method.name().to_owned(), name.clone())).or_default();
            *sample += 1;
            if *sample > MAX_SAMPLES {
                continue;
            }
            let mut call = call.clone();
            let (field, _) = call.fields().next().expect("the call has a request");
            let field = field.clone();
            call.set_field(&field, Value::Message(request));
            requests.push((case.method.name().to_owned(), name, path, call));
        }
    }
    let (mut refused, mut accepted) = (BTreeSet::new(), BTreeSet::new());
    for requests in requests.chunks(10 * BATCH_ITEMS) {
        let mut batch = contract.message("arbiter.v1.EvaluateBatchRequest");
        let calls = requests.iter().map(|(.., call)| Value::Message(call.clone())).collect();
        batch.set_field_by_name("calls", Value::List(calls));
        let response = client.call(&contract.method("EvaluateBatch"), vec![batch]).await;
        let response = response.expect("the batch succeeds").remove(0);
        let answers = response.get_field_by_name("answers").expect("the contract defines it");
        for ((call, name, path, _), answer) in
            requests.iter().zip(answers.as_list().expect("`answers` is a list"))
        {
            let answer: proto::Answer = answer
                .as_message()
                .expect("an answer is a message")
                .transcode_to()
                .expect("an answer decodes");
            let is_refused = match answer.kind {
                Some(proto::answer::Kind::Refusal(refusal)) => refusal
                    .reasons
                    .iter()
                    .any(|reason| MISSING_REASONS.contains(&reason.code()) && reason.field == *path),
                _ => false,
            };
            // `ResolveCaptures` also accepts a board without a player to move.
            if is_refused || call != "ResolveCaptures" {
                let set = if is_refused { &mut refused } else { &mut accepted };
                set.insert(name.clone());
            }
        }
    }
    let comments = comments();
    for name in &refused {
        assert!(
            comments[name].starts_with("Required"),
            "{name} is a violation when missing: {}",
            comments[name]
        );
    }
    // Not part of an item of a batch. A case shows that `SuggestMove` needs a state.
    let not_in_items = ["arbiter.v1.EvaluateRequest.call", "arbiter.v1.SuggestMoveRequest.state"];
    let always = comments.iter().filter(|(name, comment)| {
        comment.starts_with("Required. ") && !not_in_items.contains(&name.as_str())
    });
    for (name, comment) in always {
        assert!(refused.contains(name), "no case shows that {name} is required: {comment}");
        assert!(!accepted.contains(name), "{name} may be missing: {comment}");
    }
}
