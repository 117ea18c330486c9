//! Runs the cases of `tests/cases`, over a real socket: each on its own, and all of them as items of
//! `EvaluateBatch` and of `Evaluate`, where the answers must be the same. And so they must be in every protocol.

mod answer;
mod case;
mod client;
mod json;
mod required;

use std::{fs, path::Path};

use arbiter::wire::proto;
use prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor, ServiceDescriptor, Value};

use self::{
    answer::Answer,
    case::{Case, read_file, read_folder},
    client::Client,
};
use crate::support::TestServer;

/// Items of one `EvaluateBatch`: well below what the service takes.
const BATCH: usize = 100;

/// The contract, by its descriptors.
struct Contract {
    pool: DescriptorPool,
    service: ServiceDescriptor,
}

/// Everything that is not as it should be.
type Failures = Vec<String>;

#[tokio::test]
async fn every_case_is_answered_as_it_says() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_answers_every_case(Client::grpc(server.channel().await)).await;
}

#[tokio::test]
async fn every_case_is_answered_as_it_says_in_json() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_answers_every_case(Client::connect_in_json(&server.address).await).await;
}

#[tokio::test]
async fn every_case_is_answered_as_it_says_by_connect_in_binary_form() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_answers_every_case(Client::connect_in_binary(&server.address).await).await;
}

/// Makes every call that can be made, each on its own and then as an item of many.
async fn assert_answers_every_case(mut client: Client) {
    let contract = Contract::load();
    let mut failures = Failures::new();
    let mut cases = contract.read_cases(&mut failures);
    cases.retain(|case| client.can_call(&case.method));
    assert!(!cases.is_empty(), "there are no cases");

    let mut answered = Vec::new();
    for case in &cases {
        let answer = Answer::read(case, client.call(&case.method, case.request.clone()).await);
        match answer.and_then(|answer| answer.check(case, &contract.pool).map(|()| answer)) {
            Ok(answer) => answered.push((case, answer)),
            Err(difference) => failures.push(format!("{}\n{difference}", case.name)),
        }
    }
    println!("{} of {} cases are answered as they say", answered.len(), cases.len());
    let items = contract.check_items(&mut client, &answered, &mut failures).await;
    println!("{items} of them were sent again as items of many");

    assert!(failures.is_empty(), "\n{}\n\n{} failures", failures.join("\n\n"), failures.len());
}

impl Contract {
    fn load() -> Self {
        let pool = DescriptorPool::decode(proto::FILE_DESCRIPTOR_SET).expect("the contract is compiled");
        let service = pool.get_service_by_name("arbiter.v1.RulesService").expect("it is in the contract");
        Self { pool, service }
    }

    fn method(&self, name: &str) -> MethodDescriptor {
        self.service.methods().find(|method| method.name() == name).expect("it is in the contract")
    }

    fn message(&self, name: &str) -> DynamicMessage {
        DynamicMessage::new(self.pool.get_message_by_name(name).expect("it is in the contract"))
    }

