//! Messages in canonical proto3 JSON: output format, accepted input, and errors.

use http::Version;
use serde_json::{Value, json};
use tonic::Code;

use crate::support::{
    TestServer,
    http_client::{HttpClient, HttpResponse, JSON},
};

async fn start() -> (TestServer, HttpClient) {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = HttpClient::connect(&server.address, Version::HTTP_11).await;
    (server, client)
}

async fn call(call: &str, json: &str) -> HttpResponse {
    let (_server, mut client) = start().await;
    client.call(call, json).await
}

/// Makes a call that must fail as malformed. Returns the field and the description of the violation.
async fn malformed(call: &str, json: &str) -> (String, String) {
    let (_server, mut client) = start().await;
    let violation = malformed_with(&mut client, call, json).await;
    client.assert_call_succeeds().await;
    violation
}

async fn malformed_with(client: &mut HttpClient, call: &str, json: &str) -> (String, String) {
    let response = client.call(call, json).await;
    let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
    assert_eq!(response.code_and_reason(), expected, "{json}");
    response.violation()
}

#[tokio::test]
async fn a_value_of_the_wrong_type_is_reported_with_its_path() {
    let (field, _) = malformed("ApplyMove", r#"{"state": {"connectFour": {"board": ["", 3]}}}"#).await;
    assert_eq!(field, "state.connect_four.board[1]");
    let (field, _) = malformed("ApplyMove", r#"{"state": {"connect_four": {"next_player": []}}}"#).await;
    assert_eq!(field, "state.connect_four.next_player");
    let (field, _) = malformed("NewGame", r#"{"connectFour": {}, "seed": "many"}"#).await;
    assert_eq!(field, "seed");
}

#[tokio::test]
async fn a_value_out_of_range_is_reported_with_its_path() {
    let (_server, mut client) = start().await;
    for column in ["-1", "4294967296", "1.5", r#""three""#] {
        let json = format!(r#"{{"move": {{"connectFour": {{"column": {column}}}}}}}"#);
        let (field, _) = malformed_with(&mut client, "ApplyMove", &json).await;
        assert_eq!(field, "move.connect_four.column", "{column}");
    }
    let json = r#"{"connectFour": {}, "seed": "18446744073709551616"}"#;
    assert_eq!(malformed_with(&mut client, "NewGame", json).await.0, "seed");
}

#[tokio::test]
async fn an_unknown_field_is_reported_with_a_suggestion() {
    let (field, message) = malformed("ApplyMove", r#"{"state": {"notatoin": "4"}}"#).await;
    assert_eq!(field, "state.notatoin");
    assert_eq!(message, "unknown field `notatoin`: did you mean `notation`?");
    let (field, message) = malformed("NewGame", r#"{"queen_rooks": {"size": 6}}"#).await;
    assert_eq!(field, "queen_rooks.size");
    assert_eq!(message, "unknown field `size`: did you mean `rules.queen_rooks.size`?");
}

#[tokio::test]
async fn all_violations_are_reported_at_once() {
    let response = call("NewGame", r#"{"conect_four": {}, "seed": -1, "form": "TEXT"}"#).await;
    let error: Value = serde_json::from_slice(&response.body).expect("the body is JSON");
    let violations =
        error["details"][1]["debug"]["fieldViolations"].as_array().expect("the violations are a list");
    let fields: Vec<_> = violations.iter().map(|violation| &violation["field"]).collect();
    assert_eq!(fields, ["conect_four", "seed", "form"]);
}

#[tokio::test]
async fn an_unknown_method_is_reported_with_a_suggestion() {
    let error = call("NewGme", "{}").await.connect_error();
    assert_eq!(error.code(), Code::Unimplemented);
    assert_eq!(error.message(), "unknown method `NewGme`: did you mean `NewGame`?");
    let error = call("PlayChess", "{}").await.connect_error();
    assert!(error.message().contains("expected one of `ValidateMove`, `ApplyMove`, "), "{error:?}");
}

#[tokio::test]
async fn an_empty_body_is_an_empty_message() {
    let (_server, mut client) = start().await;
    let games = client.call("ListGames", "").await.json();
    assert_eq!(games, client.call("ListGames", "{}").await.json());
    assert_eq!(client.call("EvaluateBatch", "").await.json(), json!({}));
}

#[tokio::test]
async fn an_unknown_enum_name_is_reported_with_its_path() {
    let (field, message) = malformed("ViewState", r#"{"viewer": "PLAYER_NINE"}"#).await;
    assert_eq!(field, "viewer");
    assert!(message.contains("PLAYER_NINE"), "{message}");
}

#[tokio::test]
async fn two_fields_of_one_oneof_are_reported_with_their_path() {
    let (field, _) = malformed("ViewState", r#"{"state": {"notation": "c4:", "connectFour": {}}}"#).await;
    assert_eq!(field, "state");
}

#[tokio::test]
async fn a_malformed_item_of_a_batch_is_reported_with_its_path() {
    let valid = r#"{"listGames": {}}"#;
    let (field, _) =
        malformed("EvaluateBatch", &format!(r#"{{"calls": [{valid}, {{"apply_move": {{"move": 4}}}}]}}"#))
            .await;
    assert_eq!(field, "calls[1].apply_move.move");
    let (field, _) = malformed("EvaluateBatch", &format!(r#"{{"calls": [{valid}, null]}}"#)).await;
    assert_eq!(field, "calls[1]");
    let (field, message) = malformed("EvaluateBatch", r#"{"cals": []}"#).await;
    assert_eq!(field, "cals");
    assert!(message.ends_with("did you mean `calls`?"), "{message}");
}

#[tokio::test]
async fn a_body_that_is_not_a_json_object_is_malformed() {
    let (_server, mut client) = start().await;
    for json in [" ", "null", "[]", "3", r#""{}""#, "{", "{}}", "{} {}", "{'a': 1}", "not JSON at all"] {
        for name in ["ListGames", "EvaluateBatch"] {
            malformed_with(&mut client, name, json).await;
        }
    }
    client.assert_call_succeeds().await;
}

#[tokio::test]
async fn invalid_utf8_is_malformed() {
    let (_server, mut client) = start().await;
    let json = b"{\"state\": {\"notation\": \"\xc3\x28\"}}".as_slice();
    let response = client.post("RenderState", &[JSON], json).await;
    let (field, message) = response.violation();
    assert_eq!(field, "");
    assert!(message.contains("at line 1 column"), "{message}");
}

#[tokio::test]
async fn deep_nesting_is_malformed() {
    let deep = "[".repeat(30_000);
    malformed("ApplyMove", &deep).await;
    malformed("ApplyMove", &format!(r#"{{"state": {deep}"#)).await;
    malformed("EvaluateBatch", &format!(r#"{{"calls": [{deep}]}}"#)).await;
    let closed = format!(r#"{{"calls": [{{"applyMove": {}{}}}]}}"#, "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(malformed("EvaluateBatch", &closed).await.0, "calls[0]");
}

#[tokio::test]
async fn a_response_is_canonical_json() {
    let request = r#"{"connectFour": {}, "seed": "18446744073709551615"}"#;
    let expected = json!({
        "state": {
            "connectFour": {
                "rules": {"columns": 7, "rows": 6, "lineLength": 4, "firstPlayer": "PLAYER_ONE"},
                "board": [".......", ".......", ".......", ".......", ".......", "......."],
                "nextPlayer": "PLAYER_ONE",
            },
        },
        // A string, since most JSON parsers cannot represent every 64-bit integer.
        "seed": "18446744073709551615",
    });
    assert_eq!(call("NewGame", request).await.json(), expected);
}

#[tokio::test]
async fn fields_with_default_values_are_omitted() {
    let request = r#"{"state": {"notation": "c4:7x6x4:111111"}, "move": {"notation": "2"}}"#;
    let expected = json!({
        "state": {"notation": "c4:7x6x4:1111112"},
        "events": [{"placed": {"player": "PLAYER_ONE", "square": {"row": 5, "column": 1}}}],
        "outcome": {"result": "GAME_RESULT_IN_PROGRESS", "nextPlayers": ["PLAYER_TWO"]},
    });
    assert_eq!(call("ApplyMove", request).await.json(), expected);
    let validated = call("ValidateMove", request).await.json();
    assert_eq!(validated, json!({"verdict": "VERDICT_LEGAL"}), "an empty list is omitted");
    assert_eq!(call("EvaluateBatch", "{}").await.json(), json!({}));
}

#[tokio::test]
async fn an_optional_field_is_present_even_if_it_is_zero() {
    let request = r#"{"connectFour": {}, "seed": 0, "form": "STATE_FORM_NOTATION"}"#;
    let expected = json!({"state": {"notation": "c4:7x6x4:"}, "seed": "0"});
    assert_eq!(call("NewGame", request).await.json(), expected);
}

#[tokio::test]
async fn the_answers_of_a_batch_are_canonical_json() {
    let request = r#"{"calls": [{"newGame": {"connectFour": {}, "seed": "7", "form": 2}}, {}]}"#;
    let response = call("EvaluateBatch", request).await.json();
    let expected = json!({"newGame": {"state": {"notation": "c4:7x6x4:"}, "seed": "7"}});
    assert_eq!(response["answers"][0], expected);
    let refusal = &response["answers"][1]["refusal"];
    assert_eq!(refusal["code"], 3, "the number of INVALID_ARGUMENT");
    assert_eq!(refusal["reasons"][0]["code"], "ERROR_REASON_FIELD_REQUIRED");
}

/// Checks that two JSON texts are the same `NewGame` request.
async fn assert_equivalent(one: &str, other: &str) {
    let (_server, mut client) = start().await;
    let [one, other]: [Value; 2] =
        [client.call("NewGame", one).await.json(), client.call("NewGame", other).await.json()];
    assert_eq!(one, other);
}

#[tokio::test]
async fn proto_field_names_are_accepted() {
    assert_equivalent(
        r#"{"connectFour": {}, "rules": {"connectFour": {"lineLength": 5}}, "seed": "7"}"#,
        r#"{"connect_four": {}, "rules": {"connect_four": {"line_length": 5}}, "seed": "7"}"#,
    )
    .await;
}

#[tokio::test]
async fn numbers_may_be_strings_and_64_bit_integers_may_be_numbers() {
    assert_equivalent(
        r#"{"connectFour": {}, "rules": {"connectFour": {"columns": 8}}, "seed": "7"}"#,
        r#"{"connectFour": {}, "rules": {"connectFour": {"columns": "8"}}, "seed": 7}"#,
    )
    .await;
}

#[tokio::test]
async fn an_enum_value_may_be_a_number() {
    assert_equivalent(
        r#"{"connectFour": {}, "seed": 7, "form": "STATE_FORM_NOTATION"}"#,
        r#"{"connectFour": {}, "seed": 7, "form": 2}"#,
    )
    .await;
}

#[tokio::test]
async fn null_is_the_same_as_an_absent_field() {
    assert_equivalent(
        r#"{"connectFour": {}, "seed": 7}"#,
        r#"{"connectFour": {}, "rules": null, "seed": 7, "form": null, "royalMatch": null}"#,
    )
    .await;
    assert_eq!(call("EvaluateBatch", r#"{"calls": null}"#).await.json(), json!({}));
}

#[tokio::test]
async fn an_unknown_enum_number_is_reported_with_its_field() {
    let response = call("ViewState", r#"{"state": {"notation": "c4:"}, "viewer": 9}"#).await;
    let expected = (Code::InvalidArgument, "ERROR_REASON_UNKNOWN_ENUM_VALUE".to_owned());
    assert_eq!(response.code_and_reason(), expected);
    assert_eq!(response.violation().0, "viewer");
}

#[tokio::test]
async fn the_service_and_the_json_parser_report_the_same_field_path() {
    let unknown_name = r#"{"state": {"connectFour": {"nextPlayer": "PLAYER_NINE"}}}"#;
    let (field, _) = malformed("RenderState", unknown_name).await;
    let unknown_number = r#"{"state": {"connectFour": {"nextPlayer": 9, "board": []}}}"#;
    let error = call("RenderState", unknown_number).await.connect_error();
    assert!(error.message().contains(&format!("{field}: ")), "{field}: {error:?}");
}
