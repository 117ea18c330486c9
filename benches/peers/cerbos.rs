//! The calls to Cerbos: may this player move in this game? The policy allows it for the player to move (`cerbos/policies`).

use std::collections::{BTreeMap, HashMap};

use prost::Message;
use prost_types::{Value, value::Kind};

use super::{client::Call, load_generator::call_once, server::Server};

const CHECK_RESOURCES: &str = "/cerbos.svc.v1.CerbosService/CheckResources";
const PLAYERS: [&str; 2] = ["ada", "bob"];
const ACTION: &str = "move";

const ALLOW: i32 = 1;
const DENY: i32 = 2;

/// Checks whether the first player may move in this many games.
pub fn check_resources(games: usize) -> Call {
    Call::new(CHECK_RESOURCES, &request(games).encode_to_vec())
}

pub async fn check(server: &Server, games: usize) {
    let response: CheckResourcesResponse = call_once(server, CHECK_RESOURCES, request(games)).await;
    assert_eq!(response.results.len(), games);
    for (index, result) in response.results.into_iter().enumerate() {
        let effect = if index % 2 == 0 { ALLOW } else { DENY };
        assert_eq!(result.actions, HashMap::from([(ACTION.to_owned(), effect)]));
    }
}

/// The players alternate as the player to move from game to game.
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

// The used fields of the messages of `cerbos.svc.v1`.

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
