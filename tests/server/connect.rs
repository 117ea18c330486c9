//! Unary calls in the Connect protocol: which requests are valid, and the format of errors.

use arbiter::wire::proto;
use bytes::Bytes;
use http::{Method, StatusCode, Version};
use prost::Message;
use serde_json::json;
use tonic::Code;

use crate::support::{
    TestServer,
    http_client::{HttpClient, HttpResponse, JSON, PROTO, STATE_AFTER_MOVE, VALID_MOVE, VERSIONS},
};

async fn start(version: Version) -> (TestServer, HttpClient) {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = HttpClient::connect(&server.address, version).await;
    (server, client)
}

/// Makes a valid call with these headers, over HTTP/1.1 and HTTP/2.
async fn valid_move_with(headers: &[(&str, &str)]) -> [HttpResponse; 2] {
    let (server, mut client) = start(Version::HTTP_11).await;
    let mut http2_client = HttpClient::connect(&server.address, Version::HTTP_2).await;
    let headers = [&[JSON], headers].concat();
    let response = client.post("ApplyMove", &headers, VALID_MOVE).await;
    [response, http2_client.post("ApplyMove", &headers, VALID_MOVE).await]
}

async fn assert_succeeds_with(headers: &[(&str, &str)]) {
    for response in valid_move_with(headers).await {
        assert_eq!(response.json()["state"]["notation"], STATE_AFTER_MOVE, "{headers:?}");
    }
}

async fn assert_fails_with(headers: &[(&str, &str)], code: Code, reason: &str) {
    for response in valid_move_with(headers).await {
        assert_eq!(response.code_and_reason(), (code, reason.to_owned()), "{headers:?}");
    }
}

#[tokio::test]
async fn a_json_call_succeeds() {
    assert_succeeds_with(&[]).await;
}

#[tokio::test]
async fn a_protobuf_call_succeeds() {
    let request = proto::ListGamesRequest { include_cards: true, include_clauses: false }.encode_to_vec();
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        let response = client.post("ListGames", &[PROTO], request.clone()).await;
        assert_eq!((response.status, response.header("content-type")), (StatusCode::OK, Some(PROTO.1)));
        let games = proto::ListGamesResponse::decode(response.body).expect("the response decodes");
        assert!(
            games.games.iter().any(|game| !game.triple_triad_cards.is_empty()),
            "the cards are missing: the request was not read"
        );
    }
}

#[tokio::test]
async fn a_protobuf_call_fails_with_a_json_error() {
    let (_server, mut client) = start(Version::HTTP_2).await;
    let response = client.post("ApplyMove", &[PROTO], Bytes::from_static(&[0xff; 32])).await;
    let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
    assert_eq!(response.code_and_reason(), expected);
}

#[tokio::test]
async fn an_empty_protobuf_body_is_an_empty_message() {
    let (_server, mut client) = start(Version::HTTP_11).await;
    let response = client.post("ListGames", &[PROTO], Bytes::new()).await;
    assert_eq!(response.status, StatusCode::OK);
}

#[tokio::test]
async fn content_type_parameters_and_case_are_ignored() {
    let (_server, mut client) = start(Version::HTTP_11).await;
    let content_types = [
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON ; charset=utf-8",
    ];
    for content_type in content_types {
        let response = client.post("ApplyMove", &[("content-type", content_type)], VALID_MOVE).await;
        assert_eq!(response.json()["state"]["notation"], STATE_AFTER_MOVE, "{content_type}");
    }
    let response =
        client.post("ListGames", &[("content-type", "application/proto; x=y")], Bytes::new()).await;
    assert_eq!(response.header("content-type"), Some("application/proto"));
}

/// Checks the status, the header and that the body is a plain text explanation.
fn assert_rejected_with_explanation(response: &HttpResponse, status: StatusCode, name: &str, value: &str) {
    assert_eq!(response.status, status);
    assert!(
        response.header(name).is_some_and(|actual| actual.contains(value)),
        "{name}: {:?}",
        response.headers
    );
    assert!(
        response.header("content-type").is_some_and(|kind| kind.starts_with("text/plain")),
        "{response:?}"
    );
    assert!(!response.text().trim().is_empty(), "the body is empty");
}

#[tokio::test]
async fn an_unknown_content_type_returns_415_and_lists_the_supported_ones() {
    let unsupported = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for content_type in
            ["text/plain", "application/x-www-form-urlencoded", "application/connect+json", ""]
        {
            let response = client.post("ApplyMove", &[("content-type", content_type)], VALID_MOVE).await;
            assert_rejected_with_explanation(&response, unsupported, "accept-post", "application/json");
        }
        let response = client.post("ApplyMove", &[], VALID_MOVE).await;
        assert_rejected_with_explanation(&response, unsupported, "accept-post", "application/json");
        client.assert_call_succeeds().await;
    }
}

#[tokio::test]
async fn a_method_other_than_post_returns_405_and_allows_post() {
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for (method, path) in [(Method::GET, "/"), (Method::GET, "NewGame"), (Method::PUT, "NewGame")] {
            let response = client.request(method, path, &[], Bytes::new()).await;
            assert_rejected_with_explanation(&response, StatusCode::METHOD_NOT_ALLOWED, "allow", "POST");
        }
        // Connect GET requests are not supported.
        let get = "ListGames?connect=v1&encoding=json&message=%7B%7D";
        let response = client.request(Method::GET, get, &[], Bytes::new()).await;
        assert_rejected_with_explanation(&response, StatusCode::METHOD_NOT_ALLOWED, "allow", "POST");
        client.assert_call_succeeds().await;
    }
}

