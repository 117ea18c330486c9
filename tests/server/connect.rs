//! The Connect protocol's unary calls: what is one, what is none, and how a refusal is written.

use arbiter::wire::proto;
use bytes::Bytes;
use http::{Method, StatusCode, Version};
use prost::Message;
use serde_json::json;
use tonic::Code;

use crate::support::{
    TestServer,
    web::{Answer, GOOD_MOVE, JSON, PROTO, STATE_AFTER_IT, VERSIONS, WebClient},
};

async fn start(version: Version) -> (TestServer, WebClient) {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = WebClient::connect(&server.address, version).await;
    (server, client)
}

/// Makes a good move with further headers, over both versions of HTTP.
async fn good_move_with(headers: &[(&str, &str)]) -> [Answer; 2] {
    let (server, mut client) = start(Version::HTTP_11).await;
    let mut other = WebClient::connect(&server.address, Version::HTTP_2).await;
    let headers = [&[JSON], headers].concat();
    let answer = client.post("ApplyMove", &headers, GOOD_MOVE).await;
    [answer, other.post("ApplyMove", &headers, GOOD_MOVE).await]
}

async fn assert_answered_with(headers: &[(&str, &str)]) {
    for answer in good_move_with(headers).await {
        assert_eq!(answer.json()["state"]["notation"], STATE_AFTER_IT, "{headers:?}");
    }
}

async fn assert_refused_with(headers: &[(&str, &str)], code: Code, reason: &str) {
    for answer in good_move_with(headers).await {
        assert_eq!(answer.refused(), (code, reason.to_owned()), "{headers:?}");
    }
}

#[tokio::test]
async fn a_call_is_answered_in_json() {
    assert_answered_with(&[]).await;
}

#[tokio::test]
async fn a_call_is_answered_in_binary_form() {
    let request = proto::ListGamesRequest { include_cards: true, include_clauses: false }.encode_to_vec();
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        let answer = client.post("ListGames", &[PROTO], request.clone()).await;
        assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, Some(PROTO.1)));
        let games = proto::ListGamesResponse::decode(answer.body).expect("it is the response");
        assert!(games.games.iter().any(|game| !game.triple_triad_cards.is_empty()), "the request is read");
    }
}

#[tokio::test]
async fn what_is_refused_in_binary_form_is_refused_in_json() {
    let (_server, mut client) = start(Version::HTTP_2).await;
    let answer = client.post("ApplyMove", &[PROTO], Bytes::from_static(&[0xff; 32])).await;
    let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
    assert_eq!(answer.refused(), expected);
}

#[tokio::test]
async fn a_message_without_a_byte_is_an_empty_one_in_binary_form() {
    let (_server, mut client) = start(Version::HTTP_11).await;
    let answer = client.post("ListGames", &[PROTO], Bytes::new()).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn what_stands_beside_a_content_type_changes_nothing() {
    let (_server, mut client) = start(Version::HTTP_11).await;
    let written = [
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON ; charset=utf-8",
    ];
    for content_type in written {
        let answer = client.post("ApplyMove", &[("content-type", content_type)], GOOD_MOVE).await;
        assert_eq!(answer.json()["state"]["notation"], STATE_AFTER_IT, "{content_type}");
    }
    let answer = client.post("ListGames", &[("content-type", "application/proto; x=y")], Bytes::new()).await;
    assert_eq!(answer.header("content-type"), Some("application/proto"));
}

/// Sees to it that an answer tells people something, and programs this.
fn assert_explained(answer: &Answer, status: StatusCode, name: &str, value: &str) {
    assert_eq!(answer.status, status);
    assert!(answer.header(name).is_some_and(|told| told.contains(value)), "{name}: {:?}", answer.headers);
    assert!(answer.header("content-type").is_some_and(|kind| kind.starts_with("text/plain")), "{answer:?}");
    assert!(!answer.text().trim().is_empty(), "nothing is said");
}

#[tokio::test]
async fn a_content_type_that_is_not_known_is_told_those_that_are() {
    let unsupported = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for content_type in
            ["text/plain", "application/x-www-form-urlencoded", "application/connect+json", ""]
        {
            let answer = client.post("ApplyMove", &[("content-type", content_type)], GOOD_MOVE).await;
            assert_explained(&answer, unsupported, "accept-post", "application/json");
        }
        let answer = client.post("ApplyMove", &[], GOOD_MOVE).await;
        assert_explained(&answer, unsupported, "accept-post", "application/json");
        client.assert_answers().await;
    }
}

#[tokio::test]
async fn a_method_that_is_not_post_is_told_that_post_is() {
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for (method, path) in [(Method::GET, "/"), (Method::GET, "NewGame"), (Method::PUT, "NewGame")] {
            let answer = client.request(method, path, &[], Bytes::new()).await;
            assert_explained(&answer, StatusCode::METHOD_NOT_ALLOWED, "allow", "POST");
        }
        // A form of Connect that is not spoken.
        let get = "ListGames?connect=v1&encoding=json&message=%7B%7D";
        let answer = client.request(Method::GET, get, &[], Bytes::new()).await;
        assert_explained(&answer, StatusCode::METHOD_NOT_ALLOWED, "allow", "POST");
        client.assert_answers().await;
    }
}

