//! Bearer tokens: authentication, services without authentication, and reloading of the token file.

use std::{fmt::Write, process::Stdio, time::Duration};

use bytes::Bytes;
use http::{Method, StatusCode, Version};
use prost::Message;
use ring::digest::{SHA256, digest};
use tonic::{Code, Status};

use crate::support::{
    grpc_client::{GrpcClient, GrpcResponse, code_and_reason},
    http_client::{HttpClient, JSON, PROTO, STATE_AFTER_MOVE, VALID_MOVE, VERSIONS},
    metrics::{call_counts, handled_calls},
    process::{Process, arbiter},
    requests::{apply_move, framed},
    temp_dir::TempDir,
    wait::{TIMEOUT, eventually},
};

const FREE_PORTS: [&str; 4] = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];

const TOKEN: &str = "open-sesame";
const OTHER_TOKEN: &str = "swordfish";

/// Longer than two polling intervals of the file.
const TWO_POLLS: Duration = Duration::from_millis(2500);

/// The line of a token in the token file.
fn token_line(name: &str, token: &str) -> String {
    let mut line = format!("{name} ");
    for byte in digest(&SHA256, token.as_bytes()).as_ref() {
        write!(line, "{byte:02x}").expect("writing to a string succeeds");
    }
    line + "\n"
}

fn bearer(token: &str) -> (&'static str, String) {
    ("authorization", format!("Bearer {token}"))
}

/// A server with a token file.
struct TokenServer {
    process: Process,
    dir: TempDir,
}

impl TokenServer {
    /// Starts a server with one token.
    fn start(flags: &[&str]) -> Self {
        Self::start_with(&token_line("alice", TOKEN), flags)
    }

    fn start_with(tokens: &str, flags: &[&str]) -> Self {
        let dir = TempDir::new();
        let file = dir.write("tokens", tokens);
        let flags = [&FREE_PORTS, &["--log-format", "json", "--token-file", &file], flags].concat();
        Self { process: Process::start(arbiter().args(flags).stderr(Stdio::piped())), dir }
    }

    async fn client(&self) -> GrpcClient {
        GrpcClient::connect(&self.process.address).await
    }

    async fn http_client(&self, version: Version) -> HttpClient {
        HttpClient::connect(&self.process.address, version).await
    }

    fn replace_tokens(&self, tokens: &str) {
        self.dir.write("tokens", tokens);
    }
}

fn valid_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

/// Makes a valid gRPC call with this `authorization` header.
async fn call(client: &GrpcClient, authorization: Option<&str>) -> GrpcResponse {
    let headers: Vec<_> = authorization.iter().map(|value| ("authorization", *value)).collect();
    client.send("ApplyMove", &headers, valid_body()).await
}

async fn is_accepted(client: &GrpcClient, token: &str) -> bool {
    let response = call(client, Some(&bearer(token).1)).await;
    if !response.is_ok() {
        assert_unauthenticated(&response.status);
    }
    response.is_ok()
}

fn unauthenticated() -> (Code, String) {
    (Code::Unauthenticated, "ERROR_REASON_UNAUTHENTICATED".to_owned())
}

#[track_caller]
fn assert_unauthenticated(status: &Status) {
    assert_eq!(code_and_reason(status), unauthenticated(), "{status:?}");
}

#[tokio::test]
async fn a_grpc_call_without_a_token_is_unauthenticated() {
    let server = TokenServer::start(&[]);
    assert_unauthenticated(&call(&server.client().await, None).await.status);
}

#[tokio::test]
async fn every_method_of_the_rules_service_needs_a_token() {
    let server = TokenServer::start(&[]);
    let client = server.client().await;
    let contract = prost_reflect::DescriptorPool::decode(arbiter::wire::proto::FILE_DESCRIPTOR_SET)
        .expect("the descriptors are valid");
    let service = contract.get_service_by_name("arbiter.v1.RulesService").expect("the contract defines it");
    for method in service.methods() {
        let response = client.send(method.name(), &[], framed(&[])).await;
        assert_eq!(code_and_reason(&response.status), unauthenticated(), "{}", method.name());
    }
}