#[tokio::test]
async fn grpc_over_http1_returns_505() {
    let (_server, mut client) = start(Version::HTTP_11).await;
    for content_type in ["application/grpc", "application/grpc+proto"] {
        let response = client.post("ApplyMove", &[("content-type", content_type)], Bytes::new()).await;
        assert_eq!(response.status, StatusCode::HTTP_VERSION_NOT_SUPPORTED, "{content_type}");
        assert!(!response.text().trim().is_empty(), "the body is empty");
    }
    client.assert_call_succeeds().await;
}

#[tokio::test]
async fn an_unknown_method_is_unimplemented() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE".to_owned());
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for content_type in [JSON, PROTO] {
            for call in ["NoSuchCall", "applyMove", "ApplyMove/"] {
                let response = client.post(call, &[content_type], VALID_MOVE).await;
                assert_eq!(response.code_and_reason(), expected, "{call}");
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_service_is_unimplemented() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE".to_owned());
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for path in ["/arbiter.v2.RulesService/ApplyMove", "/arbiter.v1.RulesService", "/", "/a/b/c"] {
            let response = client.post(path, &[JSON], VALID_MOVE).await;
            assert_eq!(response.code_and_reason(), expected, "{path}");
        }
    }
}

#[tokio::test]
async fn the_health_service_is_not_available_over_connect() {
    let (_server, mut client) = start(Version::HTTP_2).await;
    let response = client.post("/grpc.health.v1.Health/Check", &[JSON], "{}").await;
    assert_eq!(response.code_and_reason().0, Code::Unimplemented);
}

#[tokio::test]
async fn a_stream_is_unimplemented_and_the_error_suggests_the_batch() {
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for content_type in [JSON, PROTO] {
            let error = client.post("Evaluate", &[content_type], Bytes::new()).await.connect_error();
            assert_eq!(error.code(), Code::Unimplemented);
            assert!(error.message().contains("EvaluateBatch"), "{error:?}");
        }
    }
}

#[tokio::test]
async fn the_protocol_version_header_is_accepted() {
    assert_succeeds_with(&[("connect-protocol-version", "1")]).await;
}

#[tokio::test]
async fn an_unsupported_protocol_version_is_invalid() {
    for version in ["", "0", "2", "1.0", "one"] {
        let headers = [("connect-protocol-version", version)];
        assert_fails_with(&headers, Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST").await;
    }
}

#[tokio::test]
async fn a_timeout_of_zero_exceeds_the_deadline() {
    let headers = [("connect-timeout-ms", "0")];
    assert_fails_with(&headers, Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED").await;
}

#[tokio::test]
async fn a_timeout_has_at_most_ten_digits() {
    for timeout in ["20000", "99999999", "100000000", "9999999999"] {
        assert_succeeds_with(&[("connect-timeout-ms", timeout)]).await;
    }
    for timeout in ["", "12345678901", "00000000001", "10s", "-1", "1.5", "soon"] {
        let headers = [("connect-timeout-ms", timeout)];
        assert_fails_with(&headers, Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST").await;
    }
}

#[tokio::test]
async fn grpc_timeout_is_ignored() {
    assert_succeeds_with(&[("grpc-timeout", "0m")]).await;
    assert_succeeds_with(&[("grpc-timeout", "soon")]).await;
}

#[tokio::test]
async fn the_identity_encoding_is_accepted() {
    assert_succeeds_with(&[("content-encoding", "identity")]).await;
}

#[tokio::test]
async fn a_compressed_message_is_unimplemented() {
    for encoding in ["gzip", "br", "zstd"] {
        let headers = [("content-encoding", encoding)];
        assert_fails_with(&headers, Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE").await;
    }
}

#[tokio::test]
async fn a_response_is_not_compressed_even_if_the_client_accepts_it() {
    assert_succeeds_with(&[("accept-encoding", "gzip, br")]).await;
    assert_succeeds_with(&[("grpc-accept-encoding", "gzip"), ("grpc-encoding", "gzip")]).await;
}

#[tokio::test]
async fn an_error_is_an_object_of_code_message_and_details() {
    let (_server, mut client) = start(Version::HTTP_11).await;
    let full_column = r#"{"state": {"notation": "c4:7x6x4:444444"}, "move": {"notation": "4"}}"#;
    let response = client.call("ApplyMove", full_column).await;
    assert_eq!(response.status, StatusCode::BAD_REQUEST);
    let error: serde_json::Value = serde_json::from_slice(&response.body).expect("the body is JSON");
    let message =
        error["details"][1]["debug"]["reasons"][0]["message"].as_str().expect("the message is a string");
    let expected = json!({
        "code": "failed_precondition",
        "message": format!("illegal move: {message}"),
        "details": [
            {
                "type": "google.rpc.ErrorInfo",
                "value": error["details"][0]["value"],
                "debug": {
                    "reason": "ERROR_REASON_COLUMN_FULL",
                    "domain": "arbiter.v1",
                    "metadata": {"field": "move.notation", "clause": "C4-2"},
                },
            },
            {
                "type": "arbiter.v1.IllegalMove",
                "value": error["details"][1]["value"],
                "debug": {
                    "reasons": [{
                        "code": "ERROR_REASON_COLUMN_FULL",
                        "message": message,
                        "clause": "C4-2",
                        "field": "move.notation",
                    }],
                },
            },
        ],
    });
    assert_eq!(error, expected);
    // Checks that each `value` agrees with its `debug`.
    response.connect_error();
}
