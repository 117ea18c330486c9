"""The exceptions, and how they are read from a gRPC status or a refusal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2

from . import v1

DOMAIN = "arbiter.v1"
CODES = {code.value[0]: code for code in grpc.StatusCode}

M = TypeVar("M", bound=Message)


class ArbiterError(Exception):
    """A failed call, with a gRPC status code and a message for people."""

    code: grpc.StatusCode
    """The status code, such as `grpc.StatusCode.UNAVAILABLE`."""
    message: str
    """The message of the status."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code.name}: {self.message}"


class UnreachableError(ArbiterError):
    """The service could not be reached, or is shutting down. The message includes TLS failures."""


class DeadlineExceededError(ArbiterError):
    """The deadline was exceeded."""


@dataclass(frozen=True)
class Reason:
    """One reason of a refusal."""

    code: str
    """The name of an `ErrorReason`. For one that is newer than this client: its name if the service has sent it,
    otherwise its number."""
    message: str
    """The reason in words. The wording may change between versions."""
    field: str = ""
    """The field of the request it is about, such as `move.notation`. Empty when it is about no field."""
    clause: str = ""
    """The clause of the rules that says so, such as `C4-2`. Empty when no rule of a game is concerned, and in an
    `InvalidRequestError` that is raised."""

    def __str__(self) -> str:
        place = f"{self.field}: " if self.field else ""
        return f"{place}{self.message} ({', '.join(filter(None, [self.code, self.clause]))})"


class RefusedError(ArbiterError):
    """The service refused a call. Raised by a single call; a value in the answers of a batch or a stream."""

    reasons: tuple[Reason, ...]
    """Every reason, the most important first. Never empty."""
    metadata: Mapping[str, str]
    """The metadata of `google.rpc.ErrorInfo`. Empty in an answer of a batch or a stream."""
    unlisted: int
    """How many further reasons are not listed."""
    move_index: int | None
    """The index of the illegal move in a replay, from 0. None in any other refusal."""

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        reasons: tuple[Reason, ...],
        metadata: Mapping[str, str] | None = None,
        unlisted: int = 0,
        move_index: int | None = None,
    ) -> None:
        super().__init__(code, message)
        # For pickling.
        self.args = (code, message, reasons, metadata, unlisted, move_index)
        self.reasons = reasons
        self.metadata = metadata or {}
        self.unlisted = unlisted
        self.move_index = move_index

    @property
    def reason(self) -> str:
        """The name of the first reason, such as `ERROR_REASON_COLUMN_FULL`."""
        return self.reasons[0].code

    def __str__(self) -> str:
        lines = [str(reason) for reason in self.reasons]
        if self.unlisted:
            lines.append(f"and {self.unlisted} more")
        return f"{self.code.name}: {lines[0]}" if len(lines) == 1 else "\n  ".join([f"{self.code.name}:", *lines])


class InvalidRequestError(RefusedError):
    """The request is malformed, its state is impossible, or the response is hidden. Every violation is a reason."""


class IllegalMoveError(RefusedError):
    """The rules forbid the move. After `replay_game`, `move_index` is the index of the move."""


@contextmanager
def read_errors() -> Iterator[None]:
    """Converts gRPC errors to those of this package."""
    try:
        yield
    except grpc.RpcError as error:
        raise read_error(error) from error


def read_error(error: grpc.RpcError) -> ArbiterError:
    """Converts a gRPC error."""
    code, message = error.code(), error.details() or ""
    if code is grpc.StatusCode.UNAVAILABLE:
        return UnreachableError(code, message)
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return DeadlineExceededError(code, message)
    status = read_status(error)
    info = find(status, error_details_pb2.ErrorInfo)
    if info is None or info.domain != DOMAIN:
        return ArbiterError(code, message)
    illegal = find(status, v1.IllegalMove) or v1.IllegalMove()
    bad = find(status, error_details_pb2.BadRequest) or error_details_pb2.BadRequest()
    metadata = dict(info.metadata)
    reasons = [
        *read_reasons(illegal.reasons),
        *(Reason(violation.reason, violation.description, violation.field) for violation in bad.field_violations),
    ] or [Reason(info.reason, message, metadata.get("field", ""), metadata.get("clause", ""))]
    # The reasons of an illegal move are numbers. `ErrorInfo` has the name of the first, even if it is unknown here.
    reasons[0] = replace(reasons[0], code=info.reason)
    unlisted = metadata.get("unlisted_violations", "")
    return refused(
        code,
        message,
        reasons,
        metadata=metadata,
        unlisted=int(unlisted) if unlisted.isdecimal() else 0,
        move_index=illegal.move_index if illegal.HasField("move_index") else None,
    )


def read_refusal(refusal: v1.Refusal) -> RefusedError:
    """Reads the refusal of an item: the exception that the call on its own would have raised."""
    code = CODES.get(refusal.code, grpc.StatusCode.UNKNOWN)
    return refused(
        code,
        refusal.message,
        read_reasons(refusal.reasons) or [Reason(v1.ErrorReason.Name(0), refusal.message)],
        unlisted=refusal.unlisted_reasons,
        move_index=refusal.move_index if refusal.HasField("move_index") else None,
    )


def refused(
    code: grpc.StatusCode,
    message: str,
    reasons: Iterable[Reason],
    *,
    metadata: Mapping[str, str] | None = None,
    unlisted: int = 0,
    move_index: int | None = None,
) -> RefusedError:
    """Creates the exception for a status code."""
    kind = KINDS.get(code, RefusedError)
    return kind(code, message, tuple(reasons), metadata, unlisted, move_index)


KINDS = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequestError,
    grpc.StatusCode.FAILED_PRECONDITION: IllegalMoveError,
}


def read_reasons(reasons: Iterable[v1.Reason]) -> list[Reason]:
    """Converts reasons, whose codes are numbers."""
    names = v1.ErrorReason.DESCRIPTOR.values_by_number
    return [
        Reason(
            names[reason.code].name if reason.code in names else str(reason.code),
            reason.message,
            reason.field,
            reason.clause,
        )
        for reason in reasons
    ]


def read_status(error: grpc.RpcError) -> status_pb2.Status:
    """Reads the status details of a failed call. Empty if there are none that can be decoded."""
    metadata: Any = error.trailing_metadata() or ()
    for key, value in metadata:
        if key == "grpc-status-details-bin":
            with suppress(DecodeError):
                return status_pb2.Status.FromString(value)
    return status_pb2.Status()


def find(status: status_pb2.Status, kind: type[M]) -> M | None:
    """Finds the detail of a type, if there is one that can be decoded."""
    for detail in status.details:
        message = kind()
        with suppress(DecodeError):
            if detail.Unpack(message):
                return message
    return None
