//! Runs the cases of `tests/cases` over a real socket: each as a single call, and all of them as items of
//! `EvaluateBatch` and of `Evaluate`. The results must be the same in every protocol.

mod call_result;
mod case;
mod client;
mod json;
mod required;

use std::{fs, path::Path};

use arbiter::wire::proto;
use prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor, ServiceDescriptor, Value};

use self::{
    call_result::CallResult,
    case::{Case, read_file, read_folder},
    client::Client,
};
use crate::support::TestServer;

/// Items per `EvaluateBatch`, well below the limit of the service.
const BATCH_ITEMS: usize = 100;

/// The descriptors of the contract.
struct Contract {
    pool: DescriptorPool,
    service: ServiceDescriptor,
}

type Failures = Vec<String>;

#[tokio::test]
async fn every_case_passes_over_grpc() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_every_case_passes(Client::grpc(server.channel().await)).await;
}

#[tokio::test]
async fn every_case_passes_over_connect_json() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_every_case_passes(Client::connect_json(&server.address).await).await;
}

#[tokio::test]
async fn every_case_passes_over_connect_proto() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_every_case_passes(Client::connect_proto(&server.address).await).await;
}

/// Makes every call that the client supports: first as a single call, then as an item of a batch and of a stream.
async fn assert_every_case_passes(mut client: Client) {
    let contract = Contract::load();
    let mut failures = Failures::new();
    let mut cases = contract.read_cases(&mut failures);
    cases.retain(|case| client.supports(&case.method));
    assert!(!cases.is_empty(), "there are no cases");

    let mut passed = Vec::new();
    for case in &cases {
        let result = CallResult::from_call(case, client.call(&case.method, case.request.clone()).await);
        match result.and_then(|result| result.check(case, &contract.pool).map(|()| result)) {
            Ok(result) => passed.push((case, result)),
            Err(difference) => failures.push(format!("{}\n{difference}", case.name)),
        }
    }
    println!("{} of {} cases pass", passed.len(), cases.len());
    let items = contract.check_items(&mut client, &passed, &mut failures).await;
    println!("{items} of them also ran as items of a batch and a stream");

    assert!(failures.is_empty(), "\n{}\n\n{} failures", failures.join("\n\n"), failures.len());
}

impl Contract {
    fn load() -> Self {
        let pool = DescriptorPool::decode(proto::FILE_DESCRIPTOR_SET).expect("the descriptors are valid");
        let service = pool.get_service_by_name("arbiter.v1.RulesService").expect("the contract defines it");
        Self { pool, service }
    }

    fn method(&self, name: &str) -> MethodDescriptor {
        self.service.methods().find(|method| method.name() == name).expect("the contract defines it")
    }

    fn message(&self, name: &str) -> DynamicMessage {
        DynamicMessage::new(self.pool.get_message_by_name(name).expect("the contract defines it"))
    }

