"""What is sent by a stream, and what goes wrong with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from . import v1
from .call import Call
from .errors import ArbiterError, read_errors


class Sending:
    """Makes the messages of an `Evaluate` stream of calls as they come.

    gRPC reads them where the caller does not see it, and of an exception there it tells only that there was one.
    So it is kept here, and raised where the answers are read.
    """

    def __init__(self) -> None:
        self._failure: Exception | None = None

    def messages(self, calls: Iterable[Call[Any]]) -> Iterator[v1.EvaluateRequest]:
        """The messages, one by one."""
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

    @contextmanager
    def read_errors(self) -> Iterator[None]:
        """Raises the errors of the stream as those of this package, and what went wrong with the calls as it is."""
        try:
            with read_errors():
                yield
        except (ArbiterError, asyncio.CancelledError):
            if self._failure is not None:
                raise self._failure from None
            raise