#[tokio::test]
async fn a_stream_without_a_token_is_unauthenticated_before_its_first_message() {
    let server = TokenServer::start(&[]);
    let call = server.client().await.open("Evaluate", &[]).await.expect("the connection stays open");
    assert_unauthenticated(&call.response().await.status);
}

#[tokio::test]
async fn a_grpc_web_call_without_a_token_is_unauthenticated() {
    let server = TokenServer::start(&[]);
    for version in VERSIONS {
        let mut client = server.http_client(version).await;
        for content_type in ["application/grpc-web+proto", "application/grpc-web-text+proto"] {
            let response = client.post("ApplyMove", &[("content-type", content_type)], "").await;
            assert_eq!(response.status, StatusCode::OK, "gRPC-Web errors have the HTTP status 200");
            let status = Status::from_header_map(&response.headers).expect("a response has a status");
            assert_unauthenticated(&status);
        }
    }
}

#[tokio::test]
async fn a_connect_call_without_a_token_is_unauthenticated() {
    let server = TokenServer::start(&[]);
    for version in VERSIONS {
        let mut client = server.http_client(version).await;
        for (call, headers) in [
            ("ApplyMove", vec![JSON]),
            ("ApplyMove", vec![PROTO]),
            // Authentication comes before any other check.
            ("Evaluate", vec![JSON]),
            ("ApplyMove", vec![JSON, ("connect-protocol-version", "2")]),
        ] {
            let response = client.post(call, &headers, "").await;
            assert_eq!(response.status, StatusCode::UNAUTHORIZED, "{call} {headers:?}");
            assert_eq!(response.code_and_reason(), unauthenticated());
        }
    }
}

#[tokio::test]
async fn a_grpc_call_with_a_token_succeeds() {
    let server = TokenServer::start(&[]);
    assert!(is_accepted(&server.client().await, TOKEN).await);
}

#[tokio::test]
async fn a_grpc_web_call_with_a_token_succeeds() {
    let server = TokenServer::start(&[]);
    for version in VERSIONS {
        let mut client = server.http_client(version).await;
        let headers = [("content-type", "application/grpc-web+proto"), ("authorization", &bearer(TOKEN).1)];
        let response = client.post("ApplyMove", &headers, valid_body()).await;
        let state = STATE_AFTER_MOVE.as_bytes();
        assert!(response.body.windows(state.len()).any(|bytes| bytes == state), "{response:?}");
    }
}

#[tokio::test]
async fn a_connect_call_with_a_token_succeeds() {
    let server = TokenServer::start(&[]);
    for version in VERSIONS {
        let mut client = server.http_client(version).await;
        let response =
            client.post("ApplyMove", &[JSON, ("authorization", &bearer(TOKEN).1)], VALID_MOVE).await;
        assert_eq!(response.json()["state"]["notation"], STATE_AFTER_MOVE);
    }
}

#[tokio::test]
async fn the_authorization_scheme_is_case_insensitive() {
    let server = TokenServer::start(&[]);
    let client = server.client().await;
    for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        assert!(call(&client, Some(&format!("{scheme} {TOKEN}"))).await.is_ok(), "{scheme}");
    }
}

#[tokio::test]
async fn unknown_or_malformed_credentials_are_unauthenticated() {
    let server = TokenServer::start(&[]);
    let client = server.client().await;
    let upper_case = TOKEN.to_uppercase();
    let digest = token_line("", TOKEN);
    for authorization in [
        "Bearer wrong",
        &format!("Bearer {upper_case}"),
        &format!("Bearer {TOKEN}x"),
        &format!("Bearer {}", &TOKEN[1..]),
        &format!("Bearer {}", digest.trim()),
        &format!("Bearer {TOKEN}, Bearer {TOKEN}"),
        "Bearer alice",
        "Bearer ",
        "Bearer",
        "",
        TOKEN,
        &format!("Basic {TOKEN}"),
        &format!("Bearer{TOKEN}"),
        &format!("Bearer:{TOKEN}"),
    ] {
        let response = call(&client, Some(authorization)).await;
        assert!(!response.is_ok(), "{authorization:?} is accepted");
        assert_unauthenticated(&response.status);
    }
    assert!(is_accepted(&client, TOKEN).await, "the server keeps serving");
}

