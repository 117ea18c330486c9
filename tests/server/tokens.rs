//! Tokens: who may call, what needs none, and what becomes of tokens that are replaced.

use std::{fmt::Write, process::Stdio, time::Duration};

use bytes::Bytes;
use http::{Method, StatusCode, Version};
use prost::Message;
use ring::digest::{SHA256, digest};
use tonic::{Code, Status};

use crate::support::{
    folder::Folder,
    raw::{Client, PATIENCE, Process, Reply, apply_move, arbiter, eventually, framed, refusal},
    web::{GOOD_MOVE, JSON, PROTO, STATE_AFTER_IT, VERSIONS, WebClient, counts, handled},
};

const FREE_PORTS: [&str; 4] = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];

const TOKEN: &str = "open-sesame";
const OTHER: &str = "swordfish";

/// Longer than two looks at the file.
const TWO_LOOKS: Duration = Duration::from_millis(2500);

/// The line of a token in a file.
fn line(name: &str, token: &str) -> String {
    let mut line = format!("{name} ");
    for byte in digest(&SHA256, token.as_bytes()).as_ref() {
        write!(line, "{byte:02x}").expect("there is room");
    }
    line + "\n"
}

fn bearer(token: &str) -> (&'static str, String) {
    ("authorization", format!("Bearer {token}"))
}

/// A server that asks for tokens.
struct Guarded {
    process: Process,
    folder: Folder,
}

impl Guarded {
    /// Starts a server that knows one token.
    fn start(flags: &[&str]) -> Self {
        Self::start_with(&line("alice", TOKEN), flags)
    }

    fn start_with(tokens: &str, flags: &[&str]) -> Self {
        let folder = Folder::new();
        let file = folder.write("tokens", tokens);
        let flags = [&FREE_PORTS, &["--log-format", "json", "--token-file", &file], flags].concat();
        Self { process: Process::start(arbiter().args(flags).stderr(Stdio::piped())), folder }
    }

    async fn client(&self) -> Client {
        Client::connect(&self.process.address).await
    }

    async fn web_client(&self, version: Version) -> WebClient {
        WebClient::connect(&self.process.address, version).await
    }

    fn replace(&self, tokens: &str) {
        self.folder.write("tokens", tokens);
    }
}

fn good_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

/// Makes a good call over gRPC with this in the header `authorization`.
async fn call(client: &Client, authorization: Option<&str>) -> Reply {
    let headers: Vec<_> = authorization.iter().map(|value| ("authorization", *value)).collect();
    client.send("ApplyMove", &headers, good_body()).await
}

async fn is_let_in(client: &Client, token: &str) -> bool {
    let reply = call(client, Some(&bearer(token).1)).await;
    if !reply.is_ok() {
        assert_unauthenticated(&reply.status);
    }
    reply.is_ok()
}

fn unauthenticated() -> (Code, String) {
    (Code::Unauthenticated, "ERROR_REASON_UNAUTHENTICATED".to_owned())
}

#[track_caller]
fn assert_unauthenticated(status: &Status) {
    assert_eq!(refusal(status), unauthenticated(), "{status:?}");
}

#[tokio::test]
async fn a_call_of_grpc_without_a_token_is_refused() {
    let server = Guarded::start(&[]);
    assert_unauthenticated(&call(&server.client().await, None).await.status);
}

#[tokio::test]
async fn every_call_of_the_referee_needs_a_token() {
    let server = Guarded::start(&[]);
    let client = server.client().await;
    let contract = prost_reflect::DescriptorPool::decode(arbiter::wire::proto::FILE_DESCRIPTOR_SET)
        .expect("it is compiled");
    let service = contract.get_service_by_name("arbiter.v1.RulesService").expect("there is one");
    for method in service.methods() {
        let reply = client.send(method.name(), &[], framed(&[])).await;
        assert_eq!(refusal(&reply.status), unauthenticated(), "{}", method.name());
    }
}

