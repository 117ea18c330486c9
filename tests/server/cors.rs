//! CORS: allowed origins, allowed request headers and exposed response headers.

use http::{Method, StatusCode, Version};

use crate::support::{
    TestServer,
    http_client::{HttpClient, HttpResponse, JSON, VALID_MOVE, VERSIONS},
    process::{Process, arbiter},
};

const ALLOWED_ORIGINS: [&str; 2] = ["https://play.example", "http://localhost:8080"];
const OTHER_ORIGIN: &str = "https://elsewhere.example";

/// The headers of gRPC-Web and Connect clients, request ids and traces.
const REQUEST_HEADERS: [&str; 9] = [
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

/// The status headers of gRPC-Web responses without a message, and the request id.
const EXPOSED_HEADERS: [&str; 4] = ["grpc-status", "grpc-message", "grpc-status-details-bin", "x-request-id"];

async fn start(origins: &str, version: Version) -> (TestServer, HttpClient) {
    let flag = format!("--cors-allow-origin={origins}");
    let flags: &[&str] = if origins.is_empty() { &[] } else { &[&flag] };
    let server = TestServer::start_with(&[&["--log", "off"], flags].concat());
    let client = HttpClient::connect(&server.address, version).await;
    (server, client)
}

/// Sends the preflight request of a browser.
async fn preflight(client: &mut HttpClient, origin: &str) -> HttpResponse {
    let headers = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", &REQUEST_HEADERS.join(",")),
    ];
    client.request(Method::OPTIONS, "ApplyMove", &headers, "").await
}

/// Makes a call from a page with this origin.
async fn call(client: &mut HttpClient, origin: &str) -> HttpResponse {
    client.post("ApplyMove", &[JSON, ("origin", origin)], VALID_MOVE).await
}

/// Whether a list header contains all of these values.
fn lists(response: &HttpResponse, header: &str, expected: &[&str]) -> bool {
    let listed: Vec<_> = response
        .headers
        .get_all(header)
        .iter()
        .flat_map(|value| value.to_str().expect("valid UTF-8").split(','))
        .map(|item| item.trim().to_ascii_lowercase())
        .collect();
    expected.iter().all(|value| listed.contains(&value.to_ascii_lowercase()))
}

fn has_no_cors_headers(response: &HttpResponse) -> bool {
    !response.headers.keys().any(|name| name.as_str().starts_with("access-control-"))
}

fn allowed_origin(response: &HttpResponse) -> Option<&str> {
    response.header("access-control-allow-origin")
}

#[tokio::test]
async fn no_origin_is_allowed_by_default() {
    for version in VERSIONS {
        let (_server, mut client) = start("", version).await;
        for origin in [OTHER_ORIGIN, "http://localhost:8080", "null"] {
            let preflight_response = preflight(&mut client, origin).await;
            assert!(has_no_cors_headers(&preflight_response), "{preflight_response:?}");
            let response = call(&mut client, origin).await;
            assert!(has_no_cors_headers(&response), "{response:?}");
            assert_eq!(response.status, StatusCode::OK, "clients other than browsers are not affected");
        }
    }
}

