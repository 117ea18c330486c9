"""The case runner rejects invalid files, and detects wrong answers."""

import json
from typing import Any

import grpc
import pytest

from arbiter_client import v1
from arbiter_client.v1.rules_service_pb2_grpc import RulesServiceStub
from case_runner.answer import WrongAnswerError, call, check, check_item, read_item
from case_runner.case import Case, read_file
from case_runner.messages import InvalidCaseError

MOVE = {"state": {"notation": "444444"}, "move": {"notation": "4"}}
FULL = {"code": "ERROR_REASON_COLUMN_FULL", "field": "move.notation", "clause": "C4-2"}
ILLEGAL = {"rpc": "ApplyMove", "request": MOVE, "status": "FAILED_PRECONDITION", "reasons": [FULL]}
START = {"rpc": "NewGame", "request": {"connect_four": {}, "seed": "7", "form": 2}, "status": "OK"}
STARTED = {"state": {"notation": "c4:7x6x4:"}, "seed": "7"}


def read(**case: Any) -> Case | InvalidCaseError:
    """Reads a file of one case."""
    return next(read_file(json.dumps({"about": "x", "cases": [{"name": "x", **case}]})))


def ask(server: str, **case: Any) -> None:
    """Makes the call of a case and compares the answer."""
    valid = read(**case)
    assert isinstance(valid, Case), valid
    with grpc.insecure_channel(server) as channel:
        check(valid, call(RulesServiceStub(channel), valid))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"about": "x", "cases": []}',
        '{"about": "", "cases": [{}]}',
        '{"about": "x", "cases": [{}], "more": 1}',
        '{"about": "x", "about": "y", "cases": [{}]}',
    ],
)
def test_an_invalid_file_is_rejected(text: str) -> None:
    assert [type(case) for case in read_file(text)] == [InvalidCaseError]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"status": None}, "'status' has a value of the wrong type"),
        ({"expect": 1}, "unknown: ['expect']"),
        ({"clause": "4.2"}, "a clause has the form of C4-2"),
        ({"name": ""}, "a case needs a name"),
        ({"rpc": "NoSuchCall"}, "there is no call"),
        ({"request": {"sead": "1"}}, "sead"),
        ({"request": {"connectFour": {}}}, "connectFour"),
        ({"request": {"form": "STATE_FORM_SUNG"}}, "STATE_FORM_SUNG"),
        ({"request": []}, "a message is an object"),
        ({"rpc": "Evaluate"}, "the messages of a stream are a list"),
        ({"response": {"sead": "1"}}, "sead"),
        ({"ignore": ["sead"]}, "is not the path of a field"),
        ({"ignore": ["seed.more"]}, "is not the path of a field"),
        ({"ignore": ["seed"]}, "an ignored field must not be in the response"),
        ({"reasons": [FULL]}, "OK needs a response, and has no reasons"),
        ({"status": "INTERNAL"}, "there is no status"),
        ({"status": "INVALID_ARGUMENT"}, "a refusal needs reasons, and has no response"),
    ],
)
def test_an_invalid_case_is_rejected(wrong: dict[str, Any], message: str) -> None:
    assert isinstance(read(**START, response=STARTED), Case)
    error = read(**{**START, "response": STARTED, **wrong})
    assert isinstance(error, InvalidCaseError)
    assert message in str(error)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"reasons": []}, "a refusal needs reasons"),
        ({"ignore": []}, "no ignore"),
        ({"status": "INVALID_ARGUMENT"}, "unknown: ['clause']"),
        ({"status": "INVALID_ARGUMENT", "reasons": [{"code": FULL["code"]}]}, "missing: ['field']"),
        ({"status": "UNIMPLEMENTED", "move_index": 1}, "move_index is only for FAILED_PRECONDITION"),
        ({"reasons": [{**FULL, "code": "ERROR_REASON_UNSPECIFIED"}]}, "there is no reason"),
        ({"move_index": True}, "'move_index' has a value of the wrong type"),
    ],
)
def test_an_invalid_refusal_is_rejected(wrong: dict[str, Any], message: str) -> None:
    error = read(**{**ILLEGAL, **wrong})
    assert isinstance(error, InvalidCaseError)
    assert message in str(error)


def test_a_duplicate_name_is_rejected() -> None:
    case = {"name": "x", **ILLEGAL}
    first, second = read_file(json.dumps({"about": "x", "cases": [case, case]}))
    assert isinstance(first, Case)
    assert "x: there are two cases with this name" in str(second)


@pytest.mark.parametrize(
    "wrong",
    [
        {"reasons": [{**FULL, "clause": "C4-3"}]},
        {"reasons": [{**FULL, "field": "move"}]},
        {"reasons": [{**FULL, "code": "ERROR_REASON_GAME_OVER"}]},
        {"reasons": [{**FULL, "message": "no"}]},
        {"reasons": [FULL, FULL]},
        {"move_index": 0},
        {"status": "INVALID_ARGUMENT", "reasons": [{"code": FULL["code"], "field": FULL["field"]}]},
        {"rpc": "ValidateMove"},
        {"request": {"state": {"notation": "4"}, "move": {"notation": "4"}}},
    ],
)
def test_another_refusal_is_a_failure(server: str, wrong: dict[str, Any]) -> None:
    ask(server, **ILLEGAL)
    with pytest.raises(WrongAnswerError):
        ask(server, **{**ILLEGAL, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"response": {**STARTED, "seed": "8"}},
        {"response": {"seed": "7"}},
        {"response": {**STARTED, "seed": "0"}, "request": {"connect_four": {}, "seed": "7", "form": 2}},
        {"response": {}, "ignore": ["seed"]},
        {"response": {"seed": "7"}, "ignore": ["state.connect_four", "state.notation"]},
        {"request": {"connect_four": {}, "form": 7, "seed": "7"}},
    ],
)
def test_another_response_is_a_failure(server: str, wrong: dict[str, Any]) -> None:
    ask(server, **START, response=STARTED)
    with pytest.raises(WrongAnswerError):
        ask(server, **{**START, "response": STARTED, **wrong})


def test_zero_is_not_absent(server: str) -> None:
    events = [{"placed": {"player": 1, "square": {"row": 5, "column": 0}}}]
    response = {"state": {"notation": "c4:7x6x4:1"}, "outcome": {"result": 1, "next_players": [2]}, "events": events}
    case = {"rpc": "ApplyMove", "request": {"state": {"notation": "c4:"}, "move": {"notation": "1"}}, "status": "OK"}
    ask(server, **case, response=response)
    del events[0]["placed"]["square"]["column"]  # type: ignore[attr-defined]
    with pytest.raises(WrongAnswerError, match="column: 0"):
        ask(server, **case, response=response)


def test_another_answer_to_an_item_is_a_failure() -> None:
    case = read(**START, response=STARTED)
    assert isinstance(case, Case)
    assert isinstance(case.expected, list)
    right = v1.Answer(new_game={"state": {"notation": "c4:7x6x4:"}, "seed": 7})
    check_item(case.expected, read_item(case, right))
    wrong = [
        v1.Answer(new_game={"seed": 7}),
        v1.Answer(refusal={"code": 3}),
        v1.Answer(list_games={}),
        v1.Answer(),
    ]
    for answer in wrong:
        with pytest.raises(WrongAnswerError):
            check_item(case.expected, read_item(case, answer))