    /// Reads the cases of all folders. An invalid file is a failure.
    fn read_cases(&self, failures: &mut Failures) -> Vec<Case> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
        let entries = fs::read_dir(root).expect("the folder of the cases exists");
        let mut folders: Vec<_> = entries.map(|entry| entry.expect("the entry can be read").path()).collect();
        folders.retain(|path| path.is_dir());
        folders.sort();
        folders.iter().flat_map(|folder| read_folder(folder, &self.service, failures)).collect()
    }

    /// Sends the cases again as items of batches and, if the client supports streams, of a stream. Each result must
    /// equal that of the single call. Returns the number of cases that can be items.
    async fn check_items(
        &self,
        client: &mut Client,
        passed: &[(&Case, CallResult)],
        failures: &mut Failures,
    ) -> usize {
        let items: Vec<_> = passed.iter().filter_map(|item| Some((item, self.to_call(item.0)?))).collect();
        let mut answers = Vec::new();
        for items in items.chunks(BATCH_ITEMS) {
            let mut request = self.message("arbiter.v1.EvaluateBatchRequest");
            let calls = items.iter().map(|(_, call)| Value::Message(call.clone())).collect();
            request.set_field_by_name("calls", Value::List(calls));
            let response = client.call(&self.method("EvaluateBatch"), vec![request]).await;
            let response = response.expect("the batch succeeds").remove(0);
            let list = response.get_field_by_name("answers").expect("the contract defines it");
            answers.extend(list.as_list().into_iter().flatten().cloned());
        }
        self.compare_items("EvaluateBatch", &items, &answers, failures);

        let stream = self.method("Evaluate");
        if !client.supports(&stream) {
            return items.len();
        }
        let requests = items.iter().map(|(_, call)| {
            let mut request = self.message("arbiter.v1.EvaluateRequest");
            request.set_field_by_name("call", Value::Message(call.clone()));
            request
        });
        let responses = client.call(&stream, requests.collect()).await;
        let answer = |response: &DynamicMessage| {
            response.get_field_by_name("answer").expect("the contract defines it").into_owned()
        };
        let answers: Vec<_> = responses.expect("the stream succeeds").iter().map(answer).collect();
        self.compare_items("Evaluate", &items, &answers, failures);
        items.len()
    }

    fn compare_items(
        &self,
        method: &str,
        items: &[(&(&Case, CallResult), DynamicMessage)],
        answers: &[Value],
        failures: &mut Failures,
    ) {
        assert_eq!(answers.len(), items.len(), "{method} returns one answer per item");
        for (((case, single), _), answer) in items.iter().zip(answers) {
            let answer = answer.as_message().ok_or_else(|| "the answer is missing".to_owned());
            let compared = answer
                .and_then(|answer| CallResult::from_item(case, answer))
                .and_then(|result| result.check_item(single, &self.pool));
            if let Err(difference) = compared {
                failures.push(format!("{}, as an item of {method}\n{difference}", case.name));
            }
        }
    }

    /// The request of a case as an `arbiter.v1.Call`, if `Call` has a field for it.
    fn to_call(&self, case: &Case) -> Option<DynamicMessage> {
        let mut call = self.message("arbiter.v1.Call");
        let field =
            self.pool.get_message_by_name("arbiter.v1.Call")?.fields().find(|field| {
                field.kind().as_message().is_some_and(|message| *message == case.method.input())
            })?;
        call.set_field(&field, Value::Message(case.request.first()?.clone()));
        Some(call)
    }
}

/// The error for a file with one case, given without its name.
fn error_of(case: &str) -> String {
    let text = format!(r#"{{"about": "x", "cases": [{{"name": "x", {case}}}]}}"#);
    let mut cases = read_file(&text, &Contract::load().service);
    cases.remove(0).expect_err("the case is invalid")
}

#[test]
fn every_rpc_has_a_case() {
    let contract = Contract::load();
    let cases = contract.read_cases(&mut Failures::new());
    for method in contract.service.methods() {
        let has_case = cases.iter().any(|case| case.method == method);
        assert!(has_case, "tests/cases has no case of {}", method.name());
    }
}

#[test]
fn a_file_without_cases_is_rejected() {
    let service = Contract::load().service;
    for text in ["", "{}", r#"{"about": "x", "cases": []}"#, r#"{"about": "", "cases": [], "more": 1}"#] {
        assert!(read_file(text, &service)[0].is_err(), "{text}");
    }
}

#[test]
fn a_case_without_an_expected_result_is_rejected() {
    assert!(error_of(r#""rpc": "ListGames", "request": {}"#).contains("missing field `status`"));
    assert!(error_of(r#""rpc": "ListGames", "request": {}, "status": "OK""#).contains("needs a response"));
    let refusal = r#""rpc": "ListGames", "request": {}, "status": "INVALID_ARGUMENT", "reasons": []"#;
    assert!(error_of(refusal).contains("needs reasons"));
}

#[test]
fn two_cases_with_one_name_are_rejected() {
    let case = r#"{"name": "x", "rpc": "ListGames", "request": {}, "status": "OK", "response": {}}"#;
    let cases =
        read_file(&format!(r#"{{"about": "x", "cases": [{case}, {case}]}}"#), &Contract::load().service);
    assert!(cases[0].is_ok());
    assert!(cases[1].as_ref().is_err_and(|error| error.contains("two cases of this name")));
}

#[test]
fn an_unknown_name_is_rejected() {
    let error = |rpc: &str, request: &str, response: &str, more: &str| {
        error_of(&format!(
            r#""rpc": "{rpc}", "request": {request}, "status": "OK", "response": {response}{more}"#
        ))
    };
    assert!(error("NoSuchCall", "{}", "{}", "").contains("there is no call"));
    assert!(error("NewGame", r#"{"sead": "1"}"#, "{}", "").contains("sead"));
    assert!(error("NewGame", "{}", r#"{"sead": "1"}"#, "").contains("sead"));
    assert!(error("ViewState", r#"{"state": {"connectFour": {}}}"#, "{}", "").contains("connectFour"));
    assert!(error("NewGame", "{}", "{}", r#", "ignore": ["sead"]"#).contains("sead"));
    assert!(error("NewGame", "{}", "{}", r#", "expect": 1"#).contains("expect"));
}