    /// Reads the cases of all folders. What is wrong with a file is a failure.
    fn read_cases(&self, failures: &mut Failures) -> Vec<Case> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
        let entries = fs::read_dir(root).expect("there are cases");
        let mut folders: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
        folders.retain(|path| path.is_dir());
        folders.sort();
        folders.iter().flat_map(|folder| read_folder(folder, &self.service, failures)).collect()
    }

    /// Sends the cases once more as items of batches, and as items of a stream if there are streams: each answer must
    /// be the one that the case had on its own. Tells how many cases can be items.
    async fn check_items(
        &self,
        client: &mut Client,
        answered: &[(&Case, Answer)],
        failures: &mut Failures,
    ) -> usize {
        let items: Vec<_> = answered.iter().filter_map(|item| Some((item, self.to_call(item.0)?))).collect();
        let mut answers = Vec::new();
        for items in items.chunks(BATCH) {
            let mut request = self.message("arbiter.v1.EvaluateBatchRequest");
            let calls = items.iter().map(|(_, call)| Value::Message(call.clone())).collect();
            request.set_field_by_name("calls", Value::List(calls));
            let response = client.call(&self.method("EvaluateBatch"), vec![request]).await;
            let response = response.expect("the batch is answered").remove(0);
            let list = response.get_field_by_name("answers").expect("it is in the contract");
            answers.extend(list.as_list().into_iter().flatten().cloned());
        }
        self.compare_items("EvaluateBatch", &items, &answers, failures);

        let stream = self.method("Evaluate");
        if !client.can_call(&stream) {
            return items.len();
        }
        let requests = items.iter().map(|(_, call)| {
            let mut request = self.message("arbiter.v1.EvaluateRequest");
            request.set_field_by_name("call", Value::Message(call.clone()));
            request
        });
        let responses = client.call(&stream, requests.collect()).await;
        let answer = |response: &DynamicMessage| {
            response.get_field_by_name("answer").expect("it is in the contract").into_owned()
        };
        let answers: Vec<_> = responses.expect("the stream is answered").iter().map(answer).collect();
        self.compare_items("Evaluate", &items, &answers, failures);
        items.len()
    }

    fn compare_items(
        &self,
        call: &str,
        items: &[(&(&Case, Answer), DynamicMessage)],
        answers: &[Value],
        failures: &mut Failures,
    ) {
        assert_eq!(answers.len(), items.len(), "{call} has an answer for each item");
        for (((case, alone), _), answer) in items.iter().zip(answers) {
            let answer = answer.as_message().ok_or_else(|| "there is no answer".to_owned());
            let compared = answer
                .and_then(|answer| Answer::read_item(case, answer))
                .and_then(|answer| answer.check_item(alone, &self.pool));
            if let Err(difference) = compared {
                failures.push(format!("{}, as an item of {call}\n{difference}", case.name));
            }
        }
    }

    /// The request of a case as an `arbiter.v1.Call`, if it can be one.
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

/// What is wrong with a file of one case, written without its name.
fn error_of(case: &str) -> String {
    let text = format!(r#"{{"about": "x", "cases": [{{"name": "x", {case}}}]}}"#);
    let mut cases = read_file(&text, &Contract::load().service);
    cases.remove(0).expect_err("the case is wrong")
}

#[test]
fn a_file_without_cases_is_refused() {
    let service = Contract::load().service;
    for text in ["", "{}", r#"{"about": "x", "cases": []}"#, r#"{"about": "", "cases": [], "more": 1}"#] {
        assert!(read_file(text, &service)[0].is_err(), "{text}");
    }
}

#[test]
fn a_case_that_expects_nothing_is_refused() {
    assert!(error_of(r#""rpc": "ListGames", "request": {}"#).contains("missing field `status`"));
    assert!(error_of(r#""rpc": "ListGames", "request": {}, "status": "OK""#).contains("needs a response"));
    let refusal = r#""rpc": "ListGames", "request": {}, "status": "INVALID_ARGUMENT", "reasons": []"#;
    assert!(error_of(refusal).contains("needs reasons"));
}

#[test]
fn two_cases_of_one_name_are_refused() {
    let case = r#"{"name": "x", "rpc": "ListGames", "request": {}, "status": "OK", "response": {}}"#;
    let cases =
        read_file(&format!(r#"{{"about": "x", "cases": [{case}, {case}]}}"#), &Contract::load().service);
    assert!(cases[0].is_ok());
    assert!(cases[1].as_ref().is_err_and(|error| error.contains("two cases of this name")));
}

#[test]
fn a_name_that_the_contract_does_not_know_is_refused() {
    let with = |rpc: &str, request: &str, response: &str, more: &str| {
        error_of(&format!(
            r#""rpc": "{rpc}", "request": {request}, "status": "OK", "response": {response}{more}"#
        ))
    };
    assert!(with("NoSuchCall", "{}", "{}", "").contains("there is no call"));
    assert!(with("NewGame", r#"{"sead": "1"}"#, "{}", "").contains("sead"));
    assert!(with("NewGame", "{}", r#"{"sead": "1"}"#, "").contains("sead"));
    assert!(with("ViewState", r#"{"state": {"connectFour": {}}}"#, "{}", "").contains("connectFour"));
    assert!(with("NewGame", "{}", "{}", r#", "ignore": ["sead"]"#).contains("sead"));
    assert!(with("NewGame", "{}", "{}", r#", "expect": 1"#).contains("expect"));
}
