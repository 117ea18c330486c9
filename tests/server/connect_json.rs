//! The messages in JSON, the canonical form of proto3: how they are written, what is read, and what is not.

use http::Version;
use serde_json::{Value, json};
use tonic::Code;

use crate::support::{
    TestServer,
    web::{Answer, JSON, WebClient},
};

async fn start() -> (TestServer, WebClient) {
    let server = TestServer::start_with(&["--log", "off"]);
    let client = WebClient::connect(&server.address, Version::HTTP_11).await;
    (server, client)
}

async fn call(call: &str, json: &str) -> Answer {
    let (_server, mut client) = start().await;
    client.call(call, json).await
}

/// Makes a call that must be refused because it cannot be read, and tells the field that it is refused for, and why.
async fn malformed(call: &str, json: &str) -> (String, String) {
    let (_server, mut client) = start().await;
    let violation = malformed_by(&mut client, call, json).await;
    client.assert_answers().await;
    violation
}

async fn malformed_by(client: &mut WebClient, call: &str, json: &str) -> (String, String) {
    let answer = client.call(call, json).await;
    let expected = (Code::InvalidArgument, "ERROR_REASON_MALFORMED_REQUEST".to_owned());
    assert_eq!(answer.refused(), expected, "{json}");
    answer.violation()
}

