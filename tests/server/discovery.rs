//! Reflection, health, metrics, the banner and the card catalogue.

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
    grpc_client::GrpcClient,
    process::{Process, arbiter},
    requests::{apply_move, framed},
    wait::eventually,
};

/// A reflection client for one version of the protocol. Both versions have the same messages.
macro_rules! reflection {
    ($version:ident) => {
        mod $version {
            use tonic_reflection::pb::$version::{
                ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
                server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
            };

            use super::{Channel, FileDescriptorProto, Message};

            async fn request(channel: Channel, request: MessageRequest) -> MessageResponse {
                let request = ServerReflectionRequest { host: String::new(), message_request: Some(request) };
                let mut client = ServerReflectionClient::new(channel);
                let mut responses = client
                    .server_reflection_info(tokio_stream::once(request))
                    .await
                    .expect("reflection is available")
                    .into_inner();
                let response = responses.message().await.expect("the stream stays open").expect("a response");
                response.message_response.expect("the response is not empty")
            }

            pub async fn services(channel: Channel) -> Vec<String> {
                match request(channel, MessageRequest::ListServices(String::new())).await {
                    MessageResponse::ListServicesResponse(list) => {
                        list.service.into_iter().map(|service| service.name).collect()
                    }
                    other => panic!("not a list of services: {other:?}"),
                }
            }

            /// The file that defines a symbol.
            pub async fn file_with(channel: Channel, symbol: &str) -> FileDescriptorProto {
                match request(channel, MessageRequest::FileContainingSymbol(symbol.to_owned())).await {
                    MessageResponse::FileDescriptorResponse(files) => {
                        let file = files.file_descriptor_proto.first().expect("the response has a file");
                        FileDescriptorProto::decode(file.as_slice()).expect("the file decodes")
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

/// Symbols and the files that define them.
const SYMBOLS: [(&str, &str); 4] = [
    ("arbiter.v1.RulesService", "arbiter/v1/rules_service.proto"),
    ("arbiter.v1.ErrorReason", "arbiter/v1/error_reason.proto"),
    ("google.rpc.ErrorInfo", "google/rpc/error_details.proto"),
    ("google.rpc.BadRequest", "google/rpc/error_details.proto"),
];

fn assert_lists_services(listed: Vec<String>) {
    let listed = BTreeSet::from_iter(listed);
    for service in SERVICES {
        assert!(listed.contains(service), "{service} is not in {listed:?}");
    }
}

/// Compares only the name of the file, not its directory.
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
    assert_lists_services(v1::services(server.channel().await).await);
}

#[tokio::test]
async fn reflection_v1alpha_lists_the_services() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_lists_services(v1alpha::services(server.channel().await).await);
}

#[tokio::test]
async fn reflection_serves_the_contract_and_the_error_details() {
    let server = TestServer::start_with(&["--log", "off"]);
    for (symbol, file) in SYMBOLS {
        assert_file(symbol, &v1::file_with(server.channel().await, symbol).await, file);
    }
}

#[tokio::test]
async fn reflection_v1alpha_serves_the_contract_and_the_error_details() {
    let server = TestServer::start_with(&["--log", "off"]);
    for (symbol, file) in SYMBOLS {
        assert_file(symbol, &v1alpha::file_with(server.channel().await, symbol).await, file);
    }
}

#[tokio::test]
async fn health_is_serving_for_the_server_and_for_the_service() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut health = HealthClient::new(server.channel().await);
    for service in ["", "arbiter.v1.RulesService"] {
        let response = health.check(HealthCheckRequest { service: service.to_owned() }).await;
        let status = response.expect("the service is known").into_inner().status();
        assert_eq!(status, ServingStatus::Serving, "{service:?}");
    }
}

#[tokio::test]
async fn health_of_an_unknown_service_is_not_found() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut health = HealthClient::new(server.channel().await);
    let response = health.check(HealthCheckRequest { service: "arbiter.v1.NoSuchService".to_owned() }).await;
    assert_eq!(response.expect_err("the service is unknown").code(), Code::NotFound);
}

#[test]
fn the_admin_port_reports_liveness_and_readiness() {
    let server = TestServer::start_with(&["--log", "off"]);
    assert_eq!(server.admin_get("/live"), (200, "live\n".to_owned()));
    assert_eq!(server.admin_get("/ready"), (200, "ready\n".to_owned()));
    assert_eq!(server.admin_get("/no-such-page").0, 404);
}

/// The value of the only sample with this name and all of these labels.
fn metric(exposition: &str, name: &str, labels: &[&str]) -> Option<f64> {
    let mut found = exposition.lines().filter(|line| {
        let (head, _) = line.split_once(['{', ' ']).unwrap_or_default();
        head == name && labels.iter().all(|label| line.contains(label))
    });
    let value = found.next()?.rsplit(' ').next()?.parse().ok();
    assert!(found.next().is_none(), "{name} with {labels:?} is not unique:\n{exposition}");
    value
}

#[tokio::test]
async fn metrics_count_calls_by_method_game_and_code() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    client.assert_call_succeeds().await;
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
async fn metrics_include_call_durations() {
    let server = TestServer::start_with(&["--log", "off"]);
    GrpcClient::connect(&server.address).await.assert_call_succeeds().await;
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
async fn metrics_include_the_calls_in_flight() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    let in_flight = || metric(&server.admin_get("/metrics").1, "arbiter_calls_in_flight", &[]);
    assert_eq!(in_flight(), Some(0.0));
    let call = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    eventually("one call is in flight", async || in_flight() == Some(1.0)).await;
    drop(call);
    eventually("no call is in flight", async || in_flight() == Some(0.0)).await;
}

#[tokio::test]
async fn metrics_count_batch_items() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    let call = proto::Call { kind: Some(proto::call::Kind::ApplyMove(apply_move())) };
    client.call("EvaluateBatch", &proto::EvaluateBatchRequest::from_iter(vec![call; 3])).await;
    let (_, exposition) = server.admin_get("/metrics");
    let labels = [r#"grpc_method="ApplyMove""#, r#"game="connect_four""#, r#"grpc_code="OK""#];
    assert_eq!(metric(&exposition, "arbiter_items_handled_total", &labels), Some(3.0), "{exposition}");
}

#[test]
fn metrics_include_process_statistics() {
    let before = unix_seconds();
    let server = TestServer::start_with(&["--log", "off"]);
    let (_, exposition) = server.admin_get("/metrics");
    let after = unix_seconds();
    let process = |name: &str| {
        let value = metric(&exposition, &format!("process_{name}"), &[]);
        value.unwrap_or_else(|| panic!("process_{name} is missing:\n{exposition}"))
    };
    let proc = |file: &str| {
        std::fs::read_to_string(format!("/proc/{}/{file}", server.pid())).expect("the server runs")
    };

    let resident = process("resident_memory_bytes");
    assert!((1e6..1e9).contains(&resident), "{resident} bytes");
    // At least the three standard streams and the two listening sockets.
    let open = process("open_fds");
    assert!((5.0..100.0).contains(&open), "{open} open files");
    let limits = proc("limits");
    let max_open =
        limits.lines().find_map(|line| line.strip_prefix("Max open files")).expect("the limit is listed");
    assert_eq!(Some(process("max_fds")), max_open.split_whitespace().next().and_then(|max| max.parse().ok()));
    let started = process("start_time_seconds");
    assert!((before..=after).contains(&started), "{started} is not between {before} and {after}");
    let cpu_time = process("cpu_seconds_total");
    assert!((0.0..=2.0 * (after - before)).contains(&cpu_time), "{cpu_time} s in {} s", after - before);
}

fn unix_seconds() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.expect("the clock is after 1970").as_secs_f64()
}

#[tokio::test]
async fn metrics_include_cpu_time() {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = GrpcClient::connect(&server.address).await;
    let cpu_time = || {
        metric(&server.admin_get("/metrics").1, "process_cpu_seconds_total", &[])
            .expect("the metric is exposed")
    };
    let before = cpu_time();
    eventually("0.1 s of CPU time is used", async || {
        for _ in 0..100 {
            client.assert_call_succeeds().await;
        }
        cpu_time() >= before + 0.1
    })
    .await;
}

#[test]
fn metrics_include_the_configured_limits() {
    let limits = [
        "--max-in-flight",
        "123",
        "--max-bytes-in-flight",
        "7",
        "--max-connections",
        "45",
        "--max-streams",
        "6",
    ];
    let server = TestServer::start_with(&[&["--log", "off"], &limits[..]].concat());
    let (_, exposition) = server.admin_get("/metrics");
    let limit = |name: &str| metric(&exposition, &format!("arbiter_{name}"), &[]);
    let limits =
        ["calls_in_flight_limit", "bytes_in_flight_limit", "connections_limit", "streams_open_limit"]
            .map(limit);
    assert_eq!(limits, [Some(123.0), Some(7.0), Some(45.0), Some(6.0)], "{exposition}");
}

#[test]
fn metrics_include_the_version() {
    let server = TestServer::start_with(&["--log", "off"]);
    let (_, exposition) = server.admin_get("/metrics");
    let version = format!(r#"{{version="{}"}}"#, env!("CARGO_PKG_VERSION"));
    assert_eq!(metric(&exposition, "arbiter_build_info", &[&version]), Some(1.0), "{exposition}");
}

#[test]
fn every_metric_has_one_type_and_help_and_the_exposition_ends_with_eof() {
    let server = TestServer::start_with(&["--log", "off"]);
    let (_, exposition) = server.admin_get("/metrics");
    assert!(exposition.ends_with("\n# EOF\n"), "{exposition}");
    let names_after = |prefix: &str| -> Vec<_> {
        let lines = exposition.lines().filter_map(|line| line.strip_prefix(prefix));
        lines.filter_map(|line| line.split(' ').next()).collect()
    };
    let (types, helps) = (names_after("# TYPE "), names_after("# HELP "));
    assert_eq!(types, helps);
    assert_eq!(types.iter().collect::<BTreeSet<_>>().len(), types.len(), "{types:?}");
}

#[tokio::test]
async fn the_banner_shows_the_bound_addresses() {
    let server = Process::start(arbiter().args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]));
    GrpcClient::connect(&server.address).await.assert_call_succeeds().await;
    let admin = tokio::net::TcpStream::connect(&server.admin_address).await;
    assert!(admin.is_ok(), "the admin port is not reachable: {}", server.banner);
}

