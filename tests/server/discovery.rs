//! What a stranger can find out: the contract by reflection, health, metrics, and what the server prints.

use std::collections::BTreeSet;

use arbiter::wire::proto;
use prost::Message;
use prost_types::FileDescriptorProto;
use tonic::{Code, transport::Channel};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::support::{
    TestServer,
    raw::{Client, Process, apply_move, arbiter, eventually, framed},
};

/// A module with what can be asked of one version of reflection: both versions have the same messages.
macro_rules! reflection {
    ($version:ident) => {
        mod $version {
            use tonic_reflection::pb::$version::{
                ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
                server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
            };

            use super::{Channel, FileDescriptorProto, Message};

            async fn ask(channel: Channel, question: MessageRequest) -> MessageResponse {
                let request =
                    ServerReflectionRequest { host: String::new(), message_request: Some(question) };
                let mut client = ServerReflectionClient::new(channel);
                let mut answers = client
                    .server_reflection_info(tokio_stream::once(request))
                    .await
                    .expect("reflection is answered")
                    .into_inner();
                let answer = answers.message().await.expect("it has an answer").expect("it has one");
                answer.message_response.expect("it says something")
            }

            pub async fn services(channel: Channel) -> Vec<String> {
                match ask(channel, MessageRequest::ListServices(String::new())).await {
                    MessageResponse::ListServicesResponse(list) => {
                        list.service.into_iter().map(|service| service.name).collect()
                    }
                    other => panic!("not a list of services: {other:?}"),
                }
            }

            /// The file that defines a symbol.
            pub async fn file_of(channel: Channel, symbol: &str) -> FileDescriptorProto {
                match ask(channel, MessageRequest::FileContainingSymbol(symbol.to_owned())).await {
                    MessageResponse::FileDescriptorResponse(files) => {
                        let file = files.file_descriptor_proto.first().expect("there is a file");
                        FileDescriptorProto::decode(file.as_slice()).expect("it is one")
                    }
                    other => panic!("no file has {symbol}: {other:?}"),
                }
            }
        }
    };
}

reflection!(v1);
reflection!(v1alpha);

const SERVICES: [&str; 2] = ["arbiter.v1.RulesService", "grpc.health.v1.Health"];

/// Symbols that a client looks for, and the files that define them.
const SYMBOLS: [(&str, &str); 4] = [
    ("arbiter.v1.RulesService", "arbiter/v1/rules_service.proto"),
    ("arbiter.v1.ErrorReason", "arbiter/v1/error_reason.proto"),
    ("google.rpc.ErrorInfo", "google/rpc/error_details.proto"),
    ("google.rpc.BadRequest", "google/rpc/error_details.proto"),
];

fn assert_lists_what_is_answered(listed: Vec<String>) {
    let listed = BTreeSet::from_iter(listed);
    for service in SERVICES {
        assert!(listed.contains(service), "{service} is not in {listed:?}");
    }
}

/// A file is found by its name, whatever directory it was compiled from.
fn assert_file(symbol: &str, found: &FileDescriptorProto, expected: &str) {
    let name = expected.rsplit('/').next().unwrap_or(expected);
    assert!(found.name().ends_with(name), "{symbol} is in {}", found.name());
    let short = symbol.rsplit('.').next().unwrap_or(symbol);
    let defines = found.service.iter().any(|service| service.name() == short)
        || found.message_type.iter().any(|message| message.name() == short)
        || found.enum_type.iter().any(|values| values.name() == short);
    assert!(defines, "{} does not define {symbol}", found.name());
}

#[tokio::test]
async fn reflection_lists_the_services() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_lists_what_is_answered(v1::services(server.channel().await).await);
}

#[tokio::test]
async fn reflection_lists_the_services_in_its_older_version() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_lists_what_is_answered(v1alpha::services(server.channel().await).await);
}

#[tokio::test]
async fn reflection_tells_the_contract_and_the_error_details() {
    let server = TestServer::start_with(&["--log", "off"]);
    for (symbol, file) in SYMBOLS {
        assert_file(symbol, &v1::file_of(server.channel().await, symbol).await, file);
    }
}

#[tokio::test]
async fn reflection_tells_the_contract_and_the_error_details_in_its_older_version() {
    let server = TestServer::start_with(&["--log", "off"]);
    for (symbol, file) in SYMBOLS {
        assert_file(symbol, &v1alpha::file_of(server.channel().await, symbol).await, file);
    }
}

#[tokio::test]
async fn health_is_serving_for_the_server_and_for_the_service() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut health = HealthClient::new(server.channel().await);
    for service in ["", "arbiter.v1.RulesService"] {
        let answer = health.check(HealthCheckRequest { service: service.to_owned() }).await;
        let status = answer.expect("it is known").into_inner().status();
        assert_eq!(status, ServingStatus::Serving, "{service:?}");
    }
}