#[tokio::test]
async fn a_value_of_the_wrong_kind_is_named_by_its_path() {
    let (field, _) = malformed("ApplyMove", r#"{"state": {"connectFour": {"board": ["", 3]}}}"#).await;
    assert_eq!(field, "state.connect_four.board[1]");
    let (field, _) = malformed("ApplyMove", r#"{"state": {"connect_four": {"next_player": []}}}"#).await;
    assert_eq!(field, "state.connect_four.next_player");
    let (field, _) = malformed("NewGame", r#"{"connectFour": {}, "seed": "many"}"#).await;
    assert_eq!(field, "seed");
}

#[tokio::test]
async fn a_value_out_of_its_range_is_named_by_its_path() {
    let (_server, mut client) = start().await;
    for column in ["-1", "4294967296", "1.5", r#""three""#] {
        let json = format!(r#"{{"move": {{"connectFour": {{"column": {column}}}}}}}"#);
        let (field, _) = malformed_by(&mut client, "ApplyMove", &json).await;
        assert_eq!(field, "move.connect_four.column", "{column}");
    }
    let json = r#"{"connectFour": {}, "seed": "18446744073709551616"}"#;
    assert_eq!(malformed_by(&mut client, "NewGame", json).await.0, "seed");
}

#[tokio::test]
async fn an_unknown_field_is_answered_with_a_suggestion() {
    let (field, message) = malformed("ApplyMove", r#"{"state": {"notatoin": "4"}}"#).await;
    assert_eq!(field, "state.notatoin");
    assert_eq!(message, "there is no field `notatoin` here: did you mean `notation`?");
    let (field, message) = malformed("NewGame", r#"{"queen_rooks": {"size": 6}}"#).await;
    assert_eq!(field, "queen_rooks.size");
    assert_eq!(message, "there is no field `size` here: did you mean `rules.queen_rooks.size`?");
}

#[tokio::test]
async fn all_violations_are_answered_at_once() {
    let answer = call("NewGame", r#"{"conect_four": {}, "seed": -1, "form": "TEXT"}"#).await;
    let refusal: Value = serde_json::from_slice(&answer.body).expect("it is JSON");
    let violations = refusal["details"][1]["debug"]["fieldViolations"].as_array().expect("it is a list");
    let fields: Vec<_> = violations.iter().map(|violation| &violation["field"]).collect();
    assert_eq!(fields, ["conect_four", "seed", "form"]);
}

#[tokio::test]
async fn an_unknown_call_is_answered_with_a_suggestion() {
    let refusal = call("NewGme", "{}").await.refusal();
    assert_eq!(refusal.code(), Code::Unimplemented);
    assert_eq!(refusal.message(), "unknown method `NewGme`: did you mean `NewGame`?");
    let refusal = call("PlayChess", "{}").await.refusal();
    assert!(refusal.message().contains("expected one of `ValidateMove`, `ApplyMove`, "), "{refusal:?}");
}

#[tokio::test]
async fn an_empty_body_is_an_empty_message() {
    let (_server, mut client) = start().await;
    let games = client.call("ListGames", "").await.json();
    assert_eq!(games, client.call("ListGames", "{}").await.json());
    assert_eq!(client.call("EvaluateBatch", "").await.json(), json!({}));
}

#[tokio::test]
async fn the_name_of_an_enum_value_that_does_not_exist_is_named() {
    let (field, message) = malformed("ViewState", r#"{"viewer": "PLAYER_NINE"}"#).await;
    assert_eq!(field, "viewer");
    assert!(message.contains("PLAYER_NINE"), "{message}");
}

#[tokio::test]
async fn two_of_one_kind_are_named_by_their_path() {
    let (field, _) = malformed("ViewState", r#"{"state": {"notation": "c4:", "connectFour": {}}}"#).await;
    assert_eq!(field, "state");
}

#[tokio::test]
async fn what_is_malformed_in_a_batch_is_named_by_its_path() {
    let good = r#"{"listGames": {}}"#;
    let (field, _) =
        malformed("EvaluateBatch", &format!(r#"{{"calls": [{good}, {{"apply_move": {{"move": 4}}}}]}}"#))
            .await;
    assert_eq!(field, "calls[1].apply_move.move");
    let (field, _) = malformed("EvaluateBatch", &format!(r#"{{"calls": [{good}, null]}}"#)).await;
    assert_eq!(field, "calls[1]");
    let (field, message) = malformed("EvaluateBatch", r#"{"cals": []}"#).await;
    assert_eq!(field, "cals");
    assert!(message.ends_with("did you mean `calls`?"), "{message}");
}

#[tokio::test]
async fn what_is_no_object_is_the_callers_mistake() {
    let (_server, mut client) = start().await;
    for json in [" ", "null", "[]", "3", r#""{}""#, "{", "{}}", "{} {}", "{'a': 1}", "not JSON at all"] {
        for name in ["ListGames", "EvaluateBatch"] {
            malformed_by(&mut client, name, json).await;
        }
    }
    client.assert_answers().await;
}

#[tokio::test]
async fn a_text_that_is_not_utf8_is_the_callers_mistake() {
    let (_server, mut client) = start().await;
    let json = b"{\"state\": {\"notation\": \"\xc3\x28\"}}".as_slice();
    let answer = client.post("RenderState", &[JSON], json).await;
    let (field, message) = answer.violation();
    assert_eq!(field, "");
    assert!(message.contains("at line 1 column"), "{message}");
}

#[tokio::test]
async fn nesting_without_end_is_the_callers_mistake() {
    let deep = "[".repeat(30_000);
    malformed("ApplyMove", &deep).await;
    malformed("ApplyMove", &format!(r#"{{"state": {deep}"#)).await;
    malformed("EvaluateBatch", &format!(r#"{{"calls": [{deep}]}}"#)).await;
    let closed = format!(r#"{{"calls": [{{"applyMove": {}{}}}]}}"#, "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(malformed("EvaluateBatch", &closed).await.0, "calls[0]");
}

#[tokio::test]
async fn an_answer_is_in_the_canonical_form() {
    let request = r#"{"connectFour": {}, "seed": "18446744073709551615"}"#;
    let expected = json!({
        "state": {
            "connectFour": {
                "rules": {"columns": 7, "rows": 6, "lineLength": 4, "firstPlayer": "PLAYER_ONE"},
                "board": [".......", ".......", ".......", ".......", ".......", "......."],
                "nextPlayer": "PLAYER_ONE",
            },
        },
        // A number of 64 bits is a text: most readers of JSON could not tell it from the one beside it.
        "seed": "18446744073709551615",
    });
    assert_eq!(call("NewGame", request).await.json(), expected);
}

#[tokio::test]
async fn what_has_its_default_is_left_out() {
    let request = r#"{"state": {"notation": "c4:7x6x4:111111"}, "move": {"notation": "2"}}"#;
    let expected = json!({
        "state": {"notation": "c4:7x6x4:1111112"},
        "events": [{"placed": {"player": "PLAYER_ONE", "square": {"row": 5, "column": 1}}}],
        "outcome": {"result": "GAME_RESULT_IN_PROGRESS", "nextPlayers": ["PLAYER_TWO"]},
    });
    assert_eq!(call("ApplyMove", request).await.json(), expected);
    let validated = call("ValidateMove", request).await.json();
    assert_eq!(validated, json!({"verdict": "VERDICT_LEGAL"}), "a list without items is left out");
    assert_eq!(call("EvaluateBatch", "{}").await.json(), json!({}));
}

#[tokio::test]
async fn a_field_that_tells_whether_it_is_set_is_answered_even_if_it_is_zero() {
    let request = r#"{"connectFour": {}, "seed": 0, "form": "STATE_FORM_NOTATION"}"#;
    let expected = json!({"state": {"notation": "c4:7x6x4:"}, "seed": "0"});
    assert_eq!(call("NewGame", request).await.json(), expected);
}

#[tokio::test]
async fn the_answers_of_a_batch_are_in_the_same_form() {
    let request = r#"{"calls": [{"newGame": {"connectFour": {}, "seed": "7", "form": 2}}, {}]}"#;
    let answer = call("EvaluateBatch", request).await.json();
    let expected = json!({"newGame": {"state": {"notation": "c4:7x6x4:"}, "seed": "7"}});
    assert_eq!(answer["answers"][0], expected);
    let refusal = &answer["answers"][1]["refusal"];
    assert_eq!(refusal["code"], 3, "the number of INVALID_ARGUMENT");
    assert_eq!(refusal["reasons"][0]["code"], "ERROR_REASON_FIELD_REQUIRED");
}

/// Starts two games from what must be one request, and compares them.
async fn assert_same(one: &str, other: &str) {
    let (_server, mut client) = start().await;
    let [one, other]: [Value; 2] =
        [client.call("NewGame", one).await.json(), client.call("NewGame", other).await.json()];
    assert_eq!(one, other);
}

#[tokio::test]
async fn the_names_of_the_contract_are_read_too() {
    assert_same(
        r#"{"connectFour": {}, "rules": {"connectFour": {"lineLength": 5}}, "seed": "7"}"#,
        r#"{"connect_four": {}, "rules": {"connect_four": {"line_length": 5}}, "seed": "7"}"#,
    )
    .await;
}

#[tokio::test]
async fn a_number_may_be_a_text_and_a_text_of_digits_a_number() {
    assert_same(
        r#"{"connectFour": {}, "rules": {"connectFour": {"columns": 8}}, "seed": "7"}"#,
        r#"{"connectFour": {}, "rules": {"connectFour": {"columns": "8"}}, "seed": 7}"#,
    )
    .await;
}

#[tokio::test]
async fn an_enum_value_may_be_its_number() {
    assert_same(
        r#"{"connectFour": {}, "seed": 7, "form": "STATE_FORM_NOTATION"}"#,
        r#"{"connectFour": {}, "seed": 7, "form": 2}"#,
    )
    .await;
}

#[tokio::test]
async fn null_is_as_good_as_nothing() {
    assert_same(
        r#"{"connectFour": {}, "seed": 7}"#,
        r#"{"connectFour": {}, "rules": null, "seed": 7, "form": null, "royalMatch": null}"#,
    )
    .await;
    assert_eq!(call("EvaluateBatch", r#"{"calls": null}"#).await.json(), json!({}));
}

#[tokio::test]
async fn an_enum_number_that_nobody_knows_is_refused_with_its_field() {
    let answer = call("ViewState", r#"{"state": {"notation": "c4:"}, "viewer": 9}"#).await;
    let expected = (Code::InvalidArgument, "ERROR_REASON_UNKNOWN_ENUM_VALUE".to_owned());
    assert_eq!(answer.refused(), expected);
    assert_eq!(answer.violation().0, "viewer");
}

#[tokio::test]
async fn the_fields_of_the_service_and_those_of_the_reader_have_the_same_names() {
    let read = r#"{"state": {"connectFour": {"nextPlayer": "PLAYER_NINE"}}}"#;
    let (of_the_reader, _) = malformed("RenderState", read).await;
    let known = r#"{"state": {"connectFour": {"nextPlayer": 9, "board": []}}}"#;
    let refusal = call("RenderState", known).await.refusal();
    assert!(refusal.message().contains(&format!("{of_the_reader}: ")), "{of_the_reader}: {refusal:?}");
}