#[tokio::test]
async fn a_stream_without_a_token_is_refused_before_it_is_sent() {
    let server = Guarded::start(&[]);
    let call = server.client().await.open("Evaluate", &[]).await.expect("the connection holds");
    assert_unauthenticated(&call.reply().await.status);
}

#[tokio::test]
async fn a_call_of_grpc_web_without_a_token_is_refused() {
    let server = Guarded::start(&[]);
    for version in VERSIONS {
        let mut client = server.web_client(version).await;
        for content_type in ["application/grpc-web+proto", "application/grpc-web-text+proto"] {
            let answer = client.post("ApplyMove", &[("content-type", content_type)], "").await;
            assert_eq!(answer.status, StatusCode::OK, "the status of gRPC-Web is in other headers");
            let status = Status::from_header_map(&answer.headers).expect("an answer has a status");
            assert_unauthenticated(&status);
        }
    }
}

#[tokio::test]
async fn a_call_of_connect_without_a_token_is_refused() {
    let server = Guarded::start(&[]);
    for version in VERSIONS {
        let mut client = server.web_client(version).await;
        for (call, headers) in [
            ("ApplyMove", vec![JSON]),
            ("ApplyMove", vec![PROTO]),
            // Whatever else is wrong with it.
            ("Evaluate", vec![JSON]),
            ("ApplyMove", vec![JSON, ("connect-protocol-version", "2")]),
        ] {
            let answer = client.post(call, &headers, "").await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{call} {headers:?}");
            assert_eq!(answer.refused(), unauthenticated());
        }
    }
}

#[tokio::test]
async fn a_call_of_grpc_with_a_token_is_answered() {
    let server = Guarded::start(&[]);
    assert!(is_let_in(&server.client().await, TOKEN).await);
}

#[tokio::test]
async fn a_call_of_grpc_web_with_a_token_is_answered() {
    let server = Guarded::start(&[]);
    for version in VERSIONS {
        let mut client = server.web_client(version).await;
        let headers = [("content-type", "application/grpc-web+proto"), ("authorization", &bearer(TOKEN).1)];
        let answer = client.post("ApplyMove", &headers, good_body()).await;
        let state = STATE_AFTER_IT.as_bytes();
        assert!(answer.body.windows(state.len()).any(|bytes| bytes == state), "{answer:?}");
    }
}

#[tokio::test]
async fn a_call_of_connect_with_a_token_is_answered() {
    let server = Guarded::start(&[]);
    for version in VERSIONS {
        let mut client = server.web_client(version).await;
        let answer = client.post("ApplyMove", &[JSON, ("authorization", &bearer(TOKEN).1)], GOOD_MOVE).await;
        assert_eq!(answer.json()["state"]["notation"], STATE_AFTER_IT);
    }
}

#[tokio::test]
async fn the_scheme_is_known_in_any_case() {
    let server = Guarded::start(&[]);
    let client = server.client().await;
    for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        assert!(call(&client, Some(&format!("{scheme} {TOKEN}"))).await.is_ok(), "{scheme}");
    }
}

#[tokio::test]
async fn what_shows_no_token_that_is_known_is_refused() {
    let server = Guarded::start(&[]);
    let client = server.client().await;
    let in_capitals = TOKEN.to_uppercase();
    let digest = line("", TOKEN);
    for shown in [
        "Bearer wrong",
        &format!("Bearer {in_capitals}"),
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
        let reply = call(&client, Some(shown)).await;
        assert!(!reply.is_ok(), "{shown:?} is let in");
        assert_unauthenticated(&reply.status);
    }
    assert!(is_let_in(&client, TOKEN).await, "the server goes on");
}

#[tokio::test]
async fn an_empty_token_is_refused_even_if_the_file_has_it() {
    let server = Guarded::start_with(&(line("alice", TOKEN) + &line("nobody", "")), &[]);
    let client = server.client().await;
    for shown in ["Bearer ", "Bearer  ", "Bearer"] {
        assert_unauthenticated(&call(&client, Some(shown)).await.status);
    }
}

