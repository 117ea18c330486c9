"""The cases as they are written, read strictly."""

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
from case_runner.messages import FieldPath, WrongCaseError, read_message, read_path, take_out

METHODS = rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"].methods_by_name
STATUSES = {"INVALID_ARGUMENT", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED"}


@dataclass(frozen=True)
class Refused:
    """A refusal that is wanted."""

    code: int
    reasons: list[tuple[v1.Reason, str | None]]
    """Each with its message, if it is one that is wanted."""
    move_index: int | None


@dataclass(frozen=True)
class Case:
    """One call, and the answer that is wanted. A stream may have any number of messages, other calls have one."""

    name: str
    method: MethodDescriptor
    requests: list[Message]
    wanted: list[Message] | Refused
    ignored: list[FieldPath]


def read_folder(folder: Path) -> Iterator[Case | WrongCaseError]:
    """Reads all files below a folder: cases, and what is wrong with them, named by the file."""
    for path in sorted(folder.glob("*/*")):
        source = path.relative_to(folder)
        for case in read_file(path.read_text("utf-8")):
            if isinstance(case, WrongCaseError):
                yield WrongCaseError(f"{source}: {case}")
            else:
                yield Case(f"{source}: {case.name}", case.method, case.requests, case.wanted, case.ignored)


def read_file(text: str) -> Iterator[Case | WrongCaseError]:
    """Reads the cases of one file, each right or wrong."""
    try:
        file = read_keys(json.loads(text, object_pairs_hook=read_object), {"about": str, "cases": list}, {})
        if not file["about"] or not file["cases"]:
            raise WrongCaseError("a file says what it is about and has a case")
    except (WrongCaseError, json.JSONDecodeError) as error:
        yield WrongCaseError(str(error))
        return
    names: set[str] = set()
    for written in file["cases"]:
        name = written.get("name") if isinstance(written, dict) else None
        try:
            if name in names:
                raise WrongCaseError("there are two cases of this name")
            case = read_case(written)
            names.add(case.name)
            yield case
        except WrongCaseError as error:
            yield WrongCaseError(f"{name}: {error}")


def read_case(written: Any) -> Case:
    """Reads one case."""
    case = read_keys(
        written,
        {"name": str, "rpc": str, "request": (dict, list), "status": str},
        {"clause": str, "response": (dict, list), "ignore": list, "reasons": list, "move_index": int},
    )
    if not case["name"] or "-" not in case.get("clause", "C4-2"):
        raise WrongCaseError("a case has a name, and a clause is written like C4-2")
    method = METHODS.get(case["rpc"])
    if method is None:
        raise WrongCaseError(f"there is no call {case['rpc']!r}")
    requests = read_messages(method.input_type, case["request"], stream=method.client_streaming)
    ignored = [read_path(method.output_type, path) for path in case.get("ignore", [])]
    if case["status"] == "OK":
        return Case(case["name"], method, requests, read_response(case, method, ignored), ignored)
    return Case(case["name"], method, requests, read_refusal(case), [])


def read_response(case: dict[str, Any], method: MethodDescriptor, ignored: list[FieldPath]) -> list[Message]:
    """Reads the messages that are wanted."""
    if "response" not in case or "reasons" in case or "move_index" in case:
        raise WrongCaseError("OK needs a response, and has no reasons and no move_index")
    messages = read_messages(method.output_type, case["response"], stream=method.server_streaming)
    if take_out(messages, ignored).there:
        raise WrongCaseError("a field that is ignored must not be in the response")
    return messages


def read_refusal(case: dict[str, Any]) -> Refused:
    """Reads the refusal that is wanted."""
    status = case["status"]
    if status not in STATUSES:
        raise WrongCaseError(f"there is no status {status!r}")
    if not case.get("reasons") or "response" in case or "ignore" in case:
        raise WrongCaseError("a refusal needs reasons, and has no response and no ignore")
    if "move_index" in case and status != "FAILED_PRECONDITION":
        raise WrongCaseError("move_index is of FAILED_PRECONDITION")
    reasons = [read_reason(reason, status) for reason in case["reasons"]]
    return Refused(grpc.StatusCode[status].value[0], reasons, case.get("move_index"))


def read_reason(written: Any, status: str) -> tuple[v1.Reason, str | None]:
    """Reads a reason: it has the field and the clause that its status has room for, and no more."""
    places = {"INVALID_ARGUMENT": ["field"], "FAILED_PRECONDITION": ["field", "clause"]}.get(status, [])
    reason = read_keys(written, {"code": str, **dict.fromkeys(places, str)}, {"message": str})
    if reason["code"] not in v1.ErrorReason.keys()[1:]:
        raise WrongCaseError(f"there is no reason {reason['code']!r}")
    message = reason.pop("message", None)
    return v1.Reason(**reason), message


def read_messages(descriptor: Descriptor, written: Any, *, stream: bool) -> list[Message]:
    """Reads what is sent or answered: a list of messages if it is a stream, otherwise one."""
    if not stream:
        return [read_message(descriptor, written)]
    if not isinstance(written, list):
        raise WrongCaseError("the messages of a stream are a list")
    return [read_message(descriptor, item) for item in written]


def read_keys(written: Any, required: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """Reads an object that has these keys, with values of these types, and no other."""
    kinds = required | optional
    if not isinstance(written, dict):
        raise WrongCaseError("this is no object")
    if missing := required.keys() - written.keys():
        raise WrongCaseError(f"missing: {sorted(missing)}")
    if unknown := written.keys() - kinds.keys():
        raise WrongCaseError(f"unknown: {sorted(unknown)}")
    for key, value in written.items():
        if not isinstance(value, kinds[key]) or isinstance(value, bool):
            raise WrongCaseError(f"{key!r} has a value of the wrong type")
    return written


def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Makes an object of its keys and values, none of them twice."""
    written = dict(pairs)
    if len(written) < len(pairs):
        raise WrongCaseError(f"a key is there twice among {[key for key, _ in pairs]}")
    return written
