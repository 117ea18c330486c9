//! What Cerbos is asked: may this player move in this game? Whoever's turn it is may (`cerbos/policies`).

use std::collections::{BTreeMap, HashMap};

use prost::Message;
use prost_types::{Value, value::Kind};

use super::{client::Call, loader::ask, server::Server};

const CHECK_RESOURCES: &str = "/cerbos.svc.v1.CerbosService/CheckResources";
const PLAYERS: [&str; 2] = ["ada", "bob"];
const ACTION: &str = "move";

const ALLOW: i32 = 1;
const DENY: i32 = 2;

/// May the first player move in so many games?
pub fn check_resources(games: usize) -> Call {
    Call::new(CHECK_RESOURCES, &request(games).encode_to_vec())
}

pub async fn check(server: &Server, games: usize) {
    let answer: CheckResourcesResponse = ask(server, CHECK_RESOURCES, request(games)).await;
    assert_eq!(answer.results.len(), games);
    for (index, result) in answer.results.into_iter().enumerate() {
        let effect = if index % 2 == 0 { ALLOW } else { DENY };
        assert_eq!(result.actions, HashMap::from([(ACTION.to_owned(), effect)]));
    }
}

/// It is the players' turn in one game after the other.
fn request(games: usize) -> CheckResourcesRequest {
    let principal = Principal { id: PLAYERS[0].to_owned(), roles: vec!["player".to_owned()] };
    let resources = (0..games).map(|index| {
        let turn = Value { kind: Some(Kind::StringValue(PLAYERS[index % 2].to_owned())) };
        let resource = Resource {
            kind: "game".to_owned(),
            id: format!("game-{index}"),
            attr: BTreeMap::from([("turn".to_owned(), turn)]),
        };
        ResourceEntry { actions: vec![ACTION.to_owned()], resource: Some(resource) }
    });
    CheckResourcesRequest { principal: Some(principal), resources: resources.collect() }
}

// As much as is needed of the messages of `cerbos.svc.v1`.

#[derive(Clone, PartialEq, Message)]
struct CheckResourcesRequest {
    #[prost(message, optional, tag = "3")]
    principal: Option<Principal>,
    #[prost(message, repeated, tag = "4")]
    resources: Vec<ResourceEntry>,
}

#[derive(Clone, PartialEq, Message)]
struct Principal {
    #[prost(string, tag = "1")]
    id: String,
    #[prost(string, repeated, tag = "3")]
    roles: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceEntry {
    #[prost(string, repeated, tag = "1")]
    actions: Vec<String>,
    #[prost(message, optional, tag = "2")]
    resource: Option<Resource>,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(string, tag = "1")]
    kind: String,
    #[prost(string, tag = "3")]
    id: String,
    #[prost(btree_map = "string, message", tag = "4")]
    attr: BTreeMap<String, Value>,
}

#[derive(Clone, PartialEq, Message)]
struct CheckResourcesResponse {
    #[prost(message, repeated, tag = "2")]
    results: Vec<ResultEntry>,
}

#[derive(Clone, PartialEq, Message)]
struct ResultEntry {
    #[prost(map = "string, int32", tag = "2")]
    actions: HashMap<String, i32>,
}