#[tokio::test]
async fn an_empty_token_is_rejected_even_if_the_file_contains_it() {
    let server = TokenServer::start_with(&(token_line("alice", TOKEN) + &token_line("nobody", "")), &[]);
    let client = server.client().await;
    for authorization in ["Bearer ", "Bearer  ", "Bearer"] {
        assert_unauthenticated(&call(&client, Some(authorization)).await.status);
    }
}

#[tokio::test]
async fn the_error_does_not_contain_the_token() {
    let server = TokenServer::start(&[]);
    let response = call(&server.client().await, Some(&bearer("mistyped").1)).await;
    assert!(!format!("{:?}", response.status).contains("mistyped"), "{:?}", response.status);
}

#[tokio::test]
async fn each_of_several_tokens_is_accepted() {
    let server =
        TokenServer::start_with(&(token_line("alice", TOKEN) + &token_line("bob", OTHER_TOKEN)), &[]);
    let client = server.client().await;
    for token in [TOKEN, OTHER_TOKEN] {
        assert!(is_accepted(&client, token).await, "{token}");
    }
}

#[tokio::test]
async fn a_token_file_may_have_comments_blank_lines_and_extra_whitespace() {
    let upper_case = token_line("", OTHER_TOKEN).to_uppercase();
    let text = format!(
        "# who may call\r\n\r\n   {}\t# until spring\r\nbob\t \t{}",
        token_line("alice", TOKEN).trim(),
        upper_case.trim()
    );
    let server = TokenServer::start_with(&text, &[]);
    let client = server.client().await;
    for token in [TOKEN, OTHER_TOKEN] {
        assert!(is_accepted(&client, token).await, "{token}");
    }
}

#[tokio::test]
async fn a_token_added_to_the_file_is_accepted() {
    let server = TokenServer::start(&[]);
    let client = server.client().await;
    assert!(!is_accepted(&client, OTHER_TOKEN).await, "the new token is not in the file yet");
    server.replace_tokens(&(token_line("alice", TOKEN) + &token_line("bob", OTHER_TOKEN)));
    eventually("the new token is accepted", async || is_accepted(&client, OTHER_TOKEN).await).await;
    assert!(is_accepted(&client, TOKEN).await, "the old token is still accepted");
}

#[tokio::test]
async fn a_token_removed_from_the_file_is_rejected_on_open_connections() {
    let server = TokenServer::start(&[]);
    let client = server.client().await;
    assert!(is_accepted(&client, TOKEN).await, "the token is in the file");
    server.replace_tokens(&token_line("bob", OTHER_TOKEN));
    eventually("the token is rejected", async || !is_accepted(&client, TOKEN).await).await;
}

/// Checks that a broken file keeps the current tokens and is logged once.
async fn assert_tokens_kept(break_file: impl FnOnce(&TempDir), expected: &str) {
    let mut server = TokenServer::start(&[]);
    let log = server.process.capture_log();
    break_file(&server.dir);
    eventually("the error is logged", async || !log.at_level("ERROR").is_empty()).await;
    tokio::time::sleep(TWO_POLLS).await;
    let errors = log.at_level("ERROR");
    assert_eq!(errors.len(), 1, "not logged exactly once: {errors:?}");
    assert!(errors[0]["error"].as_str().is_some_and(|error| error.contains(expected)), "{errors:?}");
    assert!(is_accepted(&server.client().await, TOKEN).await, "the token is still accepted");
}

#[tokio::test]
async fn an_invalid_new_file_keeps_the_current_tokens() {
    assert_tokens_kept(|dir| drop(dir.write("tokens", token_line("bob", OTHER_TOKEN) + "carol\n")), "line 2")
        .await;
}

#[tokio::test]
async fn an_emptied_file_keeps_the_current_tokens() {
    assert_tokens_kept(|dir| drop(dir.write("tokens", "")), "--token-file").await;
}

#[tokio::test]
async fn a_removed_file_keeps_the_current_tokens() {
    assert_tokens_kept(|dir| dir.remove("tokens"), "--token-file").await;
}