#[tokio::test]
async fn grpc_over_http1_is_told_that_it_needs_http2() {
    let (_server, mut client) = start(Version::HTTP_11).await;
    for content_type in ["application/grpc", "application/grpc+proto"] {
        let answer = client.post("ApplyMove", &[("content-type", content_type)], Bytes::new()).await;
        assert_eq!(answer.status, StatusCode::HTTP_VERSION_NOT_SUPPORTED, "{content_type}");
        assert!(!answer.text().trim().is_empty(), "nothing is said");
    }
    client.assert_answers().await;
}

#[tokio::test]
async fn a_call_that_does_not_exist_is_not_available() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE".to_owned());
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for content_type in [JSON, PROTO] {
            for call in ["NoSuchCall", "applyMove", "ApplyMove/"] {
                let answer = client.post(call, &[content_type], GOOD_MOVE).await;
                assert_eq!(answer.refused(), expected, "{call}");
            }
        }
    }
}

#[tokio::test]
async fn a_service_that_does_not_exist_is_not_available() {
    let expected = (Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE".to_owned());
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for path in ["/arbiter.v2.RulesService/ApplyMove", "/arbiter.v1.RulesService", "/", "/a/b/c"] {
            let answer = client.post(path, &[JSON], GOOD_MOVE).await;
            assert_eq!(answer.refused(), expected, "{path}");
        }
    }
}

#[tokio::test]
async fn services_beside_the_referee_are_answered_over_grpc_only() {
    let (_server, mut client) = start(Version::HTTP_2).await;
    let answer = client.post("/grpc.health.v1.Health/Check", &[JSON], "{}").await;
    assert_eq!(answer.refused().0, Code::Unimplemented);
}

#[tokio::test]
async fn a_stream_is_not_available_and_the_batch_is_pointed_to() {
    for version in VERSIONS {
        let (_server, mut client) = start(version).await;
        for content_type in [JSON, PROTO] {
            let refusal = client.post("Evaluate", &[content_type], Bytes::new()).await.refusal();
            assert_eq!(refusal.code(), Code::Unimplemented);
            assert!(refusal.message().contains("EvaluateBatch"), "{refusal:?}");
        }
    }
}

#[tokio::test]
async fn the_version_of_the_protocol_may_be_told() {
    assert_answered_with(&[("connect-protocol-version", "1")]).await;
}

#[tokio::test]
async fn another_version_of_the_protocol_is_the_callers_mistake() {
    for version in ["", "0", "2", "1.0", "one"] {
        let headers = [("connect-protocol-version", version)];
        assert_refused_with(&headers, Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST").await;
    }
}

#[tokio::test]
async fn a_call_without_time_is_out_of_time() {
    let headers = [("connect-timeout-ms", "0")];
    assert_refused_with(&headers, Code::DeadlineExceeded, "ERROR_REASON_DEADLINE_EXCEEDED").await;
}

#[tokio::test]
async fn a_time_has_at_most_ten_digits() {
    for time in ["20000", "99999999", "100000000", "9999999999"] {
        assert_answered_with(&[("connect-timeout-ms", time)]).await;
    }
    for time in ["", "12345678901", "00000000001", "10s", "-1", "1.5", "soon"] {
        let headers = [("connect-timeout-ms", time)];
        assert_refused_with(&headers, Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST").await;
    }
}

#[tokio::test]
async fn the_time_of_another_protocol_is_not_that_of_connect() {
    assert_answered_with(&[("grpc-timeout", "0m")]).await;
    assert_answered_with(&[("grpc-timeout", "soon")]).await;
}

#[tokio::test]
async fn a_message_that_says_it_is_not_compressed_is_read() {
    assert_answered_with(&[("content-encoding", "identity")]).await;
}

#[tokio::test]
async fn a_compressed_message_is_not_available() {
    for encoding in ["gzip", "br", "zstd"] {
        let headers = [("content-encoding", encoding)];
        assert_refused_with(&headers, Code::Unimplemented, "ERROR_REASON_CALL_NOT_AVAILABLE").await;
    }
}

#[tokio::test]
async fn an_answer_is_not_compressed_even_for_those_who_would_take_it() {
    assert_answered_with(&[("accept-encoding", "gzip, br")]).await;
    assert_answered_with(&[("grpc-accept-encoding", "gzip"), ("grpc-encoding", "gzip")]).await;
}

#[tokio::test]
async fn a_refusal_is_an_object_of_code_message_and_details() {
    let (_server, mut client) = start(Version::HTTP_11).await;
    let full_column = r#"{"state": {"notation": "c4:7x6x4:444444"}, "move": {"notation": "4"}}"#;
    let answer = client.call("ApplyMove", full_column).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let written: serde_json::Value = serde_json::from_slice(&answer.body).expect("it is JSON");
    let message = written["details"][1]["debug"]["reasons"][0]["message"].as_str().expect("it is told");
    let expected = json!({
        "code": "failed_precondition",
        "message": format!("illegal move: {message}"),
        "details": [
            {
                "type": "google.rpc.ErrorInfo",
                "value": written["details"][0]["value"],
                "debug": {
                    "reason": "ERROR_REASON_COLUMN_FULL",
                    "domain": "arbiter.v1",
                    "metadata": {"field": "move.notation", "clause": "C4-2"},
                },
            },
            {
                "type": "arbiter.v1.IllegalMove",
                "value": written["details"][1]["value"],
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
    assert_eq!(written, expected);
    // The values are what the debug texts show.
    answer.refusal();
}
