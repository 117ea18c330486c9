//! What browsers are told: whose pages may call the service, with which headers, and what they may see of the answers.

use http::{Method, StatusCode, Version};

use crate::support::{
    TestServer,
    raw::{Process, arbiter},
    web::{Answer, GOOD_MOVE, JSON, VERSIONS, WebClient},
};

const ALLOWED: [&str; 2] = ["https://play.example", "http://localhost:8080"];
const STRANGER: &str = "https://elsewhere.example";

/// What the clients of gRPC-Web and Connect send, and what names a request and its trace.
const SENT: [&str; 9] = [
    "content-type",
    "x-grpc-web",
    "grpc-timeout",
    "connect-protocol-version",
    "connect-timeout-ms",
    "x-user-agent",
    "x-request-id",
    "traceparent",
    "tracestate",
];

/// Where gRPC-Web puts the status of an answer without a message, and the name of the request.
const SEEN: [&str; 4] = ["grpc-status", "grpc-message", "grpc-status-details-bin", "x-request-id"];

async fn start(origins: &str, version: Version) -> (TestServer, WebClient) {
    let flag = format!("--cors-allow-origin={origins}");
    let flags: &[&str] = if origins.is_empty() { &[] } else { &[&flag] };
    let server = TestServer::start_with(&[&["--log", "off"], flags].concat());
    let client = WebClient::connect(&server.address, version).await;
    (server, client)
}

/// What a browser asks before it lets a page of this origin make a call.
async fn preflight(client: &mut WebClient, origin: &str) -> Answer {
    let headers = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", &SENT.join(",")),
    ];
    client.request(Method::OPTIONS, "ApplyMove", &headers, "").await
}

/// Makes a call as a page of this origin does.
async fn call(client: &mut WebClient, origin: &str) -> Answer {
    client.post("ApplyMove", &[JSON, ("origin", origin)], GOOD_MOVE).await
}

/// Whether a header that is a list has each of these.
fn lists(answer: &Answer, header: &str, wanted: &[&str]) -> bool {
    let listed: Vec<_> = answer
        .headers
        .get_all(header)
        .iter()
        .flat_map(|value| value.to_str().expect("it is text").split(','))
        .map(|item| item.trim().to_ascii_lowercase())
        .collect();
    wanted.iter().all(|wanted| listed.contains(&wanted.to_ascii_lowercase()))
}

fn allows_nothing(answer: &Answer) -> bool {
    !answer.headers.keys().any(|name| name.as_str().starts_with("access-control-"))
}

fn allowed_origin(answer: &Answer) -> Option<&str> {
    answer.header("access-control-allow-origin")
}

