"""Reads the cases. Strict, so that a typo is an error instead of a test of nothing."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor import Descriptor, MethodDescriptor
from google.protobuf.message import Message

from arbiter_client import v1
from arbiter_client.v1 import rules_service_pb2
from case_runner.messages import FieldPath, InvalidCaseError, read_message, read_path, remove_fields

METHODS = rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"].methods_by_name
STATUSES = {"INVALID_ARGUMENT", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED"}


@dataclass(frozen=True)
class Refused:
    """An expected refusal."""

    code: int
    reasons: list[tuple[v1.Reason, str | None]]
    """Each with its expected message. None: any message is accepted."""
    move_index: int | None


@dataclass(frozen=True)
class Case:
    """One call and its expected answer. A stream has any number of messages, other calls have one."""

    name: str
    method: MethodDescriptor
    requests: list[Message]
    expected: list[Message] | Refused
    ignored: list[FieldPath]


def read_folder(folder: Path) -> Iterator[Case | InvalidCaseError]:
    """Reads all files below a folder: the cases, and the errors of invalid ones, with the name of the file."""
    for path in sorted(folder.glob("*/*")):
        source = path.relative_to(folder)
        for case in read_file(path.read_text("utf-8")):
            if isinstance(case, InvalidCaseError):
                yield InvalidCaseError(f"{source}: {case}")
            else:
                yield Case(f"{source}: {case.name}", case.method, case.requests, case.expected, case.ignored)


def read_file(text: str) -> Iterator[Case | InvalidCaseError]:
    """Reads the cases of one file, and the errors of invalid ones."""
    try:
        file = read_keys(json.loads(text, object_pairs_hook=read_object), {"about": str, "cases": list}, {})
        if not file["about"] or not file["cases"]:
            raise InvalidCaseError("a file needs an about and at least one case")
    except (InvalidCaseError, json.JSONDecodeError) as error:
        yield InvalidCaseError(str(error))
        return
    names: set[str] = set()
    for value in file["cases"]:
        name = value.get("name") if isinstance(value, dict) else None
        try:
            if name in names:
                raise InvalidCaseError("there are two cases with this name")
            case = read_case(value)
            names.add(case.name)
            yield case
        except InvalidCaseError as error:
            yield InvalidCaseError(f"{name}: {error}")


def read_case(value: Any) -> Case:
    """Reads one case."""
    case = read_keys(
        value,
        {"name": str, "rpc": str, "request": (dict, list), "status": str},
        {"clause": str, "response": (dict, list), "ignore": list, "reasons": list, "move_index": int},
    )
    if not case["name"] or "-" not in case.get("clause", "C4-2"):
        raise InvalidCaseError("a case needs a name, and a clause has the form of C4-2")
    method = METHODS.get(case["rpc"])
    if method is None:
        raise InvalidCaseError(f"there is no call {case['rpc']!r}")
    requests = read_messages(method.input_type, case["request"], stream=method.client_streaming)
    ignored = [read_path(method.output_type, path) for path in case.get("ignore", [])]
    if case["status"] == "OK":
        return Case(case["name"], method, requests, read_response(case, method, ignored), ignored)
    return Case(case["name"], method, requests, read_refusal(case), [])


def read_response(case: dict[str, Any], method: MethodDescriptor, ignored: list[FieldPath]) -> list[Message]:
    """Reads the expected responses."""
    if "response" not in case or "reasons" in case or "move_index" in case:
        raise InvalidCaseError("OK needs a response, and has no reasons and no move_index")
    messages = read_messages(method.output_type, case["response"], stream=method.server_streaming)
    if remove_fields(messages, ignored).present:
        raise InvalidCaseError("an ignored field must not be in the response")
    return messages


def read_refusal(case: dict[str, Any]) -> Refused:
    """Reads the expected refusal."""
    status = case["status"]
    if status not in STATUSES:
        raise InvalidCaseError(f"there is no status {status!r}")
    if not case.get("reasons") or "response" in case or "ignore" in case:
        raise InvalidCaseError("a refusal needs reasons, and has no response and no ignore")
    if "move_index" in case and status != "FAILED_PRECONDITION":
        raise InvalidCaseError("move_index is only for FAILED_PRECONDITION")
    reasons = [read_reason(reason, status) for reason in case["reasons"]]
    return Refused(grpc.StatusCode[status].value[0], reasons, case.get("move_index"))


def read_reason(value: Any, status: str) -> tuple[v1.Reason, str | None]:
    """Reads a reason. The status determines whether it has a field and a clause."""
    places = {"INVALID_ARGUMENT": ["field"], "FAILED_PRECONDITION": ["field", "clause"]}.get(status, [])
    reason = read_keys(value, {"code": str, **dict.fromkeys(places, str)}, {"message": str})
    if reason["code"] not in v1.ErrorReason.keys()[1:]:
        raise InvalidCaseError(f"there is no reason {reason['code']!r}")
    message = reason.pop("message", None)
    return v1.Reason(**reason), message


def read_messages(descriptor: Descriptor, value: Any, *, stream: bool) -> list[Message]:
    """Reads requests or responses: a list of messages for a stream, otherwise one."""
    if not stream:
        return [read_message(descriptor, value)]
    if not isinstance(value, list):
        raise InvalidCaseError("the messages of a stream are a list")
    return [read_message(descriptor, item) for item in value]


def read_keys(value: Any, required: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """Reads an object with these keys, whose values have these types, and no others."""
    kinds = required | optional
    if not isinstance(value, dict):
        raise InvalidCaseError("not an object")
    if missing := required.keys() - value.keys():
        raise InvalidCaseError(f"missing: {sorted(missing)}")
    if unknown := value.keys() - kinds.keys():
        raise InvalidCaseError(f"unknown: {sorted(unknown)}")
    for key, inner in value.items():
        if not isinstance(inner, kinds[key]) or isinstance(inner, bool):
            raise InvalidCaseError(f"{key!r} has a value of the wrong type")
    return value


def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Creates an object from its keys and values. Rejects duplicate keys."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise InvalidCaseError(f"duplicate key in {[key for key, _ in pairs]}")
    return value
