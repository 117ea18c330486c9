"""Runs the cases of `tests/cases`.

Each runs on its own, and all of them as items of `EvaluateBatch` and `Evaluate`, where the answers must be the same.
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import grpc
import pytest

from arbiter_client import RefusedError, v1
from arbiter_client.errors import read_error, read_refusal
from arbiter_client.v1.rules_service_pb2_grpc import RulesServiceStub
from case_runner.answer import TIMEOUT, Answer, WrongAnswerError, call, check, check_item, read_item
from case_runner.case import Case, read_folder
from case_runner.messages import InvalidCaseError
from support.server import REPOSITORY

BATCH = 100

Read: TypeAlias = list[Case | InvalidCaseError]
Answered: TypeAlias = list[tuple[Case, Answer | WrongAnswerError]]
Items: TypeAlias = list[tuple[Case, Answer, v1.Call]]

ITEMS = {field.message_type.full_name: field.name for field in v1.Call.DESCRIPTOR.fields if field.message_type}


@pytest.fixture(scope="module")
def stub(server: str) -> Iterator[Any]:
    with grpc.insecure_channel(server) as channel:
        yield RulesServiceStub(channel)


@pytest.fixture(scope="module")
def cases() -> Read:
    return list(read_folder(REPOSITORY / "tests/cases"))


@pytest.fixture(scope="module")
def answers(stub: Any, cases: Read) -> Answered:
    """Each case with its answer, or with the error if it is wrong."""
    answers: Answered = []
    for case in cases:
        if isinstance(case, InvalidCaseError):
            continue
        try:
            answer = call(stub, case)
            check(case, answer)
            answers.append((case, answer))
        except WrongAnswerError as error:
            answers.append((case, error))
    return answers


@pytest.fixture(scope="module")
def items(answers: Answered) -> Items:
    """The passed cases that can be items of a batch or a stream."""
    return [
        (case, answer, to_item(case))
        for case, answer in answers
        if not isinstance(answer, WrongAnswerError) and case.method.input_type.full_name in ITEMS
    ]


def to_item(case: Case) -> v1.Call:
    item = v1.Call()
    request = getattr(item, ITEMS[case.method.input_type.full_name])
    request.SetInParent()
    request.MergeFrom(case.requests[0])
    return item


def test_all_files_are_valid(cases: Read) -> None:
    fail_all(str(case) for case in cases if isinstance(case, InvalidCaseError))
    assert len({case.name.split(": ")[0].split("/")[0] for case in cases if isinstance(case, Case)}) >= 5


def test_cases(answers: Answered, capsys: pytest.CaptureFixture[str]) -> None:
    assert answers, "there are no cases"
    fail_all(f"{case.name}\n{answer}" for case, answer in answers if isinstance(answer, WrongAnswerError))
    with capsys.disabled():
        print(f"{len(answers)} cases passed ", end="")


def test_items_of_a_batch_have_the_same_answers(stub: Any, items: Items) -> None:
    assert items
    answers: list[v1.Answer] = []
    for start in range(0, len(items), BATCH):
        calls = [item for _, _, item in items[start : start + BATCH]]
        answers.extend(stub.EvaluateBatch(v1.EvaluateBatchRequest(calls=calls), timeout=TIMEOUT).answers)
    compare_items(items, answers)


def test_items_of_a_stream_have_the_same_answers(stub: Any, items: Items) -> None:
    assert items
    requests = (v1.EvaluateRequest(call=item) for _, _, item in items)
    compare_items(items, [response.answer for response in stub.Evaluate(requests, timeout=TIMEOUT)])


def test_the_client_reads_every_refusal(stub: Any, answers: Answered) -> None:
    refusals = [(case, answer) for case, answer in answers if isinstance(answer, v1.Refusal)]
    assert refusals
    for case, refusal in refusals:
        with pytest.raises(grpc.RpcError) as raised:
            getattr(stub, case.method.name)(case.requests[0], timeout=TIMEOUT)
        read, expected = read_error(raised.value), read_refusal(refusal)
        assert type(read) is type(expected), case.name
        assert isinstance(read, RefusedError)
        assert (read.code, read.message, read.reason) == (expected.code, expected.message, expected.reason), case.name
        assert (read.unlisted, read.move_index) == (expected.unlisted, expected.move_index), case.name
        if type(read) is not RefusedError:  # Others have one reason, with field and clause only in the metadata.
            assert read.reasons == expected.reasons, case.name


def compare_items(items: Items, answers: list[v1.Answer]) -> None:
    assert len(answers) == len(items)
    failures = []
    for (case, alone, _), answer in zip(items, answers, strict=True):
        try:
            check_item(alone, read_item(case, answer))
        except WrongAnswerError as error:
            failures.append(f"{case.name}\n{error}")
    fail_all(failures)


def fail_all(failures: Iterable[str]) -> None:
    """Reports all failures, not only the first."""
    found = list(failures)
    if found:
        pytest.fail("\n" + "\n\n".join(found) + f"\n\n{len(found)} failures", pytrace=False)