#[tokio::test]
async fn no_page_is_allowed_unless_told() {
    for version in VERSIONS {
        let (_server, mut client) = start("", version).await;
        for origin in [STRANGER, "http://localhost:8080", "null"] {
            let asked = preflight(&mut client, origin).await;
            assert!(allows_nothing(&asked), "{asked:?}");
            let answer = call(&mut client, origin).await;
            assert!(allows_nothing(&answer), "{answer:?}");
            assert_eq!(answer.status, StatusCode::OK, "whoever is no browser is answered all the same");
        }
    }
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_make_calls_with_the_headers_of_its_client() {
    for version in VERSIONS {
        let (_server, mut client) = start(&ALLOWED.join(","), version).await;
        for origin in ALLOWED {
            let asked = preflight(&mut client, origin).await;
            assert!(asked.status.is_success(), "{asked:?}");
            assert_eq!(allowed_origin(&asked), Some(origin));
            assert!(lists(&asked, "access-control-allow-methods", &["POST"]), "{asked:?}");
            assert!(lists(&asked, "access-control-allow-headers", &SENT), "{asked:?}");
        }
    }
}

#[tokio::test]
async fn what_is_allowed_need_not_be_asked_before_every_call() {
    let (_server, mut client) = start(ALLOWED[0], Version::HTTP_11).await;
    let asked = preflight(&mut client, ALLOWED[0]).await;
    let seconds = asked.header("access-control-max-age").and_then(|age| age.parse::<u64>().ok());
    assert!(seconds.is_some_and(|seconds| seconds >= 600), "{asked:?}");
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_see_the_answer_and_its_status() {
    for version in VERSIONS {
        let (_server, mut client) = start(&ALLOWED.join(","), version).await;
        for origin in ALLOWED {
            let answer = call(&mut client, origin).await;
            assert_eq!((answer.status, allowed_origin(&answer)), (StatusCode::OK, Some(origin)));
            assert!(lists(&answer, "access-control-expose-headers", &SEEN), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_see_why_it_is_refused() {
    let (_server, mut client) = start(ALLOWED[0], Version::HTTP_11).await;
    let origin = ("origin", ALLOWED[0]);
    let malformed = client.post("ApplyMove", &[JSON, origin], "{").await;
    let unknown = client.post("ApplyMove", &[("content-type", "text/plain"), origin], "").await;
    let grpc_web = client.post("NoSuchCall", &[("content-type", "application/grpc-web"), origin], "").await;
    for answer in [&malformed, &unknown, &grpc_web] {
        assert_eq!(allowed_origin(answer), Some(ALLOWED[0]), "{answer:?}");
    }
    assert!(grpc_web.header("grpc-status").is_some(), "{grpc_web:?}");
    assert!(lists(&grpc_web, "access-control-expose-headers", &SEEN), "{grpc_web:?}");
}

#[tokio::test]
async fn a_page_of_another_origin_is_not_allowed() {
    let (_server, mut client) = start(&ALLOWED.join(","), Version::HTTP_11).await;
    let like_it =
        ["http://play.example", "https://play.example:8443", "https://play.example.elsewhere.example"];
    for origin in [&[STRANGER, "null"], &like_it[..]].concat() {
        assert_eq!(allowed_origin(&preflight(&mut client, origin).await), None, "{origin}");
        assert_eq!(allowed_origin(&call(&mut client, origin).await), None, "{origin}");
    }
}

#[tokio::test]
async fn nobody_who_keeps_answers_takes_that_for_one_origin_for_that_of_another() {
    let (_server, mut client) = start(&ALLOWED.join(","), Version::HTTP_11).await;
    for origin in [ALLOWED[0], STRANGER] {
        let answer = call(&mut client, origin).await;
        assert!(lists(&answer, "vary", &["origin"]), "{answer:?}");
    }
}

#[tokio::test]
async fn no_page_may_send_credentials() {
    let (_server, mut client) = start("*", Version::HTTP_11).await;
    for answer in [preflight(&mut client, STRANGER).await, call(&mut client, STRANGER).await] {
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
}

#[tokio::test]
async fn a_star_is_every_origin() {
    for origins in ["*", "https://play.example,*"] {
        let (_server, mut client) = start(origins, Version::HTTP_11).await;
        assert_eq!(allowed_origin(&preflight(&mut client, STRANGER).await), Some("*"));
        assert_eq!(allowed_origin(&call(&mut client, STRANGER).await), Some("*"));
    }
}

#[tokio::test]
async fn the_variable_is_heeded() {
    let environment = [
        ("ARBITER_LISTEN", "127.0.0.1:0"),
        ("ARBITER_ADMIN_LISTEN", "127.0.0.1:0"),
        ("ARBITER_LOG", "off"),
        ("ARBITER_CORS_ALLOW_ORIGIN", "https://play.example,http://localhost:8080"),
    ];
    let server = Process::start(arbiter().envs(environment));
    let mut client = WebClient::connect(&server.address, Version::HTTP_11).await;
    for origin in ALLOWED {
        assert_eq!(allowed_origin(&call(&mut client, origin).await), Some(origin));
    }
}

#[test]
fn what_is_no_origin_ends_with_64_and_says_what_one_is() {
    for origin in [
        "",
        "play.example",
        "play.example:8443",
        "//play.example",
        "https://",
        "https://play.example/",
        "https://play.example/game",
        "https://Play.example",
        "https://me@play.example",
        "https://play.example?x=y",
        "https://play example",
        "null",
        "https://play.example,",
        "https://play.example, https://other.example",
        "*,elsewhere",
    ] {
        let output =
            arbiter().arg(format!("--cors-allow-origin={origin}")).output().expect("the binary runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{origin:?}: {errors}");
        assert!(errors.contains("--cors-allow-origin"), "{origin:?}: {errors}");
        assert!(errors.contains("https://"), "{origin:?} is refused without an example: {errors}");
        assert_eq!(output.stdout, b"", "{origin:?} is refused, and yet something is printed");
    }
}
