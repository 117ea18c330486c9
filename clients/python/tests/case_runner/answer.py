"""The answers of the service, compared with the expected ones."""

from typing import Any, TypeAlias, TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from arbiter_client import v1
from case_runner.case import Case, Refused
from case_runner.messages import difference, remove_fields

TIMEOUT = 30
INVALID_ARGUMENT, FAILED_PRECONDITION = 3, 9

Answer: TypeAlias = list[Message] | v1.Refusal
"""The responses without the fields that the case ignores, or the refusal. The same on its own and as an item."""

M = TypeVar("M", bound=Message)


class WrongAnswerError(Exception):
    """How an answer differs from the expected one."""


def call(stub: Any, case: Case) -> Answer:
    """Makes the call of a case on its own, and reads its answer."""
    method = getattr(stub, case.method.name)
    try:
        if case.method.client_streaming:
            return read_messages(case, list(method(iter(case.requests), timeout=TIMEOUT)))
        return read_messages(case, [method(case.requests[0], timeout=TIMEOUT)])
    except grpc.RpcError as error:
        return read_status(error)


def read_messages(case: Case, messages: list[Message]) -> Answer:
    """Removes the fields that the case ignores from the responses."""
    if remove_fields(messages, case.ignored).missing:
        raise WrongAnswerError(f"an ignored field is missing in the response: {messages}")
    return messages


def read_item(case: Case, item: v1.Answer) -> Answer:
    """Reads the answer to an item of `EvaluateBatch` or `Evaluate`."""
    kind = item.WhichOneof("kind")
    if kind == "refusal":
        return item.refusal
    message = getattr(item, kind) if kind else None
    if message is None or message.DESCRIPTOR.full_name != case.method.output_type.full_name:
        raise WrongAnswerError(f"the answer to the item is {kind}")
    return read_messages(case, [message])


def check(case: Case, got: Answer) -> None:
    """Compares an answer with the expected one."""
    expected = case.expected if isinstance(case.expected, list) else to_refusal(case.expected, got)
    compare(expected, got)


def check_item(alone: Answer, got: Answer) -> None:
    """Compares the answer to an item with that of the call on its own."""
    if isinstance(got, v1.Refusal) and got.code == INVALID_ARGUMENT:
        for reason in got.reasons:  # A google.rpc.BadRequest has no clauses.
            reason.ClearField("clause")
    compare(alone, got)


def compare(expected: Answer, got: Answer) -> None:
    """Compares two answers."""
    if expected != got:
        raise WrongAnswerError(difference(to_list(expected), to_list(got)))


def to_list(answer: Answer) -> list[Message]:
    """An answer as messages."""
    return answer if isinstance(answer, list) else [answer]


def to_refusal(expected: Refused, got: Answer) -> v1.Refusal:
    """The expected refusal. Where any message is accepted, it has the received one."""
    received = got if isinstance(got, v1.Refusal) else v1.Refusal()
    refusal = v1.Refusal(code=expected.code, message=received.message, move_index=expected.move_index)
    if received.HasField("unlisted_reasons"):
        refusal.unlisted_reasons = received.unlisted_reasons
    for index, (reason, message) in enumerate(expected.reasons):
        if message is None and index < len(received.reasons):
            message = received.reasons[index].message
        refusal.reasons.add(message=message).MergeFrom(reason)
    return refusal


def read_status(error: grpc.RpcError) -> v1.Refusal:
    """Reads a refusal from the status of a call, and checks that its details are complete."""
    metadata: Any = error.trailing_metadata()
    encoded = dict(metadata).get("grpc-status-details-bin")
    if encoded is None:
        raise WrongAnswerError(f"the status has no details: {error}")
    status = status_pb2.Status.FromString(encoded)
    code, message = error.code().value[0], error.details()
    if (status.code, status.message) != (code, message):
        raise WrongAnswerError(f"the details have another status: {status}")
    info = detail(status, error_details_pb2.ErrorInfo)
    refusal = v1.Refusal(code=code, message=message)
    if code == INVALID_ARGUMENT:
        for violation in detail(status, error_details_pb2.BadRequest).field_violations:
            refusal.reasons.add(
                code=read_reason(violation.reason), message=violation.description, field=violation.field
            )
    elif code == FAILED_PRECONDITION:
        illegal_move = detail(status, v1.IllegalMove)
        refusal.reasons.extend(illegal_move.reasons)
        if illegal_move.HasField("move_index"):
            refusal.move_index = illegal_move.move_index
    else:
        refusal.reasons.add(code=read_reason(info.reason), message=message)
    if "unlisted_violations" in info.metadata:
        refusal.unlisted_reasons = int(info.metadata["unlisted_violations"])
    check_error_info(info, refusal)
    return refusal


def detail(status: status_pb2.Status, kind: type[M]) -> M:
    """The detail of a type, which must be present."""
    message = kind()
    if not any(packed.Unpack(message) for packed in status.details):
        raise WrongAnswerError(f"there is no {message.DESCRIPTOR.full_name}: {status}")
    return message


def read_reason(name: str) -> Any:
    """The reason with a name, which must be in the contract."""
    if name not in v1.ErrorReason.DESCRIPTOR.values_by_name:
        raise WrongAnswerError(f"there is no reason {name!r}")
    return v1.ErrorReason.Value(name)


def check_error_info(info: error_details_pb2.ErrorInfo, refusal: v1.Refusal) -> None:
    """Checks that the `google.rpc.ErrorInfo` of a refusal matches its first reason, and that no message is empty."""
    if not refusal.reasons:
        raise WrongAnswerError("there is no reason")
    first = refusal.reasons[0]
    if (info.domain, info.reason) != ("arbiter.v1", v1.ErrorReason.Name(first.code)):
        raise WrongAnswerError(f"the google.rpc.ErrorInfo does not match the first reason: {info}")
    expected = {"field": first.field, "clause": first.clause}
    if refusal.HasField("move_index"):
        expected["move_index"] = str(refusal.move_index)
    for key, value in expected.items():
        if value and info.metadata.get(key) != value:
            raise WrongAnswerError(f"{key} in the metadata of google.rpc.ErrorInfo should be {value}: {info}")
    if not refusal.message or not all(reason.message for reason in refusal.reasons):
        raise WrongAnswerError(f"a message is empty: {refusal}")