#[tokio::test]
async fn the_banner_has_a_grpcurl_command_for_the_bound_address() {
    let server = Process::start(arbiter().args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]));
    let command = server
        .banner
        .lines()
        .find(|line| line.contains("grpcurl"))
        .expect("the banner has a grpcurl command");
    let words: Vec<_> = command.split_whitespace().collect();
    let [.., address, call] = words.as_slice() else { panic!("too short: {command}") };
    assert_eq!((*address, *call), (server.address.as_str(), "arbiter.v1.RulesService/NewGame"));
}

/// The Triple Triad cards in a `ListGames` response.
async fn listed_cards(include_cards: bool) -> Vec<proto::TripleTriadCard> {
    let server = TestServer::start_with(&["--log", "off"]);
    let response = server
        .client()
        .await
        .list_games(proto::ListGamesRequest { include_cards, include_clauses: false })
        .await;
    let games = response.expect("the call succeeds").into_inner().games;
    games.into_iter().flat_map(|game| game.triple_triad_cards).collect()
}

#[tokio::test]
async fn list_games_includes_all_cards_on_request() {
    let cards = listed_cards(true).await;
    let ids: Vec<u32> = cards.iter().filter_map(|card| card.id).collect();
    assert_eq!(ids, (1..=110).collect::<Vec<_>>());
    // One card with all of its fields.
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
async fn list_games_omits_the_cards_by_default() {
    assert_eq!(listed_cards(false).await, []);
}
