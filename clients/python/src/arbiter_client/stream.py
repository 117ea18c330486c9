"""The requests of an `Evaluate` stream, and its errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import grpc
import grpc.aio

from . import v1
from .call import Call
from .errors import ArbiterError, read_errors

T = TypeVar("T")


class Sending:
    """Converts calls to the requests of an `Evaluate` stream.

    gRPC consumes the requests in the background and hides an exception that is raised there. This class stores it, and
    raises it where the answers are read.
    """

    def __init__(self) -> None:
        self._failure: Exception | None = None
        self._refusal: grpc.aio.AioRpcError | None = None

    def messages(self, calls: Iterable[Call[Any]]) -> Iterator[v1.EvaluateRequest]:
        """Yields the requests."""
        with self._keep_failure():
            for call in calls:
                yield v1.EvaluateRequest(call=call.to_item())

    async def async_messages(
        self, calls: Iterable[Call[Any]] | AsyncIterable[Call[Any]]
    ) -> AsyncIterator[v1.EvaluateRequest]:
        """The same for asyncio."""
        if isinstance(calls, Iterable):
            for message in self.messages(calls):
                yield message
        else:
            with self._keep_failure():
                async for call in calls:
                    yield v1.EvaluateRequest(call=call.to_item())

    @contextmanager
    def _keep_failure(self) -> Iterator[None]:
        try:
            yield
        except Exception as failure:
            self._failure = failure
            raise

    def keep_refusal(self, stream: Any) -> None:
        """Keeps the status of a stream. Done callback of an asyncio stream.

        If a call is sent while the stream ends, gRPC replaces the status by another error (grpc/grpc#36066).
        """
        code, trailing = result(stream.code()), result(stream.trailing_metadata())
        if code is not grpc.StatusCode.OK:
            self._refusal = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailing, result(stream.details()))

    @contextmanager
    def _raise_refusal(self) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            raise self._refusal or error from None

    @contextmanager
    def read_errors(self) -> Iterator[None]:
        """Converts the errors of the stream to those of this package. An exception of `calls` is raised unchanged."""
        try:
            with read_errors(), self._raise_refusal():
                yield
        except (ArbiterError, asyncio.CancelledError):
            if self._failure is not None:
                raise self._failure from None
            raise


def result(coroutine: Coroutine[Any, Any, T]) -> T:
    """Returns the result of a coroutine that does not suspend."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast("T", end.value)
    raise RuntimeError("the coroutine has not finished")