#[tokio::test]
async fn health_of_a_service_that_does_not_exist_is_not_found() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut health = HealthClient::new(server.channel().await);
    let answer = health.check(HealthCheckRequest { service: "arbiter.v1.NoSuchService".to_owned() }).await;
    assert_eq!(answer.expect_err("it is unknown").code(), Code::NotFound);
}

#[test]
fn the_admin_port_tells_that_the_server_lives_and_is_ready() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_eq!(server.admin_get("/live"), (200, "live\n".to_owned()));
    assert_eq!(server.admin_get("/ready"), (200, "ready\n".to_owned()));
    assert_eq!(server.admin_get("/no-such-page").0, 404);
}

/// The value of the one metric of this name that has all of these labels.
fn metric(exposition: &str, name: &str, labels: &[&str]) -> Option<f64> {
    let mut found = exposition.lines().filter(|line| {
        let (head, _) = line.split_once(['{', ' ']).unwrap_or_default();
        head == name && labels.iter().all(|label| line.contains(label))
    });
    let value = found.next()?.rsplit(' ').next()?.parse().ok();
    assert!(found.next().is_none(), "{name} with {labels:?} is there more than once:\n{exposition}");
    value
}

#[tokio::test]
async fn metrics_count_calls_by_method_game_and_code() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    client.assert_answers().await;
    let without_move = proto::ApplyMoveRequest { r#move: None, ..apply_move() };
    client.call("ApplyMove", &without_move).await;
    client.send("ApplyMove", &[], framed(&[0xff])).await;

    let (status, exposition) = server.admin_get("/metrics");
    assert_eq!(status, 200);
    let handled = |game: &str, code: &str| {
        let labels =
            [r#"grpc_method="ApplyMove""#, &format!(r#"game="{game}""#), &format!(r#"grpc_code="{code}""#)];
        metric(&exposition, "grpc_server_handled_total", &labels)
    };
    assert_eq!(handled("connect_four", "OK"), Some(2.0), "{exposition}");
    assert_eq!(handled("connect_four", "INVALID_ARGUMENT"), Some(1.0), "{exposition}");
    assert_eq!(handled("none", "INVALID_ARGUMENT"), Some(1.0), "{exposition}");
}

#[tokio::test]
async fn metrics_tell_how_long_calls_take() {
    let server = TestServer::start_with(&["--log", "off"]);
    Client::connect(&server.address).await.assert_answers().await;
    let (_, exposition) = server.admin_get("/metrics");
    let apply_move = r#"grpc_method="ApplyMove""#;
    let seconds = |suffix: &str, labels: &[&str]| {
        metric(&exposition, &format!("grpc_server_handling_seconds_{suffix}"), labels)
    };
    assert_eq!(seconds("count", &[apply_move]), Some(1.0));
    assert_eq!(seconds("bucket", &[apply_move, r#"le="+Inf""#]), Some(1.0));
    assert!(seconds("sum", &[apply_move]).is_some_and(|sum| sum > 0.0));
}

#[tokio::test]
async fn metrics_tell_how_many_calls_are_under_way() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    let under_way = || metric(&server.admin_get("/metrics").1, "arbiter_calls_in_flight", &[]);
    assert_eq!(under_way(), Some(0.0));
    let call = client.open("ApplyMove", &[]).await.expect("the connection holds");
    eventually("one is under way", async || under_way() == Some(1.0)).await;
    drop(call);
    eventually("none is under way", async || under_way() == Some(0.0)).await;
}

#[tokio::test]
async fn metrics_count_the_items_of_a_batch() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    let call = proto::Call { kind: Some(proto::call::Kind::ApplyMove(apply_move())) };
    client.call("EvaluateBatch", &proto::EvaluateBatchRequest::from_iter(vec![call; 3])).await;
    let (_, exposition) = server.admin_get("/metrics");
    let labels = [r#"grpc_method="ApplyMove""#, r#"game="connect_four""#, r#"grpc_code="OK""#];
    assert_eq!(metric(&exposition, "arbiter_items_handled_total", &labels), Some(3.0), "{exposition}");
}

#[test]
fn metrics_tell_what_the_operating_system_knows_of_the_process() {
    let before = seconds_since_1970();
    let server = TestServer::start_with(&["--log", "off"]);
    let (_, exposition) = server.admin_get("/metrics");
    let after = seconds_since_1970();
    let process = |name: &str| {
        let value = metric(&exposition, &format!("process_{name}"), &[]);
        value.unwrap_or_else(|| panic!("there is no process_{name}:\n{exposition}"))
    };
    let proc = |file: &str| {
        std::fs::read_to_string(format!("/proc/{}/{file}", server.pid())).expect("the server runs")
    };

    let resident = process("resident_memory_bytes");
    assert!((1e6..1e9).contains(&resident), "{resident} bytes");
    // Its three standard streams, and the two sockets that it listens on.
    let open = process("open_fds");
    assert!((5.0..100.0).contains(&open), "{open} open");
    let limits = proc("limits");
    let most = limits.lines().find_map(|line| line.strip_prefix("Max open files")).expect("there is one");
    assert_eq!(Some(process("max_fds")), most.split_whitespace().next().and_then(|most| most.parse().ok()));
    let started = process("start_time_seconds");
    assert!((before..=after).contains(&started), "{started} is not from {before} to {after}");
    let spent = process("cpu_seconds_total");
    assert!((0.0..=2.0 * (after - before)).contains(&spent), "{spent} s in {} s", after - before);
}

fn seconds_since_1970() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.expect("it is later").as_secs_f64()
}

#[tokio::test]
async fn metrics_tell_how_much_the_process_works() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = Client::connect(&server.address).await;
    let spent = || metric(&server.admin_get("/metrics").1, "process_cpu_seconds_total", &[]).expect("told");
    let before = spent();
    eventually("a tenth of a second was worked", async || {
        for _ in 0..100 {
            client.assert_answers().await;
        }
        spent() >= before + 0.1
    })
    .await;
}

#[test]
fn metrics_tell_the_limits_as_they_were_set() {
    let limits = ["--max-in-flight", "123", "--max-batch-bytes-in-flight", "7", "--max-connections", "45"];
    let server = TestServer::start_with(&[&["--log", "off"], &limits[..]].concat());
    let (_, exposition) = server.admin_get("/metrics");
    let limit = |of: &str| metric(&exposition, &format!("arbiter_{of}"), &[]);
    let limits = ["calls_in_flight_limit", "batches_in_flight_limit_bytes", "connections_limit"].map(limit);
    assert_eq!(limits, [Some(123.0), Some(7.0), Some(45.0)], "{exposition}");
}

#[test]
fn metrics_tell_the_version_that_runs() {
    let server = TestServer::start_with(&["--log", "off"]);
    let (_, exposition) = server.admin_get("/metrics");
    let version = format!(r#"{{version="{}"}}"#, env!("CARGO_PKG_VERSION"));
    assert_eq!(metric(&exposition, "arbiter_build_info", &[&version]), Some(1.0), "{exposition}");
}

#[test]
fn every_metric_is_explained_once_and_the_end_is_told() {
    let server = TestServer::start_with(&["--log", "off"]);
    let (_, exposition) = server.admin_get("/metrics");
    assert!(exposition.ends_with("\n# EOF\n"), "{exposition}");
    let told = |what: &str| -> Vec<_> {
        let lines = exposition.lines().filter_map(|line| line.strip_prefix(what));
        lines.filter_map(|line| line.split(' ').next()).collect()
    };
    let (types, helps) = (told("# TYPE "), told("# HELP "));
    assert_eq!(types, helps);
    assert_eq!(types.iter().collect::<BTreeSet<_>>().len(), types.len(), "{types:?}");
}

#[tokio::test]
async fn the_banner_tells_the_real_addresses() {
    let server = Process::start(arbiter().args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]));
    Client::connect(&server.address).await.assert_answers().await;
    let admin = tokio::net::TcpStream::connect(&server.admin_address).await;
    assert!(admin.is_ok(), "the admin port can be reached: {}", server.banner);
}

