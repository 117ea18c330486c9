//! `Required.` in the comments of the contract: a field is refused when it is absent exactly if its comment says so.

use std::collections::{BTreeMap, BTreeSet};

use arbiter::wire::proto;
use prost::Message;
use prost_reflect::{DynamicMessage, Value};
use prost_types::{DescriptorProto, FileDescriptorSet};

use super::{BATCH, Contract, case::Wanted, client::Client};
use crate::support::TestServer;

/// Why an absent field is refused: a list without items has the wrong number of them.
const MISSING: [proto::ErrorReason; 3] = [
    proto::ErrorReason::FieldRequired,
    proto::ErrorReason::BoardSizeMismatch,
    proto::ErrorReason::CountMismatch,
];

/// How often a field is taken out of the requests of a call.
const SAMPLES: usize = 30;

/// The comment of every field, by the full name of the field.
fn comments() -> BTreeMap<String, String> {
    let files = FileDescriptorSet::decode(proto::FILE_DESCRIPTOR_SET).expect("the contract is compiled").file;
    let mut comments = BTreeMap::new();
    for file in files.iter().filter(|file| file.package() == "arbiter.v1") {
        let locations = file.source_code_info.as_ref().map_or(&[][..], |info| &info.location);
        for location in locations {
            // The fourth field of a file are its messages, and the second of a message are its fields.
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

/// Every way to take one field out of a message: the full name of the field, its path, and the message without it.
fn without_a_field(message: &DynamicMessage, at: &str) -> Vec<(String, String, DynamicMessage)> {
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
                let parts = without_a_field(part, &path).into_iter();
                all.extend(parts.map(|(name, path, part)| (name, path, inner(Value::Message(part)))));
            }
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    let Some(part) = item.as_message() else { continue };
                    for (name, path, part) in without_a_field(part, &format!("{path}[{index}]")) {
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
fn required_stands_at_the_start_of_a_comment_and_nowhere_else() {
    for (name, comment) in comments() {
        let rest = comment.strip_prefix("Required").unwrap_or(&comment);
        assert!(!rest.to_lowercase().contains("required"), "{name}: {comment}");
    }
}

#[tokio::test]
async fn a_field_is_refused_when_absent_exactly_if_its_comment_says_required() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut client = Client::grpc(server.channel().await);
    let contract = Contract::load();
    let cases = contract.read_cases(&mut Vec::new());
    let (mut asked, mut samples) = (Vec::new(), BTreeMap::<_, usize>::new());
    for case in cases.iter().filter(|case| matches!(case.wanted, Wanted::Messages(_))) {
        let Some(call) = contract.to_call(case) else { continue };
        for (name, path, request) in without_a_field(&case.request[0], "") {
            let sample = samples.entry((case.method.name().to_owned(), name.clone())).or_default();
            *sample += 1;
            if *sample > SAMPLES {
                continue;
            }
            let mut call = call.clone();
            let (field, _) = call.fields().next().expect("a call has a request");
            let field = field.clone();
            call.set_field(&field, Value::Message(request));
            asked.push((case.method.name().to_owned(), name, path, call));
        }
    }
    let (mut refused, mut accepted) = (BTreeSet::new(), BTreeSet::new());
    for asked in asked.chunks(10 * BATCH) {
        let mut batch = contract.message("arbiter.v1.EvaluateBatchRequest");
        let calls = asked.iter().map(|(.., call)| Value::Message(call.clone())).collect();
        batch.set_field_by_name("calls", Value::List(calls));
        let response = client.call(&contract.method("EvaluateBatch"), vec![batch]).await;
        let response = response.expect("the batch is answered").remove(0);
        let answers = response.get_field_by_name("answers").expect("it is in the contract");
        for ((call, name, path, _), answer) in asked.iter().zip(answers.as_list().expect("a list")) {
            let answer: proto::Answer =
                answer.as_message().expect("it is one").transcode_to().expect("it is one");
            let is_refused = match answer.kind {
                Some(proto::answer::Kind::Refusal(refusal)) => refusal
                    .reasons
                    .iter()
                    .any(|reason| MISSING.contains(&reason.code()) && reason.field == *path),
                _ => false,
            };
            // A board set up by hand needs no player to move.
            if is_refused || call != "ResolveCaptures" {
                let set = if is_refused { &mut refused } else { &mut accepted };
                set.insert(name.clone());
            }
        }
    }
    let comments = comments();
    for name in &refused {
        assert!(comments[name].starts_with("Required"), "{name} is refused when absent: {}", comments[name]);
    }
    // The call of a stream is no part of a unary request.
    let always = comments.iter().filter(|(name, comment)| {
        comment.starts_with("Required. ") && *name != "arbiter.v1.EvaluateRequest.call"
    });
    for (name, comment) in always {
        assert!(refused.contains(name), "no case shows that {name} is required: {comment}");
        assert!(!accepted.contains(name), "{name} may be absent: {comment}");
    }
}