#[tokio::test]
async fn an_allowed_origin_may_send_the_headers_of_its_client() {
    for version in VERSIONS {
        let (_server, mut client) = start(&ALLOWED_ORIGINS.join(","), version).await;
        for origin in ALLOWED_ORIGINS {
            let preflight_response = preflight(&mut client, origin).await;
            assert!(preflight_response.status.is_success(), "{preflight_response:?}");
            assert_eq!(allowed_origin(&preflight_response), Some(origin));
            assert!(
                lists(&preflight_response, "access-control-allow-methods", &["POST"]),
                "{preflight_response:?}"
            );
            assert!(
                lists(&preflight_response, "access-control-allow-headers", &REQUEST_HEADERS),
                "{preflight_response:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_preflight_response_may_be_cached() {
    let (_server, mut client) = start(ALLOWED_ORIGINS[0], Version::HTTP_11).await;
    let preflight_response = preflight(&mut client, ALLOWED_ORIGINS[0]).await;
    let seconds = preflight_response.header("access-control-max-age").and_then(|age| age.parse::<u64>().ok());
    assert!(seconds.is_some_and(|seconds| seconds >= 600), "{preflight_response:?}");
}

#[tokio::test]
async fn an_allowed_origin_may_read_the_response_and_its_status() {
    for version in VERSIONS {
        let (_server, mut client) = start(&ALLOWED_ORIGINS.join(","), version).await;
        for origin in ALLOWED_ORIGINS {
            let response = call(&mut client, origin).await;
            assert_eq!((response.status, allowed_origin(&response)), (StatusCode::OK, Some(origin)));
            assert!(lists(&response, "access-control-expose-headers", &EXPOSED_HEADERS), "{response:?}");
        }
    }
}

#[tokio::test]
async fn an_allowed_origin_may_read_errors() {
    let (_server, mut client) = start(ALLOWED_ORIGINS[0], Version::HTTP_11).await;
    let origin = ("origin", ALLOWED_ORIGINS[0]);
    let malformed = client.post("ApplyMove", &[JSON, origin], "{").await;
    let unknown = client.post("ApplyMove", &[("content-type", "text/plain"), origin], "").await;
    let grpc_web = client.post("NoSuchCall", &[("content-type", "application/grpc-web"), origin], "").await;
    for response in [&malformed, &unknown, &grpc_web] {
        assert_eq!(allowed_origin(response), Some(ALLOWED_ORIGINS[0]), "{response:?}");
    }
    assert!(grpc_web.header("grpc-status").is_some(), "{grpc_web:?}");
    assert!(lists(&grpc_web, "access-control-expose-headers", &EXPOSED_HEADERS), "{grpc_web:?}");
}

#[tokio::test]
async fn other_origins_are_not_allowed() {
    let (_server, mut client) = start(&ALLOWED_ORIGINS.join(","), Version::HTTP_11).await;
    let similar =
        ["http://play.example", "https://play.example:8443", "https://play.example.elsewhere.example"];
    for origin in [&[OTHER_ORIGIN, "null"], &similar[..]].concat() {
        assert_eq!(allowed_origin(&preflight(&mut client, origin).await), None, "{origin}");
        assert_eq!(allowed_origin(&call(&mut client, origin).await), None, "{origin}");
    }
}

#[tokio::test]
async fn responses_vary_by_origin() {
    let (_server, mut client) = start(&ALLOWED_ORIGINS.join(","), Version::HTTP_11).await;
    for origin in [ALLOWED_ORIGINS[0], OTHER_ORIGIN] {
        let response = call(&mut client, origin).await;
        assert!(lists(&response, "vary", &["origin"]), "{response:?}");
    }
}

#[tokio::test]
async fn credentials_are_never_allowed() {
    let (_server, mut client) = start("*", Version::HTTP_11).await;
    for response in [preflight(&mut client, OTHER_ORIGIN).await, call(&mut client, OTHER_ORIGIN).await] {
        assert_eq!(response.header("access-control-allow-credentials"), None);
    }
}

#[tokio::test]
async fn a_star_allows_every_origin() {
    for origins in ["*", "https://play.example,*"] {
        let (_server, mut client) = start(origins, Version::HTTP_11).await;
        assert_eq!(allowed_origin(&preflight(&mut client, OTHER_ORIGIN).await), Some("*"));
        assert_eq!(allowed_origin(&call(&mut client, OTHER_ORIGIN).await), Some("*"));
    }
}

#[tokio::test]
async fn the_environment_variable_sets_the_origins() {
    let environment = [
        ("ARBITER_LISTEN", "127.0.0.1:0"),
        ("ARBITER_ADMIN_LISTEN", "127.0.0.1:0"),
        ("ARBITER_LOG", "off"),
        ("ARBITER_CORS_ALLOW_ORIGIN", "https://play.example,http://localhost:8080"),
    ];
    let server = Process::start(arbiter().envs(environment));
    let mut client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    for origin in ALLOWED_ORIGINS {
        assert_eq!(allowed_origin(&call(&mut client, origin).await), Some(origin));
    }
}

/// Checks that an origin is refused, with this hint and an example.
fn assert_rejected(origin: &str, hint: &str) {
    let output = arbiter().arg(format!("--cors-allow-origin={origin}")).output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{origin:?}: {errors}");
    assert!(errors.contains("--cors-allow-origin"), "{origin:?}: {errors}");
    assert!(errors.contains(hint), "{origin:?}: {hint} is not in the error message: {errors}");
    assert!(errors.contains("such as https://play.example:8443, or *"), "{origin:?}: no example: {errors}");
    assert_eq!(output.stdout, b"", "{origin:?}: standard output must be empty");
}

#[test]
fn an_invalid_origin_exits_with_64_and_says_what_to_write() {
    for (origin, hint) in [
        ("", "the scheme is missing"),
        ("play.example", "the scheme is missing"),
        ("play.example:8443", "the scheme is missing"),
        ("//play.example", "the scheme is missing"),
        ("https:play.example", "the scheme is missing"),
        ("null", "serve the page over HTTP"),
        ("https://", "the host is missing"),
        ("https://:8443", "the host is missing"),
        ("https://play.example/", "an origin ends after the host and port: https://play.example;"),
        ("https://play.example/game", "an origin ends after the host and port: https://play.example;"),
        (
            "https://play.example:8443?x=y",
            "an origin ends after the host and port: https://play.example:8443;",
        ),
        ("https://play.example#top", "an origin ends after the host and port: https://play.example;"),
        ("https://Play.example", "in lower case: https://play.example;"),
        ("HTTPS://play.example", "in lower case: https://play.example;"),
        ("https://me:secret@play.example", "no user name: https://play.example;"),
        ("https://play example", "no spaces"),
        ("https://play.example, https://other.example", "no spaces"),
        ("https://play.example,", "the scheme is missing"),
        ("*,elsewhere", "the scheme is missing"),
    ] {
        assert_rejected(origin, hint);
    }
}

#[test]
fn an_origin_with_a_wildcard_exits_with_64_and_shows_a_list() {
    for origin in ["https://*.example", "https://*", "*://play.example", "https://play.example:*", "**"] {
        assert_rejected(
            origin,
            "list each origin, such as https://a.example,https://b.example, or allow all",
        );
    }
}

#[test]
fn an_origin_that_browsers_never_send_exits_with_64_and_says_what_to_write() {
    for (origin, hint) in [
        ("https://play.example:443", "leave out the default port: https://play.example;"),
        ("http://play.example:80", "leave out the default port: http://play.example;"),
        ("https://[::1]:443", "leave out the default port: https://[::1];"),
        ("https://play.example:0443", "leave out the default port: https://play.example;"),
        ("https://play.example:08443", "is not a port"),
        ("https://play.example:", "is not a port"),
        ("https://play.example:0", "is not a port"),
        ("https://play.example:65536", "is not a port"),
        ("https://play.example.", "ends with a dot: play.example;"),
        ("https://play..example", "is not a host"),
        ("https://play%2eexample", "is not a host"),
        ("https://::1", "is not a host"),
        ("https://bücher.example", "Punycode"),
        ("https://127.1", "is not an IPv4 address"),
        ("https://0x7f.0.0.1", "is not an IPv4 address"),
        ("https://127.0.0.0x1", "is not an IPv4 address"),
        ("https://[::1", "is not an IPv6 address"),
        ("https://[0:0:0:0:0:0:0:1]:8443", "as [::1]"),
        ("https://[::ffff:127.0.0.1]", "as [::ffff:7f00:1]"),
        ("ftp://play.example", "the scheme must be https or http"),
        ("wss://play.example", "the scheme must be https or http"),
        ("file://", "the scheme must be https or http"),
        ("chrome-extension://abcdef", "allow the origin of an app or an extension with *"),
    ] {
        assert_rejected(origin, hint);
    }
}

#[tokio::test]
async fn origins_as_browsers_send_them_are_allowed() {
    let origins = [
        "http://localhost",
        "http://127.0.0.1:8080",
        "http://[::1]:8080",
        "https://[2001:db8::1]",
        "https://[::ffff:7f00:1]",
        "https://xn--bcher-kva.example",
        "https://my_play-1.example:65535",
        "http://play.example:443",
        "https://play.example:80",
    ];
    let (_server, mut client) = start(&origins.join(","), Version::HTTP_11).await;
    for origin in origins {
        assert_eq!(allowed_origin(&call(&mut client, origin).await), Some(origin));
    }
}