const HEALTH: &str = "/grpc.health.v1.Health/Check";
const REFLECTION: [&str; 2] = [
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

/// Whether calls of health, reflection v1 and reflection v1alpha succeed with these headers.
async fn accessible_services(flags: &[&str], headers: &[(&str, &str)]) -> [bool; 3] {
    let server = TokenServer::start(flags);
    let client = server.client().await;
    // An empty field 7 is `list_services`.
    let requests = [(HEALTH, &[][..]), (REFLECTION[0], &[0x3a, 0]), (REFLECTION[1], &[0x3a, 0])];
    let mut accessible = [false; 3];
    for (accessible, (path, request)) in accessible.iter_mut().zip(requests) {
        let response = client.send(path, headers, framed(request)).await;
        if !response.is_ok() {
            assert_unauthenticated(&response.status);
        }
        *accessible = response.is_ok();
    }
    accessible
}

#[tokio::test]
async fn by_default_health_needs_no_token_and_reflection_does() {
    assert_eq!(accessible_services(&[], &[]).await, [true, false, false]);
}

#[tokio::test]
async fn open_services_none_requires_a_token_for_every_service() {
    assert_eq!(accessible_services(&["--open-services", "none"], &[]).await, [false, false, false]);
}

#[tokio::test]
async fn reflection_can_be_accessible_without_a_token() {
    assert_eq!(accessible_services(&["--open-services", "health,reflection"], &[]).await, [true, true, true]);
}

#[tokio::test]
async fn only_the_listed_services_are_accessible_without_a_token() {
    assert_eq!(accessible_services(&["--open-services", "reflection"], &[]).await, [false, true, true]);
}

#[tokio::test]
async fn every_service_is_accessible_with_a_token() {
    let (name, value) = bearer(TOKEN);
    let accessible = accessible_services(&["--open-services", "none"], &[(name, &value)]).await;
    assert_eq!(accessible, [true, true, true]);
}

#[tokio::test]
async fn the_rules_service_always_needs_a_token() {
    let server = TokenServer::start(&["--open-services", "health,reflection"]);
    assert_unauthenticated(&call(&server.client().await, None).await.status);
}

#[tokio::test]
async fn without_a_token_unknown_methods_and_services_are_not_revealed() {
    let server = TokenServer::start(&[]);
    let client = server.client().await;
    for path in
        ["/no.such.Service/Call", "/arbiter.v1.RulesService/NoSuchCall", "/grpc.health.v1.Health", "/"]
    {
        let response = client.send(path, &[], framed(&[])).await;
        assert_eq!(code_and_reason(&response.status), unauthenticated(), "{path}");
    }
}

#[tokio::test]
async fn a_preflight_request_needs_no_token() {
    let server = TokenServer::start(&["--cors-allow-origin", "https://play.example"]);
    let headers = [
        ("origin", "https://play.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type"),
    ];
    let mut client = server.http_client(Version::HTTP_11).await;
    let response = client.request(Method::OPTIONS, "ApplyMove", &headers, "").await;
    assert_eq!(response.status, StatusCode::OK);
    let allowed = response.header("access-control-allow-headers").unwrap_or_default();
    assert!(allowed.split(',').any(|name| name.trim() == "authorization"), "{allowed}");
}

#[tokio::test]
async fn unauthenticated_calls_are_counted() {
    let server = TokenServer::start(&[]);
    let client = server.client().await;
    call(&client, None).await;
    call(&client, Some("Bearer wrong")).await;
    server.http_client(Version::HTTP_11).await.call("NewGame", "{}").await;
    assert!(is_accepted(&client, TOKEN).await);
    let expected = call_counts(&[
        ("ApplyMove", "none", "UNAUTHENTICATED", 2),
        ("ApplyMove", "connect_four", "OK", 1),
        ("NewGame", "none", "UNAUTHENTICATED", 1),
    ]);
    assert_eq!(handled_calls(&server.process.metrics().await), expected);
}

#[tokio::test]
async fn an_unauthenticated_call_is_logged_at_info() {
    let mut server = TokenServer::start(&[]);
    let log = server.process.capture_log();
    call(&server.client().await, None).await;
    let log_line = || log.at_level("INFO").into_iter().find(|line| line["method"] == "ApplyMove");
    eventually("the call is logged", async || log_line().is_some()).await;
    let line = log_line().expect("the call is logged");
    assert_eq!(line["code"], "UNAUTHENTICATED");
    assert_eq!(line["reason"], "ERROR_REASON_UNAUTHENTICATED");
}

#[tokio::test]
async fn a_token_is_never_logged() {
    for format in ["json", "text"] {
        let flags = ["--log", "trace", "--drain-delay", "0s"];
        let dir = TempDir::new();
        let file = dir.write("tokens", token_line("alice", TOKEN));
        let flags = [&FREE_PORTS, &["--log-format", format, "--token-file", &file], &flags[..]].concat();
        let mut server = Process::start(arbiter().args(flags).stderr(Stdio::piped()));
        let stderr = server.capture_stderr();
        let client = GrpcClient::connect(&server.address).await;
        for token in [TOKEN, "mistyped"] {
            let (name, value) = bearer(token);
            is_accepted(&client, token).await;
            for version in VERSIONS {
                let mut client = HttpClient::connect(&server.address, version).await;
                client.post("ApplyMove", &[JSON, (name, &value)], VALID_MOVE).await;
                let grpc_web = ("content-type", "application/grpc-web+proto");
                client.post("ApplyMove", &[grpc_web, (name, &value)], valid_body()).await;
            }
        }
        drop(client);
        server.terminate();
        assert!(server.wait(TIMEOUT).await.is_some(), "the server exits");
        let log = stderr();
        assert!(log.contains("ApplyMove"), "no call is logged: {log}");
        for token in [TOKEN, "mistyped", token_line("", TOKEN).trim()] {
            let leaked = log.lines().find(|line| line.contains(token));
            assert_eq!(leaked, None, "{token} is logged");
        }
    }
}

#[tokio::test]
async fn the_banner_shows_the_authorization_header_without_the_token() {
    let server = TokenServer::start(&[]);
    let banner = &server.process.banner;
    assert!(banner.contains("authorization: Bearer TOKEN") && !banner.contains(TOKEN), "{banner}");
}

/// Checks that the server exits with 64 for this token file, with this error.
fn assert_content_rejected(content: impl AsRef<[u8]>, expected: &str) {
    let dir = TempDir::new();
    let file = dir.write("tokens", content);
    assert_file_rejected(&file, &format!("--token-file {file}: {expected}"));
}

fn assert_file_rejected(file: &str, expected: &str) {
    let output = arbiter().args(FREE_PORTS).args(["--token-file", file]).output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{errors}");
    assert!(errors.contains(expected), "{expected} is not in the error message: {errors}");
    assert_eq!(output.stdout, b"", "standard output must be empty");
}

#[test]
fn a_file_without_a_token_exits_with_64() {
    for text in ["", "\n\n", "# alice\n"] {
        assert_content_rejected(text, "expected at least one token");
    }
}

#[test]
fn an_invalid_line_exits_with_64_and_its_number() {
    let valid = token_line("alice", TOKEN);
    let digest = token_line("", OTHER_TOKEN).trim().to_owned();
    for invalid in [
        "bob",
        &digest,
        &format!("bob {}", &digest[1..]),
        &format!("bob {digest}0"),
        &format!("bob {}g", &digest[1..]),
        &format!("bob {}é", &digest[2..]),
        &format!("bob +{}", &digest[1..]),
        &format!("bob {digest} more"),
        &format!("bob {OTHER_TOKEN}"),
    ] {
        assert_content_rejected(format!("{valid}\n# bob\n{invalid}\n"), "line 4: ");
    }
}

#[test]
fn an_invalid_line_is_not_in_the_error_message() {
    // The line may contain the token itself.
    let dir = TempDir::new();
    let file = dir.write("tokens", format!("bob {OTHER_TOKEN}\n"));
    let output = arbiter().args(FREE_PORTS).args(["--token-file", &file]).output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains(OTHER_TOKEN), "{errors}");
}

#[test]
fn a_file_that_is_not_utf8_exits_with_64() {
    assert_content_rejected([0xff, 0xfe], "");
}

#[test]
fn a_missing_file_exits_with_64() {
    let file = TempDir::new().path("missing");
    assert_file_rejected(&file, &format!("--token-file {file}: "));
}

#[test]
fn an_unknown_open_service_exits_with_64() {
    let output = arbiter().args(["--open-services", "referee"]).output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{errors}");
    assert!(errors.contains("--open-services"), "{errors}");
}