#[tokio::test]
async fn the_refusal_does_not_repeat_the_token() {
    let server = Guarded::start(&[]);
    let reply = call(&server.client().await, Some(&bearer("mistyped").1)).await;
    assert!(!format!("{:?}", reply.status).contains("mistyped"), "{:?}", reply.status);
}

#[tokio::test]
async fn each_of_several_tokens_is_let_in() {
    let server = Guarded::start_with(&(line("alice", TOKEN) + &line("bob", OTHER)), &[]);
    let client = server.client().await;
    for token in [TOKEN, OTHER] {
        assert!(is_let_in(&client, token).await, "{token}");
    }
}

#[tokio::test]
async fn a_file_is_read_as_people_write_it() {
    let in_capitals = line("", OTHER).to_uppercase();
    let text = format!(
        "# who may call\r\n\r\n   {}\t# until spring\r\nbob\t \t{}",
        line("alice", TOKEN).trim(),
        in_capitals.trim()
    );
    let server = Guarded::start_with(&text, &[]);
    let client = server.client().await;
    for token in [TOKEN, OTHER] {
        assert!(is_let_in(&client, token).await, "{token}");
    }
}

#[tokio::test]
async fn a_token_that_is_put_into_the_file_is_let_in() {
    let server = Guarded::start(&[]);
    let client = server.client().await;
    assert!(!is_let_in(&client, OTHER).await, "it is not yet known");
    server.replace(&(line("alice", TOKEN) + &line("bob", OTHER)));
    eventually("the new one is let in", async || is_let_in(&client, OTHER).await).await;
    assert!(is_let_in(&client, TOKEN).await, "the one that stays is let in");
}

#[tokio::test]
async fn a_token_that_is_taken_out_of_the_file_is_refused_on_a_connection_that_is_open() {
    let server = Guarded::start(&[]);
    let client = server.client().await;
    assert!(is_let_in(&client, TOKEN).await, "it is still known");
    server.replace(&line("bob", OTHER));
    eventually("it is refused", async || !is_let_in(&client, TOKEN).await).await;
}

/// What is done to the file leaves the tokens as they were, and is told once.
async fn assert_kept(spoil: impl FnOnce(&Folder), named: &str) {
    let mut server = Guarded::start(&[]);
    let log = server.process.log();
    spoil(&server.folder);
    eventually("it is told", async || !log.at("ERROR").is_empty()).await;
    tokio::time::sleep(TWO_LOOKS).await;
    let errors = log.at("ERROR");
    assert_eq!(errors.len(), 1, "it is told once: {errors:?}");
    assert!(errors[0]["error"].as_str().is_some_and(|error| error.contains(named)), "{errors:?}");
    assert!(is_let_in(&server.client().await, TOKEN).await, "the token is still known");
}

#[tokio::test]
async fn a_file_that_is_replaced_by_a_bad_one_leaves_the_tokens_as_they_were() {
    assert_kept(|folder| drop(folder.write("tokens", line("bob", OTHER) + "carol\n")), "line 2").await;
}

#[tokio::test]
async fn a_file_that_is_emptied_leaves_the_tokens_as_they_were() {
    assert_kept(|folder| drop(folder.write("tokens", "")), "--token-file").await;
}

#[tokio::test]
async fn a_file_that_is_removed_leaves_the_tokens_as_they_were() {
    assert_kept(|folder| folder.remove("tokens"), "--token-file").await;
}