#[tokio::test]
async fn the_banner_has_a_command_to_try_at_the_real_address() {
    let server = Process::start(arbiter().args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]));
    let command = server.banner.lines().find(|line| line.contains("grpcurl")).expect("there is one");
    let words: Vec<_> = command.split_whitespace().collect();
    let [.., address, call] = words.as_slice() else { panic!("too short: {command}") };
    assert_eq!((*address, *call), (server.address.as_str(), "arbiter.v1.RulesService/NewGame"));
}

/// The cards of Triple Triad that a client is told of, when it asks for them or not.
async fn listed_cards(include_cards: bool) -> Vec<proto::TripleTriadCard> {
    let server = TestServer::start_with(&["--log", "off"]);
    let answer = server
        .client()
        .await
        .list_games(proto::ListGamesRequest { include_cards, include_clauses: false })
        .await;
    let games = answer.expect("it is answered").into_inner().games;
    games.into_iter().flat_map(|game| game.triple_triad_cards).collect()
}

#[tokio::test]
async fn the_catalogue_is_told_to_those_who_ask() {
    let cards = listed_cards(true).await;
    let ids: Vec<u32> = cards.iter().filter_map(|card| card.id).collect();
    assert_eq!(ids, (1..=110).collect::<Vec<_>>());
    // One of them in full, from the list of the game.
    let ifrit = proto::TripleTriadCard {
        id: Some(85),
        top: Some(9),
        right: Some(6),
        bottom: Some(2),
        left: Some(8),
        element: Some(proto::TripleTriadElement::Fire.into()),
        level: Some(8),
        name: "Ifrit".to_owned(),
        notation: String::new(),
    };
    assert!(cards.contains(&ifrit), "{:?}", cards.iter().find(|card| card.name == "Ifrit"));
}

#[tokio::test]
async fn the_catalogue_is_long_and_left_out_for_others() {
    assert_eq!(listed_cards(false).await, []);
}