const HEALTH: &str = "/grpc.health.v1.Health/Check";
const REFLECTION: [&str; 2] = [
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

/// Which of the services beside the referee are answered without a token: health, and reflection in both versions.
async fn open_services(flags: &[&str], headers: &[(&str, &str)]) -> [bool; 3] {
    let server = Guarded::start(flags);
    let client = server.client().await;
    // A list of services is asked for by an empty field 7.
    let questions = [(HEALTH, &[][..]), (REFLECTION[0], &[0x3a, 0]), (REFLECTION[1], &[0x3a, 0])];
    let mut open = [false; 3];
    for (open, (path, question)) in open.iter_mut().zip(questions) {
        let reply = client.send(path, headers, framed(question)).await;
        if !reply.is_ok() {
            assert_unauthenticated(&reply.status);
        }
        *open = reply.is_ok();
    }
    open
}

#[tokio::test]
async fn health_needs_no_token_and_reflection_does() {
    assert_eq!(open_services(&[], &[]).await, [true, false, false]);
}

#[tokio::test]
async fn every_service_can_be_made_to_need_a_token() {
    assert_eq!(open_services(&["--open-services", "none"], &[]).await, [false, false, false]);
}

#[tokio::test]
async fn reflection_can_be_opened() {
    assert_eq!(open_services(&["--open-services", "health,reflection"], &[]).await, [true, true, true]);
}

#[tokio::test]
async fn only_what_is_named_is_open() {
    assert_eq!(open_services(&["--open-services", "reflection"], &[]).await, [false, true, true]);
}

#[tokio::test]
async fn a_token_opens_every_service() {
    let (name, value) = bearer(TOKEN);
    let open = open_services(&["--open-services", "none"], &[(name, &value)]).await;
    assert_eq!(open, [true, true, true]);
}

#[tokio::test]
async fn the_referee_needs_a_token_whatever_is_open() {
    let server = Guarded::start(&["--open-services", "health,reflection"]);
    assert_unauthenticated(&call(&server.client().await, None).await.status);
}

#[tokio::test]
async fn who_shows_no_token_does_not_learn_which_services_there_are() {
    let server = Guarded::start(&[]);
    let client = server.client().await;
    for path in
        ["/no.such.Service/Call", "/arbiter.v1.RulesService/NoSuchCall", "/grpc.health.v1.Health", "/"]
    {
        let reply = client.send(path, &[], framed(&[])).await;
        assert_eq!(refusal(&reply.status), unauthenticated(), "{path}");
    }
}

#[tokio::test]
async fn a_browser_may_ask_without_a_token_whether_it_may_send_one() {
    let server = Guarded::start(&["--cors-allow-origin", "https://play.example"]);
    let headers = [
        ("origin", "https://play.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type"),
    ];
    let mut client = server.web_client(Version::HTTP_11).await;
    let answer = client.request(Method::OPTIONS, "ApplyMove", &headers, "").await;
    assert_eq!(answer.status, StatusCode::OK);
    let allowed = answer.header("access-control-allow-headers").unwrap_or_default();
    assert!(allowed.split(',').any(|name| name.trim() == "authorization"), "{allowed}");
}

#[tokio::test]
async fn refusals_are_counted() {
    let server = Guarded::start(&[]);
    let client = server.client().await;
    call(&client, None).await;
    call(&client, Some("Bearer wrong")).await;
    server.web_client(Version::HTTP_11).await.call("NewGame", "{}").await;
    assert!(is_let_in(&client, TOKEN).await);
    let wanted = counts(&[
        ("ApplyMove", "none", "UNAUTHENTICATED", 2),
        ("ApplyMove", "connect_four", "OK", 1),
        ("NewGame", "none", "UNAUTHENTICATED", 1),
    ]);
    let counted = handled(&server.process.metrics().await);
    assert_eq!(counted, wanted);
}

#[tokio::test]
async fn a_refusal_is_logged_as_the_callers_fault() {
    let mut server = Guarded::start(&[]);
    let log = server.process.log();
    call(&server.client().await, None).await;
    let refused = || log.at("INFO").into_iter().find(|line| line["method"] == "ApplyMove");
    eventually("it is logged", async || refused().is_some()).await;
    let line = refused().expect("it is logged");
    assert_eq!(line["code"], "UNAUTHENTICATED");
    assert_eq!(line["reason"], "ERROR_REASON_UNAUTHENTICATED");
}

#[tokio::test]
async fn a_token_is_never_logged() {
    for format in ["json", "text"] {
        let flags = ["--log", "trace", "--drain-delay", "0s"];
        let folder = Folder::new();
        let file = folder.write("tokens", line("alice", TOKEN));
        let flags = [&FREE_PORTS, &["--log-format", format, "--token-file", &file], &flags[..]].concat();
        let mut server = Process::start(arbiter().args(flags).stderr(Stdio::piped()));
        let errors = server.errors();
        let client = Client::connect(&server.address).await;
        for token in [TOKEN, "mistyped"] {
            let (name, value) = bearer(token);
            is_let_in(&client, token).await;
            for version in VERSIONS {
                let mut client = WebClient::connect(&server.address, version).await;
                client.post("ApplyMove", &[JSON, (name, &value)], GOOD_MOVE).await;
                let web = ("content-type", "application/grpc-web+proto");
                client.post("ApplyMove", &[web, (name, &value)], good_body()).await;
            }
        }
        drop(client);
        server.terminate();
        assert!(server.wait(PATIENCE).await.is_some(), "the server ends");
        let log = errors();
        assert!(log.contains("ApplyMove"), "the calls are logged: {log}");
        for token in [TOKEN, "mistyped", line("", TOKEN).trim()] {
            let told = log.lines().find(|line| line.contains(token));
            assert_eq!(told, None, "{token} is logged");
        }
    }
}

#[tokio::test]
async fn the_banner_shows_where_the_token_goes_and_not_the_token() {
    let server = Guarded::start(&[]);
    let banner = &server.process.banner;
    assert!(banner.contains("authorization: Bearer TOKEN") && !banner.contains(TOKEN), "{banner}");
}

/// A server with this file does not start, and says why.
fn assert_no_start(content: impl AsRef<[u8]>, why: &str) {
    let folder = Folder::new();
    let file = folder.write("tokens", content);
    assert_refused(&file, &format!("--token-file {file}: {why}"));
}

fn assert_refused(file: &str, named: &str) {
    let output = arbiter().args(FREE_PORTS).args(["--token-file", file]).output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{errors}");
    assert!(errors.contains(named), "it is refused without a word of {named}: {errors}");
    assert_eq!(output.stdout, b"", "it is refused, and yet something is printed");
}

#[test]
fn a_file_without_a_token_ends_with_64() {
    for text in ["", "\n\n", "# alice\n"] {
        assert_no_start(text, "expected at least one token");
    }
}

#[test]
fn a_bad_line_ends_with_64_and_its_number() {
    let good = line("alice", TOKEN);
    let digest = line("", OTHER).trim().to_owned();
    for bad in [
        "bob",
        &digest,
        &format!("bob {}", &digest[1..]),
        &format!("bob {digest}0"),
        &format!("bob {}g", &digest[1..]),
        &format!("bob {}é", &digest[2..]),
        &format!("bob +{}", &digest[1..]),
        &format!("bob {digest} more"),
        &format!("bob {OTHER}"),
    ] {
        assert_no_start(format!("{good}\n# bob\n{bad}\n"), "line 4: ");
    }
}

#[test]
fn a_bad_line_is_not_repeated() {
    // Someone may have written the token itself.
    let folder = Folder::new();
    let file = folder.write("tokens", format!("bob {OTHER}\n"));
    let output = arbiter().args(FREE_PORTS).args(["--token-file", &file]).output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains(OTHER), "{errors}");
}

#[test]
fn a_file_that_is_no_text_ends_with_64() {
    assert_no_start([0xff, 0xfe], "");
}

#[test]
fn a_missing_file_ends_with_64() {
    let file = Folder::new().path("missing");
    assert_refused(&file, &format!("--token-file {file}: "));
}

#[test]
fn a_service_that_cannot_be_opened_ends_with_64() {
    let output = arbiter().args(["--open-services", "referee"]).output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{errors}");
    assert!(errors.contains("--open-services"), "{errors}");
}
